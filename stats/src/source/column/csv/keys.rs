//! The keys in a column of a CSV file.

use csv::ByteRecord;

use super::records::Records;
use crate::progress::Progress;
use crate::source::column::{Column, Keys, Unreadable};
use crate::source::format::Csv;

/// The cells of `key`, and whether `column` has a value in each row. Empty cells and cells with the text of
/// `--null` are not keys.
pub(in super::super) fn keys(
    column: &Column,
    key: &Column,
    csv: Csv,
    progress: &Progress,
) -> Result<Keys, Unreadable> {
    let mut rows = Records::rows(&key.path, csv)?;
    progress.stage("reading keys", key.path.metadata().map_or(0, |metadata| metadata.len()));
    let mut keys = Keys::default();
    let mut record = ByteRecord::new();
    for row in 1.. {
        if !rows.next(&mut record)? {
            break;
        }
        let cell = |column: &Column| record.get(column.index).unwrap_or_default().trim_ascii();
        let (found, value) = (cell(key), cell(column));
        let text = str::from_utf8(found).map_err(|_| Unreadable::KeyNotText {
            name: key.name.clone(),
            row,
            line: rows.line(&record),
        })?;
        keys.push((!key.is_null(found)).then_some(text), !column.is_null(value));
        rows.report(progress);
    }
    Ok(keys)
}
