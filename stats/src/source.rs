//! The source of the elements.

pub(crate) mod column;
pub(crate) mod format;
pub(crate) mod npy;
pub(crate) mod opened;
pub(crate) mod spool;
pub(crate) mod synthetic;

use std::num::NonZeroUsize;

use self::column::Column;
use self::format::{Format, Table};
use self::npy::Npy;
use self::synthetic::Synthetic;
use crate::cli::{Cli, Input, Raw};
use crate::failure::Failure;
use crate::numbers::{Array, Loaded, Numbers};
use crate::progress::Progress;
use crate::terminal;

/// The input.
pub(crate) enum Source {
    Npy(Npy),
    Column(Column),
    Synthetic(Synthetic),
}

impl Source {
    /// Opens the input that the command line names, and checks its header.
    pub(crate) fn open(cli: &Cli) -> Result<Self, Failure> {
        let path = match cli.input()? {
            Input::File(path) => path,
            Input::Synthetic(count) => return Ok(Self::Synthetic(Synthetic { count, seed: cli.seed })),
        };
        let column = cli.column.as_deref();
        let shown = terminal::line(&path.to_string_lossy());
        match Format::of(path, cli)? {
            Format::Npy | Format::Table(Table::Parquet | Table::ArrowFile | Table::ArrowStream)
                if cli.is_of_csv() =>
            {
                Err(Failure::Usage(format!(
                    "{shown}: --delimiter, --decimal-comma, --comment, --skip-lines, --no-header and --null say how CSV is read, and this is none: leave them out"
                )))
            }
            Format::Npy if column.is_some() => Err(Failure::Usage(format!(
                "{shown}: a .npy file has no columns: leave --column{} out",
                if !cli.by.is_empty() { " and --by" } else { "" }
            ))),
            Format::Table(_) if !cli.axis.is_empty() => Err(Failure::Usage(format!(
                "{shown}: a table has no axes: leave --axis out, or fold groups of its rows with --column NAME --by KEY"
            ))),
            Format::Npy => Npy::open(path, cli.raw.map(Raw::stored)).map(Self::Npy),
            Format::Table(table) => Column::open(path, table, cli).map(Self::Column),
        }
    }

    /// Reads the elements, unless they can be had from the file in portions; with `whole` in any case.
    pub(crate) fn read(
        &self,
        threads: NonZeroUsize,
        whole: bool,
        progress: &Progress,
    ) -> Result<Loaded<'_>, Failure> {
        match self {
            Self::Npy(npy) => npy.read(threads, whole, progress).map(Loaded::from),
            Self::Column(column) => column.read(progress),
            Self::Synthetic(synthetic) => {
                let x = synthetic.elements(threads, progress)?;
                Ok(Numbers::F32(Array::Memory(x.into())).into())
            }
        }
    }

    /// Whether memory is in column-major order, and this differs from row-major order.
    pub(crate) fn is_fortran(&self) -> bool {
        match self {
            Self::Npy(npy) => npy.layout.fortran,
            Self::Column(_) | Self::Synthetic(_) => false,
        }
    }

    /// Size of the elements in bytes; for a column not yet read an estimate.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Self::Npy(npy) => npy.layout.count * npy.layout.stored.folded_as().bytes(),
            Self::Column(column) => column.about_bytes,
            Self::Synthetic(synthetic) => synthetic.count.saturating_mul(size_of::<f32>() as u64),
        }
    }

    /// The coordinates of the element at `index` in memory order, or its row.
    pub(crate) fn coordinates(&self, index: u64) -> Vec<u64> {
        match self {
            Self::Npy(npy) => npy.layout.coordinates(index),
            Self::Column(_) | Self::Synthetic(_) => vec![index],
        }
    }
}
