//! Statistics of an array on disk or of synthetic floats, by warpfold's operators, and on request the sums by
//! plain loops. `stats --help` describes the arguments and the output of `--json`.
//!
//! | module | idea |
//! |---|---|
//! | `cli` | the command line |
//! | `failure`, `progress`, `timed` | the errors, the progress bar, the time of some work |
//! | `memory`, `terminal` | allocations that may fail; what a terminal may show |
//! | `numbers` | the six element types, arrays in memory or in a file, operators and loops of each, numbers and their text |
//! | `source` | the sources of elements: .npy files, columns of tables, synthetic floats; copies of standard input and of compressed files |
//! | `statistics` | the report on a slice: the backend, the operators in one pass by all threads, quantiles, and the loops, if asked for |
//! | `columns` | what is said of each column of a table |
//! | `rows` | the operators over each of many rows: along axes of an array, by keys of a table |
//! | `report`, `json` | the output |
//! | `ranks` | the report on a file, by several processes |
//! | `fuzz` | the fuzzer's entry, instead of `main` |
#![cfg_attr(fuzzing, no_main, allow(unused, reason = "a target prints nothing"))]

use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::failure::Failure;
use crate::numbers::each_type;
use crate::progress::Progress;
use crate::source::Source;
use crate::source::spool::Spool;
use crate::statistics::backend::Engine;
use crate::statistics::{Outcome, measure};
use crate::timed::timed;

mod cli;
mod columns;
mod failure;
#[cfg(fuzzing)]
mod fuzz;
mod json;
mod memory;
mod numbers;
mod progress;
#[cfg(feature = "mpi")]
mod ranks;
mod report;
mod rows;
mod source;
mod statistics;
mod terminal;
mod timed;

#[cfg(not(fuzzing))]
fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(wrong) if wrong.use_stderr() => {
            // The message quotes arguments, which may be names of files. So it is made again from
            // clean ones.
            let clean = std::env::args_os().map(|argument| terminal::line(&argument.to_string_lossy()));
            let wrong = Cli::try_parse_from(clean).err().unwrap_or(wrong);
            let _ = write!(stderr(), "{}", terminal::lines(&wrong.render().to_string()));
            return ExitCode::from(2);
        }
        // --help and --version.
        Err(asked) => asked.exit(),
    };
    match run(&cli).and_then(|text| print(&text)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // If standard error is closed too, the error cannot be reported.
            let _ = writeln!(stderr(), "error: {}", failure.message());
            failure.exit_code()
        }
    }
}

/// Returns the output for the input that is named, or for a copy of it.
fn run(cli: &Cli) -> Result<String, Failure> {
    match Spool::of(cli)? {
        None => results(cli),
        Some(copy) => copy.named(results(&cli.reading(copy.path()))),
    }
}

/// Loads or generates the elements, folds them, and returns the output.
fn results(cli: &Cli) -> Result<String, Failure> {
    if cli.mpi {
        return of_ranks(cli);
    }
    if cli.is_in_rows() {
        let (source, rows, work) = rows::measure(cli)?;
        return if cli.json {
            json::render_rows(&source, &rows, &work)
        } else {
            Ok(report::render_rows(&source, &rows, &work, cli.all_rows))
        };
    }
    if let Some(columns) = columns::describe(cli)? {
        return if cli.json { json::render_columns(&columns) } else { Ok(report::render_columns(&columns)) };
    }
    let threads = cli.threads()?;
    let source = Source::open(cli)?;
    let engine = Engine::choose(cli.backend, threads, source.bytes())?;
    let progress = Progress::new();
    let also = cli.also();
    let whole = !also.quantiles.is_empty() || also.bins.is_some() || cli.skip_nan || engine.is_gpu();
    let outcome = timed(|| {
        source
            .read(threads, whole, &progress)
            .map(|read| if cli.skip_nan { read.without_nan() } else { read })
    })
    .and_then(|read| {
        let rounded = read.result.rounded.clone();
        let outcome = each_type!(&read.result.numbers, x => measure(engine, &progress, x, &also, read.time));
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
