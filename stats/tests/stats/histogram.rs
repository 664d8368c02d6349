//! Histograms of arrays and columns, as NumPy defines them.

use serde_json::{Value, json};

use crate::expected::{Written, rough};
use crate::npy_bytes::{big_vector, vector};
use crate::program::{over, over_a, run};

/// Counts each element by all edges.
fn counted(x: &[f64], edges: &[f64]) -> Vec<u64> {
    let bins = edges.len() - 1;
    let mut counts = vec![0; bins];
    for &x in x {
        counts[(edges[1..].iter().filter(|&&edge| edge <= x).count()).min(bins - 1)] += 1;
    }
    counts
}

fn edges(report: &Value) -> Vec<f64> {
    let edges = report["histogram"]["edges"].as_array().expect("edges");
    edges.iter().flat_map(|edge| edge["value"].as_f64()).collect()
}

#[test]
fn arrays_and_columns_are_counted_in_even_bins() {
    for n in [2, 7, 1000, 100_003] {
        let x = rough(n);
        let args = ["--json", "--histogram", "7"];
        let report = over(&vector(&x), &args).json();
        let edges = edges(&report);
        let [low, high] =
            [f64::min, f64::max].map(|of: fn(f64, f64) -> f64| x.iter().copied().reduce(of).unwrap());
        assert_eq!((edges.len(), edges[0], edges[7]), (8, low, high));
        assert_eq!(report["histogram"]["counts"], json!(counted(&x, &edges)));
        assert!(report["seconds"]["histogram"].is_number());
        assert_eq!(over(&big_vector(&x), &args).json()["histogram"], report["histogram"]);
    }
    let column = over_a("csv", b"k,x\na,5\nb,\nc,1\nd,1\n", &["--json", "--column", "x", "--histogram", "2"]);
    let histogram = &column.json()["histogram"];
    assert_eq!(histogram["edges"], json!([1_i64.written(), 3_i64.written(), 5_i64.written()]));
    assert_eq!((&histogram["counts"], &histogram["nan"]), (&json!([2, 1]), &json!(0)));
}

#[test]
fn infinities_and_nan_are_counted_apart() {
    let x = [f32::INFINITY, 1.0, f32::NAN, 3.0, f32::NEG_INFINITY, 2.0, f32::INFINITY];
    let histogram = &over(&vector(&x), &["--histogram", "2", "--json"]).json()["histogram"];
    assert_eq!(histogram["edges"], json!([1.0_f32.written(), 2.0_f32.written(), 3.0_f32.written()]));
    assert_eq!((&histogram["counts"], &histogram["below"]), (&json!([1, 2]), &json!(1)));
    assert_eq!((&histogram["above"], &histogram["nan"]), (&json!(2), &json!(1)));
    let ran = over(&vector(&x), &["--histogram", "2"]);
    for part in [
        "  1.0 to 2.0      1  ####################\n",
        "  2.0 to 3.0      2  ########################################\n",
        "  inf             2\n",
    ] {
        assert!(ran.text().contains(part), "{}", ran.out);
    }
}

#[test]
fn elements_that_are_equal_or_no_numbers_have_a_histogram_too() {
    let histogram = |x: &[f64]| over(&vector(x), &["--histogram", "9", "--json"]).json()["histogram"].clone();
    assert_eq!(histogram(&[4.0, 4.0, 4.0])["counts"], json!([3]));
    let empty = json!({ "edges": [], "counts": [], "below": 0, "above": 0, "nan": 0 });
    assert_eq!(histogram(&[]), empty);
    assert_eq!(histogram(&[f64::NAN, f64::NAN])["nan"], json!(2));
    assert_eq!(histogram(&[f64::INFINITY])["counts"], json!([]));
}

#[test]
fn no_histogram_is_shown_that_was_not_asked_for() {
    let report = run(&["--synthetic", "100", "--json"]).json();
    assert!(report.get("histogram").is_none() && report["seconds"].get("histogram").is_none());
    for args in [&["--synthetic", "10", "--histogram", "0"], &["--synthetic", "10", "--histogram", "2000000"]]
    {
        assert_eq!(run(args).code, Some(2));
    }
}
