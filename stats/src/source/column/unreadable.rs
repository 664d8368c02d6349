//! Why a table has no column to reduce.

use super::choice::{Named, list};
#[cfg(feature = "arrow")]
use crate::numbers::value::grouped;

/// Why a table has no column to reduce.
#[derive(Debug, thiserror::Error)]
pub(in crate::source) enum Unreadable {
    #[error("there is no column `{name}`, but {}", list(columns))]
    NoSuchColumn { name: String, columns: Vec<Named> },
    #[error("name one of the columns with --column: {}", list(columns))]
    SeveralColumns { columns: Vec<Named> },
    #[error("{count} columns are named `{name}`: rename all but one")]
    SameName { name: String, count: usize },
    #[error("there are no columns: {why}")]
    NoColumns { why: &'static str },
    #[error("column `{name}` is {found}: stats takes numbers")]
    NotNumbers { name: String, found: String },
    #[error("column `{name}`, row {row} (line {line}): `{text}` is not a number{advice}")]
    Cell { name: String, row: u64, line: u64, text: String, advice: String },
    #[error(
        "column `{name}`, row {row} (line {line}): `{text}` is beyond the range of float64, up to 1.8e308: write inf if that is meant"
    )]
    Range { name: String, row: u64, line: u64, text: String },
    #[cfg(feature = "arrow")]
    #[error(
        "column `{name}` is {found}: --by takes text, numbers, Boolean, dates and times: convert it to one of them"
    )]
    NotKeys { name: String, found: String },
    #[error("column `{name}`, row {row} (line {line}): not in UTF-8, as keys must be")]
    KeyNotText { name: String, row: u64, line: u64 },
    #[error(
        "the name of column {number} is not in UTF-8: convert the file, such as with iconv -f LATIN1 -t UTF-8"
    )]
    NameNotText { number: u64 },
    #[error("a quote opens in line {line} and never closes: close it, or write it twice within quotes")]
    Quote { line: u64 },
    #[error("the row in line {line} is longer than 64 MiB{}", in_quote(*quote))]
    LongRow { line: u64, quote: Option<u64> },
    #[error("{cause}; {advice}")]
    OneColumn { cause: Box<Unreadable>, advice: String },
    #[cfg(feature = "arrow")]
    #[error(
        "column `{name}` is compressed with {codec}: write it with another codec; this build reads: none, snappy, zstd, gzip, lz4"
    )]
    Codec { name: String, codec: &'static str },
    #[cfg(feature = "arrow")]
    #[error(
        "a column takes {} bytes of memory or more, and the file has {}: add --expand if that is meant",
        grouped(bytes),
        grouped(file)
    )]
    Expands { bytes: u64, file: u64 },
    #[error("damaged, or not {what}: {cause}")]
    Damaged { what: &'static str, cause: String },
}

impl Unreadable {
    /// The same, with what may be done about a table that has one column.
    pub(super) fn advised(self, advice: Option<&String>) -> Self {
        match advice {
            // These say by themselves what is wrong.
            _ if matches!(self, Self::Quote { .. } | Self::LongRow { .. }) => self,
            Some(advice) => Self::OneColumn { cause: Box::new(self), advice: advice.clone() },
            None => self,
        }
    }
}

/// What a quote has to do with a row that is too long.
fn in_quote(line: Option<u64>) -> String {
    let quote = line.map(|line| format!(": a quote opens in line {line} and does not close within it"));
    quote.unwrap_or_else(|| ": it may have no line ends".into())
}
