//! Medians and quantiles of arrays and columns, as NumPy defines them.

use serde_json::{Value, json};

use crate::expected::{Written, rough};
use crate::npy_bytes::{big_vector, vector};
use crate::program::{over, over_a, run};

/// Definition 7 of Hyndman and Fan, of the sorted elements.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let h = (sorted.len() - 1) as f64 * q;
    let (a, b, t) = (sorted[h.floor() as usize], sorted[h.ceil() as usize], h.fract());
    if t < 0.5 { a + (b - a) * t } else { b - (b - a) * (1.0 - t) }
}

fn values(report: &Value) -> Vec<Value> {
    let all = report["quantiles"].as_array().expect("quantiles");
    all.iter().map(|quantile| quantile["value"].clone()).collect()
}

#[test]
fn arrays_have_the_quantiles_of_their_definition() {
    for n in [1, 2, 7, 1000, 100_003] {
        let x = rough(n);
        let narrow: Vec<f32> = x.iter().map(|&x| x as f32).collect();
        let args = ["--json", "--quantiles", "0.1,0.9,0,1", "--median"];
        let wide = over(&vector(&x), &args).json();
        let qs: Vec<f64> =
            wide["quantiles"].as_array().expect("quantiles").iter().flat_map(|q| q["q"].as_f64()).collect();
        assert_eq!(qs, [0.1, 0.9, 0.0, 1.0, 0.5]);
        let mut sorted = x.clone();
        sorted.sort_by(f64::total_cmp);
        let expected: Vec<Value> = qs.iter().map(|&q| quantile(&sorted, q).written()).collect();
        assert_eq!(values(&wide), expected);
        assert!(wide["seconds"]["quantiles"].is_number());
        assert_eq!(values(&over(&big_vector(&x), &args).json()), expected);
        let mut sorted: Vec<f64> = narrow.iter().map(|&x| x.into()).collect();
        sorted.sort_by(f64::total_cmp);
        let expected: Vec<Value> = qs.iter().map(|&q| (quantile(&sorted, q) as f32).written()).collect();
        assert_eq!(values(&over(&vector(&narrow), &args).json()), expected);
    }
}

#[test]
fn integers_have_f64_quantiles() {
    let report = over(&vector(&[4_i32, 1, 2, 3]), &["--json", "--median"]).json();
    assert_eq!(report["quantiles"], json!([{ "q": 0.5, "value": 2.5_f64.written() }]));
    assert_eq!(report["schema"], 4);
    let column = over_a("csv", b"k,x\na,5\nb,\nc,1\n", &["--json", "--column", "x", "--quantiles", "0.25"]);
    assert_eq!(values(&column.json()), [2.0_f64.written()]);
}

#[test]
fn nan_passes_through_and_is_told() {
    let ran = over(&vector(&[1.0_f32, f32::NAN, 2.0]), &["--median"]);
    assert!(ran.text().contains("so the sum is, and quantiles are, while"), "{}", ran.out);
    let report = over(&vector(&[1.0_f32, f32::NAN, 2.0]), &["--median", "--json"]).json();
    assert_eq!(values(&report), [f32::NAN.written()]);
}

#[test]
fn of_nothing_there_is_none() {
    let report = over(&vector::<f64>(&[]), &["--median", "--json"]).json();
    assert_eq!(values(&report), [Value::Null]);
    let ran = over(&vector::<f64>(&[]), &["--median"]);
    let line = ran.text().lines().find(|line| line.trim_start().starts_with("0.5, the median"));
    assert!(line.is_some_and(|line| line.ends_with("none: there are no elements")), "{}", ran.out);
}

#[test]
fn none_are_shown_that_were_not_asked_for() {
    let report = run(&["--synthetic", "100", "--json"]).json();
    assert!(report.get("quantiles").is_none() && report["seconds"].get("quantiles").is_none());
    assert!(!run(&["--synthetic", "100"]).text().contains("quantile"));
}

#[test]
fn the_table_has_a_line_for_each() {
    let ran = run(&["--synthetic", "3e5", "--median", "--quantiles", "0.1,0.9"]);
    let text = ran.text();
    for (name, near) in [("0.1 ", 0.1), ("0.9 ", 0.9), ("0.5, the median ", 0.5)] {
        let line = text.lines().find_map(|line| line.trim_start().strip_prefix(name));
        let number: f64 = line.and_then(|line| line.trim().parse().ok()).expect("a number");
        assert!((number - near).abs() < 0.01, "{text}");
    }
    assert!(text.contains("by selection") && text.contains("quantiles "), "{text}");
}

#[test]
fn rows_and_groups_have_them() {
    let x = rough(3 * 1001);
    let matrix = crate::npy_bytes::file("<f8", "(3, 1001)", &crate::npy_bytes::little(&x));
    let args = ["--json", "--median", "--quantiles", "0.25"];
    let rows = over(&matrix, &[&args[..], &["--axis", "1"]].concat()).json()["rows"].clone();
    for (row, x) in x.chunks(1001).enumerate() {
        let mut sorted = x.to_vec();
        sorted.sort_by(f64::total_cmp);
        let expected = [0.25, 0.5].map(|q| json!({ "q": q, "value": quantile(&sorted, q).written() }));
        assert_eq!(rows[row]["quantiles"], json!(expected));
    }
    let text = "k,x\nb,4\na,10\nb,1\nb,2\na,20\nc,\n";
    let by =
        |args: &[&str]| over_a("csv", text.as_bytes(), &[&["--column", "x", "--by", "k"], args].concat());
    let rows = by(&["--json", "--median"]).json()["rows"].clone();
    let medians: Vec<&Value> = (0..3).map(|row| &rows[row]["quantiles"][0]["value"]).collect();
    assert_eq!(medians, [&15.0_f64.written(), &2.0_f64.written(), &Value::Null]);
    let printed = by(&["--median", "--quantiles", "0.25"]);
    let last = |key: &str| {
        let line = printed.text().lines().find_map(|line| line.trim_start().strip_prefix(key));
        line.unwrap_or_default().split_whitespace().rev().take(2).map(String::from).collect::<Vec<_>>()
    };
    assert!(printed.text().contains("q 0.25  median"), "{}", printed.out);
    assert_eq!(
        (last("a "), last("b ")),
        (vec!["15.0".into(), "12.5".into()], vec!["2.0".into(), "1.5".into()])
    );
    assert_eq!(last("c "), ["-", "-"]);
    assert!(
        rows[0].get("quantiles").is_some() && by(&["--json"]).json()["rows"][0].get("quantiles").is_none()
    );
}

/// Columns of typed tables.
#[cfg(feature = "arrow")]
#[test]
fn columns_of_arrow_and_parquet_files_have_them() {
    use std::sync::Arc;

    use arrow_array::Int16Array;

    use crate::arrow::{batch, files};

    let array = Int16Array::from(vec![Some(7), None, Some(1), Some(3), Some(2)]);
    for (extension, bytes) in files(&[batch(&[("x", Arc::new(array))])]) {
        let report = over_a(extension, &bytes, &["--json", "--median"]).json();
        assert_eq!(values(&report), [2.5_f64.written()], "{extension}");
    }
}
