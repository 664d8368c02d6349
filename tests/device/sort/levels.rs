//! How many levels a sort by levels takes. Its results do not show this, but the emulated driver's log does: each level finds
//! its pivots in one launch.

use std::env;
use std::process::Command;

use test_kernels::mix;
use warpfold::Order::Ascending;
use warpfold_tests::{cuda, is_emulated};

use crate::sort::{greatest_found_late, killer};

/// Says in the environment that this is the process that sorts.
const INSIDE: &str = "WARPFOLD_TEST_SORTS";

/// Keys, and the least and the most levels that they take.
struct Case {
    name: &'static str,
    keys: fn(u64) -> Vec<u128>,
    levels: [usize; 2],
}

const CASES: [Case; 4] = [
    Case { name: "equal", keys: |n| vec![7; n as usize], levels: [1, 2] },
    Case { name: "random", keys: |n| (0..n).map(|i| u128::from(mix(i)) << 50).collect(), levels: [1, 2] },
    // There is no bound above the greatest keys.
    Case { name: "greatest", keys: greatest_found_late, levels: [1, 3] },
    // The keys that the first level's sample misses are below 2^20. So even bounds tell them apart only after 14 bytes. The proof's
    // limit (`gpu_kernels::sort`) is log4(6001 / 1024) + 16 + 1.
    Case { name: "killer", keys: killer, levels: [14, 18] },
];

#[test]
fn killers_take_a_few_levels() {
    if !is_emulated() {
        return; // A GPU's driver has no log.
    }
    if env::var_os(INSIDE).is_some() {
        for case in CASES {
            let keys = cuda().upload(&(case.keys)(6001)).unwrap();
            eprintln!("sorts {}", case.name);
            cuda().sort(&keys, Ascending).unwrap().to_vec().unwrap();
        }
        return;
    }
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["levels::killers_take_a_few_levels", "--exact", "--nocapture"]);
    let out = child.env(INSIDE, "1").env("WARPFOLD_EMULATED_LOG", "1").output().unwrap();
    let log = String::from_utf8(out.stderr).unwrap();
    assert!(out.status.success(), "{log}");
    for Case { name, levels: [least, most], .. } in CASES {
        let (_, of_case) = log.split_once(&format!("sorts {name}\n")).unwrap();
        let of_case = of_case.split("\nsorts ").next().unwrap();
        let pivots =
            of_case.lines().filter(|line| line.contains(": launches ") && line.contains("_pivots in "));
        let levels = pivots.count();
        assert!((least..=most).contains(&levels), "{name}: {levels} levels");
    }
}
