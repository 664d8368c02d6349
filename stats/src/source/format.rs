//! The format of a file, found from its first bytes, otherwise from its name.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::failure::Failure;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// One array. Also the default for unknown files, which its reader refuses.
    Npy,
    /// Columns with names.
    Table(Table),
}

/// A kind of table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Csv { delimiter: u8 },
    Parquet,
    ArrowFile,
    ArrowStream,
}

impl Format {
    /// Detects the format. `as_table` says that the user expects a table, `delimiter` its delimiter, if given.
    pub(crate) fn of(path: &Path, as_table: bool, delimiter: Option<u8>) -> Result<Self, Failure> {
        let failed = |cause| Failure::Open { path: path.into(), cause };
        // Check before opening: opening a pipe would wait for its writer.
        if !path.metadata().map_err(failed)?.is_file() {
            let why = "not a regular file, which is mapped or read more than once: write what it gives to a file, and name that";
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, why)));
        }
        let file = File::open(path).map_err(failed)?;
        let mut head = Vec::new();
        file.take(8).read_to_end(&mut head).map_err(failed)?;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        Ok(match (head.as_slice(), extension.to_ascii_lowercase().as_str()) {
            ([0x93, b'N', b'U', b'M', b'P', b'Y', ..] | [b'P', b'K', 3, 4, ..], _) => Self::Npy,
            ([b'P', b'A', b'R', b'1', ..], _) => Self::Table(Table::Parquet),
            ([b'A', b'R', b'R', b'O', b'W', b'1', ..], _) => Self::Table(Table::ArrowFile),
            // The mark before a message; no UTF-8 text can begin with it.
            ([0xff, 0xff, 0xff, 0xff, ..], _) => Self::Table(Table::ArrowStream),
            (_, "parquet") => Self::Table(Table::Parquet),
            (_, "arrow" | "feather") => Self::Table(Table::ArrowFile),
            (_, "arrows") => Self::Table(Table::ArrowStream),
            (_, "tsv") => Self::Table(Table::Csv { delimiter: delimiter.unwrap_or(b'\t') }),
            (_, extension) if extension == "csv" || (as_table && extension != "npy") => {
                Self::Table(Table::Csv { delimiter: delimiter.unwrap_or(b',') })
            }
            _ => Self::Npy,
        })
    }
}
