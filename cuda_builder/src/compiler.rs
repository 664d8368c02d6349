//! The search for a rustc that can build PTX: one with an NVPTX backend and the source of `core`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Error;

/// The environment variable that names the compiler.
pub(crate) const VARIABLE: &str = "WARPFOLD_RUSTC";

/// A compiler that can build PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Compiler {
    /// The `rustc` to run.
    pub(crate) rustc: PathBuf,
    /// What `rustc --version` prints.
    pub(crate) version: String,
}

/// Returns the compiler that the environment names.
pub(crate) fn named_by_user() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).filter(|rustc| !rustc.is_empty()).map(PathBuf::from)
}

/// Returns the compiler to use. If `named` (by the caller or by `WARPFOLD_RUSTC`), only that one is tried; otherwise
/// the active toolchain of `folder`, then the system's.
pub(crate) fn find(named: Option<PathBuf>, folder: &Path, target_cpu: &str) -> Result<Compiler, Error> {
    let candidates = match named {
        Some(rustc) => vec![rustc],
        // Cargo passes its rustc to build scripts in the variable RUSTC.
        None => {
            let active = std::env::var_os("RUSTC").filter(|rustc| !rustc.is_empty());
            vec![
                active.map_or_else(|| PathBuf::from("rustc"), PathBuf::from),
                PathBuf::from("/usr/bin/rustc"),
            ]
        }
    };
    let mut tried = String::new();
    for rustc in candidates {
        match examine(|question| ask(&rustc, folder, question), target_cpu) {
            Ok(version) => return Ok(Compiler { rustc, version }),
            // Writing to a `String` does not fail.
            Err(reason) => _ = writeln!(tried, "  - {}: {reason}", rustc.display()),
        }
    }
    Err(Error::NoCompiler { tried })
}

/// Returns the version of a rustc that can build PTX, or why it cannot. `ask` runs it with arguments.
fn examine(ask: impl Fn(&[&str]) -> Result<String, String>, target_cpu: &str) -> Result<String, String> {
    let version = ask(&["--version"])?;
    let library = Path::new(&ask(&["--print", "sysroot"])?).join("lib/rustlib/src/rust/library");
    if !library.join("core/src/lib.rs").is_file() {
        return Err(format!("{version} has no source of `core` at {}", library.display()));
    }
    let cpus = ask(&["--print", "target-cpus", "--target", "nvptx64-nvidia-cuda"])?;
    if !cpus.lines().any(|line| line.split_whitespace().next() == Some(target_cpu)) {
        return Err(format!(
            "{version} is built without LLVM's NVPTX backend, or does not know {target_cpu}"
        ));
    }
    Ok(version)
}

/// Returns what `rustc` prints when run with `arguments`.
fn ask(rustc: &Path, folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(rustc)
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|error| format!("cannot be run ({error})"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{}` failed: {}", arguments.join(" "), stderr.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examines a rustc with the given sysroot, whose backend supports `cpus`.
    fn examine_one(sysroot: &Path, cpus: &str) -> Result<String, String> {
        let answer = |question: &[&str]| {
            Ok(match question {
                ["--version"] => "rustc 9.9.9".to_owned(),
                ["--print", "sysroot"] => sysroot.display().to_string(),
                _ => cpus.to_owned(),
            })
        };
        examine(answer, "sm_75")
    }

    #[test]
    fn a_compiler_needs_source_and_backend() {
        let root = std::env::temp_dir().join(format!("cuda-builder-compiler-{}", std::process::id()));
        let core = root.join("lib/rustlib/src/rust/library/core/src");
        std::fs::create_dir_all(&core).unwrap();
        let refused = examine_one(&root, "    sm_75\n").unwrap_err();
        assert!(refused.contains("rustc 9.9.9 has no source of `core` at"), "{refused}");

        std::fs::write(core.join("lib.rs"), "").unwrap();
        assert_eq!(examine_one(&root, "    sm_70\n    sm_75   - the default\n").unwrap(), "rustc 9.9.9");
        let refused = examine_one(&root, "    x86-64\n    sm_750\n").unwrap_err();
        assert!(refused.contains("without LLVM's NVPTX backend"), "{refused}");
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn the_error_names_what_was_tried_and_what_to_install() {
        let error = find(Some("/nowhere/rustc".into()), Path::new("/"), "sm_75").unwrap_err().to_string();
        for part in
            ["/nowhere/rustc: cannot be run", "rustup component add rust-src", "rustc-web rust-web-src"]
        {
            assert!(error.contains(part), "{error}");
        }
    }
}
