//! Runs `tune` as a user does, with the emulated driver and without a driver; and the plans that it tries.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what it expected")]

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use warpfold::plans::{Passes, Plan};

#[path = "../../tune/candidates.rs"]
mod candidates;

/// A folder with a cache folder, removed at the end.
struct Machine(PathBuf);

impl Machine {
    fn new(name: &str) -> Self {
        let name = format!("tune-{}-{name}", std::process::id());
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    /// Returns the text of the saved file; `None` if there is none.
    fn kept(&self) -> Option<String> {
        let mut files = fs::read_dir(self.0.join("cache")).ok()?;
        let file = files.next()?.expect("a file");
        assert!(files.next().is_none(), "one file");
        Some(fs::read_to_string(file.path()).expect("a text"))
    }

    /// Runs with sums of i32, and returns the exit code, the output and the errors.
    fn run(&self, args: &str, variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
        let test = env::current_exe().expect("the path of this test");
        let profile = test.ancestors().nth(2).expect("a test lies in target/PROFILE/deps");
        let binary = profile.join("examples").join("tune");
        let hint = "`cargo test -p warpfold-examples --features emulator` builds it";
        assert!(binary.exists(), "{} is not built: {hint}", binary.display());
        let output = Command::new(binary)
            .args("--types i32 --ops sum".split(' ').chain(args.split_whitespace()))
            .env("WARPFOLD_CACHE", self.0.join("cache"))
            .env_remove("WARPFOLD_TUNING")
            .envs(variables.iter().copied())
            .output()
            .expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An emulated device with as many multiprocessors as an H100.
const EMULATED: [(&str, &str); 3] = [
    ("WARPFOLD_DEVICE", "emulated"),
    ("WARPFOLD_EMULATED_MULTIPROCESSORS", "132"),
    ("WARPFOLD_EMULATED_REPORT", "1"),
];
/// A clock by which plans of 512 threads take half the time.
const CLOCK: (&str, &str) = ("WARPFOLD_EMULATED_CLOCK", "1");
/// Adds 1 to the first byte of what partial results are folded to: argument 3 of the kernel, which several sums share.
const WRONG: (&str, &str) = ("WARPFOLD_EMULATED_CORRUPT", "reduce_sum_i8_partials 3 0");
const SMALL: &str = "--min 12 --max 12 --memory 16";

#[test]
#[ignore = "a minute in the emulator"]
fn what_is_faster_is_kept_and_right_shown_and_cleared() {
    let machine = Machine::new("kept");
    let on_device = |args: &str, more: &[(&str, &str)]| machine.run(args, &[&EMULATED, more].concat());
    let (code, out, err) = on_device(SMALL, &[CLOCK]);
    assert_eq!(code, Some(0), "{err}");
    // The default plan has 256 threads.
    assert!(out.contains(": 50.0 % less\n") && out.contains("kept 1 rows in "), "{out}");
    let kept = machine.kept().expect("a file");
    assert!(kept.contains("\nrows 1\nreduce_sum_i32_grid 12 "), "{kept}");
    assert!(err.contains("0 allocations, 0 streams, 0 events, 0 graphs, 0 modules, 0 contexts left"));

    // One wrong bit, or a dry run, and nothing is kept.
    let (code, out, err) = on_device(SMALL, &[CLOCK, WRONG]);
    assert_eq!(code, Some(1), "{out}");
    assert!(err.starts_with("error: the GPU has ") && err.contains("Nothing was kept."), "{err}");
    let (code, out, _) = on_device(&format!("{SMALL} --dry-run"), &[]);
    assert!(code == Some(0) && out.ends_with("nothing kept, as --dry-run says\n"), "{out}");
    assert_eq!(machine.kept(), Some(kept));

    let (code, out, _) = on_device("--show", &[]);
    assert_eq!((code, out.lines().count()), (Some(0), 2), "{out}");
    assert!(out.starts_with("1 row from ") && !out.contains("stale"), "{out}");

    // With a clock by which no plan is faster, a row that is measured again is removed.
    let (_, out, _) = on_device(SMALL, &[]);
    assert!(!out.contains("% less") && out.contains("kept 0 rows in "), "{out}");
    let (_, out, _) = on_device("--clear", &[]);
    assert!(out.starts_with("cleared "), "{out}");
    assert!(machine.kept().expect("a file").ends_with("\nrows 0\n"));
}

#[test]
fn without_a_gpu_it_says_why() {
    let machine = Machine::new("none");
    for args in ["", "--show", "--clear", "--dry-run"] {
        let (code, out, err) = machine.run(args, &[]);
        // On a machine with a GPU there is nothing to test here.
        if code == Some(0) {
            return;
        }
        assert_eq!((code, out.as_str()), (Some(1), ""));
        assert!(err.starts_with("error: no GPU: "), "{err}");
    }
    assert_eq!(machine.kept(), None);
}

#[test]
fn bad_usage_is_refused() {
    let machine = Machine::new("usage");
    for args in ["--min 2", "--types f16", "--ops mean", "--show --clear", "--dry-run --clear", "--max 40"] {
        assert_eq!(machine.run(args, &EMULATED).0, Some(2), "{args}");
    }
}

#[test]
fn every_plan_is_tried_once_and_the_usual_one_not_again() {
    for shift in [10, 12, 14, 16, 18, 20, 24, 28] {
        for n in [1 << shift, (1 << shift) + 1] {
            let usual = Plan::new::<f32>(n, 132);
            let found = candidates::plans::<f32>(n, 132, &usual);
            assert!(!found.is_empty(), "{n}");
            for (at, (config, plan)) in found.iter().enumerate() {
                assert_eq!(config.plan::<f32>(n, 132).as_ref().ok(), Some(plan));
                assert!(*plan != usual && found.iter().take(at).all(|(_, other)| other != plan), "{plan}");
            }
        }
    }
}

#[test]
fn large_inputs_have_every_kind() {
    let found = candidates::plans::<f32>(1 << 28, 132, &Plan::new::<f32>(1 << 28, 132));
    let kinds = |wanted: Passes| found.iter().filter(|(config, _)| config.passes() == wanted).count();
    assert_eq!(kinds(Passes::Block), 0);
    assert!(kinds(Passes::Grid) >= 15, "{}", kinds(Passes::Grid));
    assert!(kinds(Passes::Recursive { fan_in: 64 }) >= 6);
}
