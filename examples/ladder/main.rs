//! The ladder of reductions: the classic kernels from the first attempt to the library's own, on this machine's
//! GPU with times, or in the SIMT emulator with counts. `ladder --help` describes the arguments; docs/ladder.md
//! explains the rungs.
//!
//! | file | idea |
//! |---|---|
//! | `cli` | the command line |
//! | `number` | the two types that are added, and their elements |
//! | `emulated`, `counted` | kernels in the emulator, and their counts |
//! | `scans` | scans of one block |
//! | `accuracy` | sums of 10^8 floats, in several orders |
//! | `gpu` | kernels on the GPU, and their times |
//! | `record` | all results; what `--json` prints |
//! | `report`, `table`, `picture` | the output as text and pictures |
//! | `failure` | the errors |

use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Backend, Cli};
use crate::failure::Failure;
use crate::record::Record;

mod accuracy;
mod cli;
mod counted;
mod emulated;
mod failure;
#[cfg(feature = "cuda")]
mod gpu;
mod number;
mod picture;
mod record;
mod report;
mod scans;
mod table;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // If standard error is closed too, the error cannot be reported.
            let _ = writeln!(stderr(), "error: {failure}");
            failure.exit_code()
        }
    }
}

/// Runs the command.
fn run(cli: &Cli) -> Result<(), Failure> {
    cli.chart.iter().try_for_each(|file| picture::check(file))?;
    let found = climb(cli)?;
    let Some(record) = found else {
        return print("every rung is right, at every length and block that was tried\n");
    };
    for file in &cli.chart {
        picture::write(&record, file)?;
    }
    let json = || serde_json::to_string_pretty(&record).map(|text| text + "\n").map_err(Failure::Json);
    match cli.json.as_deref() {
        Some("-") => return print(&json()?),
        Some(file) => {
            std::fs::write(file, json()?).map_err(|cause| Failure::Write { path: file.into(), cause })?
        }
        None => {}
    }
    print(&report::render(&record))?;
    let drawn = cli.chart.iter().map(|file| format!("drawn    {}\n", file.display()));
    print(&drawn.collect::<String>())
}

/// Runs everything asked for; `None` if it was only a check.
fn climb(cli: &Cli) -> Result<Option<Box<Record>>, Failure> {
    let why = match on_gpu(cli)? {
        OnGpu::Done(record) => return Ok(record),
        OnGpu::Not { why } => why,
    };
    if cli.check {
        return counted::check().map(|()| None);
    }
    let emulated = counted::count(cli.emulated_size()?, why)?;
    let mut record = Record::new(accuracy::on_the_host(cli.floats)?);
    record.emulated = Some(emulated);
    Ok(Some(Box::new(record)))
}

/// The result of trying the GPU.
enum OnGpu {
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "there is no GPU without the feature"))]
    Done(Option<Box<Record>>),
    Not {
        why: String,
    },
}

/// Runs everything on the GPU, if there is one and it is allowed.
#[cfg(feature = "cuda")]
fn on_gpu(cli: &Cli) -> Result<OnGpu, Failure> {
    if cli.backend == Backend::Emulator {
        return Ok(OnGpu::Not { why: "--backend emulator".into() });
    }
    match gpu::Gpu::open() {
        Ok(gpu) if cli.check => gpu::check::run(&gpu).map(|()| OnGpu::Done(None)),
        Ok(gpu) => {
            let mut record = Record::new(accuracy::on_the_host(cli.floats)?);
            record.measured = Some(gpu::measure(&gpu, cli, &mut record.accuracy)?);
            Ok(OnGpu::Done(Some(Box::new(record))))
        }
        Err(failure) if cli.backend == Backend::Cuda => Err(failure),
        Err(failure) => Ok(OnGpu::Not { why: failure.to_string() }),
    }
}

#[cfg(not(feature = "cuda"))]
fn on_gpu(cli: &Cli) -> Result<OnGpu, Failure> {
    match cli.backend {
        Backend::Cuda => {
            Err(Failure::Usage("there is no GPU in this program: build it with --features cuda".into()))
        }
        Backend::Emulator => Ok(OnGpu::Not { why: "--backend emulator".into() }),
        Backend::Auto => Ok(OnGpu::Not { why: "built without the feature `cuda`".into() }),
    }
}

/// Prints `text`. A reader that closed the pipe early (`ladder ... | head`) is not a failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(cause)),
        _ => Ok(()),
    }
}
