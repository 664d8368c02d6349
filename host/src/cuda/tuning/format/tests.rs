//! Tunings as text: written tunings are read back, and anything else is refused.

use proptest::prelude::*;

use super::*;
use crate::error::Version;

fn key() -> Key {
    Key {
        device: "NVIDIA H200".into(),
        capability: Version { major: 9, minor: 0 },
        multiprocessors: 132,
        driver: "580.159.04 for CUDA 13.0".into(),
        library: "0.1.0".into(),
    }
}

/// Any rows that may be kept.
fn any_rows() -> impl Strategy<Value = Rows> {
    let passes = prop_oneof![
        Just(Passes::Block),
        Just(Passes::Grid),
        (1..=12u32).prop_map(|log2| Passes::Recursive { fan_in: 1 << log2 }),
    ];
    let config = (passes, 0..3u32, 1..=64u32).prop_map(|(passes, log2, blocks)| {
        let blocks = if passes == Passes::Block { 1 } else { blocks };
        LaunchConfig::new(passes, 256 << log2, blocks).expect("a launch configuration")
    });
    let row = (config, any::<u64>(), any::<u64>(), any::<u64>())
        .prop_map(|(config, stamp, default_ns, tuned_ns)| Row { config, stamp, default_ns, tuned_ns });
    proptest::collection::btree_map(("[a-z0-9_]{1,30}", 0..=class::GREATEST), row, 0..20)
}

/// Three rows, one of each kind.
fn example() -> (Rows, String) {
    let row = |passes, threads, blocks, stamp| {
        let config = LaunchConfig::new(passes, threads, blocks).expect("a launch configuration");
        Row { config, stamp, default_ns: 3891, tuned_ns: 3702 }
    };
    let rows = Rows::from([
        (("reduce_max_f64_grid".into(), 30), row(Passes::Recursive { fan_in: 64 }, 256, 16, u64::MAX)),
        (("reduce_sum_f32_grid".into(), 16), row(Passes::Block, 1024, 1, 0)),
        (("reduce_sum_f32_grid".into(), 20), row(Passes::Grid, 512, 2, 0x5a3b)),
    ]);
    let text = write(&key(), &rows);
    (rows, text)
}

#[test]
fn the_text_is_as_documented() {
    let expected = "\
warpfold tuning 1
library 0.1.0
device NVIDIA H200
capability 9.0
multiprocessors 132
driver 580.159.04 for CUDA 13.0
rows 3
reduce_max_f64_grid 30 recursive:64 256 16 ffffffffffffffff 3891 3702
reduce_sum_f32_grid 16 block 1024 1 0000000000000000 3891 3702
reduce_sum_f32_grid 20 grid 512 2 0000000000005a3b 3891 3702
";
    let (rows, text) = example();
    assert_eq!(text, expected);
    assert_eq!(read(&key(), &text), Ok(rows));
}

#[test]
fn what_is_for_something_else_is_stale_and_says_what() {
    let (_, text) = example();
    let mut others = [key(), key(), key(), key(), key()];
    others[0].library = "0.2.0".into();
    others[1].device = "NVIDIA H100".into();
    others[2].capability = Version { major: 9, minor: 1 };
    others[3].multiprocessors = 114;
    others[4].driver = "580.159.05 for CUDA 13.0".into();
    for (other, (expected, here)) in
        others.iter().zip(others.clone().iter().enumerate().map(|(i, o)| o.lines()[i].clone()))
    {
        match read(other, &text) {
            Err(Ignored::Stale { what, here: found, .. }) => assert_eq!((what, found), (expected, here)),
            answer => panic!("{answer:?}"),
        }
    }
}

#[test]
fn what_is_cut_off_anywhere_is_refused() {
    let (_, text) = example();
    for len in 0..text.len() {
        assert!(read(&key(), &text[..len]).is_err(), "{len} bytes");
    }
    // Each line shortened, left out, or duplicated.
    let lines: Vec<&str> = text.lines().collect();
    for at in 0..lines.len() {
        for line in [&lines[at][1..], &lines[at][..lines[at].len() - 1], "", "x"] {
            let mut lines = lines.clone();
            lines[at] = line;
            let text = lines.join("\n") + "\n";
            // A number without its last digit may be another number, and a name without its first letter a name.
            let names_another = at > 6 && line.split(' ').count() == 8;
            assert!(read(&key(), &text).is_err() || names_another, "{text}");
        }
        let (mut fewer, mut more) = (lines.clone(), lines.clone());
        fewer.remove(at);
        more.insert(at, lines[at]);
        for lines in [fewer, more] {
            assert!(read(&key(), &(lines.join("\n") + "\n")).is_err(), "line {at}");
        }
    }
}

#[test]
fn rows_that_cannot_be_are_refused() {
    let (_, text) = example();
    let good = "reduce_sum_f32_grid 20 grid 512 2 0000000000005a3b 3891 3702";
    for bad in [
        "reduce_sum_f32_grid 37 grid 512 2 0000000000005a3b 3891 3702",
        "reduce_sum_f32_grid 020 grid 512 2 0000000000005a3b 3891 3702",
        "reduce_sum_f32_grid +20 grid 512 2 0000000000005a3b 3891 3702",
        "reduce_sum_f32_grid 16 grid 512 2 0000000000005a3b 3891 3702",
        "reduce_sum_f32_grid 20 grid 128 2 0000000000005a3b 3891 3702",
        "reduce_sum_f32_grid 20 grid 512 0 0000000000005a3b 3891 3702",
        "reduce_sum_f32_grid 20 grid 512 65 0000000000005a3b 3891 3702",
        "reduce_sum_f32_grid 20 block 512 2 0000000000005a3b 3891 3702",
        "reduce_sum_f32_grid 20 recursive 512 2 0000000000005a3b 3891 3702",
        "reduce_sum_f32_grid 20 recursive:3 512 2 0000000000005a3b 3891 3702",
        "reduce_sum_f32_grid 20 grid 512 2 5a3b 3891 3702",
        "reduce_sum_f32_grid 20 grid 512 2 +000000000005a3b 3891 3702",
        "reduce_sum_f32_grid 20 grid 512 2 0000000000005A3B 3891 3702",
        "reduce_sum_f32_grid 20 grid 512 2 0000000000005a3b 3891 -1",
        "reduce_sum_f32_grid 20 grid 512 2 0000000000005a3b 3891 18446744073709551616",
        "reduce_sum_f32_grid 20 grid 512 2 0000000000005a3b 3891",
        "reduce_sum_f32_grid 20 grid 512 2 0000000000005a3b 3891 3702 1",
        "reduce_sum_f32_grid  20 grid 512 2 0000000000005a3b 3891 3702",
        "reduce/../sum 20 grid 512 2 0000000000005a3b 3891 3702",
        " 20 grid 512 2 0000000000005a3b 3891 3702",
    ] {
        assert_ne!(text, text.replace(good, bad), "{good}");
        assert_eq!(read(&key(), &text.replace(good, bad)), Err(Ignored::Damaged { line: 10 }), "{bad}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(rows in any_rows()) {
        prop_assert_eq!(read(&key(), &write(&key(), &rows)), Ok(rows));
    }

    #[test]
    fn any_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        prop_assert!(read(&key(), &String::from_utf8_lossy(&bytes)).is_err());
    }

    /// Damage in the middle of a valid text: the text is refused, or the result can be written and read again.
    #[test]
    fn damage_is_refused_or_harmless(rows in any_rows(), at in any::<prop::sample::Index>(), put in "(?s).{0,5}") {
        let mut text = write(&key(), &rows);
        let at = at.index(text.len());
        let end = (at + put.len()).min(text.len());
        prop_assume!(text.is_char_boundary(end));
        text.replace_range(at..end, &put);
        if let Ok(rows) = read(&key(), &text) {
            prop_assert_eq!(write(&key(), &rows).len(), text.len());
            prop_assert_eq!(read(&key(), &write(&key(), &rows)), Ok(rows));
        }
    }
}
