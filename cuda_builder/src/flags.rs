//! The compiler flags of the device build, and flags that are refused.

use crate::{Error, NvvmArch};

/// Environment variables whose flags cargo would pass to rustc for the device.
pub(crate) const PLACES: [&str; 4] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_TARGET_NVPTX64_NVIDIA_CUDA_RUSTFLAGS",
];

/// Parts of flags that let LLVM contract, flush or reorder floating-point arithmetic.
const FORBIDDEN: [&str; 4] = ["fp-contract", "fma-level", "f32ftz", "fast-math"];

/// Refuses flags that change floating-point results. The device build takes no flags from the environment, but a user
/// who sets these expects them to work, and must be told that they do not.
pub(crate) fn check(environment: impl Fn(&str) -> Option<String>) -> Result<(), Error> {
    for place in PLACES {
        let value = environment(place).unwrap_or_default();
        let flag = value
            .split(|c: char| c == '\x1f' || c.is_whitespace())
            .find(|flag| FORBIDDEN.iter().any(|f| flag.replace('_', "-").contains(f)));
        if let Some(flag) = flag {
            return Err(Error::ForbiddenFlag { flag: flag.to_owned(), place: place.to_owned() });
        }
    }
    Ok(())
}

/// Returns the flags for every crate of the device build, including `core`.
///
/// A panic on a GPU cannot show its message. `immediate-abort` makes it a trap, and keeps formatting code, stack frames
/// and source paths out of the PTX.
pub(crate) fn device(arch: NvvmArch) -> Vec<String> {
    vec![
        format!("-Ctarget-cpu={}", arch.target_cpu()),
        "-Zunstable-options".to_owned(),
        "-Cpanic=immediate-abort".to_owned(),
        "-Zlocation-detail=none".to_owned(),
    ]
}

/// Returns the profile of the device build, as `--config` values: the user's own profiles are for the host.
pub(crate) fn profile(release: bool) -> Vec<String> {
    let (opt_level, checks) = if release { (3, false) } else { (1, true) };
    [
        "lto=\"fat\"".to_owned(),
        "codegen-units=1".to_owned(),
        "panic=\"abort\"".to_owned(),
        "debug=false".to_owned(),
        "strip=false".to_owned(),
        "incremental=false".to_owned(),
        format!("opt-level={opt_level}"),
        format!("debug-assertions={checks}"),
        format!("overflow-checks={checks}"),
    ]
    .map(|setting| format!("profile.release.{setting}"))
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(place: &'static str, value: &'static str) -> impl Fn(&str) -> Option<String> {
        move |name| (name == place).then(|| value.to_owned())
    }

    #[test]
    fn flags_that_change_results_are_refused_wherever_they_stand() {
        for place in PLACES {
            for value in [
                "-C llvm-args=-fp-contract=fast",
                "-C opt-level=3 -C llvm-args=-nvptx-fma-level=1",
                "-Copt-level=3\x1f-Cllvm-args=--nvptx-f32ftz",
                "-Cllvm-args=-enable-unsafe-fast-math",
                "-Cllvm-args=-fp_contract=fast",
            ] {
                let error = check(with(place, value)).unwrap_err().to_string();
                assert!(error.contains(place) && error.contains("Remove the flag"), "{error}");
            }
        }
    }

    #[test]
    fn other_flags_pass() {
        check(with("RUSTFLAGS", "-C target-cpu=native -D warnings --cfg contract")).unwrap();
        check(|_| None).unwrap();
    }
}
