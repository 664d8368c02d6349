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
//! | `text`, `picture` | columns of text, and pictures |
//! | `failure` | the errors |

use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Backend, Cli};
use crate::failure::Failure;
use crate::picture::Bars;

mod accuracy;
mod cli;
mod counted;
mod emulated;
mod failure;
#[cfg(feature = "cuda")]
mod gpu;
mod number;
mod picture;
mod scans;
mod text;

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
    let Some((text, bars)) = climb(cli)? else {
        return print("every rung is right, at every length and block that was tried\n");
    };
    for file in &cli.chart {
        picture::write(&bars, file)?;
    }
    let drawn = cli.chart.iter().map(|file| format!("drawn    {}\n", file.display()));
    print(&(text + &drawn.collect::<String>()))
}

/// The results as text, and a picture of them.
type Climbed = (String, Bars);

/// Runs everything asked for; `None` if it was only a check.
fn climb(cli: &Cli) -> Result<Option<Climbed>, Failure> {
    let why = match on_gpu(cli)? {
        OnGpu::Done(climbed) => return Ok(climbed.map(|climbed| *climbed)),
        OnGpu::Not { why } => why,
    };
    if cli.check {
        return counted::check().map(|()| None);
    }
    let (text, bars) = counted::count(cli.emulated_size()?, &why)?;
    let accuracy = accuracy::text(&accuracy::on_the_host(cli.floats)?);
    Ok(Some((format!("{text}\n{accuracy}\n"), bars)))
}

/// The result of trying the GPU.
enum OnGpu {
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "there is no GPU without the feature"))]
    Done(Option<Box<Climbed>>),
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
            let mut sums = accuracy::on_the_host(cli.floats)?;
            let (text, bars) = gpu::measure(&gpu, cli, &mut sums)?;
            Ok(OnGpu::Done(Some(Box::new((format!("{text}\n{}\n", accuracy::text(&sums)), bars)))))
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
