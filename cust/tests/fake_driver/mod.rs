//! Runs tests again in a separate process, with the driver of fake_driver.c instead of NVIDIA's.
#![allow(dead_code, reason = "each test file uses some of it")]

mod another_library;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

#[allow(unused_imports, reason = "some test files are another library too")]
pub(crate) use another_library::driver_functions;

/// The driver's last message if everything was freed.
pub(crate) const LEFT_NOTHING: &str =
    "0 allocations, 0 streams, 0 events, 0 graphs, 0 modules, 0 contexts left; current context none";

/// The folder of the driver, which is compiled once per process.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fake-driver-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        compile("fake_driver.c", &folder.join("libcuda.so.1"));
        folder
    })
}

/// Compiles a source beside this file to a library.
fn compile(source: &str, library: &Path) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../cust/tests/fake_driver");
    let compiled = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()))
        .args(["-shared", "-fPIC", "-O1", "-ffp-contract=off", "-D_GNU_SOURCE", "-pthread", "-o"])
        .arg(library)
        .arg(Path::new(folder).join(source))
        .arg("-lm")
        .status();
    assert!(compiled.expect("a C compiler").success());
}

/// The NCCL of fake_nccl.c, which is compiled once per process.
pub(crate) fn nccl() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let library = folder().join("libnccl.so.2");
        compile("fake_nccl.c", &library);
        library
    })
}

/// Runs the test `name` again in a process with the fake driver, and returns that process's output; `None` in
/// that process itself.
pub(crate) fn with_fake_driver(name: &str) -> Option<Output> {
    with_fake_driver_and(name, &[])
}

/// As [`with_fake_driver`], with a device with this kind of float arithmetic.
pub(crate) fn with_fake_driver_that(name: &str, arithmetic: &str) -> Option<Output> {
    with_fake_driver_and(name, &[("WARPFOLD_FAKE_ARITHMETIC", arithmetic)])
}

/// As [`with_fake_driver`], with more environment variables.
pub(crate) fn with_fake_driver_and(name: &str, variables: &[(&str, &str)]) -> Option<Output> {
    const INSIDE: &str = "WARPFOLD_FAKE_DRIVER";
    if std::env::var_os(INSIDE).is_some() {
        return None;
    }
    let output = Command::new(std::env::current_exe().expect("this test"))
        .args([name, "--exact", "--nocapture", "--test-threads", "1"])
        .env(INSIDE, "1")
        .env("LD_LIBRARY_PATH", folder())
        // Measurements with a fake driver must not be saved for other programs.
        .env("WARPFOLD_CACHE", "")
        .env_remove("WARPFOLD_TUNING")
        .envs(variables.iter().copied())
        .output()
        .expect("to run");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stdout));
    assert!(text.contains("fake driver: "), "the fake driver was not used: {text}");
    Some(output)
}

/// Runs `body` with the fake driver, and requires that everything was freed.
pub(crate) fn leaves_nothing(name: &str, body: impl FnOnce()) {
    match with_fake_driver(name) {
        None => body(),
        Some(output) => {
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(text.contains(LEFT_NOTHING), "{text}");
        }
    }
}

/// Numbers and their sum.
pub(crate) fn numbers(n: i32) -> (Vec<i32>, i64) {
    let x: Vec<i32> = (0..n).map(|i| i.wrapping_mul(7919) % 1000).collect();
    let sum = x.iter().copied().map(i64::from).sum();
    (x, sum)
}

/// Makes the `count`-th call of a driver function from now on return an error. Only for tests alone in their process,
/// and once for each triple in a row.
pub(crate) fn fail(function: &str, count: u32, code: u32) {
    // SAFETY: in the tests that call this, only this thread reads or writes the environment.
    unsafe { std::env::set_var("WARPFOLD_FAKE_FAILURE", format!("{function} {count} {code}")) }
}

/// Runs the test `name` anew with the fakes of the driver and of NCCL, and returns what they said at the end. `None` in the process
/// that has them.
pub(crate) fn with_fake_nccl(name: &str, variables: &[(&str, &str)]) -> Option<String> {
    let is_inside = std::env::var_os("WARPFOLD_FAKE_DRIVER").is_some();
    let library = if is_inside { "" } else { nccl().to_str().expect("a path") };
    let variables: Vec<_> =
        [("WARPFOLD_NCCL", library)].into_iter().chain(variables.iter().copied()).collect();
    let output = with_fake_driver_and(name, &variables)?;
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Runs `body` with these fakes, and requires that everything was freed. Returns what they said at the end.
pub(crate) fn with_nccl(name: &str, variables: &[(&str, &str)], body: impl FnOnce()) -> Option<String> {
    let Some(text) = with_fake_nccl(name, variables) else {
        body();
        return None;
    };
    assert!(text.contains(LEFT_NOTHING), "{text}");
    Some(text)
}
