//! Columns of CSV files. CSV has no types: whole numbers are tried first, then floats.

mod keys;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use csv::{ByteRecord, Reader, ReaderBuilder};
use warpfold::{Element, Elements};

pub(super) use self::keys::keys;
use super::{Column, Head, Named, Unreadable};
use crate::numbers::{Loaded, Numbers, Rounded};
use crate::progress::Progress;

/// Rows between two reports of progress.
const BLOCK: u64 = 1 << 14;

/// The most characters of a cell in a message.
const QUOTED: usize = 60;

impl Column {
    /// Whether a cell, trimmed, has no value.
    fn is_null(&self, cell: &[u8]) -> bool {
        cell.is_empty() || self.nulls.iter().any(|null| null.as_bytes() == cell)
    }
}

/// The names in the first line.
pub(super) fn head(path: &Path, delimiter: u8) -> Result<Head, Unreadable> {
    let mut reader = open(path, delimiter)?;
    let names = reader.headers().map_err(damaged)?;
    if names.is_empty() {
        return Err(Unreadable::NoColumns { why: "the file has no first line to name them" });
    }
    let column = |name: &str| Named { name: name.trim().into(), r#type: None, is_numbers: true };
    let columns = names.iter().map(column).collect();
    // A number with its comma takes about as many bytes as the eight that it becomes.
    let about_bytes = path.metadata().map_or(0, |metadata| metadata.len()) / names.len() as u64;
    Ok(Head { columns, about_bytes })
}

/// The cells as i64 if all of them fit, otherwise as u64, otherwise as f64. If a cell does not fit, the file is
/// read again from the start as the next type; most often this happens in the first row.
pub(super) fn read(
    column: &Column,
    delimiter: u8,
    progress: &Progress,
) -> Result<Loaded<'static>, Unreadable> {
    if let Ok(x) = cells(column, delimiter, progress, |cell| cell.parse().ok())? {
        return Ok(Numbers::I64(x).into());
    }
    if let Ok(x) = cells(column, delimiter, progress, |cell| cell.parse().ok())? {
        return Ok(Numbers::U64(x).into());
    }
    let mut rounded = Rounded::default();
    let number = |cell: &str| {
        let number = float(cell)?;
        if is_rounded(cell, number) {
            if rounded.count == 0 {
                rounded.first = cell.chars().take(QUOTED).collect();
            }
            rounded.count += 1;
        }
        Some(number)
    };
    match cells(column, delimiter, progress, number)? {
        Ok(x) => Ok(Loaded { numbers: Numbers::F64(x), rounded }),
        Err(Misfit { row, line, text, is_number }) => {
            let name = column.name.clone();
            Err(if is_number {
                Unreadable::Range { name, row, line, text }
            } else {
                Unreadable::Cell { name, row, line, text }
            })
        }
    }
}

/// The float of a cell; infinite only if the cell says so.
fn float(cell: &str) -> Option<f64> {
    let number: f64 = cell.parse().ok()?;
    (number.is_finite() || !cell.contains(|c: char| c.is_ascii_digit())).then_some(number)
}

/// Whether a cell is a whole number unequal to `number`, the nearest float. Numbers with fewer digits than 2^53
/// are exact.
fn is_rounded(cell: &str, number: f64) -> bool {
    let digits = cell.strip_prefix(['+', '-']).unwrap_or(cell);
    if digits.len() < 16 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return false;
    }
    // All digits of the float, which is a whole number of any length.
    format!("{:.0}", number.abs()) != digits.trim_start_matches('0')
}

/// The first cell that does not fit the type.
struct Misfit {
    row: u64,
    line: u64,
    text: String,
    /// Whether it is a number all the same.
    is_number: bool,
}

/// All cells as numbers of one type; empty cells and those of `--null` are missing.
fn cells<T: Element>(
    column: &Column,
    delimiter: u8,
    progress: &Progress,
    mut number: impl FnMut(&str) -> Option<T>,
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
        if column.is_null(cell) {
            elements.skip(1);
        } else {
            let in_utf8 = str::from_utf8(cell).ok();
            match in_utf8.and_then(&mut number) {
                Some(number) => elements.extend([Some(number)]),
                None => {
                    let line = record.position().map_or(0, csv::Position::line);
                    let text = String::from_utf8_lossy(cell).chars().take(QUOTED).collect();
                    let is_number = in_utf8.is_some_and(|cell| cell.parse::<f64>().is_ok());
                    return Ok(Err(Misfit { row, line, text, is_number }));
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
