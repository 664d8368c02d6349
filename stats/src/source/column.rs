//! A column of a table in a file: CSV, and with the feature `arrow` Parquet and Arrow.

#[cfg(feature = "arrow")]
mod batches;
mod choice;
mod csv;
#[cfg(feature = "arrow")]
mod damage;
#[cfg(feature = "arrow")]
mod ipc;
mod keys;
#[cfg(feature = "arrow")]
mod parquet;

use std::path::{Path, PathBuf};

use self::choice::Named;
pub(crate) use self::keys::Keys;
use crate::failure::Failure;
use crate::numbers::Loaded;
use crate::progress::Progress;
use crate::source::format::Table;

/// A column of numbers or of keys in a file.
pub(crate) struct Column {
    pub(crate) path: PathBuf,
    pub(crate) table: Table,
    pub(crate) name: String,
    /// Its type as named in the file; CSV has none.
    pub(crate) r#type: Option<String>,
    /// The approximate size of its elements.
    pub(crate) about_bytes: u64,
    /// CSV cells without a value, besides empty ones.
    nulls: Vec<String>,
    /// Its index among the columns.
    index: usize,
}

/// Why a table has no column to reduce.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("there is no column `{name}`, but {}", choice::list(columns))]
    NoSuchColumn { name: String, columns: Vec<Named> },
    #[error("name one of the columns with --column: {}", choice::list(columns))]
    SeveralColumns { columns: Vec<Named> },
    #[error("{count} columns are named `{name}`: rename all but one")]
    SameName { name: String, count: usize },
    #[error("there are no columns: {why}")]
    NoColumns { why: &'static str },
    #[error("column `{name}` is {found}: stats takes numbers")]
    NotNumbers { name: String, found: String },
    #[error("column `{name}`, row {row} (line {line}): `{text}` is not a number")]
    Cell { name: String, row: u64, line: u64, text: String },
    #[error(
        "column `{name}`, row {row} (line {line}): `{text}` is beyond the range of float64, up to 1.8e308: write inf if that is meant"
    )]
    Range { name: String, row: u64, line: u64, text: String },
    #[cfg(feature = "arrow")]
    #[error(
        "column `{name}` is {found}: --by takes text, whole numbers, floats and Boolean, convert it to one of them"
    )]
    NotKeys { name: String, found: String },
    #[error("column `{name}`, row {row} (line {line}): not in UTF-8, as keys must be")]
    KeyNotText { name: String, row: u64, line: u64 },
    #[error("it changed while it was read: leave it alone meanwhile")]
    Changed,
    #[error("damaged, or not {what}: {cause}")]
    Damaged { what: &'static str, cause: String },
}

impl Column {
    /// Finds the column `wanted`, or the only one, and checks its type if the file has types.
    pub(crate) fn open(
        path: &Path,
        table: Table,
        wanted: Option<&str>,
        nulls: &[String],
    ) -> Result<Self, Failure> {
        let (column, is_numbers) = Self::find(path, table, wanted, nulls)?;
        match column.r#type {
            Some(found) if !is_numbers => {
                Err(Failure::content(path, Unreadable::NotNumbers { name: column.name, found }))
            }
            r#type => Ok(Self { r#type, ..column }),
        }
    }

    /// Returns the column, and whether the file says that it has numbers.
    fn find(
        path: &Path,
        table: Table,
        wanted: Option<&str>,
        nulls: &[String],
    ) -> Result<(Self, bool), Failure> {
        let failed = |cause| Failure::content(path, cause);
        let head = match table {
            Table::Csv { delimiter } => csv::head(path, delimiter),
            #[cfg(feature = "arrow")]
            Table::Parquet => parquet::head(path),
            #[cfg(feature = "arrow")]
            Table::ArrowFile => ipc::head_of_file(path),
            #[cfg(feature = "arrow")]
            Table::ArrowStream => ipc::head_of_stream(path),
            #[cfg(not(feature = "arrow"))]
            Table::Parquet | Table::ArrowFile | Table::ArrowStream => return Err(without_the_feature(path)),
        };
        let Head { columns, about_bytes } = head.map_err(failed)?;
        let (index, column) = choice::choose(columns, wanted).map_err(failed)?;
        let Named { name, r#type, is_numbers } = column;
        let nulls = nulls.iter().map(|null| null.trim().into()).collect();
        Ok((Self { path: path.into(), table, name, r#type, about_bytes, nulls, index }, is_numbers))
    }

    /// Reads the column in batches, so that memory holds only the column and a batch.
    pub(crate) fn read(&self, progress: &Progress) -> Result<Loaded<'static>, Failure> {
        let read = match self.table {
            Table::Csv { delimiter } => csv::read(self, delimiter, progress),
            #[cfg(feature = "arrow")]
            Table::Parquet => parquet::read(self, progress).map(Loaded::from),
            #[cfg(feature = "arrow")]
            Table::ArrowFile => ipc::read_file(self, progress).map(Loaded::from),
            #[cfg(feature = "arrow")]
            Table::ArrowStream => ipc::read_stream(self, progress).map(Loaded::from),
            #[cfg(not(feature = "arrow"))]
            Table::Parquet | Table::ArrowFile | Table::ArrowStream => {
                return Err(without_the_feature(&self.path));
            }
        };
        read.map_err(|cause| Failure::content(&self.path, cause))
    }

    /// Reads the column `by`, whose cells are the keys for this column's cells.
    pub(crate) fn keys(&self, by: &str, progress: &Progress) -> Result<Keys, Failure> {
        let (key, _) = Self::find(&self.path, self.table, Some(by), &self.nulls)?;
        let read = match self.table {
            Table::Csv { delimiter } => csv::keys(self, &key, delimiter, progress),
            #[cfg(feature = "arrow")]
            Table::Parquet => parquet::keys(self, &key, progress),
            #[cfg(feature = "arrow")]
            Table::ArrowFile => ipc::keys_of_file(self, &key, progress),
            #[cfg(feature = "arrow")]
            Table::ArrowStream => ipc::keys_of_stream(self, &key, progress),
            #[cfg(not(feature = "arrow"))]
            Table::Parquet | Table::ArrowFile | Table::ArrowStream => {
                return Err(without_the_feature(&self.path));
            }
        };
        let sorted = read.map(Keys::sorted);
        sorted.map_err(|cause| Failure::content(&self.path, cause))
    }
}

/// What is known of a table before its rows are read.
struct Head {
    columns: Vec<Named>,
    /// The approximate size of a column's elements.
    about_bytes: u64,
}

#[cfg(not(feature = "arrow"))]
fn without_the_feature(path: &Path) -> Failure {
    Failure::Usage(format!(
        "{}: this program was built without the feature `arrow`, which reads Parquet and Arrow; build and run it with\n       \
         cargo run --release -p warpfold-stats --features arrow -- FILE",
        path.display()
    ))
}
