//! Columns of Arrow's own format, both as a file with an index at its end and as a stream.

mod claims;
mod messages;

use std::path::Path;

use arrow_array::{RecordBatch, RecordBatchReader};

use self::messages::Batches;
use super::damage::caught;
use super::values::Values;
use super::{Column, Head, Keys, Unreadable, batches};
use crate::progress::Progress;
use crate::source::format::Table;

const WHAT: &str = "an Arrow IPC file or stream";

/// The columns of the schema.
pub(super) fn head(path: &Path, table: Table) -> Result<Head, Unreadable> {
    caught(WHAT, || {
        let columns = batches::columns(&open(path, table, None)?.schema());
        let about_bytes = path.metadata().map_or(0, |metadata| metadata.len()) / columns.len().max(1) as u64;
        Ok(Head::typed(columns, about_bytes))
    })
}

/// Reads the columns, in the order of the file. Other columns of a batch are read with them and dropped.
pub(super) fn read(columns: &[Column], progress: &Progress) -> Result<Vec<Values>, Unreadable> {
    let Some(first) = columns.first() else { return Ok(Vec::new()) };
    caught(WHAT, || {
        let indices = columns.iter().map(|column| column.index).collect();
        let reader = open(&first.path, first.table, Some(indices))?;
        progress.stage("reading", first.about_bytes * columns.len() as u64);
        let (schema, passed) = (reader.schema(), passed(progress));
        batches::collect(WHAT, columns, &schema, reader, passed)
    })
}

/// Reads the keys, with the column's values.
pub(super) fn keys(column: &Column, key: &Column, progress: &Progress) -> Result<Keys, Unreadable> {
    caught(WHAT, || {
        let reader = open(&column.path, column.table, Some(both(column, key)))?;
        progress.stage("reading keys", column.about_bytes + key.about_bytes);
        let (schema, passed) = (reader.schema(), passed(progress));
        batches::keys(WHAT, (column, key), &schema, reader, passed)
    })
}

fn passed(progress: &Progress) -> impl Fn(&RecordBatch) {
    move |batch: &RecordBatch| progress.passed(batch.get_array_memory_size() as u64)
}

/// The indices of two columns, which may be the same.
fn both(column: &Column, key: &Column) -> Vec<usize> {
    let mut both = vec![column.index, key.index];
    both.sort_unstable();
    both.dedup();
    both
}

/// Opens a file, or a stream.
fn open(path: &Path, table: Table, columns: Option<Vec<usize>>) -> Result<Batches, Unreadable> {
    let opened = match table {
        Table::ArrowStream => Batches::of_stream(path, columns),
        _ => Batches::of_file(path, columns),
    };
    opened.map_err(|cause| Unreadable::Damaged { what: WHAT, cause: cause.to_string() })
}
