//! Folding each of many rows: along axes of an array, or by keys of a table.

mod array;
pub(crate) mod axes;
mod each;
mod groups;
pub(crate) mod results;

use std::time::Instant;

use warpfold::Cpu;

use self::axes::Axes;
use self::each::Asked;
use self::results::{Rows, Work};
use crate::cli::{Backend, Cli};
use crate::failure::Failure;
use crate::numbers::Loaded;
use crate::numbers::value::grouped;
use crate::progress::Progress;
use crate::source::Source;
use crate::timed::timed;

/// The most rows that are printed separately if the file has no elements, since then its size sets no limit.
const MOST_EMPTY: usize = 1 << 20;

/// Reads the elements and reduces their rows.
pub(crate) fn measure(cli: &Cli) -> Result<(Source, Rows, Work), Failure> {
    let why = match cli.backend {
        Backend::Cpu => "as asked for",
        Backend::Auto => "rows are folded there",
        Backend::Cuda => {
            return Err(Failure::Usage(
                "--axis and --by fold on the CPU, to the bits that a GPU has: leave --backend cuda out"
                    .into(),
            ));
        }
    };
    let start = Instant::now();
    let threads = cli.threads()?;
    let source = Source::open(cli)?;
    let cpu = Cpu::with_threads(threads.get())?;
    let qs = cli.quantiles();
    let asked = Asked { qs: &qs, skip_nan: cli.skip_nan };
    let progress = Progress::new();
    let folded = match (&source, cli.by.as_slice()) {
        (Source::Npy(npy), []) => Axes::new(npy, &cli.axis).and_then(|axes| {
            let numbers = npy.read(threads, false, &progress)?;
            Ok((array::fold(&cpu, threads, axes, &numbers, asked)?, None))
        }),
        (Source::Column(column), by @ [_, ..]) => {
            timed(|| Ok((column.keys(by, cli, &progress)?, column.read(&progress)?))).and_then(|read| {
                let (keys, Loaded { numbers, rounded }) = read.result;
                let rows = groups::fold(&cpu, column, keys, by, &numbers, asked)?;
                Ok((Rows { rounded, ..rows }, Some(read.time)))
            })
        }
        _ => Err(Failure::Usage("--axis takes a .npy file, and --by a table".into())),
    };
    progress.finish();
    let (rows, load) = folded?;
    if rows.count == 0 && rows.len > MOST_EMPTY && (cli.json || cli.all_rows) {
        let (rows, option) = (grouped(rows.len), if cli.json { "--json" } else { "--all-rows" });
        return Err(Failure::Usage(format!(
            "{rows} rows without elements are too many to print one by one: leave {option} out"
        )));
    }
    let work = Work { threads: threads.get(), why, qs, sample: cli.sample, load, total: start.elapsed() };
    Ok((source, rows, work))
}
