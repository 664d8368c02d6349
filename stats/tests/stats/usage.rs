//! The command line, and the errors for a wrong one.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::npy_bytes::vector;
use crate::program::{over, over_a, run, run_in};

#[test]
fn wrong_usage_is_code_2() {
    for args in [
        &[][..],
        &["--synthetic", "10", "some.npy"],
        &["--synthetic", "1.5"],
        &["--synthetic", "-1"],
        &["--synthetic", "1e-3"],
        &["--synthetic", "1e30"],
        &["--synthetic", "ten"],
        &["--synthetic", "e5"],
        &["--synthetic", ""],
        &["--synthetic", "10", "--threads", "0"],
        &["--synthetic", "10", "--threads", "70000"],
        &["--synthetic", "10", "--backend", "abacus"],
        &["--synthetic", "10", "--column", "x"],
        &["--synthetic", "10", "--quantiles", "1.5"],
        &["--synthetic", "10", "--quantiles", "0.5,NaN"],
        &["--synthetic", "10", "--quantiles", "half"],
    ] {
        run(args).refused(2, &[]);
    }
}

#[test]
fn a_seed_of_nothing_synthetic_is_refused() {
    over(&vector(&[1.0_f32]), &["--seed", "3"]).refused(2, &["--seed"]);
    assert_eq!(run(&["--seed", "3", "--synthetic", "10"]).code, Some(0));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_at_once() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stats-pipe-{}.npy", std::process::id()));
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo").success());
    let name = path.to_str().expect("a path in UTF-8");
    for args in [&[name][..], &[name, "--column", "x"]] {
        let ran = run_in(Duration::from_secs(10), args);
        ran.refused(2, &["stats-pipe", "not a regular file", "write what it gives to a file"]);
    }
    fs::remove_file(&path).expect("to remove it");
}

#[test]
fn more_threads_than_the_machine_runs_are_not_started() {
    let report =
        run_in(Duration::from_secs(20), &["--synthetic", "24", "--threads", "5000", "--json"]).json();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    assert_eq!(report["backend"]["threads"], (4 * cores).max(64));
    assert_eq!(run(&["--synthetic", "24", "--threads", "1", "--json"]).json()["backend"]["threads"], 1);
}

#[test]
fn a_file_that_cannot_be_opened_is_code_2() {
    run(&["no/such/file.npy"]).refused(2, &["no/such/file.npy"]);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stats-folder.npy");
    fs::create_dir_all(&folder).expect("a folder in the target folder");
    run(&[folder.to_str().expect("a path in UTF-8")]).refused(2, &["stats-folder.npy"]);
}

#[test]
fn too_much_memory_is_code_1() {
    run(&["--synthetic", "4e18"]).refused(1, &["16,000,000,000,000,000,000 bytes"]);
}

/// Forty lines are a screen.
#[test]
fn the_short_help_is_one_screen_with_examples_and_names_the_long_one() {
    let short = run(&["-h"]);
    let lines = short.text().lines().count();
    assert!(lines <= 50, "{lines} lines: {}", short.out);
    let long = run(&["--help"]);
    for ran in [short, long] {
        for word in ["EXAMPLES", "stats t.csv", "stats --help"] {
            assert!(ran.text().contains(word), "no {word:?} in {}", ran.out);
        }
    }
}

#[test]
fn help_documents_the_json() {
    let help = run(&["--help"]);
    let report = over(&vector(&[1.0_f32]), &["--json"]).json();
    for field in report.as_object().expect("an object").keys() {
        assert!(help.text().contains(field.as_str()), "{field} is not in --help");
    }
    let of_a_column = over_a("csv", b"x\n1\n", &["--json"]).json();
    let of_quantiles = over(&vector(&[1.0_f32]), &["--json", "--median"]).json();
    let of_an_axis = over(&vector(&[1.0_f32]), &["--json", "--axis", "0"]).json();
    let of_columns = over_a("csv", b"x,y\n1,a\n", &["--json"]).json();
    let of_a_group = over_a("csv", b"x\n1\n", &["--json", "--column", "x", "--by", "x"]).json();
    for (name, object) in [
        ("columns", &of_columns),
        ("columns", &of_columns["columns"][0]),
        ("columns", &of_columns["columns"][1]),
        ("--axis", &of_an_axis),
        ("--axis", &of_an_axis["seconds"]),
        ("--axis", &of_an_axis["rows"][0]),
        ("--by", &of_a_group),
        ("--by", &of_a_group["rows"][0]),
        ("--median", &of_quantiles["seconds"]),
        ("--median", &of_quantiles["quantiles"][0]),
        ("source", &report["source"]),
        ("source", &of_a_column["source"]),
        ("backend", &report["backend"]),
        ("seconds", &report["seconds"]),
    ] {
        for field in object.as_object().expect("an object").keys() {
            assert!(help.text().contains(field.as_str()), "{field} of {name} is not in --help");
        }
    }
}

#[cfg(not(feature = "cuda"))]
#[test]
fn without_the_feature_the_cpu_answers_and_says_why() {
    run(&["--synthetic", "10", "--backend", "cuda"]).refused(2, &["--features cuda", "cargo run"]);
    assert!(run(&["--synthetic", "10"]).text().contains("built without the feature `cuda`"));
    let report = run(&["--synthetic", "10", "--json", "--backend", "cpu"]).json();
    assert_eq!(report["backend"]["name"], "cpu");
    assert_eq!(report["backend"]["why"], "as asked for");
}

#[cfg(feature = "cuda")]
#[test]
fn the_gpu_gives_the_same_bits_or_a_reason() {
    let cpu = run(&["--synthetic", "1e6", "--json", "--backend", "cpu"]).json();
    let auto = run(&["--synthetic", "1e6", "--json"]).json();
    for field in ["sum", "mean", "std_dev", "min", "max", "argmin", "argmax"] {
        assert_eq!(auto[field], cpu[field], "{field}");
    }
    let why = auto["backend"]["why"].as_str().expect("a text");
    let gpu = run(&["--synthetic", "1e6", "--json", "--backend", "cuda"]);
    if why.starts_with("no GPU: ") {
        gpu.refused(1, &[]);
    } else {
        let gpu = gpu.json();
        for field in ["sum", "mean", "std_dev", "min", "max", "argmin", "argmax"] {
            assert_eq!(gpu[field], cpu[field], "{field}");
        }
        assert_eq!(gpu["backend"]["name"], "cuda");
        assert!(["sooner than the CPU", "a GPU would not be sooner"].contains(&why), "{why}");
    }
}
