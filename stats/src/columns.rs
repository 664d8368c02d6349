//! All columns of a table, described: the statistics of numbers, and what is said of other values.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::cli::{Cli, Input};
use crate::failure::Failure;
use crate::numbers::each_type;
use crate::progress::Progress;
use crate::source::column::Column;
use crate::source::column::values::{Others, Values};
use crate::source::format::{Format, Table};
use crate::statistics::backend::Engine;
use crate::statistics::{Outcome, measure};
use crate::timed::timed;

/// A table whose columns are described.
pub(crate) struct Columns {
    pub(crate) path: PathBuf,
    pub(crate) table: Table,
    pub(crate) columns: Vec<(Column, Described)>,
    /// The quantiles asked for.
    pub(crate) qs: Vec<f64>,
    /// Whether the standard deviation of a sample was asked for.
    pub(crate) sample: bool,
    /// Duration of reading.
    pub(crate) load: Duration,
    /// Duration of the statistics of all columns.
    pub(crate) pass: Duration,
    pub(crate) total: Duration,
}

/// What is said of a column.
pub(crate) enum Described {
    Numbers(Box<Outcome>),
    Others(Others),
}

impl Described {
    /// Rows with a value, and rows without.
    pub(crate) fn rows(&self) -> [u64; 2] {
        match self {
            Self::Numbers(numbers) => [numbers.count, numbers.missing],
            Self::Others(others) => [others.count, others.missing],
        }
    }
}

/// Describes the columns of the table that the command line names; `None` if it asks for something else.
pub(crate) fn describe(cli: &Cli) -> Result<Option<Columns>, Failure> {
    let Input::File(path) = cli.input()? else { return Ok(None) };
    if cli.is_in_rows() || cli.mpi {
        return Ok(None);
    }
    // Others are refused where one column is read.
    let table = match Format::of(path, cli)? {
        Format::Table(table @ Table::Csv(_)) => table,
        Format::Table(table) if !cli.is_of_csv() => table,
        _ => return Ok(None),
    };
    let also = cli.also();
    if also.loops || also.bins.is_some() {
        return Ok(None);
    }
    let start = Instant::now();
    let columns = Column::described(path, table, cli)?;
    if columns.is_empty() {
        return Ok(None);
    }
    let (threads, progress) = (cli.threads()?, Progress::new());
    let read = timed(|| Column::read_some(&columns, true, &progress));
    let described = read.and_then(|read| {
        let load = read.time;
        let described = read.result.into_iter().map(|values| {
            Ok(match values {
                Values::Others(others) => Described::Others(others),
                Values::Numbers(loaded) => {
                    let bytes = each_type!(&loaded.numbers, x => size_of_val(x.in_memory().unwrap_or_default()));
                    let engine = Engine::choose(cli.backend, threads, bytes as u64)?;
                    let outcome =
                        each_type!(&loaded.numbers, x => measure(engine, &progress, x, &also, Duration::ZERO))?;
                    Described::Numbers(Box::new(Outcome { rounded: loaded.rounded, ..outcome }))
                }
            })
        });
        Ok((load, described.collect::<Result<Vec<_>, Failure>>()?))
    });
    progress.finish();
    let (load, described) = described?;
    let pass = described.iter().map(|one| match one {
        Described::Numbers(numbers) => numbers.pass,
        Described::Others(_) => Duration::ZERO,
    });
    Ok(Some(Columns {
        path: path.into(),
        table,
        qs: also.quantiles,
        sample: also.sample,
        load,
        pass: pass.sum(),
        total: start.elapsed(),
        columns: columns.into_iter().zip(described).collect(),
    }))
}
