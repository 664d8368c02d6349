//! `--skip-nan`: NaN are no elements.

use serde_json::{Value, json};
use warpfold::{Mean, StdDev, Sum, reference};

use crate::npy_bytes::{file, little};
use crate::program::{over, over_a};

/// Some thousand numbers, every seventh of which is NaN, in rows of 35.
fn numbers() -> Vec<f64> {
    let number = |i: u64| {
        let scattered = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
        if scattered % 7 == 3 {
            f64::NAN
        } else {
            (scattered as f64 / 1e12 - 4000.0) * (scattered % 31) as f64
        }
    };
    (0..35 * 120).map(number).collect()
}

/// Requires the results of the numbers among some elements.
#[track_caller]
fn agrees(found: &Value, x: &[f64], what: &str) {
    let kept: Vec<f64> = x.iter().copied().filter(|x| !x.is_nan()).collect();
    let bits = |x: f64| json!(format!("{:#018x}", x.to_bits()));
    assert_eq!(found["count"], kept.len(), "{what}");
    assert_eq!(found["sum"]["bits"], bits(reference::reduce::<f64, Sum>(&kept)), "{what}");
    let [mean, deviation] = [reference::reduce::<f64, Mean>(&kept), reference::reduce::<f64, StdDev>(&kept)];
    assert_eq!(found["mean"]["bits"], bits(mean.expect("elements")), "{what}");
    assert_eq!(found["std_dev"]["bits"], bits(deviation.expect("elements")), "{what}");
    let least = kept.iter().copied().fold(f64::INFINITY, f64::min);
    let at = x.iter().position(|&x| x == least).expect("the least");
    assert_eq!((&found["argmin"]["index"], &found["min"]["value"]), (&json!(at), &json!(least)), "{what}");
}

#[test]
fn an_array_and_its_rows_have_the_results_of_their_numbers() {
    let x = numbers();
    let bytes = file("<f8", "(120, 35)", &little(&x));
    let whole = over(&bytes, &["--json", "--skip-nan"]).json();
    agrees(&whole, &x, "whole");
    assert_eq!(whole["missing_count"], x.iter().filter(|x| x.is_nan()).count());
    assert_eq!(whole["nan_count"], 0);
    for (axis, rows) in [(1, 120), (0, 35)] {
        let report = over(&bytes, &["--json", "--skip-nan", "--axis", &axis.to_string()]).json();
        assert_eq!((&report["count"], &report["missing_count"]), (&whole["count"], &whole["missing_count"]));
        for row in 0..rows {
            let row_of = |(at, &x): (usize, &f64)| {
                (if axis == 1 { at / 35 == row } else { at % 35 == row }).then_some(x)
            };
            let elements: Vec<f64> = x.iter().enumerate().filter_map(row_of).collect();
            agrees(&report["rows"][row], &elements, &format!("row {row} along axis {axis}"));
        }
    }
    let text = over(&bytes, &["--skip-nan"]);
    assert!(text.text().contains("elements are NaN and are skipped"), "{}", text.out);
}

#[test]
fn quantiles_and_groups_have_no_nan() {
    let x = [3.0, f64::NAN, 1.0, 2.0];
    let bytes = file("<f8", "(4,)", &little(&x));
    for args in [&["--median"][..], &["--median", "--axis", "0"]] {
        let report = over(&bytes, &[&["--json", "--skip-nan"], args].concat()).json();
        let of = if report["rows"].is_array() { &report["rows"][0] } else { &report };
        assert_eq!(of["quantiles"][0]["value"]["value"], 2.0, "{args:?}");
    }
    let table = b"k,x,y\na,1.5,1\nb,nan,nan\na,nan,2\na,-2,nan\n";
    let of = |args: &[&str]| over_a("csv", table, &[&["--json", "--skip-nan"], args].concat()).json();
    let groups = of(&["--column", "x", "--by", "k"]);
    let row = |at: usize| {
        let row = &groups["rows"][at];
        json!([row["key"], row["count"], row["sum"]["value"], row["argmin"]["index"]])
    };
    assert_eq!((row(0), row(1)), (json!(["a", 2, -0.5, 3]), json!(["b", 0, -0.0, null])));
    assert_eq!(groups["missing_count"], 2);
    let column = of(&["--column", "x"]);
    assert_eq!(
        (&column["count"], &column["sum"]["value"], &column["argmin"]["index"]),
        (&json!(2), &json!(-0.5), &json!(3))
    );
    assert_eq!(of(&[])["columns"][2]["missing_count"], 2);
}

#[test]
fn a_row_of_nan_alone_is_empty() {
    let bytes = file("<f4", "(2, 2)", &little(&[f32::NAN, f32::NAN, 1.0, 2.0]));
    let report = over(&bytes, &["--json", "--skip-nan", "--axis", "1"]).json();
    assert_eq!((&report["rows"][0]["count"], &report["rows"][0]["min"]), (&json!(0), &Value::Null));
    assert_eq!(report["rows"][1]["sum"]["value"], 3.0);
}
