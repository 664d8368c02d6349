//! Columns of Parquet files.

mod schema;
mod thrift;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::file::metadata::{FooterTail, ParquetMetaDataOptions, ParquetMetaDataReader};

use super::damage::caught;
use super::values::Values;
use super::{Column, Head, Keys, Unreadable, batches};
use crate::progress::Progress;

/// Rows of a batch: half a megabyte of the widest type, so that a batch stays in a cache while it is copied.
const ROWS: usize = 1 << 16;

/// Bytes at a file's end: the length of the footer, and `PAR1`.
const TAIL: u64 = 8;

const WHAT: &str = "a Parquet file";

/// The columns that the file's footer names.
pub(super) fn head(path: &Path) -> Result<Head, Unreadable> {
    caught(WHAT, || {
        let builder = open(path)?;
        let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).unwrap_or(0);
        Ok(Head::typed(batches::columns(builder.schema()), rows.saturating_mul(8)))
    })
}

/// Reads the columns, in the order of the file, without the pages of others.
pub(super) fn read(read: &[Column], progress: &Progress) -> Result<Vec<Values>, Unreadable> {
    let Some(first) = read.first() else { return Ok(Vec::new()) };
    let width = read.len() as u64 * 8;
    caught(WHAT, || {
        let indices: Vec<usize> = read.iter().map(|column| column.index).collect();
        let reader = columns(first, &indices)?;
        progress.stage("reading", first.about_bytes * read.len() as u64);
        let (schema, passed) =
            (reader.schema(), |batch: &RecordBatch| progress.passed(batch.num_rows() as u64 * width));
        batches::collect(WHAT, read, &schema, reader, passed)
    })
}

/// Reads the keys, with the column's values.
pub(super) fn keys(column: &Column, key: &Column, progress: &Progress) -> Result<Keys, Unreadable> {
    caught(WHAT, || {
        let reader = columns(column, &[column.index, key.index])?;
        progress.stage("reading keys", key.about_bytes);
        let schema = reader.schema();
        let passed = |batch: &RecordBatch| progress.passed(batch.num_rows() as u64 * 8);
        batches::keys(WHAT, (column, key), &schema, reader, passed)
    })
}

/// A reader of some columns.
fn columns(column: &Column, indices: &[usize]) -> Result<ParquetRecordBatchReader, Unreadable> {
    let builder = open(&column.path)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), indices.iter().copied());
    let chunks = builder.metadata().row_groups().iter().flat_map(|rows| rows.columns().iter().enumerate());
    for (_, chunk) in chunks.filter(|&(leaf, _)| mask.leaf_included(leaf)) {
        let codec = match chunk.compression() {
            Compression::BROTLI(_) => "Brotli",
            Compression::LZO => "LZO",
            _ => continue,
        };
        return Err(Unreadable::Codec { name: chunk.column_path().string(), codec });
    }
    // What the footer claims, before anything of it is taken.
    let rows = builder.metadata().row_groups().iter().map(|rows| u64::try_from(rows.num_rows()).unwrap_or(0));
    batches::check_size(column, rows.fold(0, u64::saturating_add).saturating_mul(4))?;
    let reader = builder.with_projection(mask).with_batch_size(ROWS).build();
    reader.map_err(|cause| damaged(&cause))
}

fn open(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>, Unreadable> {
    let mut file = File::open(path).map_err(|cause| damaged(&cause))?;
    let footer = footer(&mut file)?;
    schema::check(&footer).map_err(|why| Unreadable::Damaged { what: WHAT, cause: why.into() })?;
    // The schema that was checked, and no other that may follow it, is what the rest is read by.
    let metadata = ParquetMetaDataReader::decode_schema(&footer).and_then(|schema| {
        let options = ParquetMetaDataOptions::new().with_schema(schema);
        let metadata = ParquetMetaDataReader::decode_metadata_with_options(&footer, Some(&options))?;
        ArrowReaderMetadata::try_new(Arc::new(metadata), ArrowReaderOptions::new())
    });
    let metadata = metadata.map_err(|cause| damaged(&cause))?;
    Ok(ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata))
}

/// Reads the footer, which names the columns and their places.
fn footer(file: &mut File) -> Result<Vec<u8>, Unreadable> {
    let broken = |cause: &str| Unreadable::Damaged { what: WHAT, cause: cause.into() };
    let len = file.metadata().map_err(|cause| damaged(&cause))?.len();
    let mut tail = [0; TAIL as usize];
    let end = len.checked_sub(TAIL).ok_or_else(|| broken("it is too short for a footer"))?;
    file.seek(SeekFrom::Start(end))
        .and_then(|_| file.read_exact(&mut tail))
        .map_err(|cause| damaged(&cause))?;
    let tail = FooterTail::try_new(&tail).map_err(|cause| damaged(&cause))?;
    if tail.is_encrypted_footer() {
        return Err(broken("its footer is encrypted: write it without"));
    }
    let start = end.checked_sub(tail.metadata_length() as u64);
    let start = start.ok_or_else(|| broken("its footer is longer than it is"))?;
    let mut footer = vec![0; tail.metadata_length()];
    let read = file.seek(SeekFrom::Start(start)).and_then(|_| file.read_exact(&mut footer));
    read.map(|()| footer).map_err(|cause| damaged(&cause))
}

fn damaged(cause: &dyn std::error::Error) -> Unreadable {
    Unreadable::Damaged { what: WHAT, cause: cause.to_string() }
}
