//! The JSON of known arrays, against the slow reference.

use serde_json::{Value, json};
use warpfold::{Mean, Op, SampleStdDev, StdDev, Sum, reference};

use crate::expected::{Counted, Written, holds, rough};
use crate::npy_bytes::{Scalar, vector};
use crate::program::{over, over_a, run};

fn agrees<T: Scalar + Counted>(x: &[T]) -> Value
where
    Sum: Op<T, Out = T::Wide>,
    Mean: Op<T, Out = Option<T::Mean>>,
    StdDev: Op<T, Out = Option<T::Mean>>,
{
    let report = over(&vector(x), &["--json", "--compare"]).json();
    assert_eq!(report["schema"], 4);
    assert_eq!(report["tree_version"], warpfold::TREE_VERSION);
    assert_eq!(report["bytes"], size_of_val(x));
    holds(&report, x, |index| (index, vec![index]));
    for argument in ["argmin", "argmax"] {
        assert!(report[argument].is_null() || report[argument]["order"] == "C", "{argument}");
    }
    report
}

#[test]
fn floats_agree_with_the_reference() {
    // The last length has several portions of several tiles each.
    for n in [1, 2, 31, 4095, 4097, 100_003, 999_983] {
        let wide = rough(n);
        let narrow: Vec<f32> = wide.iter().map(|&x| x as f32).collect();
        let report = agrees(&wide);
        assert_eq!(report["naive_sum"], wide.iter().fold(0.0, |sum, x| sum + x).written());
        let report = agrees(&narrow);
        assert_eq!(report["naive_sum"], narrow.iter().fold(0.0, |sum, x| sum + x).written());
        assert_eq!(report["accurate_sum"]["method"], "compensated f64");
        // f64 adds these f32 so exactly that only the last digits of the plain sum differ.
        let plain: f64 = narrow.iter().copied().map(f64::from).sum();
        let accurate = report["accurate_sum"]["value"].as_f64().expect("a number");
        let magnitude: f64 = narrow.iter().map(|x| f64::from(x.abs())).sum();
        assert!((plain - accurate).abs() <= magnitude * n as f64 * f64::EPSILON, "{plain} {accurate}");
    }
}

#[test]
fn integers_agree_with_the_reference() {
    let wide: Vec<i64> = rough(100_003).iter().map(|x| (x * 1e9) as i64).collect();
    let report = agrees(&wide);
    assert_eq!(report["naive_sum"], report["sum"]);
    let exact: i128 = wide.iter().map(|&x| i128::from(x)).sum();
    assert_eq!(report["accurate_sum"], json!({"method": "exact", "value": exact.to_string()}));
    agrees(&wide.iter().map(|x| x.unsigned_abs()).collect::<Vec<_>>());
    agrees(&wide.iter().map(|&x| x as u32).collect::<Vec<_>>());

    let narrow: Vec<i32> = wide.iter().map(|&x| x as i32).collect();
    let report = agrees(&narrow);
    assert_eq!(report["naive_sum"], narrow.iter().fold(0_i32, |sum, &x| sum.wrapping_add(x)).written());
}

#[test]
fn a_wrapped_sum_is_never_shown_alone() {
    let report = agrees(&[i64::MAX, 1]);
    assert_eq!(report["sum"]["value"], i64::MIN);
    assert_eq!(report["accurate_sum"]["value"], "9223372036854775808");
    for args in [&[][..], &["--compare"]] {
        let text = over(&vector(&[i64::MAX, 1]), args);
        assert!(text.text().contains("does not fit 64 bits"));
        assert!(text.text().contains("9,223,372,036,854,775,808"));
    }

    agrees(&[u64::MAX, u64::MAX]);
    // The exact sum without a loop, beyond both ends and after many turns.
    let alternating: Vec<i64> = (0..1000).map(|i| if i % 2 == 0 { i64::MAX } else { i }).collect();
    for wide in [vec![i64::MIN; 9], vec![i64::MAX; 1001], vec![i64::MIN, 1, i64::MAX], alternating, vec![]] {
        let exact: i128 = wide.iter().map(|&x| i128::from(x)).sum();
        let report = over(&vector(&wide), &["--json"]).json();
        assert_eq!(report["accurate_sum"], json!({"method": "exact", "value": exact.to_string()}));
    }
    let text = over(&vector(&[i32::MAX, 1]), &["--compare"]);
    assert!(text.text().contains("2,147,483,648"));
    assert!(text.text().contains("does not fit i32"));
}

#[test]
fn loops_run_for_synthetic_floats_or_when_asked() {
    let x = rough(300_000);
    let bytes = vector(&x);
    for args in [&["--json"][..], &["--json", "--median"]] {
        let report = over(&bytes, args).json();
        for (object, field) in [
            (&report, "naive_sum"),
            (&report, "accurate_sum"),
            (&report["seconds"], "naive_sum"),
            (&report["seconds"], "accurate_sum"),
        ] {
            assert!(object.get(field).is_none(), "{field} in {report}");
        }
    }
    assert!(!over(&bytes, &[]).text().contains("two loops"));
    for words in ["naive loop", "compensated loop"] {
        assert!(!over(&bytes, &[]).text().contains(words), "{words}");
        assert!(over(&bytes, &["--compare"]).text().contains(words), "no {words}");
        assert!(run(&["--synthetic", "300_000"]).text().contains(words), "no {words}");
    }
    let asked = over(&bytes, &["--json", "--compare"]).json();
    assert!(asked["seconds"]["naive_sum"].is_number() && asked["seconds"]["accurate_sum"].is_number());
    over(&bytes, &["--compare", "--axis", "0"]).refused(2, &["--compare"]);
}

/// Requires the deviation of a sample, and that the other is as before.
fn has_a_sample_deviation<T: Scalar + Counted>(x: &[T])
where
    StdDev: Op<T, Out = Option<T::Mean>>,
    SampleStdDev: Op<T, Out = Option<T::Mean>>,
{
    let report = over(&vector(x), &["--json", "--sample"]).json();
    let of_sample = reference::reduce::<T, SampleStdDev>(x).map(Written::written);
    assert_eq!(report["sample_std_dev"], json!(of_sample));
    assert!(report.get("sample_std_dev").is_some());
    assert_eq!(report["std_dev"], json!(reference::reduce::<T, StdDev>(x).map(Written::written)));
}

#[test]
fn deviations_of_samples_divide_by_one_less() {
    for n in [0, 1, 2, 4097, 999_983] {
        let wide = rough(n);
        has_a_sample_deviation(&wide);
        has_a_sample_deviation(&wide.iter().map(|&x| x as f32).collect::<Vec<_>>());
        has_a_sample_deviation(&wide.iter().map(|&x| (x * 1e9) as i64).collect::<Vec<_>>());
    }
    let bytes = vector(&[0.0, 2.0, 4.0]);
    assert!(over(&bytes, &["--json"]).json().get("sample_std_dev").is_none());
    for args in [&["--sample"][..], &["--sample", "--axis", "0"]] {
        let ran = over(&bytes, args);
        assert!(ran.text().contains("sample std dev") && ran.text().contains("2.0"), "{}", ran.out);
    }
    let row = &over(&bytes, &["--sample", "--axis", "0", "--json"]).json()["rows"][0];
    assert_eq!(row["sample_std_dev"]["value"], 2.0);
    assert!(over(&vector(&[1.0]), &["--sample"]).text().contains("fewer than two"));
    let csv =
        over_a("csv", b"k,v\na,1\na,3\nb,5\n", &["--column", "v", "--by", "k", "--json", "--sample"]).json();
    assert_eq!(csv["rows"][0]["sample_std_dev"], 2f64.sqrt().written());
    assert_eq!(csv["rows"][1]["sample_std_dev"], Value::Null);
}

#[test]
fn special_floats_survive_json() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let report = agrees(&[1.0, nan, -0.0, 0.0, -nan]);
    assert_eq!(report["nan_count"], 2);
    assert_eq!(report["sum"], json!({"type": "f32", "value": "NaN", "bits": "0x7fc00000"}));
    assert_eq!(report["min"], json!({"type": "f32", "value": -0.0, "bits": "0x80000000"}));
    assert_eq!(report["accurate_sum"]["value"], "NaN");
    assert!(over(&vector(&[1.0, nan]), &[]).text().contains("NaN: 1 of 2 elements"));

    let report = agrees(&[nan, nan]);
    assert_eq!(report["argmin"]["index"], 0);
    assert_eq!(report["max"]["value"], "NaN");
    assert!(over(&vector(&[nan, nan]), &[]).text().contains("every element is NaN"));

    // A sum that is NaN without one among the elements.
    let report = agrees(&[inf, -inf, 1.0]);
    assert_eq!((&report["sum"]["value"], &report["nan_count"]), (&json!("NaN"), &json!(0)));

    let report = agrees(&[1.0, inf]);
    assert_eq!(report["sum"]["value"], "inf");
    assert_eq!(report["accurate_sum"]["value"], "inf");
    assert_eq!(agrees(&[-f64::INFINITY, 1.0])["sum"]["value"], "-inf");
    assert_eq!(agrees(&[-0.0_f64])["sum"]["bits"], "0x8000000000000000");
    assert_eq!(agrees(&[f64::MAX, f64::MAX])["sum"]["value"], "inf");
    // The value is widened, not shortened: 0.1 as f32 is not 0.1.
    assert_eq!(agrees(&[0.1_f32])["sum"]["value"], f64::from(0.1_f32));
}

#[test]
fn threads_change_no_bit() {
    let bytes = vector(&rough(3_000_017));
    let run = |threads| over(&bytes, &["--json", "--compare", "--threads", threads]).json();
    let one = run("1");
    assert_eq!(one["backend"]["threads"], 1);
    for threads in ["2", "3", "8"] {
        let many = run(threads);
        for field in ["sum", "mean", "std_dev", "min", "max", "argmin", "argmax", "naive_sum", "accurate_sum"]
        {
            assert_eq!(many[field], one[field], "{field} with {threads} threads");
        }
    }
}
