//! The text of CSV files: lines, quotes, first lines that name nothing, and what errors say of them.

use serde_json::{Value, json};

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
fn a_quote_that_never_closes_is_an_error_with_its_line() {
    // Whichever column the quote is in; with a wrong number of cells too.
    for (text, line) in [
        ("x,k\n1,ann\n2,\"bob\n3,cy\n4,dee\n", 3),
        ("x,k\r\n1,ann\r\n2,\"bob\r\n3,cy\r\n4,dee\r\n", 3),
        ("x,k\n1,ann\n\"2,bob\n3,cy\n", 3),
        ("x,k\n1,\"a\n\nb\"\n\n\n2,\"bob", 7),
        ("x,k\n\"1\",\"a\nb\"\"\n", 2),
        ("x,k\n1,\"\"\"", 2),
        ("x,k\n1,\"", 2),
        ("x,\"k\n1,2\n", 1),
        ("\"", 1),
    ] {
        for args in [&["--column", "x"][..], &["--column", "x", "--by", "k"]] {
            ran(text, args).refused(2, &[&format!("a quote opens in line {line} and never closes")]);
        }
    }
    for text in ["x,k\n1,\"a\nb\"", "x,k\n1,a\"b\n", "x,k\n1,\"a\"\"b\"\r", "x,k\n1, \"\n"] {
        assert_eq!(report(text, &["--column", "x"])["sum"]["value"], 1, "{text:?}");
    }
}

#[test]
fn a_row_has_a_most() {
    let long = "y".repeat(65 << 20);
    let quoted = format!("x,k\n1,a\n2,\"b\nc\",\"\n3,{long}\n4,b\n");
    ran(&quoted, &["--column", "x"])
        .refused(2, &["the row in line 3 is longer than 64 MiB", "quote opens in line 4"]);
    let line = format!("x,k\n1,{long}\n");
    ran(&line, &["--column", "x"]).refused(2, &["the row in line 2 is longer than 64 MiB", "no line ends"]);
    let name = format!("x,{long}\n1,2\n");
    ran(&name, &["--column", "x"]).refused(2, &["the row in line 1 is longer than 64 MiB"]);
    let shorter = format!("x,k\n1,\"{}\n\"\n2,a\n", &long[..63 << 20]);
    assert_eq!(report(&shorter, &["--column", "x"])["sum"]["value"], 3);
}

#[test]
fn columns_without_names_have_numbers() {
    let text = "12,1.5,a\n15,2.5,b\n11,,a\n";
    let first = report(text, &["--no-header", "--column", "1"]);
    assert_eq!((&first["count"], &first["sum"]["value"]), (&json!(3), &json!(38)));
    assert_eq!(
        (&first["source"]["column"], &first["source"]["names_are_numbers"]),
        (&json!("1"), &json!(false))
    );
    assert_eq!(report(text, &["--no-header", "--column", "2"])["sum"]["value"], 4.0);
    let groups = report(text, &["--no-header", "--column", "1", "--by", "3"]);
    assert_eq!((&groups["rows"][0]["key"], &groups["rows"][0]["sum"]["value"]), (&json!("a"), &json!(23)));
    ran(text, &["--no-header", "--column", "0"]).refused(2, &["no column `0`", "`1`, `2`, `3`"]);
    ran(text, &["--no-header", "--column", "3"])
        .refused(2, &["column `3`, row 1 (line 1): `a` is not a number"]);
    assert_eq!(report("12\n15\n11\n", &["--no-header"])["count"], 3);
    let of_text = over_a("txt", b"12\n15\n", &["--no-header", "--json"]).json();
    assert_eq!(of_text["sum"]["value"], 27);
    over(&vector(&[1.0_f32]), &["--no-header"]).refused(2, &["--no-header", "leave them out"]);
}

#[test]
fn names_that_are_numbers_are_told_of() {
    let note = "has numbers alone: if it is a row, add --no-header";
    for (text, column, is_told) in [
        ("12\n15\n11\n", "12", true),
        ("1.5,-2e3\n1,2\n", "1.5", true),
        (",0,1\n,5,6\n", "0", true),
        ("2019,name\n1,2\n", "2019", false),
        ("nan\n1\n", "nan", false),
        ("inf,Infinity\n1,2\n", "inf", false),
        ("x\n1\n", "x", false),
    ] {
        let printed = ran(text, &["--column", column]);
        assert_eq!(printed.text().contains(note), is_told, "{text:?}: {}", printed.out);
        assert_eq!(report(text, &["--column", column])["source"]["names_are_numbers"], is_told, "{text:?}");
        let groups = ran(text, &["--column", column, "--by", column]);
        assert_eq!(groups.text().contains(note), is_told, "{text:?}: {}", groups.out);
    }
}

#[test]
fn errors_say_which_option_is_missing() {
    let semicolons = "ware;preis\nA;1,5\nB;2,5\n";
    ran(semicolons, &[]).refused(2, &["add --delimiter ';'"]);
    ran(semicolons, &["--column", "preis"]).refused(2, &["no column `preis`", "add --delimiter ';'"]);
    ran(semicolons, &["--column", "preis", "--delimiter", ";"])
        .refused(2, &["`1,5` is not a number", "add --decimal-comma"]);
    ran("a\tx\n1\t2\n", &["--column", "x"]).refused(2, &["add --delimiter tab"]);
    ran("a|x\n1|2\n", &["--column", "x"]).refused(2, &["add --delimiter '|'"]);
    ran("a   x\n1   2\n", &["--column", "x"]).refused(2, &["add --delimiter blanks"]);
    ran("# made by a tool\na,x\n1,2\n", &["--column", "x"]).refused(2, &["add --comment '#'"]);
    // A name may have such a character.
    assert_eq!(report("a;b\n1\n", &[])["sum"]["value"], 1);
    for null in ["NA", "N/A", "null", "None", "-", "?"] {
        let text = format!("x\n1\n{null}\n");
        ran(&text, &[]).refused(2, &["row 2", &format!("add --null '{null}'")]);
        assert_eq!(report(&text, &["--null", null])["count"], 1);
    }
    assert!(!ran("x\n1\nabc\n", &[]).err.contains("--null"));
    ran("k,x\na, \"1\"\n", &["--column", "x"])
        .refused(2, &["`\"1\"` is not a number", "without a blank before it"]);
}

#[test]
fn lines_are_counted_whatever_ends_them() {
    for (text, line) in [
        ("x\n1\nabc\n", 3),
        ("x\r\n1\r\nabc\r\n", 3),
        ("x\n\n\n1\n\nabc", 6),
        ("x\r\n\r\n1\r\nabc", 4),
        ("x,y\n1,\"a\n\nb\"\nabc,c\n", 5),
    ] {
        ran(text, &["--column", "x"]).refused(2, &[&format!("row 2 (line {line}): `abc`")]);
    }
}
