//! Columns of CSV files. They have no types: whole numbers are tried first, and floats take the rest.

mod keys;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::str::FromStr;

use csv::{ByteRecord, Reader, ReaderBuilder};
use warpfold::{Element, Elements};

pub(super) use self::keys::keys;
use super::{Column, Head, Named, Unreadable};
use crate::numbers::Numbers;
use crate::progress::Progress;

/// Rows between two reports of progress.
const BLOCK: u64 = 1 << 14;

/// Characters of a cell that a message quotes at most.
const QUOTED: usize = 60;

/// The names in the first line.
pub(super) fn head(path: &Path, delimiter: u8) -> Result<Head, Unreadable> {
    let mut reader = open(path, delimiter)?;
    let names = reader.headers().map_err(damaged)?;
    if names.is_empty() {
        return Err(Unreadable::NoColumns { why: "the file has no first line to name them" });
    }
    let column = |name: &str| Named { name: name.trim().into(), r#type: None, is_numbers: true };
    let columns = names.iter().map(column).collect();
    // A number and its comma are about as long as the eight bytes that it becomes.
    let about_bytes = path.metadata().map_or(0, |metadata| metadata.len()) / names.len() as u64;
    Ok(Head { columns, about_bytes })
}

/// The cells as i64 if each can be one, or else as u64, or else as f64. A file is begun again for the next type as
/// soon as a cell does not fit, which most often is in the first row.
pub(super) fn read(
    column: &Column,
    delimiter: u8,
    progress: &Progress,
) -> Result<Numbers<'static>, Unreadable> {
    if let Ok(x) = cells(column, delimiter, progress)? {
        return Ok(Numbers::I64(x));
    }
    if let Ok(x) = cells(column, delimiter, progress)? {
        return Ok(Numbers::U64(x));
    }
    match cells(column, delimiter, progress)? {
        Ok(x) => Ok(Numbers::F64(x)),
        Err(Misfit { row, line, text }) => {
            Err(Unreadable::Cell { name: column.name.clone(), row, line, text })
        }
    }
}

/// The first cell that is not of the type.
struct Misfit {
    row: u64,
    line: u64,
    text: String,
}

/// All cells as numbers of one type; empty ones are missing.
fn cells<T: Element + FromStr>(
    column: &Column,
    delimiter: u8,
    progress: &Progress,
) -> Result<Result<Elements<'static, T>, Misfit>, Unreadable> {
    let mut reader = open(&column.path, delimiter)?;
    progress.stage("reading", column.path.metadata().map_or(0, |metadata| metadata.len()));
    let mut elements = Elements::default();
    let mut record = ByteRecord::new();
    let mut passed = 0;
    for row in 1.. {
        if !reader.read_byte_record(&mut record).map_err(damaged)? {
            break;
        }
        let cell = record.get(column.index).unwrap_or_default().trim_ascii();
        if cell.is_empty() {
            elements.skip(1);
        } else {
            match str::from_utf8(cell).ok().and_then(|cell| cell.parse().ok()) {
                Some(number) => elements.extend([Some(number)]),
                None => {
                    let line = record.position().map_or(0, csv::Position::line);
                    let text = String::from_utf8_lossy(cell).chars().take(QUOTED).collect();
                    return Ok(Err(Misfit { row, line, text }));
                }
            }
        }
        if row % BLOCK == 0 {
            let at = reader.position().byte();
            progress.passed(at - passed);
            passed = at;
        }
    }
    Ok(Ok(elements))
}

fn open(path: &Path, delimiter: u8) -> Result<Reader<BufReader<File>>, Unreadable> {
    let file = File::open(path).map_err(|cause| damaged(cause.into()))?;
    Ok(ReaderBuilder::new().delimiter(delimiter).from_reader(BufReader::new(file)))
}

fn damaged(cause: csv::Error) -> Unreadable {
    Unreadable::Damaged {
        what: "CSV with as many cells in each row as in the first",
        cause: cause.to_string(),
    }
}
