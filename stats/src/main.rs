//! Statistics of an array on disk or of synthetic floats, by warpfold's operators, beside the sums of plain
//! loops. `stats --help` describes the arguments and the output of `--json`.
//!
//! | file | idea |
//! |---|---|
//! | `cli` | the command line |
//! | `source`, `npy`, `column`, `synthetic` | the sources of elements |
//! | `format` | the format of a file |
//! | `numeric`, `numbers`, `value` | the six element types, and elements or a number of any of them |
//! | `backend` | the choice of the backend |
//! | `total`, `fold`, `threads` | the operators over a slice in one pass, by all threads |
//! | `rows`, `each`, `axes`, `groups` | the operators over each of many rows: along axes of an array, by keys of a table |
//! | `quantiles` | quantiles |
//! | `statistics`, `naive` | the report on a slice, and the loops to compare with |
//! | `report`, `table`, `lesson`, `json` | the output |
//! | `ranks` | the report on a file, by several processes |
//! | `progress`, `failure` | the progress bar and the errors |
//! | `fuzz` | the fuzzer's entry, instead of `main` |
#![cfg_attr(fuzzing, no_main, allow(unused, reason = "a target prints nothing"))]

use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;

use crate::backend::Engine;
use crate::cli::Cli;
use crate::failure::Failure;
use crate::numbers::Numbers;
use crate::progress::Progress;
use crate::source::Source;
use crate::statistics::{Outcome, measure, timed};

mod axes;
mod backend;
mod cli;
mod column;
mod each;
mod failure;
mod fold;
mod format;
#[cfg(fuzzing)]
mod fuzz;
mod groups;
mod json;
mod lesson;
mod naive;
mod npy;
mod numbers;
mod numeric;
mod progress;
mod quantiles;
#[cfg(feature = "mpi")]
mod ranks;
mod report;
mod rows;
mod source;
mod statistics;
mod synthetic;
mod table;
mod threads;
mod total;
mod value;

#[cfg(not(fuzzing))]
fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli).and_then(|text| print(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // A message can quote a damaged file, whose text must not control the terminal.
            let text = failure.to_string().replace(|c: char| c.is_control() && c != '\n', "?");
            // If standard error is closed too, the error cannot be reported.
            let _ = writeln!(stderr(), "error: {text}");
            failure.exit_code()
        }
    }
}

/// Loads or generates the elements, folds them, and returns the output.
fn run(cli: &Cli) -> Result<String, Failure> {
    if cli.mpi {
        return of_ranks(cli);
    }
    if cli.is_in_rows() {
        return rows::run(cli);
    }
    let threads = cli.threads()?;
    let source = Source::open(cli)?;
    let engine = Engine::choose(cli.backend, threads, source.bytes())?;
    let progress = Progress::new();
    let qs = cli.quantiles();
    let outcome = timed(|| source.read(threads, &progress)).and_then(|read| {
        let rounded = read.result.rounded.clone();
        let outcome = match &read.result.numbers {
            Numbers::I32(x) => measure(engine, &progress, x, &qs, read.time),
            Numbers::U32(x) => measure(engine, &progress, x, &qs, read.time),
            Numbers::I64(x) => measure(engine, &progress, x, &qs, read.time),
            Numbers::U64(x) => measure(engine, &progress, x, &qs, read.time),
            Numbers::F32(x) => measure(engine, &progress, x, &qs, read.time),
            Numbers::F64(x) => measure(engine, &progress, x, &qs, read.time),
        };
        outcome.map(|outcome| Outcome { rounded, ..outcome })
    });
    progress.finish();
    let outcome = outcome?;
    if cli.json { json::render(&source, &outcome) } else { Ok(report::render(&source, &outcome)) }
}

/// Reports on a file with several processes. The text is empty on all but the first.
#[cfg(feature = "mpi")]
fn of_ranks(cli: &Cli) -> Result<String, Failure> {
    ranks::run(cli)
}

#[cfg(not(feature = "mpi"))]
fn of_ranks(_: &Cli) -> Result<String, Failure> {
    Err(Failure::Usage(
        "--mpi: this program was built without the feature `mpi`; build it with\n       \
         cargo build --release -p warpfold-stats --features mpi"
            .into(),
    ))
}

/// Prints `text`. A reader that closed the pipe early (`stats ... | head`) is not a failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(cause)),
        _ => Ok(()),
    }
}
