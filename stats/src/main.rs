//! Statistics of an array on disk or of synthetic floats, by warpfold's operators, beside what a plain loop
//! makes of the sum. `stats --help` says how to call it and what `--json` prints.
//!
//! | file | idea |
//! |---|---|
//! | `cli` | the command line |
//! | `source`, `npy`, `column`, `synthetic` | where elements come from |
//! | `format` | what kind of file it is |
//! | `numeric`, `numbers`, `value` | the six element types, and elements or a number of any of them |
//! | `backend` | who folds, and why |
//! | `total`, `fold`, `threads` | the operators over a slice in one pass, by all threads |
//! | `rows`, `each`, `axes`, `groups` | the operators over each of many rows: along axes of an array, by keys of a table |
//! | `quantiles` | what stands at places of the sorted elements |
//! | `statistics`, `naive` | all there is to report of a slice, and the loops it is compared with |
//! | `report`, `table`, `lesson`, `json` | what is printed |
//! | `ranks` | the same statistics by several processes |
//! | `progress`, `failure` | the bar and the errors |
//! | `fuzz` | instead of `main`, where fuzzers feed it |
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

/// The same by several processes, of which the first has a text.
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

/// A reader that has seen enough (`stats ... | head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(cause) if cause.kind() != ErrorKind::BrokenPipe => Err(Failure::Output(cause)),
        _ => Ok(()),
    }
}
