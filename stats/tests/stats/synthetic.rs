//! The synthetic floats: their values depend on their index and the seed alone.

use serde_json::Value;
use warpfold::{Sum, reference};

use crate::program::run;

fn synthetic(args: &[&str]) -> Value {
    run(&[&["--json", "--synthetic"], args].concat()).json()
}

/// SplitMix64's finaliser.
fn mixed(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The first `n` floats of a seed, in order.
fn elements(n: u64, seed: u64) -> Vec<f32> {
    let mut state = mixed(seed);
    let next = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        ((mixed(state) >> 40) as f64 / f64::from(1 << 24)) as f32
    };
    (0..n).map(next).collect()
}

#[test]
fn elements_depend_on_index_and_seed_alone() {
    for n in [0, 1, 1000, (1 << 20) + 1, 3_000_001] {
        for seed in [0, 1, u64::MAX] {
            let bits = format!("{:#010x}", reference::reduce::<f32, Sum>(&elements(n, seed)).to_bits());
            for threads in ["1", "2", "7"] {
                let report = synthetic(&[&n.to_string(), "--seed", &seed.to_string(), "--threads", threads]);
                assert_eq!(report["sum"]["bits"], bits, "{n} elements, seed {seed}, {threads} threads");
                assert_eq!(report["source"]["seed"], seed);
                assert_eq!(report["count"], n);
            }
        }
    }
}

#[test]
fn elements_are_uniform() {
    let n = 1_000_000;
    let mut tenths = [0_u32; 10];
    for x in elements(n, 0) {
        assert!((0.0..1.0).contains(&x));
        tenths[(x * 10.0) as usize] += 1;
    }
    // Each count is 100,000 with a standard deviation of 300.
    assert!(tenths.iter().all(|count| count.abs_diff(100_000) < 1500), "{tenths:?}");
}

#[test]
fn counts_are_read_exactly() {
    for (text, count) in
        [("1e3", 1000), ("1_000", 1000), ("1.5e3", 1500), ("12.50e1", 125), ("1E2", 100), ("0", 0)]
    {
        assert_eq!(synthetic(&[text])["count"], count, "{text}");
    }
}

#[test]
fn the_naive_loop_stands_still_at_two_to_the_24() {
    let report = synthetic(&["5e7"]);
    assert_eq!(report["naive_sum"]["value"], 16_777_216.0);
    let sum = report["sum"]["value"].as_f64().expect("a number");
    let accurate = report["accurate_sum"]["value"].as_f64().expect("a number");
    assert!((sum - accurate).abs() <= 2.0, "{sum} {accurate}");
    assert!((accurate - 2.5e7).abs() < 1e4, "{accurate}");

    let text = run(&["--synthetic", "5e7"]);
    for words in ["16,777,216", "neighbouring f32 are 2 apart", "GB/s", "count", "50,000,000"] {
        let flowing = text.text().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flowing.contains(words), "no {words:?} in {}", text.text());
    }
}
