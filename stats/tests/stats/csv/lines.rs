//! CSV as others write it: comments, lines before the table, blanks between cells, decimal commas.

use serde_json::{Value, json};

use crate::npy_bytes::vector;
use crate::program::{over, over_a};

#[track_caller]
fn sum(text: &str, args: &[&str]) -> Value {
    over_a("csv", text.as_bytes(), &[&["--json", "--column", "x"], args].concat()).json()["sum"]["value"]
        .clone()
}

#[test]
fn comments_and_the_lines_before_a_table_are_skipped() {
    assert_eq!(sum("# by a tool\na,x\n# two, three\n1,2\n\n3,4\n#", &["--comment", "#"]), 6);
    assert_eq!(sum("Report\nof \"May\na,x\r\n1,2\n3,4\n", &["--skip-lines", "2"]), 6);
    assert_eq!(sum("Report\n%\na,x\n1,2\n", &["--skip-lines", "1", "--comment", "%"]), 2);
    let none = over_a("csv", b"a,x\n1,2\n", &["--skip-lines", "9"]);
    none.refused(2, &["no columns", "no first line"]);
}

#[test]
fn lines_are_those_of_the_file() {
    let text = "Report\n# one\na,x\n# two\n\n1,2\n# three\n3,abc\n";
    let wrong = over_a("csv", text.as_bytes(), &["--column", "x", "--comment", "#", "--skip-lines", "1"]);
    wrong.refused(2, &["row 2 (line 8): `abc`"]);
    let open = over_a("csv", b"Report\na,x\n1,\"2\n", &["--column", "x", "--skip-lines", "1"]);
    open.refused(2, &["a quote opens in line 3"]);
    let uneven = over_a("csv", b"\na  x\n 1 2 \n3\n", &["--column", "x", "--delimiter", "blanks"]);
    uneven.refused(2, &["line 4 has 1 cells, the first has 2"]);
}

#[test]
fn any_number_of_blanks_separates_cells() {
    let blanks = ["--delimiter", "blanks"];
    assert_eq!(sum("  a   x\n   1  2.5  \n \n\"3 4\" 4\n", &blanks), 6.5);
    assert_eq!(sum("a x\n- 1\n2 -\n", &[&blanks[..], &["--null", "-"]].concat()), 1);
}

#[test]
fn a_comma_may_be_the_decimal_point() {
    let text = "ware;x\nA;1,5\nB;-2\nC;1e1\n";
    assert_eq!(sum(text, &["--decimal-comma"]), 9.5);
    assert_eq!(sum("ware\tx\nA\t1,5\n", &["--decimal-comma", "--delimiter", "tab"]), 1.5);
    let thousands = over_a("csv", b"x;y\n1.000,5;1\n", &["--column", "x", "--decimal-comma"]);
    thousands.refused(2, &["`1.000,5` is not a number"]);
    for option in [&["--decimal-comma"][..], &["--comment", "#"], &["--skip-lines", "1"]] {
        over(&vector(&[1.0_f32]), option).refused(2, &[option[0], "leave them out"]);
    }
    let all = over_a("csv", text.as_bytes(), &["--json", "--decimal-comma"]).json();
    assert_eq!(all["columns"][1]["sum"]["value"], json!(9.5));
}
