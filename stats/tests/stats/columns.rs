//! Tables of which no column is named: each is described.

use serde_json::{Value, json};
use warpfold::{StdDev, Sum, reference};

use crate::program::{over_a, run_piped};

const TABLE: &str = "\
city,day,temp,id,ok,big
Rome,2026-01-02,28.5,3,true,18446744073709551615
Oslo,2026-01-01,-3,-1,false,
Rome,,7.25,12,true,2
";

/// The objects of the columns by name.
#[track_caller]
fn columns(text: &str, args: &[&str]) -> serde_json::Map<String, Value> {
    let report = over_a("csv", text.as_bytes(), &[&["--json"], args].concat()).json();
    let columns = report["columns"].as_array().expect("columns").iter();
    columns.map(|of| (of["column"].as_str().expect("a name").into(), of.clone())).collect()
}

#[test]
fn numbers_are_reduced_and_other_values_are_counted() {
    let of = columns(TABLE, &[]);
    let temp = [28.5, -3.0, 7.25];
    let bits = |x: f64| json!(format!("{:#018x}", x.to_bits()));
    assert_eq!(of["temp"]["sum"]["bits"], bits(reference::reduce::<f64, Sum>(&temp)));
    assert_eq!(
        of["temp"]["std_dev"]["bits"],
        bits(reference::reduce::<f64, StdDev>(&temp).expect("elements"))
    );
    assert_eq!(of["temp"]["argmin"]["index"], 1);
    assert_eq!((&of["id"]["dtype"], &of["id"]["sum"]["value"]), (&json!("i64"), &json!(14)));
    assert_eq!((&of["big"]["dtype"], &of["big"]["missing_count"]), (&json!("u64"), &json!(1)));
    let said = |name: &str| {
        ["count", "missing_count", "distinct", "least", "greatest"].map(|field| of[name][field].clone())
    };
    assert_eq!(said("city"), [json!(3), json!(0), json!(2), json!("Oslo"), json!("Rome")]);
    assert_eq!(said("day"), [json!(2), json!(1), json!(2), json!("2026-01-01"), json!("2026-01-02")]);
    assert_eq!(said("ok"), [json!(3), json!(0), json!(2), json!("false"), json!("true")]);
}

#[test]
fn a_column_has_the_results_that_it_has_alone() {
    let of = columns(TABLE, &["--median", "--sample"]);
    for name in ["temp", "id", "big"] {
        let alone =
            over_a("csv", TABLE.as_bytes(), &["--json", "--column", name, "--median", "--sample"]).json();
        for field in
            ["count", "sum", "mean", "std_dev", "sample_std_dev", "min", "max", "argmax", "quantiles"]
        {
            assert_eq!(of[name][field], alone[field], "{field} of {name}");
        }
    }
}

#[test]
fn a_line_for_each_column_and_none_for_what_no_column_has() {
    let ran = over_a("csv", TABLE.as_bytes(), &[]);
    let text = ran.text();
    assert!(text.contains("6 columns of 3 rows"), "{text}");
    for name in ["city", "day", "temp", "id", "ok", "big"] {
        let lines = text.lines().filter(|line| line.trim_start().starts_with(&format!("{name} ")));
        assert_eq!(lines.count(), 1, "{name} in {text}");
    }
    let numbers = over_a("csv", b"a,b\n1,2\n", &[]);
    assert!(!numbers.text().contains("distinct"), "{}", numbers.out);
    let piped = run_piped(TABLE.as_bytes(), &["-", "--delimiter", ","]);
    assert!(piped.text().contains("-: 6 columns of 3 rows"), "{}", piped.out);
}

#[test]
fn a_column_that_stops_to_be_of_numbers_is_text_and_says_where() {
    let text = "x,y\n1,1\n2.5,1\nn/a,-1\n10,1.5\n";
    let of = columns(text, &[]);
    assert_eq!(
        (&of["x"]["distinct"], &of["x"]["least"], &of["x"]["greatest"]),
        (&json!(4), &json!("1"), &json!("n/a"))
    );
    assert_eq!((&of["y"]["dtype"], &of["y"]["sum"]["value"]), (&json!("f64"), &json!(2.5)));
    let ran = over_a("csv", text.as_bytes(), &[]);
    assert!(
        ran.text()
            .contains("row 3 (line 4): `n/a` is not a number; if it stands for no value, add --null 'n/a'"),
        "{}",
        ran.out
    );
    assert_eq!(columns(text, &["--null", "n/a"])["x"]["sum"]["value"], 13.5);
}

#[test]
fn the_loops_are_of_one_column() {
    over_a("csv", TABLE.as_bytes(), &["--compare"]).refused(2, &["--column", "`city`, `day`, `temp`"]);
}

#[cfg(feature = "arrow")]
mod typed {
    use std::sync::Arc;

    use arrow_array::types::Int8Type;
    use arrow_array::{
        ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, DurationMillisecondArray,
        Float64Array, ListArray, StringArray, Time32SecondArray, TimestampMicrosecondArray,
    };
    use serde_json::{Value, json};

    use crate::arrow::{batch, files};
    use crate::program::over_a;

    fn table() -> Vec<(&'static str, ArrayRef)> {
        let decimals = Decimal128Array::from(vec![Some(150), None, Some(-25)]);
        let decimals = decimals.with_precision_and_scale(10, 2).expect("a scale");
        let lists = [Some(vec![Some(1)]), None, Some(vec![])];
        vec![
            ("x", Arc::new(Float64Array::from(vec![1.5, 2.0, -4.0]))),
            ("flag", Arc::new(BooleanArray::from(vec![Some(true), None, Some(true)]))),
            ("day", Arc::new(Date32Array::from(vec![Some(1), Some(-1), Some(1)]))),
            ("at", Arc::new(TimestampMicrosecondArray::from(vec![0, 500_000, 1_000_000]))),
            ("time", Arc::new(Time32SecondArray::from(vec![None, Some(61), Some(60)]))),
            ("took", Arc::new(DurationMillisecondArray::from(vec![1500, 250, 250]))),
            ("price", Arc::new(decimals)),
            ("name", Arc::new(StringArray::from(vec![Some("b"), Some("a"), None]))),
            ("word", Arc::new(DictionaryArray::<Int8Type>::from_iter([Some("v"), None, Some("u")]))),
            ("list", Arc::new(ListArray::from_iter_primitive::<Int8Type, _, _>(lists))),
        ]
    }

    #[test]
    fn every_type_of_a_typed_table_is_described() {
        for (extension, bytes) in files(&[batch(&table()).slice(0, 1), batch(&table()).slice(1, 2)]) {
            let report = over_a(extension, &bytes, &["--json"]).json();
            let of = |name: &str, fields: &[&str]| {
                let all = report["columns"].as_array().expect("columns");
                let found = all.iter().find(|of| of["column"] == name).expect("the column");
                fields.iter().map(|&field| found[field].clone()).collect::<Value>()
            };
            let values = |name| {
                json!([
                    of(name, &["count"])[0],
                    of(name, &["sum"])[0]["value"],
                    of(name, &["max"])[0]["value"]
                ])
            };
            assert_eq!(values("x"), json!([3, -0.5, 2.0]), "{extension}");
            assert_eq!(values("flag"), json!([2, 2, 1]), "{extension}");
            assert_eq!(values("took"), json!([3, 2000, 1500]), "{extension}");
            assert_eq!(values("price"), json!([2, 1.25, 1.5]), "{extension}");
            let said = |name| of(name, &["count", "missing_count", "distinct", "least", "greatest"]);
            assert_eq!(said("day"), json!([3, 0, 2, "1969-12-31", "1970-01-02"]), "{extension}");
            assert_eq!(
                said("at"),
                json!([3, 0, 3, "1970-01-01T00:00:00", "1970-01-01T00:00:01"]),
                "{extension}"
            );
            assert_eq!(said("time"), json!([2, 1, 2, "00:01:00", "00:01:01"]), "{extension}");
            assert_eq!(said("name"), json!([2, 1, 2, "a", "b"]), "{extension}");
            assert_eq!(said("word"), json!([2, 1, 2, "u", "v"]), "{extension}");
            assert_eq!(said("list"), json!([2, 1, null, null, null]), "{extension}");
        }
    }

    /// As values with `--column`, as keys with `--by`.
    #[test]
    fn dates_decimals_and_dictionaries_are_values_and_keys() {
        let numbers = DictionaryArray::<Int8Type>::new(
            vec![Some(0), Some(1), None].into(),
            Arc::new(Float64Array::from(vec![Some(2.5), None])),
        );
        let columns = [table(), vec![("coded", Arc::new(numbers) as ArrayRef)]].concat();
        for (extension, bytes) in files(&[batch(&columns)]) {
            let over = |args: &[&str]| over_a(extension, &bytes, &[&["--json"], args].concat()).json();
            let coded = over(&["--column", "coded"]);
            assert_eq!((&coded["count"], &coded["sum"]["value"]), (&json!(1), &json!(2.5)), "{extension}");
            assert_eq!(over(&["--column", "price"])["sum"]["value"], 1.25, "{extension}");
            assert_eq!(over(&["--column", "flag"])["mean"]["value"], 1.0, "{extension}");
            assert_eq!(over(&["--column", "day"])["columns"][0]["least"], "1969-12-31", "{extension}");
            let keys = |by| {
                let report = over(&["--column", "coded", "--by", by]);
                let rows = report["rows"].as_array().expect("rows").iter();
                rows.map(|row| json!([row["key"], row["count"]])).collect::<Value>()
            };
            assert_eq!(keys("day"), json!([["1969-12-31", 0], ["1970-01-02", 1]]), "{extension}");
            assert_eq!(keys("price"), json!([["-0.25", 0], ["1.50", 1], [null, 0]]), "{extension}");
            assert_eq!(keys("time"), json!([["00:01:00", 0], ["00:01:01", 0], [null, 1]]), "{extension}");
            over_a(extension, &bytes, &["--column", "x", "--by", "list"])
                .refused(2, &["column `list` is", "--by takes text"]);
        }
    }
}
