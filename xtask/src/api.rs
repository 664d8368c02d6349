//! `cargo xtask api`: records the public interface of each published package, or checks that no change breaks its users
//! without a new version.
//!
//! The lines come from rustdoc's JSON, with all features; its warnings, such as broken links, are errors. Removed and changed lines break users. A new line may break
//! them too, such as a trait's new required function or a closed enum's new variant; only a reader of the difference
//! notices that.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::workspace;

/// The published packages: name, folder, and library name in code.
const PUBLISHED: [(&str, &str, &str); 9] = [
    ("warpfold", "host", "warpfold"),
    ("warpfold-cuda-builder", "cuda_builder", "cuda_builder"),
    ("warpfold-cuda-std", "cuda_std", "cuda_std"),
    ("warpfold-cust", "cust", "cust"),
    ("warpfold-elementary", "elementary", "warpfold_elementary"),
    ("warpfold-exact", "exact", "warpfold_exact"),
    ("warpfold-kernels", "gpu-kernels", "gpu_kernels"),
    ("warpfold-mpi", "mpi", "warpfold_mpi"),
    ("warpfold-ptx", "ptx", "warpfold_ptx"),
];

/// The record in each package's folder: a line with name and version, then the interface.
const RECORD: &str = "api.txt";

/// Auto traits that only the compiler and its library name.
const UNNAMEABLE: [&str; 2] = ["core::marker::Freeze for", "core::marker::UnsafeUnpin for"];

/// Arguments of the command.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail if a record does not match its package, or lacks a line that the version promises
    #[arg(long)]
    check: bool,
    /// Write breaking changes under the same version: it was never published, or only rustdoc's wording changed
    #[arg(long, conflicts_with = "check")]
    accept: bool,
}

/// The result of comparing a package's interface with its record.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Same,
    /// The record must be rewritten, but no user breaks without a new version.
    Stale,
    /// These lines are missing or changed, although the version promises them.
    Breaking(Vec<String>),
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let mut findings = Vec::new();
    for (package, folder, library) in PUBLISHED {
        let fresh = interface(package, library)?;
        let file = workspace::root().join(folder).join(RECORD);
        let kept = if file.exists() { fs::read_to_string(&file)? } else { String::new() };
        match judge(&kept, &fresh) {
            Verdict::Same => {}
            Verdict::Breaking(lines) if !arguments.accept => findings.push(breaking(&kept, &lines)),
            Verdict::Stale if arguments.check => {
                findings
                    .push(format!("{folder}/{RECORD} is out of date: run `cargo xtask api` and commit it"));
            }
            Verdict::Stale | Verdict::Breaking(_) => fs::write(&file, &fresh)?,
        }
    }
    if !findings.is_empty() {
        return Err(findings.join("\n").into());
    }
    println!("{} {} packages", if arguments.check { "checked" } else { "wrote" }, PUBLISHED.len());
    Ok(())
}

/// Returns the error for lines that users may rely on and that are missing.
fn breaking(kept: &str, lines: &[String]) -> String {
    format!(
        "{} had, and no longer has:\n  {}\nThis is a breaking change: bump the version or restore, then run \
         `cargo xtask api`; for a version that was never published, `cargo xtask api --accept`",
        header(kept),
        lines.join("\n  ")
    )
}

/// Compares a record with the current interface.
fn judge(kept: &str, fresh: &str) -> Verdict {
    if kept == fresh {
        return Verdict::Same;
    }
    let now: BTreeSet<&str> = fresh.lines().skip(1).collect();
    let lost: Vec<String> =
        kept.lines().skip(1).filter(|line| !now.contains(line)).map(str::to_owned).collect();
    if lost.is_empty() || series(kept) != series(fresh) { Verdict::Stale } else { Verdict::Breaking(lost) }
}

/// Returns a record's first line: the package and its version.
fn header(record: &str) -> &str {
    record.lines().next().unwrap_or_default()
}

/// Returns the part of a record's version that changes when users break: the major number, or `0.` and the minor one.
fn series(record: &str) -> String {
    let version = header(record).rsplit(' ').next().unwrap_or_default();
    let numbers = if version.starts_with("0.") { 2 } else { 1 };
    version.split('.').take(numbers).collect::<Vec<_>>().join(".")
}

/// Returns the current record of a package.
fn interface(package: &str, library: &str) -> Result<String, Box<dyn Error>> {
    #[derive(Deserialize)]
    struct Document {
        crate_version: String,
    }
    let json = document(package, library)?;
    let document: Document = serde_json::from_str(&fs::read_to_string(&json)?)?;
    let api = public_api::Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build()
        .map_err(|error| {
            format!("{error}\nThe version of public-api in Cargo.toml must suit the compiler")
        })?;
    let mut record = format!("{package} {}\n", document.crate_version);
    for item in api.items() {
        let line = item.to_string();
        if !UNNAMEABLE.iter().any(|name| line.contains(name)) {
            record.push_str(&line);
            record.push('\n');
        }
    }
    Ok(record)
}

/// Runs rustdoc for a package, and returns its JSON file.
fn document(package: &str, library: &str) -> Result<PathBuf, Box<dyn Error>> {
    // A separate target folder, since build scripts depend on the variable, which lets a stable rustdoc write JSON.
    let target: &Path = &workspace::target().join("api");
    let mut rustdoc = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    rustdoc.env("RUSTC_BOOTSTRAP", "1").current_dir(workspace::root());
    rustdoc.args(["rustdoc", "--quiet", "--lib", "--all-features", "--package", package, "--target-dir"]);
    rustdoc.arg(target).args(["--", "-Zunstable-options", "--output-format=json", "-Dwarnings"]);
    if !rustdoc.status()?.success() {
        return Err(format!("rustdoc failed for {package}").into());
    }
    Ok(target.join("doc").join(library).with_extension("json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: &str = "p 0.1.0\npub fn p::f(u32)\npub fn p::g()\n";

    fn lost(lines: &[&str]) -> Verdict {
        Verdict::Breaking(lines.iter().map(|&line| line.to_owned()).collect())
    }

    #[test]
    fn the_same_interface_passes_and_a_larger_one_is_to_be_written() {
        assert_eq!(judge(KEPT, KEPT), Verdict::Same);
        let added = "p 0.1.0\npub fn p::e()\npub fn p::f(u32)\npub fn p::g()\n";
        assert_eq!(judge(KEPT, added), Verdict::Stale);
        assert_eq!(judge("", KEPT), Verdict::Stale);
    }

    #[test]
    fn planted_removals_and_changes_break() {
        assert_eq!(judge(KEPT, "p 0.1.0\npub fn p::g()\n"), lost(&["pub fn p::f(u32)"]));
        let changed = "p 0.1.9\npub fn p::f(u64)\npub fn p::g()\npub fn p::h()\n";
        assert_eq!(judge(KEPT, changed), lost(&["pub fn p::f(u32)"]));
        let said = breaking(KEPT, &["pub fn p::f(u32)".to_owned()]);
        assert!(said.starts_with("p 0.1.0 had, and no longer has:\n  pub fn p::f(u32)\n"), "{said}");
    }

    #[test]
    fn a_new_series_may_break_and_wants_a_new_record() {
        assert_eq!(judge(KEPT, "p 0.2.0\npub fn p::g()\n"), Verdict::Stale);
        assert_eq!(judge(KEPT, "p 1.0.0\npub fn p::g()\n"), Verdict::Stale);
        assert_eq!(judge(KEPT, &KEPT.replace("0.1.0", "0.1.1")), Verdict::Stale);
        assert_eq!(judge(KEPT, &KEPT.replace("0.1.0", "0.2.0")), Verdict::Stale);
        assert_eq!(judge("p 1.2.0\nf\n", "p 1.3.0\n"), lost(&["f"]));
        assert_eq!(judge("p 1.2.0\nf\n", "p 2.0.0\n"), Verdict::Stale);
        assert_eq!(judge("p 1.2.0\nf\n", "p 10.0.0\n"), Verdict::Stale);
    }
}
