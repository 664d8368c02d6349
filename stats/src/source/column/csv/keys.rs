//! The keys in a column of a CSV file.

use csv::{ByteRecord, Position};

use super::{BLOCK, damaged, open};
use crate::progress::Progress;
use crate::source::column::{Column, Keys, Unreadable};

/// The cells of `key`, and whether `column` has a value in each row. Empty cells and those of `--null` are no
/// keys.
pub(in super::super) fn keys(
    column: &Column,
    key: &Column,
    delimiter: u8,
    progress: &Progress,
) -> Result<Keys, Unreadable> {
    let mut reader = open(&key.path, delimiter)?;
    progress.stage("reading keys", key.path.metadata().map_or(0, |metadata| metadata.len()));
    let mut keys = Keys::default();
    let mut record = ByteRecord::new();
    let mut passed = 0;
    for row in 1.. {
        if !reader.read_byte_record(&mut record).map_err(damaged)? {
            break;
        }
        let cell = |column: &Column| record.get(column.index).unwrap_or_default().trim_ascii();
        let (found, value) = (cell(key), cell(column));
        let text = str::from_utf8(found).map_err(|_| {
            let line = record.position().map_or(0, Position::line);
            Unreadable::KeyNotText { name: key.name.clone(), row, line }
        })?;
        keys.push((!key.is_null(found)).then_some(text), !column.is_null(value));
        if row % BLOCK == 0 {
            let at = reader.position().byte();
            progress.passed(at - passed);
            passed = at;
        }
    }
    Ok(keys)
}
