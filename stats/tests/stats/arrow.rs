//! Columns of Parquet and Arrow files.

mod keys;

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, Float32Array, PrimitiveArray, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};
use warpfold::{Sum, reference};

use crate::program::{Ran, over_a};
use crate::tables::{agrees, over_file};

/// The batches in each format, with the file extension.
pub(crate) fn files(batches: &[RecordBatch]) -> [(&'static str, Vec<u8>); 3] {
    let schema = batches[0].schema();
    let mut parquet = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut parquet, schema.clone(), None).expect("a writer");
    for batch in batches {
        writer.write(batch).expect("a batch");
        writer.flush().expect("a row group");
    }
    writer.close().expect("a file");
    let mut file = FileWriter::try_new(Vec::new(), &schema).expect("a writer");
    let mut stream = StreamWriter::try_new(Vec::new(), &schema).expect("a writer");
    for batch in batches {
        file.write(batch).expect("a batch");
        stream.write(batch).expect("a batch");
    }
    [
        ("parquet", parquet),
        ("arrow", file.into_inner().expect("a file")),
        ("arrows", stream.into_inner().expect("a stream")),
    ]
}

pub(crate) fn batch(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    RecordBatch::try_from_iter(columns.iter().cloned()).expect("columns of one length")
}

#[test]
fn the_files_of_other_programs_are_read() {
    for codec in ["none", "snappy", "zstd", "gzip", "lz4"] {
        agrees(&format!("pyarrow-{codec}.parquet"));
    }
    for codec in ["uncompressed", "lz4", "zstd"] {
        agrees(&format!("pyarrow-{codec}.feather"));
    }
    for name in ["pyarrow.arrows", "pyarrow-v4.arrow", "polars.parquet", "polars.arrow", "polars.arrows"] {
        agrees(name);
    }
    let report = over_file("polars.parquet", "small").json();
    assert_eq!((&report["source"]["type"], &report["dtype"]), (&json!("Int8"), &json!("i32")));
}

#[test]
fn a_codec_that_is_not_read_is_named() {
    over_file("pyarrow-brotli.parquet", "x")
        .refused(2, &["column `x` is compressed with Brotli:", "this build reads: none, snappy"]);
}

fn widened<P: ArrowPrimitiveType<Native: TryFrom<u8>>>(r#type: &str, dtype: &str) {
    let number = |x: u8| P::Native::try_from(x).ok();
    let array =
        || Arc::new(PrimitiveArray::<P>::from_iter([number(3), None, number(100), number(7)])) as ArrayRef;
    let one = batch(&[("other", array()), ("x", array())]);
    for (extension, bytes) in files(&[one.clone(), one.slice(0, 0), one.slice(1, 2)]) {
        let report = over_a(extension, &bytes, &["--json", "--column", "x"]).json();
        assert_eq!(report["source"]["type"], r#type, "{extension}");
        assert_eq!(report["dtype"], dtype, "{extension} of {type}");
        assert_eq!(
            (&report["count"], &report["missing_count"]),
            (&json!(4), &json!(2)),
            "{extension} of {type}"
        );
        assert_eq!(report["sum"]["value"].as_f64(), Some(210.0), "{extension} of {type}");
        assert_eq!(report["argmax"]["index"], 2, "{extension} of {type}");
    }
}

#[test]
fn every_type_of_numbers_is_read() {
    widened::<Int16Type>("Int16", "i32");
    widened::<Int32Type>("Int32", "i32");
    widened::<Int64Type>("Int64", "i64");
    widened::<UInt8Type>("UInt8", "u32");
    widened::<UInt16Type>("UInt16", "u32");
    widened::<UInt32Type>("UInt32", "u32");
    widened::<UInt64Type>("UInt64", "u64");
    widened::<Float16Type>("Float16", "f32");
    widened::<Float32Type>("Float32", "f32");
    widened::<Float64Type>("Float64", "f64");
    let signed = Arc::new(PrimitiveArray::<Int8Type>::from(vec![-128, 127, -128])) as ArrayRef;
    for (extension, bytes) in files(&[batch(&[("x", signed)])]) {
        let report = over_a(extension, &bytes, &["--json"]).json();
        assert_eq!((&report["sum"]["value"], &report["dtype"]), (&json!(-129), &json!("i32")));
    }
}

#[test]
fn long_columns_have_the_bits_of_the_reference() {
    let cell = |i: u64| {
        let scattered = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        (scattered % 7 != 3).then_some((scattered as f32 / 1e3 - 8000.0) * (scattered % 31) as f32)
    };
    let array: Float32Array = (0..200_003).map(cell).collect();
    let values: Vec<f32> = array.iter().flatten().collect();
    let bits = format!("{:#010x}", reference::reduce::<f32, Sum>(&values).to_bits());
    let greatest = values.iter().copied().fold(f32::MIN, f32::max);
    let row = array.iter().position(|cell| cell == Some(greatest)).expect("a row");
    let whole = batch(&[("x", Arc::new(array))]);
    let batches = [whole.slice(0, 70_001), whole.slice(70_001, 1), whole.slice(70_002, 130_001)];
    for (extension, bytes) in files(&batches) {
        let report = over_a(extension, &bytes, &["--json"]).json();
        assert_eq!(report["sum"]["bits"], bits, "{extension}");
        assert_eq!(report["missing_count"], 200_003 - values.len(), "{extension}");
        assert_eq!(report["argmax"]["index"], row, "{extension}");
    }
}

#[test]
fn columns_without_values_are_empty() {
    let nulls = batch(&[("x", Arc::new(Float32Array::new_null(70_000)))]);
    for (batches, missing) in [(vec![nulls.slice(0, 0)], 0), (vec![nulls.clone(), nulls], 140_000)] {
        for (extension, bytes) in files(&batches) {
            let report = over_a(extension, &bytes, &["--json"]).json();
            assert_eq!(
                (&report["count"], &report["missing_count"]),
                (&json!(0), &json!(missing)),
                "{extension}"
            );
            assert_eq!((&report["sum"]["bits"], &report["argmin"]), (&json!("0x80000000"), &Value::Null));
        }
    }
}

#[test]
fn loops_over_something_else_are_refused() {
    let text = Arc::new(StringArray::from(vec!["a", "b"])) as ArrayRef;
    let flags = Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef;
    let number = Arc::new(Float32Array::from(vec![1.0, 2.0])) as ArrayRef;
    for (extension, bytes) in
        files(&[batch(&[("text", text.clone()), ("flag", flags.clone()), ("x", number.clone())])])
    {
        let over = |args: &[&str]| over_a(extension, &bytes, args);
        over(&["--column", "text", "--compare"]).refused(2, &["column `text` is Utf8: stats takes numbers"]);
        over(&["--column", "y"])
            .refused(2, &["no column `y`", "`text` (Utf8), `flag` (Boolean), `x` (Float32)"]);
        over(&["--compare"]).refused(2, &["--column", "`text` (Utf8), `flag` (Boolean), `x` (Float32)"]);
        let text = over(&["--column", "x"]);
        assert!(text.text().contains("column `x`, Float32: 2 f32, 8 bytes"), "{}", text.out);
    }
}

#[test]
fn the_first_bytes_say_what_it_is() {
    for (extension, bytes) in files(&[batch(&[("x", Arc::new(Float32Array::from(vec![1.0, 2.0])))])]) {
        for name in [extension, "csv", "npy", "bin"] {
            assert_eq!(
                over_a(name, &bytes, &["--json"]).json()["sum"]["value"],
                3.0,
                "{extension} called {name}"
            );
        }
    }
}

/// Requires a result or an error, not a panic.
#[track_caller]
fn survives(ran: &Ran, what: &str) {
    assert!(matches!(ran.code, Some(0 | 2)), "{what}: {:?} {}", ran.code, ran.err);
    assert!(!ran.err.contains("panicked"), "{what}: {}", ran.err);
}

#[test]
fn damaged_files_are_refused() {
    let array = Float32Array::from(vec![Some(1.0), None, Some(2.5), None, Some(-7.0)]);
    for (extension, bytes) in files(&[batch(&[("x", Arc::new(array))])]) {
        for length in (4..bytes.len()).step_by(7) {
            let ran = over_a(extension, &bytes[..length], &["--json"]);
            survives(&ran, &format!("{extension} cut off at {length}"));
            if extension != "arrows" {
                ran.refused(2, &["damaged"]);
            }
        }
    }
    // `hostile` tests more changes, with little memory.
    for name in ["pyarrow-snappy.parquet", "pyarrow.arrows"] {
        let path = format!("{}/tests/stats/files/{name}", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).expect("a file of this folder");
        let extension = name.rsplit('.').next().expect("an extension");
        for place in (4..bytes.len()).step_by(5) {
            let mut bytes = bytes.clone();
            bytes[place] ^= 0x41;
            survives(
                &over_a(extension, &bytes, &["--json", "--column", "x"]),
                &format!("byte {place} of {name}"),
            );
        }
    }
}
