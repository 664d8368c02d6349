//! Columns of a table in a file: CSV, and with the feature `arrow` Parquet and Arrow.

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
mod unreadable;
pub(crate) mod values;

use std::path::{Path, PathBuf};

use self::choice::Named;
use self::keys::Keys;
pub(crate) use self::keys::{Groups, Key};
use self::unreadable::Unreadable;
use self::values::Values;
use crate::cli::Cli;
use crate::failure::Failure;
use crate::numbers::Loaded;
use crate::progress::Progress;
use crate::source::format::Table;
use crate::source::opened::Stamp;
#[cfg(not(feature = "arrow"))]
use crate::terminal;

/// A column of numbers or of keys in a file.
pub(crate) struct Column {
    pub(crate) path: PathBuf,
    pub(crate) table: Table,
    pub(crate) name: String,
    /// Its type as named in the file; CSV has none.
    pub(crate) r#type: Option<String>,
    /// The approximate size of its elements.
    pub(crate) about_bytes: u64,
    /// Whether the names of all columns could be numbers of a first row, in CSV.
    pub(crate) are_numbers: bool,
    /// What may be done if a CSV file should have more than its only column.
    advice: Option<String>,
    /// CSV cells without a value, besides empty ones.
    nulls: Vec<String>,
    /// Whether a comma is the point of CSV cells.
    decimal_comma: bool,
    /// Whether NaN are missing. A column with keys has them, so that there is a key for each.
    skip_nan: bool,
    /// Whether the type has numbers; CSV may.
    is_numbers: bool,
    /// Whether the file may hold far more than its size.
    #[cfg(feature = "arrow")]
    may_expand: bool,
    stamp: Stamp,
    /// Its index among the columns.
    index: usize,
}

impl Column {
    /// Finds the column that the command line names, or the only one, and checks its type if the file has types.
    pub(crate) fn open(path: &Path, table: Table, cli: &Cli) -> Result<Self, Failure> {
        let column = Self::find(path, table, cli.column.as_deref(), cli)?;
        match column.r#type {
            Some(found) if !column.is_numbers => {
                Err(Failure::content(path, Unreadable::NotNumbers { name: column.name, found }))
            }
            r#type => Ok(Self { r#type, ..column }),
        }
    }

    /// The columns to describe: all, unless there is only one, or the one that is named, if it has no numbers.
    pub(crate) fn described(path: &Path, table: Table, cli: &Cli) -> Result<Vec<Self>, Failure> {
        if cli.column.is_some() {
            let column = Self::find(path, table, cli.column.as_deref(), cli)?;
            return Ok(if column.is_numbers { Vec::new() } else { vec![column] });
        }
        let (stamp, head) = (Stamp::at(path)?, head(path, table)?);
        let columns: Vec<_> = (0..head.columns.len())
            .map(|index| Self::of(path, table, cli, &head, index, stamp.clone()))
            .collect();
        let is_one_of_numbers = matches!(columns.as_slice(), [Self { is_numbers: true, .. }]);
        Ok(if is_one_of_numbers { Vec::new() } else { columns })
    }

    /// Finds a column.
    fn find(path: &Path, table: Table, wanted: Option<&str>, cli: &Cli) -> Result<Self, Failure> {
        let (stamp, head) = (Stamp::at(path)?, head(path, table)?);
        let chosen = choice::choose(&head.columns, wanted);
        let chosen = chosen.map_err(|cause| Failure::content(path, cause.advised(head.advice.as_ref())))?;
        Ok(Self::of(path, table, cli, &head, chosen, stamp))
    }

    /// The column with an index.
    fn of(path: &Path, table: Table, cli: &Cli, head: &Head, index: usize, stamp: Stamp) -> Self {
        let Named { name, r#type, is_numbers } = head.columns[index].clone();
        Self {
            path: path.into(),
            table,
            name,
            r#type,
            about_bytes: head.about_bytes,
            are_numbers: head.are_numbers,
            advice: head.advice.clone(),
            nulls: cli.null.iter().map(|null| null.trim().into()).collect(),
            decimal_comma: cli.decimal_comma,
            skip_nan: cli.skip_nan && cli.by.is_empty(),
            is_numbers,
            #[cfg(feature = "arrow")]
            may_expand: cli.expand,
            stamp,
            index,
        }
    }

    /// Reads the column in batches, so that memory holds only the column and a batch.
    pub(crate) fn read(&self, progress: &Progress) -> Result<Loaded<'static>, Failure> {
        match Self::read_some(std::slice::from_ref(self), false, progress)?.pop() {
            Some(Values::Numbers(loaded)) => Ok(loaded),
            _ => Err(Failure::Changed { path: self.path.clone() }),
        }
    }

    /// Reads some columns of one table in one pass, in the order of the file; with `texts` also what is no number.
    pub(crate) fn read_some(
        columns: &[Self],
        texts: bool,
        progress: &Progress,
    ) -> Result<Vec<Values>, Failure> {
        let Some(first) = columns.first() else { return Ok(Vec::new()) };
        let read = match first.table {
            Table::Csv(csv) => csv::read(columns, csv, texts, progress),
            #[cfg(feature = "arrow")]
            Table::Parquet => parquet::read(columns, progress),
            #[cfg(feature = "arrow")]
            Table::ArrowFile | Table::ArrowStream => ipc::read(columns, progress),
            #[cfg(not(feature = "arrow"))]
            Table::Parquet | Table::ArrowFile | Table::ArrowStream => {
                return Err(without_the_feature(&first.path));
            }
        };
        first.as_it_was(read)
    }

    /// What was read of the file, unless that changed meanwhile.
    fn as_it_was<R>(&self, read: Result<R, Unreadable>) -> Result<R, Failure> {
        self.stamp.check(&self.path)?;
        read.map_err(|cause| Failure::content(&self.path, cause.advised(self.advice.as_ref())))
    }

    /// Reads the columns `by`, whose cells are the keys for this column's cells.
    pub(crate) fn keys(&self, by: &[String], cli: &Cli, progress: &Progress) -> Result<Groups, Failure> {
        let mut groups: Option<Groups> = None;
        for by in by {
            let more = self.keys_in(by, cli, progress)?;
            let both = match groups {
                None => Some(more),
                Some(groups) => groups.and(&more),
            };
            groups = Some(both.ok_or_else(|| Failure::Changed { path: self.path.clone() })?);
        }
        groups.ok_or_else(|| Failure::Usage("--by takes a column".into()))
    }

    /// Reads one of these columns.
    fn keys_in(&self, by: &str, cli: &Cli, progress: &Progress) -> Result<Groups, Failure> {
        let key = Self::find(&self.path, self.table, Some(by), cli)?;
        let read = match self.table {
            Table::Csv(csv) => csv::keys(self, &key, csv, progress),
            #[cfg(feature = "arrow")]
            Table::Parquet => parquet::keys(self, &key, progress),
            #[cfg(feature = "arrow")]
            Table::ArrowFile | Table::ArrowStream => ipc::keys(self, &key, progress),
            #[cfg(not(feature = "arrow"))]
            Table::Parquet | Table::ArrowFile | Table::ArrowStream => {
                return Err(without_the_feature(&self.path));
            }
        };
        self.as_it_was(read.map(Keys::sorted))
    }
}

/// Reads what is known of a table before its rows are read.
fn head(path: &Path, table: Table) -> Result<Head, Failure> {
    let head = match table {
        Table::Csv(csv) => csv::head(path, csv),
        #[cfg(feature = "arrow")]
        Table::Parquet => parquet::head(path),
        #[cfg(feature = "arrow")]
        Table::ArrowFile | Table::ArrowStream => ipc::head(path, table),
        #[cfg(not(feature = "arrow"))]
        Table::Parquet | Table::ArrowFile | Table::ArrowStream => return Err(without_the_feature(path)),
    };
    head.map_err(|cause| Failure::content(path, cause))
}

/// What is known of a table before its rows are read.
struct Head {
    columns: Vec<Named>,
    /// The approximate size of a column's elements.
    about_bytes: u64,
    /// Whether the names of all columns could be numbers of a first row.
    are_numbers: bool,
    /// What may be done if there should be more than the only column.
    advice: Option<String>,
}

#[cfg(feature = "arrow")]
impl Head {
    /// Of a format that says what its columns are.
    fn typed(columns: Vec<Named>, about_bytes: u64) -> Self {
        Self { columns, about_bytes, are_numbers: false, advice: None }
    }
}

#[cfg(not(feature = "arrow"))]
fn without_the_feature(path: &Path) -> Failure {
    Failure::Usage(format!(
        "{}: this program was built without the feature `arrow`, which reads Parquet and Arrow; build and run it with\n       \
         cargo run --release -p warpfold-stats --features arrow -- FILE",
        terminal::line(&path.to_string_lossy())
    ))
}
