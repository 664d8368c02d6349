//! Runs tests again in a process of their own, with the emulated driver, whose state is the process's.
#![allow(dead_code, reason = "each test file uses some of it")]

use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The driver's last words if everything was freed.
pub(crate) const LEFT_NOTHING: &str =
    "0 allocations, 0 streams, 0 events, 0 graphs, 0 modules, 0 contexts left; current context none";

/// Says in the environment that this is such a process.
const INSIDE: &str = "WARPFOLD_EMULATED_TEST";

/// Runs the test `name` again in a process with the emulated driver, and returns that process's output; `None` in that process
/// itself.
pub(crate) fn with_emulated(name: &str) -> Option<Output> {
    with_emulated_and(name, &[])
}

/// As [`with_emulated`], with more environment variables.
pub(crate) fn with_emulated_and(name: &str, variables: &[(&str, &str)]) -> Option<Output> {
    let (output, text) = run(name, variables)?;
    assert!(!text.contains("fault:"), "{text}");
    Some(output)
}

/// As [`with_emulated_and`], where the driver is to find a fault.
pub(crate) fn with_fault(name: &str, variables: &[(&str, &str)], fault: &str) -> Option<Output> {
    let (output, text) = run(name, variables)?;
    assert!(text.contains("fault:") && text.contains(fault), "{text}");
    Some(output)
}

fn run(name: &str, variables: &[(&str, &str)]) -> Option<(Output, String)> {
    if std::env::var_os(INSIDE).is_some() {
        cust::emulated::start().expect("the emulated driver");
        return None;
    }
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args([name, "--exact", "--nocapture", "--test-threads", "1"])
        .env(INSIDE, "1")
        .env("WARPFOLD_DEVICE", "emulated")
        .env("WARPFOLD_EMULATED_REPORT", "1")
        // As many as an H100 has, for plans that are a GPU's.
        .env("WARPFOLD_EMULATED_MULTIPROCESSORS", "132")
        // Measurements of an emulated device must not be saved for other programs.
        .env("WARPFOLD_CACHE", "")
        .env_remove("WARPFOLD_TUNING")
        .envs(variables.iter().copied())
        .output()
        .expect("to run");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stdout));
    assert!(text.contains("contexts left"), "the emulated driver was not used: {text}");
    Some((output, text))
}

/// Runs `body` with the emulated driver, and requires that everything was freed.
pub(crate) fn leaves_nothing(name: &str, body: impl FnOnce()) {
    leaves_nothing_and(name, &[], body);
}

/// As [`leaves_nothing`], with more environment variables.
pub(crate) fn leaves_nothing_and(name: &str, variables: &[(&str, &str)], body: impl FnOnce()) {
    match with_emulated_and(name, variables) {
        None => body(),
        Some(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(text.contains(LEFT_NOTHING), "{text}");
        }
    }
}

/// The elements that each grid of a sum folded to partial results, in the order of the launches: where they begin, and
/// how many they are. Needs a driver that logs.
pub(crate) fn folds(log: &str) -> Vec<(u64, u64)> {
    let launches = log.lines().filter_map(|line| line.strip_prefix("emulated driver: launches "));
    let folds = launches.filter_map(|launch| {
        let (_, arguments) = launch.split_once(':').filter(|_| launch.contains("_grid in "))?;
        let words: Vec<u64> = arguments.split(' ').filter_map(|word| word.parse().ok()).collect();
        // Input, length, base, tile, partial results, ticket.
        (words[5] == 0).then_some((words[2], words[1]))
    });
    folds.collect()
}

/// Numbers and their sum.
pub(crate) fn numbers(n: i32) -> (Vec<i32>, i64) {
    let x: Vec<i32> = (0..n).map(|i| i.wrapping_mul(7919) % 1000).collect();
    let sum = x.iter().copied().map(i64::from).sum();
    (x, sum)
}

/// Makes the `count`-th call of a driver function from now on return an error; `run` for the function is the run of a kernel. Only
/// for tests alone in their process.
pub(crate) fn fail(function: &str, count: u32, code: u32) {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    // Each text is another one, and so is counted anew.
    let text = format!("{function} {count} {code} {}", CALLS.fetch_add(1, Ordering::Relaxed));
    // SAFETY: in the tests that call this, only this thread reads or writes the environment.
    unsafe { std::env::set_var("WARPFOLD_EMULATED_FAILURE", text) }
}

/// Runs `body` with the emulated driver and NCCL, and requires that everything was freed. Returns what they said at the end.
pub(crate) fn with_nccl(name: &str, variables: &[(&str, &str)], body: impl FnOnce()) -> Option<String> {
    let Some(text) = with_emulated_nccl(name, variables) else {
        body();
        return None;
    };
    assert!(text.contains(LEFT_NOTHING), "{text}");
    Some(text)
}

/// Runs the test `name` anew with the emulated driver and NCCL, and returns what they said at the end. `None` in the process that
/// has them.
pub(crate) fn with_emulated_nccl(name: &str, variables: &[(&str, &str)]) -> Option<String> {
    let variables: Vec<_> =
        [("WARPFOLD_EMULATED_NCCL", "")].into_iter().chain(variables.iter().copied()).collect();
    let output = with_emulated_and(name, &variables)?;
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}
