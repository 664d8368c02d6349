//! Columns of CSV files: the values read, the rows skipped, the files refused.

mod lines;
mod text;

use serde_json::{Value, json};
use warpfold::{ArgMax, Sum, reference};

use crate::npy_bytes::vector;
use crate::program::{Ran, over, over_a};

fn ran(text: &str, args: &[&str]) -> Ran {
    over_a("csv", text.as_bytes(), args)
}

#[track_caller]
fn report(text: &str, args: &[&str]) -> Value {
    ran(text, &[&["--json"], args].concat()).json()
}

#[test]
fn a_column_is_named_or_the_only_one() {
    let text = "a,b\n1,2.5\n3,4.5\n";
    let b = report(text, &["--column", "b"]);
    assert_eq!((&b["sum"]["value"], &b["source"]["column"]), (&json!(7.0), &json!("b")));
    assert_eq!(b["source"]["kind"], "csv");
    assert_eq!(b["source"]["type"], Value::Null);
    assert_eq!(report("only\n1\n2\n", &[])["sum"]["value"], 3);
    ran(text, &["--compare"]).refused(2, &["--column", "`a`, `b`"]);
    ran(text, &["--column", "c"]).refused(2, &["no column `c`", "`a`, `b`"]);
    ran("a,b,a\n1,2,3\n", &["--column", "a"]).refused(2, &["2 columns are named `a`"]);
    ran("", &[]).refused(2, &["no columns", "no first line"]);
    ran("", &["--no-header"]).refused(2, &["no columns", "no first line"]);
    let many = (0..300).map(|i| format!("c{i}")).collect::<Vec<_>>().join(",");
    ran(&many, &["--compare"]).refused(2, &["`c0`, `c1`", "`c19`, and 280 more"]);
}

#[test]
fn whole_numbers_stay_whole() {
    let of = |cells: &str| report(&format!("x\n{cells}\n"), &[]);
    assert_eq!(of("1\n-2\n+5")["dtype"], "i64");
    assert_eq!(of("9223372036854775807\n-9223372036854775808")["dtype"], "i64");
    let unsigned = of("1\n18446744073709551615");
    assert_eq!((&unsigned["dtype"], &unsigned["max"]["value"]), (&json!("u64"), &json!(u64::MAX)));
    // No type of whole numbers holds both.
    assert_eq!(of("-1\n18446744073709551615")["dtype"], "f64");
    let wide = of("9007199254740993\n0");
    assert_eq!(wide["max"]["value"], 9_007_199_254_740_993_i64);
    // As a float it would be the even neighbour; it is, if one cell needs floats.
    assert_eq!(of("9007199254740993\n0.5")["max"]["value"], 9_007_199_254_740_992.0);
    assert_eq!(of("5\n-0\n1e0")["min"]["bits"], "0x8000000000000000");
    assert_eq!(of("NaN\n1\n-inf")["nan_count"], 1);
}

#[test]
fn digits_that_float64_does_not_hold_are_told_of() {
    let cells = "9007199254740993\n0.5\n9007199254740992\n-9007199254740995\n1e300\n0009007199254740992\n";
    // 2^130 is a float64, the next whole number is not.
    let text = format!(
        "x\n{cells}1361129467683753853853498429727072845824\n1361129467683753853853498429727072845825\n"
    );
    let ran = ran(&text, &[]);
    assert!(
        ran.text().contains("3 whole numbers beyond 2^53 lost digits as float64, such as 9007199254740993"),
        "{}",
        ran.out
    );
    assert_eq!(report(&text, &[])["rounded_count"], 3);
    let groups = report(&text.replace("x\n0", "x\n"), &["--column", "x", "--by", "x"]);
    assert_eq!(groups["rounded_count"], 3);
    // Columns of whole numbers alone stay whole.
    let whole = report("x\n9007199254740993\n1\n", &[]);
    assert_eq!((&whole["rounded_count"], &whole["dtype"]), (&json!(0), &json!("i64")));
    assert!(!over_a("csv", b"x\n0.5\n9007199254740992\n", &[]).text().contains("2^53"));
}

#[test]
fn texts_of_null_have_no_value() {
    let text = "k,x\na,1\nNA,NA\nb, - \nn/a,4\n,8\n";
    let nulls = ["--column", "x", "--null", "NA", "--null", "-"];
    let x = report(text, &nulls);
    assert_eq!((&x["count"], &x["missing_count"], &x["sum"]["value"]), (&json!(3), &json!(2), &json!(13)));
    assert_eq!((&x["dtype"], &x["argmax"]["index"]), (&json!("i64"), &json!(4)));
    let groups = report(text, &[&nulls[..], &["--by", "k"]].concat())["rows"].clone();
    assert_eq!((&groups[3]["key"], &groups[3]["count"]), (&Value::Null, &json!(1)));
    assert_eq!(groups.as_array().map(Vec::len), Some(4));
    // A cell that is no number is an error, unless it is listed as missing.
    ran(text, &["--column", "x", "--null", "NA"]).refused(2, &["row 3 (line 4)", "`-` is not a number"]);
    ran(text, &["--column", "x", "--null", "na"]).refused(2, &["row 2 (line 3)", "`NA` is not a number"]);
    over(&vector(&[1.0_f32]), &["--null", "NA"]).refused(2, &["--no-header and --null", "leave them out"]);
}

#[test]
fn cells_may_have_anything_between_them() {
    let of = |extension, text: &str, delimiter| {
        let args = ["--json", "--column", "x", "--delimiter", delimiter];
        over_a(extension, text.as_bytes(), &args).json()["sum"]["value"].clone()
    };
    assert_eq!(of("csv", "a;x\n1;2\n\"3;4\";5\n", ";"), 7);
    assert_eq!(of("txt", "a|x\n1|2\n", "|"), 2);
    assert_eq!(of("tsv", "a,x\n1,2\n", ","), 2);
    assert_eq!(of("csv", "a\tx\n1\t2\n", "tab"), 2);
    assert_eq!(of("csv", "a\tx\n1\t2\n", "\\t"), 2);
    assert_eq!(over_a("txt", b"x\n5\n", &["--json", "--delimiter", ";"]).json()["sum"]["value"], 5);
    for wrong in ["", ";;", "\"", "\n", "\u{e9}"] {
        ran("x\n1\n", &["--delimiter", wrong]).refused(2, &["--delimiter"]);
    }
    over(&vector(&[1.0_f32]), &["--delimiter", ";"])
        .refused(2, &["--no-header and --null", "leave them out"]);
}

#[test]
fn numbers_beyond_float64_are_refused() {
    let digits = format!("1{}", "0".repeat(309));
    for cell in ["1e400", "-2.5E309", "1.8e308", &digits] {
        let text = format!("x\n0.5\n{cell}\n");
        ran(&text, &[]).refused(2, &["row 2 (line 3)", "float64", "inf", &cell[..5]]);
    }
    let x = report("x\ninf\n-Infinity\n1.7976931348623157e308\n1e-400\n", &[]);
    assert_eq!((&x["count"], &x["max"]["value"]), (&json!(4), &json!("inf")));
}

#[test]
fn empty_cells_are_skipped_and_count_in_the_index() {
    let text = "k,x\na,\nb,2\nc, \nd,9\ne,\"\"\nf,9\ng,\n";
    let x = report(text, &["--column", "x"]);
    assert_eq!((&x["count"], &x["missing_count"], &x["source"]["rows"]), (&json!(3), &json!(4), &json!(7)));
    assert_eq!(x["sum"]["value"], 20);
    assert_eq!((&x["argmin"]["index"], &x["argmax"]["index"]), (&json!(1), &json!(3)));
    assert_eq!(x["argmax"]["coordinates"], json!([3]));
    let text = ran(text, &["--column", "x"]);
    assert!(text.text().contains("4 of 7 rows have no value and are skipped"), "{}", text.out);
    assert!(text.text().contains("column `x`: 3 i64, 24 bytes"), "{}", text.out);
}

#[test]
fn a_column_without_values_is_empty() {
    for (text, rows) in [("x,y\n", 0), ("x,y", 0), ("x,y\n,1\n,2\n", 2)] {
        let x = report(text, &["--column", "x"]);
        assert_eq!((&x["count"], &x["missing_count"]), (&json!(0), &json!(rows)), "{text:?}");
        assert_eq!((&x["sum"]["value"], &x["argmax"]), (&json!(0), &Value::Null), "{text:?}");
    }
}

#[test]
fn every_way_to_write_a_table_is_read() {
    let expected = report("a,x\n1,0.5\n2,-3\n", &["--column", "x"])["sum"].clone();
    for text in [
        "a,x\r\n1,0.5\r\n2,-3\r\n",
        "a,x\n1,0.5\n2,-3",
        "a , x \n 1 , 0.5 \n2,\t-3\n",
        "\"a\",\"x\"\n\"1\",\"0.5\"\n\"2\",\"-3\"\n",
        "\u{feff}a,x\n1,0.5\n2,-3\n",
        "a,x\n\n1,0.5\n\n2,-3\n\n",
        "a,x,other\n1,0.5,\"with, comma\"\n2,-3,\"with \"\"quotes\"\" and\nlines\"\n",
    ] {
        assert_eq!(report(text, &["--column", "x"])["sum"], expected, "{text:?}");
    }
    let tabs = over_a("tsv", b"a\tx\n1\t0.5\n2\t-3\n", &["--json", "--column", "x"]).json();
    assert_eq!(tabs["sum"], expected);
    let by_the_option = over_a("txt", b"a,x\n1,0.5\n2,-3\n", &["--json", "--column", "x"]).json();
    assert_eq!(by_the_option["sum"], expected);
    let by_capitals = over_a("CSV", b"x\n0.5\n-3\n", &["--json"]).json();
    assert_eq!(by_capitals["sum"], expected);
}

#[test]
fn a_cell_that_is_no_number_is_quoted_with_its_row() {
    let text = "k,x\n\"two\nlines\",1\nb,abc\n";
    ran(text, &["--column", "x"]).refused(2, &["column `x`, row 2 (line 4): `abc` is not a number"]);
    for cell in ["1,2", "1_000", "0x10", "1.5.5", "--1", "NA", "null", "1 2", "\u{661}"] {
        ran(&format!("x\n1\n\"{cell}\"\n"), &[]).refused(2, &["row 2", &format!("`{cell}`")]);
    }
    over_a("csv", b"x\n\xff\xfe\n", &[]).refused(2, &["row 1", "is not a number"]);
    over_a("csv", b"\xe4\n1\n", &[]).refused(2, &["name of column 1", "UTF-8", "iconv"]);
    let hostile = ran(&format!("x\n\u{1b}[31m{}\n", "y".repeat(100_000)), &[]);
    hostile.refused(2, &["[31m"]);
    assert!(!hostile.err.contains('\u{1b}') && hostile.err.len() < 1000, "{:?}", hostile.err);
}

#[test]
fn rows_of_another_length_are_refused() {
    ran("a,b\n1,2\n3\n", &["--column", "a"]).refused(2, &["line: 3", "found record with 1 fields"]);
}

#[test]
fn long_columns_have_the_bits_of_the_reference() {
    let cell = |i: u64| {
        let scattered = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11;
        (scattered % 5 != 2).then(|| (scattered as f64 / 1e12 - 4000.0) * f64::from(scattered as u32 % 37))
    };
    let cells: Vec<_> = (0..100_003).map(cell).collect();
    let line = |cell: &Option<f64>| cell.map_or(String::from("k,\n"), |x| format!("k,{x:?}\n"));
    let text = format!("k,x\n{}", cells.iter().map(line).collect::<String>());
    let x = report(&text, &["--column", "x"]);
    let values: Vec<f64> = cells.iter().flatten().copied().collect();
    assert_eq!(x["count"], values.len());
    assert_eq!(x["sum"]["bits"], format!("{:#018x}", reference::reduce::<f64, Sum>(&values).to_bits()));
    let greatest = reference::reduce::<f64, ArgMax>(&values).expect("elements").value;
    let row = cells.iter().position(|&cell| cell == Some(greatest)).expect("a row");
    assert_eq!((&x["argmax"]["index"], &x["argmax"]["value"]["value"]), (&json!(row), &json!(greatest)));
}

#[test]
fn arrays_have_no_columns() {
    over(&vector(&[1.0_f32]), &["--column", "x"]).refused(2, &["no columns", "leave --column out"]);
    over_a("csv", &vector(&[1.0_f32]), &["--column", "x"]).refused(2, &["no columns"]);
    // The first bytes decide, not the name.
    assert_eq!(over_a("csv", &vector(&[1.0_f32, 2.0]), &["--json"]).json()["sum"]["value"], 3.0);
}
