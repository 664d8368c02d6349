//! Columns of Parquet files.

use std::fs::File;
use std::path::Path;

use arrow_array::{RecordBatch, RecordBatchReader};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::damage::caught;
use super::{Column, Head, Keys, Unreadable, batches};
use crate::numbers::Numbers;
use crate::progress::Progress;

/// Rows of a batch: half a megabyte of the widest type, so that a batch stays in a cache while it is copied.
const ROWS: usize = 1 << 16;

const WHAT: &str = "a Parquet file";

/// The columns that the file's footer names.
pub(super) fn head(path: &Path) -> Result<Head, Unreadable> {
    caught(WHAT, || {
        let builder = open(path)?;
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        Ok(Head { columns: batches::columns(builder.schema()), about_bytes: rows.saturating_mul(8) })
    })
}

/// Reads the column alone, without the pages of other columns.
pub(super) fn read(column: &Column, progress: &Progress) -> Result<Numbers<'static>, Unreadable> {
    caught(WHAT, || {
        let builder = open(&column.path)?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), [column.index]);
        let reader = builder.with_projection(mask).with_batch_size(ROWS).build();
        let reader = reader.map_err(|cause| damaged(&cause))?;
        progress.stage("reading", column.about_bytes);
        let schema = reader.schema();
        batches::collect(WHAT, &schema, reader, |batch| progress.passed(batch.num_rows() as u64 * 8))
    })
}

/// Reads the keys, with the column's values.
pub(super) fn keys(column: &Column, key: &Column, progress: &Progress) -> Result<Keys, Unreadable> {
    caught(WHAT, || {
        let builder = open(&column.path)?;
        let mask = ProjectionMask::roots(builder.parquet_schema(), [column.index, key.index]);
        let reader = builder.with_projection(mask).with_batch_size(ROWS).build();
        let reader = reader.map_err(|cause| damaged(&cause))?;
        progress.stage("reading keys", key.about_bytes);
        let schema = reader.schema();
        let passed = |batch: &RecordBatch| progress.passed(batch.num_rows() as u64 * 8);
        batches::keys(WHAT, (column, key), &schema, reader, passed)
    })
}

fn open(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, Unreadable> {
    let file = File::open(path).map_err(|cause| damaged(&cause))?;
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(|cause| damaged(&cause))
}

fn damaged(cause: &dyn std::error::Error) -> Unreadable {
    Unreadable::Damaged { what: WHAT, cause: cause.to_string() }
}
