//! A column of a table in a file: CSV, and with the feature `arrow` Parquet and Arrow.

#[cfg(feature = "arrow")]
mod batches;
mod choice;
mod csv;
#[cfg(feature = "arrow")]
mod damage;
#[cfg(feature = "arrow")]
mod ipc;
#[cfg(feature = "arrow")]
mod parquet;

use std::path::{Path, PathBuf};

use self::choice::Named;
use crate::failure::Failure;
use crate::format::Table;
use crate::numbers::Numbers;
use crate::progress::Progress;

/// A column of numbers whose file has it.
pub(crate) struct Column {
    pub(crate) path: PathBuf,
    pub(crate) table: Table,
    pub(crate) name: String,
    /// Its type as the file names it; CSV has none.
    pub(crate) r#type: Option<String>,
    /// About the size of its elements.
    pub(crate) about_bytes: u64,
    /// Its place among the columns.
    index: usize,
}

/// Why a table has no column to fold.
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
    #[error("damaged, or not {what}: {cause}")]
    Damaged { what: &'static str, cause: String },
}

impl Column {
    /// Finds the column `wanted`, or the only one, and checks that it is of numbers as far as the file says that.
    pub(crate) fn open(path: &Path, table: Table, wanted: Option<&str>) -> Result<Self, Failure> {
        let failed = |cause| Failure::Table { path: path.into(), cause };
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
        match r#type {
            Some(found) if !is_numbers => Err(failed(Unreadable::NotNumbers { name, found })),
            r#type => Ok(Self { path: path.into(), table, name, r#type, about_bytes, index }),
        }
    }

    /// Reads the column in batches, so that no more than it and a batch is in memory.
    pub(crate) fn read(&self, progress: &Progress) -> Result<Numbers<'static>, Failure> {
        let read = match self.table {
            Table::Csv { delimiter } => csv::read(self, delimiter, progress),
            #[cfg(feature = "arrow")]
            Table::Parquet => parquet::read(self, progress),
            #[cfg(feature = "arrow")]
            Table::ArrowFile => ipc::read_file(self, progress),
            #[cfg(feature = "arrow")]
            Table::ArrowStream => ipc::read_stream(self, progress),
            #[cfg(not(feature = "arrow"))]
            Table::Parquet | Table::ArrowFile | Table::ArrowStream => {
                return Err(without_the_feature(&self.path));
            }
        };
        read.map_err(|cause| Failure::Table { path: self.path.clone(), cause })
    }
}

/// What is known of a table before its rows are read.
struct Head {
    columns: Vec<Named>,
    /// About the size of a column's elements.
    about_bytes: u64,
}

#[cfg(not(feature = "arrow"))]
fn without_the_feature(path: &Path) -> Failure {
    Failure::Usage(format!(
        "{}: this program was built without the feature `arrow`, which reads Parquet and Arrow; build and run it with\n       \
         cargo run --release --features arrow --example stats -- FILE",
        path.display()
    ))
}
