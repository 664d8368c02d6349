//! `--by` with the keys of Parquet and Arrow files.

use std::sync::Arc;

use arrow_array::types::Int16Type;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Float64Array, Int64Array, LargeStringArray,
    StringArray, StringViewArray, UInt8Array,
};
use serde_json::{Value, json};

use crate::arrow::{batch, files};
use crate::program::{over_a, run};

/// The rows for a file of this folder, without fields that CSV lacks.
fn rows(name: &str, by: &str) -> Value {
    let path = format!("{}/tests/stats/files/{name}", env!("CARGO_MANIFEST_DIR"));
    run(&[&path, "--json", "--column", "long", "--by", by]).json()["rows"].clone()
}

#[test]
fn every_format_of_a_table_has_the_same_groups() {
    for by in ["name", "small", "long"] {
        let expected = rows("polars.csv", by);
        assert!(expected.as_array().is_some_and(|rows| rows.len() >= 4), "{expected}");
        for name in [
            "polars.parquet",
            "polars.arrow",
            "polars.arrows",
            "pyarrow-snappy.parquet",
            "pyarrow-lz4.feather",
            "pyarrow.arrows",
        ] {
            assert_eq!(rows(name, by), expected, "{name} by {by}");
        }
    }
}

/// Groups by five keys: the fourth equals the first, the third is null. `order` is that of the first, second
/// and last.
fn grouped(keys: ArrayRef, texts: [&str; 3], order: [usize; 3]) {
    let values = Int64Array::from(vec![Some(1), Some(2), Some(4), Some(8), None]);
    // The keys before and after the values: a reader returns columns in the file's order.
    for keys_first in [true, false] {
        let mut columns = vec![("k", keys.clone()), ("x", Arc::new(values.clone()) as ArrayRef)];
        if !keys_first {
            columns.reverse();
        }
        let whole = batch(&columns);
        for (extension, bytes) in files(&[whole.slice(0, 3), whole.slice(0, 0), whole.slice(3, 2)]) {
            let report = over_a(extension, &bytes, &["--json", "--column", "x", "--by", "k"]).json();
            let found = report["rows"].as_array().expect("rows").iter();
            let found: Vec<_> =
                found.map(|row| json!([row["key"], row["sum"]["value"], row["count"]])).collect();
            let [first, second, last] = texts;
            let keyed = [json!([first, 9, 2]), json!([second, 2, 1]), json!([last, 0, 0])];
            let mut expected = order.map(|key| keyed[key].clone()).to_vec();
            expected.push(json!([null, 4, 1]));
            assert_eq!(found, expected, "{extension}, {:?}", keys.data_type());
        }
    }
}

#[test]
fn keys_of_every_type_are_read() {
    let texts = ["a", "", " c"];
    let keys = [Some("a"), Some(""), None, Some("a"), Some(" c")];
    grouped(Arc::new(StringArray::from_iter(keys)), texts, [1, 2, 0]);
    grouped(Arc::new(LargeStringArray::from_iter(keys)), texts, [1, 2, 0]);
    grouped(Arc::new(StringViewArray::from_iter(keys)), texts, [1, 2, 0]);
    grouped(Arc::new(DictionaryArray::<Int16Type>::from_iter(keys)), texts, [1, 2, 0]);
    let numbers = [Some(7), Some(0), None, Some(7), Some(255)];
    grouped(Arc::new(UInt8Array::from_iter(numbers)), ["7", "0", "255"], [1, 0, 2]);
    let floats = [Some(0.1), Some(-0.0), None, Some(0.1), Some(1e300)];
    grouped(Arc::new(Float64Array::from_iter(floats)), ["0.1", "-0.0", "1e300"], [1, 0, 2]);
    let flags = BooleanArray::from(vec![Some(true), Some(false), None]);
    for (extension, bytes) in
        files(&[batch(&[("k", Arc::new(flags)), ("x", Arc::new(UInt8Array::from(vec![1, 2, 3])))])])
    {
        let report = over_a(extension, &bytes, &["--json", "--column", "x", "--by", "k"]).json();
        assert_eq!((&report["rows"][0]["key"], &report["rows"][1]["key"]), (&json!("false"), &json!("true")));
    }
}

#[test]
fn dictionaries_without_values_and_types_that_are_no_keys() {
    let nulls = Arc::new(DictionaryArray::<Int16Type>::from_iter([None::<&str>, None])) as ArrayRef;
    let bytes_of = Arc::new(BinaryArray::from(vec![&b"a"[..], b"b"])) as ArrayRef;
    let x = Arc::new(UInt8Array::from(vec![1, 2])) as ArrayRef;
    for (extension, bytes) in files(&[batch(&[("k", nulls), ("blob", bytes_of), ("x", x)])]) {
        let over = |key| over_a(extension, &bytes, &["--json", "--column", "x", "--by", key]);
        let report = over("k").json();
        assert_eq!((&report["rows"][0]["key"], &report["rows"][0]["count"]), (&Value::Null, &json!(2)));
        over("blob").refused(2, &["column `blob` is Binary", "--by takes text"]);
        over("month").refused(2, &["no column `month`"]);
    }
}
