//! The report on each of many rows. `axes` and `groups` define the rows.

use std::rc::Rc;
use std::time::{Duration, Instant};

use warpfold::{At, Cpu};

use crate::axes::{self, Axes};
use crate::cli::{Backend, Cli};
use crate::failure::Failure;
use crate::fold::Statistics;
use crate::groups;
use crate::numbers::{Loaded, Rounded};
use crate::numeric::{Dtype, Numeric};
use crate::progress::Progress;
use crate::source::Source;
use crate::statistics::{Place, timed};
use crate::value::{Value, grouped};
use crate::{json, report};

/// What identifies a row.
pub(crate) enum Labels {
    /// The index along the remaining axes.
    Axes(Axes),
    /// The key, from the column with this name.
    Keys { column: String, keys: Vec<Option<Rc<str>>> },
}

/// A row's results. The least and greatest elements are those at the two indices.
pub(crate) struct Row {
    pub(crate) count: u64,
    pub(crate) sum: Value,
    pub(crate) mean: Option<Value>,
    /// The standard deviation.
    pub(crate) deviation: Option<Value>,
    pub(crate) min: Option<Place>,
    pub(crate) max: Option<Place>,
    /// The quantiles asked for; empty for an empty row.
    pub(crate) quantiles: Vec<Value>,
}

impl Row {
    /// For `count` elements.
    pub(crate) fn new<T: Numeric>(
        count: u64,
        statistics: &Statistics<T>,
        quantiles: &[impl Into<Value> + Copy],
    ) -> Self {
        let place = |at: At<T>| Place { index: at.index, value: at.value.into() };
        Self {
            count,
            sum: statistics.sum.into(),
            mean: statistics.mean.map(Into::into),
            deviation: statistics.deviation.map(Into::into),
            min: statistics.extremes.map(|at| place(at.min)),
            max: statistics.extremes.map(|at| place(at.max)),
            quantiles: quantiles.iter().map(|&quantile| quantile.into()).collect(),
        }
    }
}

/// The results of all rows.
pub(crate) struct Rows {
    pub(crate) dtype: Dtype,
    /// Elements of all rows.
    pub(crate) count: u64,
    /// Rows of a table without a value.
    pub(crate) missing: u64,
    pub(crate) rounded: Rounded,
    pub(crate) labels: Labels,
    pub(crate) len: usize,
    /// Returns row `i`. There may be too many rows to store all that is printed of each.
    pub(crate) row: Box<dyn Fn(usize) -> Row>,
    /// Duration of the reductions.
    pub(crate) fold: Duration,
}

/// The most rows that are printed separately if the file has no elements, since then its size sets no limit.
const MOST_EMPTY: usize = 1 << 20;

/// How the work was done.
pub(crate) struct Work {
    pub(crate) threads: usize,
    pub(crate) why: &'static str,
    /// The quantiles asked for.
    pub(crate) qs: Vec<f64>,
    /// Duration of reading or converting the elements, if needed.
    pub(crate) load: Option<Duration>,
    pub(crate) total: Duration,
}

/// Reads the elements, reduces their rows, and returns the output.
pub(crate) fn run(cli: &Cli) -> Result<String, Failure> {
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
    let progress = Progress::new();
    let folded = match (&source, &cli.by) {
        (Source::Npy(npy), None) => Axes::new(npy, &cli.axis).and_then(|axes| {
            let read = timed(|| npy.read(&progress))?;
            let load = (!read.result.is_borrowed()).then_some(read.time);
            Ok((axes::fold(&cpu, threads, axes, &read.result, &qs)?, load))
        }),
        (Source::Column(column), Some(by)) => {
            timed(|| Ok((column.keys(by, &progress)?, column.read(&progress)?))).and_then(|read| {
                let (keys, Loaded { numbers, rounded }) = read.result;
                let rows = groups::fold((&cpu, threads), column, keys, by, &numbers, &qs)?;
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
    let work = Work { threads: threads.get(), why, qs, load, total: start.elapsed() };
    if cli.json {
        json::render_rows(&source, &rows, &work)
    } else {
        Ok(report::render_rows(&source, &rows, &work, cli.all_rows))
    }
}
