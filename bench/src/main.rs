//! warpfold and its peers, measured in one run on the same data by the same clock.
//!
//! No figure is printed before its results were checked.

mod compare;
mod contest;
mod datum;
mod figures;
#[cfg(feature = "cuda")]
mod gpu;
mod machine;
mod operations;
mod outsider;
mod parse;
mod record;
mod spread;
mod table;

use std::{error::Error, process::ExitCode};

use clap::{Parser, Subcommand};

/// The result of a benchmark's step, or an error in one sentence.
type Outcome<T> = Result<T, Box<dyn Error>>;

/// Measures warpfold against its peers.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    what: What,
}

/// Declares the subcommands: what each does, where it is built in, its command line and its function.
macro_rules! commands {
    ($($(#[doc = $doc:literal])* $(#[cfg($cfg:meta)])? $name:ident($args:ty) => $run:path;)*) => {
        #[derive(Subcommand)]
        enum What {
            $($(#[doc = $doc])* $(#[cfg($cfg)])? $name($args),)*
            /// Not built in: build with `--features cuda`.
            #[cfg(not(feature = "cuda"))]
            Gpu {
                #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
                _ignored: Vec<String>,
            },
        }

        impl What {
            fn run(self) -> Outcome<()> {
                match self {
                    $($(#[cfg($cfg)])? Self::$name(args) => $run(&args),)*
                    #[cfg(not(feature = "cuda"))]
                    Self::Gpu { .. } => Err("this program was built without the GPU: build it with `--features cuda`".into()),
                }
            }
        }
    };
}
commands! {
    /// Every operation of the CPU: against loops, the standard library's sorts and selection, rayon and ndarray; some also against Arrow,
    /// NumPy, polars and the speed of reading memory.
    Operations(operations::Args) => operations::run;
    /// Any operator on a GPU, against CUB, Thrust, PyTorch, CuPy and CubeCL: stream launches, graph replay and
    /// end to end.
    #[cfg(feature = "cuda")]
    Gpu(Box<gpu::Args>) => gpu::run;
    /// f32 Sum of arrays in host memory, fed to a GPU: against the copy alone, and the CPU.
    #[cfg(feature = "cuda")]
    Host(gpu::host_slice::Args) => gpu::host_slice::run;
    /// The time of the first reduction of each operator and type, for which the driver compiles the kernels.
    #[cfg(feature = "cuda")]
    FirstUse(gpu::first_use::Args) => gpu::first_use::run;
    /// f32 Sum of the rows of a matrix: against CUB's segmented sums, PyTorch and CuPy.
    #[cfg(feature = "cuda")]
    Rows(gpu::batch::rows::Args) => gpu::batch::rows::of_rows;
    /// f32 Sum of the columns of a matrix: against PyTorch and CuPy.
    #[cfg(feature = "cuda")]
    Columns(gpu::batch::rows::Args) => gpu::batch::rows::of_columns;
    /// f32 Sum of segments of mixed lengths: against CUB's segmented sums.
    #[cfg(feature = "cuda")]
    Segments(gpu::batch::segments::Args) => gpu::batch::segments::sums;
    /// f32 Sum and Max and i32 sums in i32, in groups by id: against PyTorch's index_add_ and scatter_reduce_.
    #[cfg(feature = "cuda")]
    Groups(gpu::batch::groups::Args) => gpu::batch::groups::run;
    /// Running sums of f32 and i32: against CUB.
    #[cfg(feature = "cuda")]
    Scan(gpu::batch::scan::Args) => gpu::batch::scan::run;
    /// Running sums of f32 of segments of mixed lengths: against CUB's scans by key.
    #[cfg(feature = "cuda")]
    ScanSegments(gpu::batch::segments::Args) => gpu::batch::segments::running_sums;
    /// Compaction of the elements below a threshold: against CUB's selection.
    #[cfg(feature = "cuda")]
    Compact(gpu::batch::compact::Args) => gpu::batch::compact::run;
    /// Counts of f32 in even bins: against CUB's histogram.
    #[cfg(feature = "cuda")]
    Histogram(gpu::batch::histogram::Args) => gpu::batch::histogram::run;
    /// Keys and pairs of 4 and 8 bytes in several orders: against CUB's radix sort.
    #[cfg(feature = "cuda")]
    Sort(gpu::batch::sort::Args) => gpu::batch::sort::run;
    /// Sorts, first elements, medians and running sums of rows; sorts of segments.
    #[cfg(feature = "cuda")]
    Parts(gpu::batch::parts::Args) => gpu::batch::parts::run;
    /// The greatest few elements and the median: against PyTorch, and CUB's sort.
    #[cfg(feature = "cuda")]
    Select(gpu::batch::select::Args) => gpu::batch::select::run;
    /// Arrays on two devices: f32 Sum against one device, and all_reduce against NCCL's own.
    #[cfg(feature = "cuda")]
    World(gpu::world::Args) => gpu::world::run;
    /// Compares CSV records of `gpu` or `operations` by an old and by a new binary, row by row; fails if a row
    /// is slower.
    Compare(compare::Args) => compare::run;
    /// Writes a record of `gpu` into docs/performance.md, with pictures, and prints which goals are met.
    Report(figures::ReportArgs) => figures::report;
}

fn main() -> ExitCode {
    match Cli::parse().what.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("bench: {}", with_causes(reason.as_ref()));
            ExitCode::FAILURE
        }
    }
}

/// An error and its causes, in one line.
fn with_causes(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line += &format!(": {error}");
        cause = error.source();
    }
    line
}
