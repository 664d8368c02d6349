//! The output as text.

use std::fs;
use std::path::Path;

use crate::npy_bytes::{file, little, vector};
use crate::program::{over, over_a, run};

/// The columns of the line that begins with `name`.
#[track_caller]
fn line<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| line.trim_start().starts_with(name));
    let line = line.unwrap_or_else(|| panic!("no line {name:?} in {text}"));
    line.trim_start()[name.len()..].split_whitespace().collect()
}

#[test]
fn the_tables_hold_the_results() {
    let ran =
        over(&file("<i4", "(2, 2)", &little(&[5_000, -7, 1_200_000, 3])), &["--backend", "cpu", "--compare"]);
    let text = ran.text();
    assert!(text.contains("4 i32, shape (2, 2), 16 bytes"), "{text}");
    assert_eq!(line(text, "count")[0], "4");
    assert_eq!(line(text, "sum ")[0], "1,204,996");
    assert_eq!(line(text, "mean")[0], "301,249.0");
    assert_eq!(line(text, "std dev")[0], "518,898.1499422599");
    assert_eq!(line(text, "min")[0], "-7");
    assert_eq!(line(text, "max")[0], "1,200,000");
    assert_eq!(line(text, "argmin")[..4], ["(0,", "1)", "=", "1"]);
    assert_eq!(line(text, "argmax")[..4], ["(1,", "0)", "=", "2"]);
    assert_eq!(line(text, "warpfold's tree, i64")[..2], ["1,204,996", "0"]);
    assert_eq!(line(text, "naive loop, i32")[..2], ["1,204,996", "0"]);
    assert_eq!(line(text, "exact")[0], "1,204,996");
    assert!(text.contains("as asked for"), "{text}");
}

/// The time for few elements would be that of the calls.
#[test]
fn few_elements_are_not_timed() {
    let few = over(&vector(&[0.1_f32; 60]), &["--median"]);
    for word in ["time", "rate", "GB/s", "one pass", "by selection", "two loops"] {
        assert!(!few.text().contains(word), "{word:?} in {}", few.out);
    }
    let rows = over(&file("<i4", "(2, 2)", &little(&[5, -7, 1, 3])), &["--axis", "0"]);
    assert!(!rows.text().contains("total") && !rows.text().contains("one pass"), "{}", rows.out);
    let many = over(&vector(&vec![0.1_f32; 300_000]), &["--median"]);
    for word in ["time", "rate", "GB/s", "one pass", "by selection"] {
        assert!(many.text().contains(word), "no {word:?} in {}", many.out);
    }
}

#[test]
fn no_line_is_wide_or_ends_in_blanks() {
    for ran in [
        over(&vector(&[0.1_f32; 100]), &[]),
        over(&vector(&[0.1_f32; 300_000]), &["--compare"]),
        over(&vector(&[u64::MAX; 3]), &[]),
        over(&vector(&[u64::MAX; 3]), &["--compare"]),
        over(&vector::<f64>(&[]), &[]),
        over(&vector::<f64>(&[]), &["--compare"]),
    ] {
        for line in ran.text().lines() {
            assert_eq!(line, line.trim_end());
            // The line of the input may be longer, by the file's path.
            assert!(line.starts_with("input") || line.chars().count() <= 110, "{line}");
        }
    }
}

#[test]
fn decimal_points_stand_in_one_column() {
    let ran = over(&vector(&[0.1_f32; 1000]), &["--compare"]);
    let text = ran.text();
    let point = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name)).expect("a row");
        line.find('.').expect("a decimal point")
    };
    assert_eq!(point("warpfold's tree"), point("naive loop"));
    assert_eq!(point("naive loop"), point("compensated loop"));
}

/// An escape sequence, one in a character of its own, a directional override, and a line of its own.
const HOSTILE: &str = "\u{1b}]0;X\u{7}\u{9b}31m\u{202e}cba\u{2066}\nerror: none";

#[track_caller]
fn steers_nothing(what: &str, text: &str) {
    let found = text.chars().find(|&c| c != '\n' && (c.is_control() || "\u{202e}\u{2066}".contains(c)));
    assert_eq!(found, None, "{what}: {text:?}");
    assert!(!text.lines().any(|line| line.starts_with("error: none")), "{what}: {text:?}");
}

#[test]
fn names_and_values_do_not_steer_the_terminal() {
    let csv = format!("\"{HOSTILE}\",k\n1,\"{HOSTILE}\"\n");
    let of = |args: &[&str]| over_a("csv", csv.as_bytes(), args);
    for args in
        [&["--column", HOSTILE][..], &["--column", HOSTILE, "--by", "k"], &["--column", "k", "--by", HOSTILE]]
    {
        let ran = of(args);
        steers_nothing("text", &(ran.out + &ran.err));
        let json = of(&[args, &["--json"]].concat());
        steers_nothing("JSON", &(json.out + &json.err));
    }
    let report = of(&["--column", HOSTILE, "--by", "k", "--json"]).json();
    assert_eq!((&report["source"]["column"], &report["rows"][0]["key"]), (&HOSTILE.into(), &HOSTILE.into()));
    for args in [&[][..], &["--json"]] {
        steers_nothing("all columns", of(args).text());
    }
    let refused = of(&["--compare"]);
    assert_eq!(refused.code, Some(2));
    steers_nothing("an error", &refused.err);
}

#[cfg(unix)]
#[test]
fn paths_do_not_steer_the_terminal() {
    let name = format!("stats-{}-{HOSTILE}.npy", std::process::id());
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let name = path.to_str().expect("a path in UTF-8");
    fs::write(&path, vector(&[1.0_f32])).expect("a file in the target folder");
    for args in [
        &[][..],
        &["--json"],
        &["--axis", "0"],
        &["--axis", "1"],
        &["--column", "x"],
        &["--null", "NA"],
        &[name],
        &["--seed", name],
    ] {
        let ran = run(&[&[name], args].concat());
        steers_nothing(&format!("{args:?}"), &(ran.out + &ran.err));
    }
    assert_eq!(run(&[name, "--json"]).json()["source"]["path"], name);
    fs::remove_file(&path).expect("to remove it");
    steers_nothing("a file that is not there", &run(&[name]).err);
}
