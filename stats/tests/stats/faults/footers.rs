//! Parquet footers that claim what is not there.

use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use arrow_array::Float32Array;
use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};

use crate::arrow::{batch, files};
use crate::program::{Ran, TestFile, over_a, run_in};

/// A number of Thrift's compact protocol.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// An element of a schema: an optional one, of 32 bits unless it has children.
fn element(children: i32) -> Vec<u8> {
    // Fields 1 and 3, types 5 (i32) of value 1 (INT32, OPTIONAL); field 4, the name; field 5, the children, zigzag.
    match children {
        0 => vec![0x15, 0x02, 0x25, 0x02, 0x18, 1, b'x', 0],
        _ => [
            &[0x35, 0x02, 0x18, 1, b'g', 0x15][..],
            &varint(((children << 1) ^ (children >> 31)) as u32 as u64),
            &[0],
        ]
        .concat(),
    }
}

/// A file of no rows with a schema of these elements.
fn file(elements: &[Vec<u8>]) -> Vec<u8> {
    let list = [vec![0xfc], varint(elements.len() as u64)].concat();
    // Fields 1, the version; 2, the schema; 3, no rows; 4, no row groups.
    let footer =
        [&[0x15, 0x02, 0x19][..], &list, &elements.concat(), &[0x16, 0x00, 0x19, 0x0c, 0x00]].concat();
    let length = u32::try_from(footer.len()).expect("a short footer").to_le_bytes();
    [&b"PAR1"[..], &footer, &length, b"PAR1"].concat()
}

#[track_caller]
fn at_once(bytes: &[u8]) -> Ran {
    run_in(Duration::from_secs(20), &[TestFile::new(bytes, "parquet").path(), "--json", "--column", "x"])
}

#[test]
fn a_schema_is_as_deep_as_64_levels() {
    let deep = |levels: usize| [vec![element(1); levels], vec![element(0)]].concat();
    for levels in [65, 100, 7_000, 100_000] {
        at_once(&file(&deep(levels))).refused(2, &["damaged", "nested more than 64 deep"]);
    }
    // 63 groups in each other, and a column in the last.
    at_once(&file(&deep(63))).refused(2, &["no column `x`", "`g`"]);
    // Beside each other there may be any number.
    let flat = [vec![element(2), element(0)], deep(2)].concat();
    at_once(&file(&flat)).json();
}

#[test]
fn children_that_are_not_there_are_refused() {
    for children in [2, 3, 1 << 20, i32::MAX] {
        at_once(&file(&[element(children), element(0)])).refused(2, &["damaged", "more children than"]);
        at_once(&file(&[element(1), element(children), element(0)]))
            .refused(2, &["damaged", "more children than"]);
    }
    at_once(&file(&[element(-1), element(0)])).refused(2, &["damaged", "negative"]);
    assert_eq!(at_once(&file(&[element(1), element(0)])).json()["count"], 0);
}

/// The reader reads 4 bytes of a number as children, if they are said to be text.
#[test]
fn fields_of_another_type_are_refused() {
    let mut text = element(1);
    text[5] = 0x18;
    at_once(&file(&[text, element(0)])).refused(2, &["damaged", "another type"]);
}

#[test]
fn a_schema_that_follows_another_is_not_read() {
    let mut bytes = file(&[element(1), element(0)]);
    // Before the footer's end: field 2 once more, by its number.
    let end = bytes.len() - 9;
    let second = [vec![0x09, 0x04, 0xfc], varint(1), element(i32::MAX)].concat();
    bytes.splice(end..end, second);
    let length = u32::try_from(bytes.len() - 12).expect("a short footer").to_le_bytes();
    let at = bytes.len() - 8;
    bytes[at..at + 4].copy_from_slice(&length);
    assert_eq!(at_once(&bytes).json()["count"], 0);
}

#[test]
fn a_column_far_larger_than_its_file_is_asked_for() {
    let [(extension, bytes), ..] = files(&[batch(&[("x", Arc::new(Float32Array::from(vec![1.5; 100])))])]);
    let written = File::open(TestFile::new(&bytes, extension).path()).expect("a file");
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&written).expect("a footer");
    let mut claiming = metadata.into_builder();
    let rows = claiming.take_row_groups().into_iter();
    let rows =
        rows.map(|rows| rows.into_builder().set_num_rows(5 << 30).build().expect("a row group")).collect();
    let metadata = claiming.set_row_groups(rows).build();
    let mut file = bytes;
    ParquetMetaDataWriter::new(&mut file, &metadata).finish().expect("a footer");
    over_a(extension, &file, &[]).refused(2, &["21,474,836,480 bytes", "--expand"]);
    // Then as far as there is something.
    let expanded = over_a(extension, &file, &["--expand", "--json"]);
    assert!(expanded.code == Some(2) || expanded.json()["count"] == 100, "{}", expanded.err);
}
