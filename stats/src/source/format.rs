//! The format of a file, found from its first bytes, otherwise from its name.

mod foreign;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use self::foreign::Foreign;
use crate::cli::Cli;
use crate::failure::Failure;
use crate::terminal;

/// The first bytes that are looked at.
const HEAD: u64 = 512;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// One array. Also the default for unknown files, which its reader refuses.
    Npy,
    /// Columns with names.
    Table(Table),
}

/// How CSV is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Csv {
    pub(crate) delimiter: Delimiter,
    /// Whether the first line has the names of the columns.
    pub(crate) has_names: bool,
    /// The first byte of lines that are comments.
    pub(crate) comment: Option<u8>,
    /// The lines before the first that is read.
    pub(crate) skipped: u64,
}

/// What separates cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delimiter {
    Byte(u8),
    /// Any number of blanks, also before the first cell and behind the last.
    Blanks,
}

/// A kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Csv(Csv),
    Parquet,
    ArrowFile,
    ArrowStream,
}

impl Format {
    /// Detects the format. An option that only tables have says that the user expects a table.
    pub(crate) fn of(path: &Path, cli: &Cli) -> Result<Self, Failure> {
        let failed = |cause| Failure::Open { path: path.into(), cause };
        // Check before opening: opening a pipe would wait for its writer.
        if !path.metadata().map_err(failed)?.is_file() {
            let why = "not a regular file, which can be read more than once: write what it gives to a file, and name that, or pipe it to `stats -`";
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, why)));
        }
        let file = File::open(path).map_err(failed)?;
        let mut head = Vec::new();
        file.take(HEAD).read_to_end(&mut head).map_err(failed)?;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let extension = extension.to_ascii_lowercase();
        if let Some(foreign) = Foreign::of(&head, &extension) {
            return Err(Failure::content(path, foreign));
        }
        let as_table = cli.column.is_some() || cli.is_of_csv();
        let csv = |delimiter| {
            // Commas are in the numbers.
            let delimiter = if cli.decimal_comma && delimiter == b',' { b';' } else { delimiter };
            let delimiter = cli.delimiter.unwrap_or(Delimiter::Byte(delimiter));
            let (has_names, comment, skipped) = (!cli.no_header, cli.comment, cli.skip_lines);
            Self::Table(Table::Csv(Csv { delimiter, has_names, comment, skipped }))
        };
        let format = match (head.as_slice(), extension.as_str()) {
            ([0x93, b'N', b'U', b'M', b'P', b'Y', ..] | [b'P', b'K', 3, 4, ..], _) => Self::Npy,
            ([b'P', b'A', b'R', b'1', ..], _) => Self::Table(Table::Parquet),
            ([b'A', b'R', b'R', b'O', b'W', b'1', ..], _) => Self::Table(Table::ArrowFile),
            // The mark before a message; no UTF-8 text can begin with it.
            ([0xff, 0xff, 0xff, 0xff, ..], _) => Self::Table(Table::ArrowStream),
            (_, "parquet") => Self::Table(Table::Parquet),
            (_, "arrow" | "feather") => Self::Table(Table::ArrowFile),
            (_, "arrows") => Self::Table(Table::ArrowStream),
            (_, "tsv") => csv(b'\t'),
            (_, extension) if extension == "csv" || (as_table && extension != "npy") => csv(b','),
            (head, extension) => match Foreign::text(head) {
                Some(text) if extension != "npy" => return Err(Failure::content(path, text)),
                _ => Self::Npy,
            },
        };
        if format != Self::Npy && cli.raw.is_some() {
            return Err(Failure::Usage(format!(
                "{}: --type says what the elements of a .npy file are, and this is a table: leave it out",
                terminal::line(&path.to_string_lossy())
            )));
        }
        Ok(format)
    }
}
