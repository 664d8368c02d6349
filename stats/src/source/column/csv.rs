//! Columns of CSV files. CSV has no types: whole numbers are tried first, then floats.

mod cells;
mod keys;
mod records;
mod text;

use std::path::Path;

use csv::ByteRecord;

pub(super) use self::cells::read;
pub(super) use self::keys::keys;
use self::records::Records;
use super::{Column, Head, Named, Unreadable};
use crate::source::format::Csv;

/// The most characters of a cell in a message.
const QUOTED: usize = 60;

/// What separates cells, if commas do not.
const DELIMITERS: [char; 3] = [';', '\t', '|'];

impl Column {
    /// Whether a cell, trimmed, has no value.
    fn is_null(&self, cell: &[u8]) -> bool {
        cell.is_empty() || self.nulls.iter().any(|null| null.as_bytes() == cell)
    }
}

/// The names in the first line, or the numbers of the columns.
pub(super) fn head(path: &Path, csv: Csv) -> Result<Head, Unreadable> {
    let mut records = Records::open(path, csv)?;
    let mut first = ByteRecord::new();
    if !records.next(&mut first)? {
        return Err(Unreadable::NoColumns { why: "the file has no first line" });
    }
    let name = |(at, name)| {
        let name: &[u8] = name;
        let name = if csv.has_names { str::from_utf8(name).map(str::trim) } else { Ok("") };
        let name = name.map_err(|_| Unreadable::NameNotText { number: at });
        name.map(|name| if csv.has_names { name.into() } else { at.to_string() })
    };
    let names = (1..).zip(&first).map(name).collect::<Result<Vec<String>, _>>()?;
    let are_numbers = csv.has_names && are_numbers(&names);
    let advice = if let [only] = names.as_slice() { advice_on_one(only) } else { None };
    // A number with its comma takes about as many bytes as the eight that it becomes.
    let about_bytes = path.metadata().map_or(0, |metadata| metadata.len()) / names.len() as u64;
    let columns = names.into_iter().map(|name| Named { name, r#type: None, is_numbers: true }).collect();
    Ok(Head { columns, about_bytes, are_numbers, advice })
}

/// Whether the names may be numbers of a first row. Words such as `nan` are names.
fn are_numbers(names: &[String]) -> bool {
    let is_number =
        |name: &String| name.contains(|c: char| c.is_ascii_digit()) && name.parse::<f64>().is_ok();
    let named = || names.iter().filter(|name| !name.is_empty());
    named().next().is_some() && named().all(is_number)
}

/// What may be done if a table should have more than its only column, which has this name.
fn advice_on_one(name: &str) -> Option<String> {
    if name.starts_with('#') {
        return Some("if lines with `#` are comments, add --comment '#'".into());
    }
    if name.contains("  ") {
        return Some("if blanks separate the columns, add --delimiter blanks".into());
    }
    let delimiter = name.chars().find(|c| DELIMITERS.contains(c))?;
    let shown = if delimiter == '\t' { "tab".into() } else { format!("'{delimiter}'") };
    Some(format!("its first line may have another delimiter: add --delimiter {shown}"))
}

/// What may be done about a cell that is not a number.
fn advice_on_cell(text: &str) -> String {
    const ABSENT: [&str; 12] =
        ["na", "n/a", "#n/a", "null", "nil", "none", "missing", "unknown", "-", "--", ".", "?"];
    let absent = ABSENT.contains(&text.to_lowercase().as_str());
    if absent {
        // A shell takes `?` for the name of a file.
        return format!("; if it stands for no value, add --null '{text}'");
    }
    if text.matches(',').count() == 1 && text.replace(',', ".").parse::<f64>().is_ok() {
        return "; if that is a decimal comma, add --decimal-comma".into();
    }
    if text.starts_with('"') {
        return "; a quote opens only where its cell begins, without a blank before it".into();
    }
    String::new()
}

/// The float of a cell; infinite only if the cell says so.
fn float(cell: &str, decimal_comma: bool) -> Option<f64> {
    let number: f64 = if decimal_comma && cell.contains(',') {
        // A point would be one between thousands.
        if cell.contains('.') {
            return None;
        }
        cell.replacen(',', ".", 1).parse().ok()?
    } else {
        cell.parse().ok()?
    };
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
