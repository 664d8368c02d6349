//! Tables of other programs, written by `files/make.py`: every format gives the same results for a column.

use serde_json::{Value, json};

use crate::program::{Ran, run};

pub(crate) fn over_file(name: &str, column: &str) -> Ran {
    let path = format!("{}/tests/stats/files/{name}", env!("CARGO_MANIFEST_DIR"));
    run(&[&path, "--json", "--column", column])
}

/// The required results for each, except types, which CSV lacks.
#[track_caller]
pub(crate) fn agrees(name: &str) {
    let at = |report: &Value, found: &str| {
        (report[found]["index"].clone(), report[found]["value"]["value"].clone())
    };
    let x = over_file(name, "x").json();
    assert_eq!(
        (&x["count"], &x["missing_count"], &x["source"]["rows"]),
        (&json!(8), &json!(4), &json!(12)),
        "{name}"
    );
    assert_eq!(at(&x, "argmin"), (json!(4), json!(-3.25)), "{name}");
    assert_eq!(at(&x, "argmax"), (json!(10), json!(1e7)), "{name}");
    let small = over_file(name, "small").json();
    assert_eq!(at(&small, "argmin"), (json!(0), json!(-128)), "{name}");
    assert_eq!(at(&small, "argmax"), (json!(1), json!(127)), "{name}");
    let long = over_file(name, "long").json();
    assert_eq!(long["sum"]["value"], json!((1_i64 << 53).wrapping_add(i64::MIN)), "{name}");
    assert_eq!(long["accurate_sum"]["value"], ((1_i128 << 63) + (1 << 53)).to_string(), "{name}");
}

#[test]
fn csv_of_polars_is_read() {
    agrees("polars.csv");
    over_file("polars.csv", "name").refused(2, &["column `name`, row 1 (line 2): `n0` is not a number"]);
}

#[cfg(not(feature = "arrow"))]
#[test]
fn without_the_feature_parquet_and_arrow_say_what_to_build() {
    for name in ["polars.parquet", "polars.arrow", "polars.arrows", "pyarrow-lz4.feather"] {
        over_file(name, "x").refused(2, &[name, "--features arrow", "cargo run"]);
    }
}
