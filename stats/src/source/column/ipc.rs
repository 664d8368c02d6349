//! Columns of Arrow's own format, both as a file with an index at its end and as a stream.

mod claims;
mod messages;

use std::path::Path;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::ArrowError;

use self::messages::Batches;
use super::damage::caught;
use super::{Column, Head, Keys, Unreadable, batches};
use crate::numbers::Numbers;
use crate::progress::Progress;

const WHAT: &str = "an Arrow IPC file or stream";

pub(super) fn head_of_file(path: &Path) -> Result<Head, Unreadable> {
    caught(WHAT, || head(path, &file(path, None)?))
}

pub(super) fn head_of_stream(path: &Path) -> Result<Head, Unreadable> {
    caught(WHAT, || head(path, &stream(path, None)?))
}

pub(super) fn read_file(column: &Column, progress: &Progress) -> Result<Numbers<'static>, Unreadable> {
    caught(WHAT, || read(column, file(&column.path, Some(vec![column.index]))?, progress))
}

pub(super) fn read_stream(column: &Column, progress: &Progress) -> Result<Numbers<'static>, Unreadable> {
    caught(WHAT, || read(column, stream(&column.path, Some(vec![column.index]))?, progress))
}

pub(super) fn keys_of_file(column: &Column, key: &Column, progress: &Progress) -> Result<Keys, Unreadable> {
    caught(WHAT, || keys(column, key, file(&column.path, Some(both(column, key)))?, progress))
}

pub(super) fn keys_of_stream(column: &Column, key: &Column, progress: &Progress) -> Result<Keys, Unreadable> {
    caught(WHAT, || keys(column, key, stream(&column.path, Some(both(column, key)))?, progress))
}

/// The columns of the schema.
fn head(path: &Path, reader: &impl RecordBatchReader) -> Result<Head, Unreadable> {
    let columns = batches::columns(&reader.schema());
    let about_bytes = path.metadata().map_or(0, |metadata| metadata.len()) / columns.len().max(1) as u64;
    Ok(Head::typed(columns, about_bytes))
}

/// Reads the column alone. Other columns of a batch are read with it and dropped.
fn read(
    column: &Column,
    reader: impl RecordBatchReader,
    progress: &Progress,
) -> Result<Numbers<'static>, Unreadable> {
    progress.stage("reading", column.about_bytes);
    let schema = reader.schema();
    let passed = |batch: &RecordBatch| progress.passed(batch.get_array_memory_size() as u64);
    batches::collect(WHAT, column, &schema, reader, passed)
}

/// Reads the keys, with the column's values.
fn keys(
    column: &Column,
    key: &Column,
    reader: impl RecordBatchReader,
    progress: &Progress,
) -> Result<Keys, Unreadable> {
    progress.stage("reading keys", column.about_bytes + key.about_bytes);
    let schema = reader.schema();
    let passed = |batch: &RecordBatch| progress.passed(batch.get_array_memory_size() as u64);
    batches::keys(WHAT, (column, key), &schema, reader, passed)
}

/// The indices of two columns, which may be the same.
fn both(column: &Column, key: &Column) -> Vec<usize> {
    let mut both = vec![column.index, key.index];
    both.sort_unstable();
    both.dedup();
    both
}

fn file(path: &Path, columns: Option<Vec<usize>>) -> Result<Batches, Unreadable> {
    Batches::of_file(path, columns).map_err(damaged)
}

fn stream(path: &Path, columns: Option<Vec<usize>>) -> Result<Batches, Unreadable> {
    Batches::of_stream(path, columns).map_err(damaged)
}

fn damaged(cause: ArrowError) -> Unreadable {
    Unreadable::Damaged { what: WHAT, cause: cause.to_string() }
}
