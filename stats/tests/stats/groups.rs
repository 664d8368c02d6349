//! `--by`: each group of a table's rows, against the slow reference of its values alone.

use serde_json::{Value, json};

use crate::expected::{holds, rough};
use crate::npy_bytes::vector;
use crate::program::{Ran, over, over_a, run};

fn ran(text: &str, args: &[&str]) -> Ran {
    over_a("csv", text.as_bytes(), &[&["--column", "x", "--by", "k"], args].concat())
}

/// A key, and the rows of its values.
type Group = (Option<String>, Vec<usize>);

/// Groups in the order of their keys' bytes, rows without a key last. A row without a value still creates its
/// group.
fn groups(keys: &[Option<String>], has_value: impl Fn(usize) -> bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (row, key) in keys.iter().enumerate() {
        let at = groups.iter().position(|group| group.0 == *key).unwrap_or_else(|| {
            groups.push((key.clone(), Vec::new()));
            groups.len() - 1
        });
        if has_value(row) {
            groups[at].1.push(row);
        }
    }
    groups.sort_by(|a, b| a.0.is_none().cmp(&b.0.is_none()).then_with(|| a.0.cmp(&b.0)));
    groups
}

#[test]
fn a_group_has_the_bits_that_it_has_alone() {
    let x = rough(60_013);
    let scattered = |row: usize| (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    // Every other row has the same key, one key has no value, and some rows have no key.
    let key = |row: usize| match scattered(row) % 40 {
        0..20 => Some("often".into()),
        20 => None,
        21 => Some("never".into()),
        other => Some(format!("key, {}", other * (1 + scattered(row) % 3))),
    };
    let keys: Vec<Option<String>> = (0..x.len()).map(key).collect();
    let has_value = |row: usize| scattered(row) % 7 != 3 && keys[row].as_deref() != Some("never");
    let line = |row: usize| {
        let key = keys[row].as_ref().map_or(String::new(), |key| format!("\" {key}\""));
        let value = if has_value(row) { format!("{:?}", x[row]) } else { String::new() };
        format!("{value},other,{key}\n")
    };
    let text = format!("x,other,k\n{}", (0..x.len()).map(line).collect::<String>());
    let report = ran(&text, &["--json"]).json();
    assert_eq!((&report["by"], &report["dtype"]), (&json!("k"), &json!("f64")));
    let missing = (0..x.len()).filter(|&row| !has_value(row)).count();
    assert_eq!((&report["missing_count"], &report["count"]), (&json!(missing), &json!(x.len() - missing)));
    let expected = groups(&keys, has_value);
    let rows = report["rows"].as_array().expect("rows");
    assert_eq!(rows.len(), expected.len());
    for (found, (key, rows)) in rows.iter().zip(expected) {
        assert_eq!(found["key"], json!(key));
        let alone: Vec<f64> = rows.iter().map(|&row| x[row]).collect();
        holds(found, &alone, |index| (rows[index as usize] as u64, vec![rows[index as usize] as u64]));
    }
}

/// Pairs of keys, of which some have no value, and some no key in one of the columns.
#[test]
fn two_keys_are_a_group_for_each_pair() {
    let text = "k,j,x\nb,10,1\na,9,2\nb,9,4\na,9,8\nb,,16\n,10,32\nc,10,\nb,10,64\n";
    let report = ran(text, &["--by", "j", "--json"]).json();
    assert_eq!(report["by"], json!(["k", "j"]));
    let found: Vec<_> = report["rows"].as_array().expect("rows").iter().collect();
    let found: Vec<_> = found.iter().map(|row| (&row["key"], &row["count"], &row["sum"]["value"])).collect();
    let expected = [
        (json!(["a", "9"]), 2, 10.0),
        (json!(["b", "9"]), 1, 4.0),
        (json!(["b", "10"]), 2, 65.0),
        (json!(["b", null]), 1, 16.0),
        (json!(["c", "10"]), 0, 0.0),
        (json!([null, "10"]), 1, 32.0),
    ];
    for (found, (key, count, sum)) in found.iter().zip(&expected) {
        assert_eq!((found.0, found.1, found.2.as_f64()), (key, &json!(count), Some(*sum)));
    }
    assert_eq!(found.len(), expected.len());
    let greatest = &report["rows"][2]["argmax"]["index"];
    assert_eq!(greatest, &json!(7), "rows are those of the table");
    let shown = ran(text, &["--by", "j"]);
    for words in ["6 groups by columns `k`, `j`", "(no key)", "  k  "] {
        assert!(shown.text().contains(words), "no {words:?} in {}", shown.out);
    }
    ran(text, &["--by", "nothing"]).refused(2, &["nothing"]);
}

#[test]
fn threads_change_no_bit() {
    let line = |(i, x): (u64, f64)| format!("{},{}\n", i * i % 1013 % 50, (x * 1e6) as i64);
    let text = format!("k,x\n{}", (0..).zip(rough(300_000)).map(line).collect::<String>());
    let of = |threads| ran(&text, &["--json", "--threads", threads]).json()["rows"].clone();
    assert_eq!(of("1"), of("3"));
}

/// Keys and sums.
#[track_caller]
fn sums(text: &str) -> Vec<(Value, Value)> {
    let report = ran(text, &["--json"]).json();
    let rows = report["rows"].as_array().expect("rows");
    rows.iter().map(|row| (row["key"].clone(), row["sum"]["value"].clone())).collect()
}

#[test]
fn keys_are_text_without_blanks_around_it() {
    let text = "k,x\n1,10\n 1 ,20\n1.0,30\n01,40\n\"\",1\n  ,2\nnull,3\n\"a b\",4\n";
    let expected = [
        (json!("01"), json!(40)),
        (json!("1"), json!(30)),
        (json!("1.0"), json!(30)),
        (json!("a b"), json!(4)),
        (json!("null"), json!(3)),
        (Value::Null, json!(3)),
    ];
    assert_eq!(sums(text), expected);
    assert_eq!(sums("k,x\n"), []);
    let itself = over_a("csv", b"x\n2\n3\n2\n\n\"\"\n", &["--json", "--column", "x", "--by", "x"]).json();
    assert_eq!(itself["rows"][0]["sum"]["value"], 4);
    assert_eq!((&itself["rows"][2]["key"], &itself["rows"][2]["count"]), (&Value::Null, &json!(0)));
    let tabs = over_a("tsv", b"k\tx\na\t1\na\t2\n", &["--json", "--column", "x", "--by", "k"]).json();
    assert_eq!(tabs["rows"][0]["sum"]["value"], 3);
}

#[test]
fn groups_are_sorted_by_key() {
    let keys = |cells: &[&str]| -> Vec<Value> {
        let lines: String = cells.iter().map(|cell| format!("{cell},1\n")).collect();
        sums(&format!("k,x\n{lines}")).into_iter().map(|(key, _)| key).collect()
    };
    // Whole numbers are compared to the last digit; numbers that are equal, as text.
    assert_eq!(
        keys(&["10", "9", "", "-3", "09"]),
        [json!("-3"), json!("09"), json!("9"), json!("10"), Value::Null]
    );
    assert_eq!(keys(&["9007199254740993", "9007199254740992"]), ["9007199254740992", "9007199254740993"]);
    // Floats.
    assert_eq!(keys(&["1e1", "nan", "9.5", "-inf", "0", "-0.0"]), ["-inf", "-0.0", "0", "9.5", "1e1", "nan"]);
    // Text, if one key is no number.
    assert_eq!(keys(&["10", "9", "b", "B", "a"]), ["10", "9", "B", "a", "b"]);
}

#[test]
fn a_person_reads_the_first_and_the_last_groups() {
    let text = "k,x\nb,1.5\na,2\n,3\nb,-7.25\nc,\n\u{1b}[31m,5\n".to_string() + &"z".repeat(1000) + ",1\n";
    let printed = ran(&text, &[]);
    let line = |key: &str| -> Vec<&str> {
        let lines = printed.text().lines().map(str::trim_start);
        lines.filter_map(|line| line.strip_prefix(key)).flat_map(str::split_whitespace).collect()
    };
    assert!(printed.text().contains("rows     6 groups by column `k`"), "{}", printed.out);
    assert!(printed.text().contains("1 of 7 rows have no value"), "{}", printed.out);
    assert_eq!(line("b  "), ["2", "-5.75", "-2.875", "4.375", "-7.25", "1.5", "3", "0"]);
    assert_eq!(line("(no key)  "), ["1", "3.0", "3.0", "0.0", "3.0", "3.0", "2", "2"]);
    assert_eq!(line("c  "), ["0", "-0.0", "-", "-", "-", "-", "-", "-"]);
    assert_eq!(line("?[31m  "), ["1", "5.0", "5.0", "0.0", "5.0", "5.0", "5", "5"]);
    assert_eq!(line(&("z".repeat(40) + "...  "))[0], "1");
    assert!(!printed.out.contains('\u{1b}'), "{:?}", printed.out);

    let many = format!("k,x\n{}", (0..30).map(|i| format!("key{i:02},{i}\n")).collect::<String>());
    let some = ran(&many, &[]);
    assert!(some.text().contains("... 10 rows are left out"), "{}", some.out);
    assert!(!some.out.contains("key10 ") && !some.out.contains("key19 "), "{}", some.out);
    let all = ran(&many, &["--all-rows"]);
    assert!((0..30).all(|i| all.text().contains(&format!("key{i:02} "))), "{}", all.out);
    assert_eq!(ran(&many, &["--json"]).json()["rows"].as_array().map(Vec::len), Some(30));
}

#[test]
fn wrong_keys_are_refused() {
    let refused = |args: &[&str], words: &[&str]| over_a("csv", b"k,x\na,1\n", args).refused(2, words);
    refused(&["--by", "k"], &["--column <NAME>"]);
    refused(&["--column", "x", "--by", "key"], &["no column `key`", "`k`, `x`"]);
    refused(&["--column", "k", "--by", "x"], &["column `k`, row 1", "`a` is not a number"]);
    refused(&["--column", "x", "--by", "k", "--axis", "0"], &["--axis"]);
    refused(&["--column", "x", "--by", "k", "--backend", "cuda"], &["leave --backend cuda out"]);
    let array = over(&vector(&[1.0_f32]), &["--column", "x", "--by", "k"]);
    array.refused(2, &["no columns", "leave --column and --by out"]);
    run(&["--synthetic", "10", "--by", "k"]).refused(2, &["--synthetic"]);
    let latin = over_a("csv", b"k,x\na,1\n\xe4,2\n", &["--column", "x", "--by", "k"]);
    latin.refused(2, &["column `k`, row 2 (line 3)", "UTF-8"]);
}
