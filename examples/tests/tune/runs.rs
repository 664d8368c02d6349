//! Whole runs, with a clock by which plans of 512 threads take half the time.

use crate::program::Machine;

const CLOCK: (&str, &str) = ("WARPFOLD_EMULATED_CLOCK", "1");
/// Adds 1 to the first byte of what partial results are folded to: argument 3 of the kernel, which several sums share.
const PASSES: &str = "reduce_sum_i8_partials 3 0";
const SMALL: [&str; 8] = ["--min", "4K", "--max", "4K", "--flush", "64K", "--budget", "600"];

/// The gain that the table has for `size`.
fn gain(table: &str, size: &str) -> String {
    let row = table.lines().find(|line| line.contains(&format!("  {size}  "))).expect("a row");
    row.split("  ").last().expect("a gain").trim().to_owned()
}

#[test]
#[ignore = "two minutes in the emulator"]
fn what_is_faster_is_kept_and_right_shown_and_cleared() {
    let machine = Machine::new("kept");
    let ran = machine.run(&SMALL, &[CLOCK]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // The default plan has 256 threads.
    assert_eq!(gain(&ran.out, "4 KiB"), "50.0 %", "{}", ran.out);
    assert!(ran.out.contains("of 1 rows 1 have a better plan, 0 keep the default one"), "{}", ran.out);
    assert!(ran.out.contains("kept 1 rows in "), "{}", ran.out);
    let kept = machine.kept().expect("a file");
    assert!(kept.contains("\nrows 1\nreduce_sum_i32_grid 12 "), "{kept}");
    assert!(ran.err.contains("0 allocations, 0 streams, 0 events, 0 graphs, 0 modules, 0 contexts left"));

    // One wrong bit, and nothing is kept.
    let wrong = machine.run(&SMALL, &[CLOCK, ("WARPFOLD_EMULATED_CORRUPT", PASSES)]);
    assert_eq!(wrong.code, Some(1), "{}", wrong.out);
    let says = "error: Sum of i32: the GPU's bits are not the CPU's, by the plan: ";
    assert!(wrong.err.contains(says), "{}", wrong.err);
    assert_eq!(machine.kept(), Some(kept));

    let shown = machine.run(&["--show"], &[]);
    assert_eq!((shown.code, shown.out.lines().count()), (Some(0), 2), "{}", shown.out);
    assert!(shown.out.starts_with("1 row from ") && !shown.out.contains("stale"), "{}", shown.out);

    // With a clock by which no plan is faster, a row that is measured again is removed.
    let again = machine.run(&["--min", "4K", "--max", "4K", "--flush", "64K", "--budget", "600"], &[]);
    assert_eq!(gain(&again.out, "4 KiB"), "-", "{}", again.out);
    assert!(again.out.contains("of 1 rows 0 have a better plan, 1 keep the default one"), "{}", again.out);

    let cleared = machine.run(&["--clear"], &[]);
    assert!(cleared.out.starts_with("cleared "), "{}", cleared.out);
    assert!(machine.kept().expect("a file").ends_with("\nrows 0\n"));
}

#[test]
fn a_dry_run_keeps_nothing() {
    let machine = Machine::new("dry");
    let ran = machine
        .run(&["--min", "4K", "--max", "4K", "--flush", "64K", "--budget", "1", "--dry-run"], &[CLOCK]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.ends_with("nothing kept, as --dry-run says\n"), "{}", ran.out);
    assert_eq!(machine.kept(), None);
}

#[test]
fn where_there_is_no_time_nothing_is_decided() {
    let machine = Machine::new("hurry");
    let ran = machine.run(&["--min", "4K", "--max", "1M", "--flush", "64K", "--budget", "1"], &[CLOCK]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(gain(&ran.out, "1 MiB"), "no time", "{}", ran.out);
}

#[test]
fn without_a_gpu_it_says_why() {
    let machine = Machine::new("none");
    for args in [&[][..], &["--show"], &["--clear"], &["--dry-run"]] {
        let ran = machine.run_without_driver(args);
        // On a machine with a GPU there is nothing to test here.
        if ran.code == Some(0) {
            return;
        }
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
        assert!(ran.err.starts_with("error: no GPU: "), "{}", ran.err);
    }
    assert_eq!(machine.kept(), None);
}

#[test]
fn bad_usage_is_refused() {
    let machine = Machine::new("usage");
    for args in [
        &["--min", "2K", "--max", "1K"][..],
        &["--types", "f16"],
        &["--ops", "mean"],
        &["--show", "--clear"],
        &["--dry-run", "--clear"],
        &["--budget", "0"],
        &["--max", "1T"],
    ] {
        assert_eq!(machine.run(args, &[]).code, Some(2), "{args:?}");
    }
}
