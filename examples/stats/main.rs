//! Statistics of an array on disk or of synthetic floats, by warpfold's operators, beside what a plain loop
//! makes of the sum. `stats --help` says how to call it and what `--json` prints.
//!
//! | file | idea |
//! |---|---|
//! | `cli` | the command line |
//! | `source`, `npy`, `synthetic` | where elements come from |
//! | `numeric`, `value` | the six element types, and a number of any of them |
//! | `backend` | who folds, and why |
//! | `statistics`, `naive` | the operators over a slice, and the loops they are compared with |
//! | `report`, `lesson`, `json` | what is printed |
//! | `progress`, `failure` | the bar and the errors |

use std::borrow::Cow;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;

use crate::backend::Engine;
use crate::cli::{Cli, Input};
use crate::failure::Failure;
use crate::npy::Npy;
use crate::numeric::Dtype;
use crate::progress::Progress;
use crate::source::Source;
use crate::statistics::measure;
use crate::synthetic::Synthetic;

mod backend;
mod cli;
mod failure;
mod json;
mod lesson;
mod naive;
mod npy;
mod numeric;
mod progress;
mod report;
mod source;
mod statistics;
mod synthetic;
mod value;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli).and_then(|text| print(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A damaged file is quoted: what it says must not steer the terminal.
            let text = failure.to_string().replace(|c: char| c.is_control() && c != '\n', "?");
            // Nobody is left to tell if standard error is closed as well.
            let _ = writeln!(stderr(), "error: {text}");
            failure.exit_code()
        }
    }
}

/// Reads or makes the elements, folds them, and returns what to print.
fn run(cli: &Cli) -> Result<String, Failure> {
    let threads = cli.threads()?;
    let source = match cli.input()? {
        Input::File(path) => Source::Npy(Npy::open(path)?),
        Input::Synthetic(count) => Source::Synthetic(Synthetic { count, seed: cli.seed }),
    };
    let engine = Engine::choose(cli.backend, threads, source.bytes())?;
    let progress = Progress::new();
    let outcome = match &source {
        Source::Synthetic(synthetic) => {
            measure(engine, &progress, || synthetic.elements(threads, &progress).map(Cow::Owned))
        }
        Source::Npy(npy) => match npy.layout.dtype {
            Dtype::I32 => measure(engine, &progress, || npy.elements::<i32>(&progress)),
            Dtype::U32 => measure(engine, &progress, || npy.elements::<u32>(&progress)),
            Dtype::I64 => measure(engine, &progress, || npy.elements::<i64>(&progress)),
            Dtype::U64 => measure(engine, &progress, || npy.elements::<u64>(&progress)),
            Dtype::F32 => measure(engine, &progress, || npy.elements::<f32>(&progress)),
            Dtype::F64 => measure(engine, &progress, || npy.elements::<f64>(&progress)),
        },
    };
    progress.finish();
    let outcome = outcome?;
    if cli.json { json::render(&source, &outcome) } else { Ok(report::render(&source, &outcome)) }
}

/// A reader that has seen enough (`stats ... | head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(cause)),
        _ => Ok(()),
    }
}
