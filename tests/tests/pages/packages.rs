//! What is published has its licences beside it, since a package does not contain the repository's root; and the pages name no
//! version of a registry, as long as nothing is published.

use std::fs;
use std::path::PathBuf;

use super::{pages, root};

/// The folders of the packages that are published.
fn published() -> Vec<PathBuf> {
    let folders = fs::read_dir(root()).expect("the root").map(|entry| entry.expect("an entry").path());
    let published = folders.filter(|folder| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.contains("[package]") && !manifest.contains("publish = false")
    });
    published.collect()
}

#[test]
fn published_packages_have_their_licences() {
    let published = published();
    assert!(published.len() >= 7, "{published:?}");
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let text = fs::read_to_string(root().join(name)).expect("the licence");
        for folder in &published {
            let copy = fs::read_to_string(folder.join(name)).unwrap_or_default();
            assert!(copy == text, "{}: no copy of {name}", folder.display());
        }
    }
}

#[test]
fn pages_depend_on_paths_until_there_is_a_release() {
    let changelog = fs::read_to_string(root().join("CHANGELOG.md")).expect("the changelog");
    let is_released = changelog.lines().filter(|line| line.starts_with("## ")).nth(1).is_some();
    for (page, text) in pages() {
        let names_a_version = |line: &&str| line.starts_with("warpfold") && line.contains("= \"");
        let line = text.lines().find(names_a_version);
        assert!(
            is_released || line.is_none_or(|line| line.contains("path = ")),
            "{}: {line:?}",
            page.display()
        );
    }
}

/// Rust-CUDA's crate for the driver links with a toolkit, and would be built with all features.
#[test]
fn no_feature_needs_a_cuda_toolkit() {
    let locked = fs::read_to_string(root().join("Cargo.lock")).expect("the lock file");
    assert!(locked.contains("name = \"warpfold-cust\""), "the lock file is read wrongly");
    assert!(!locked.contains("name = \"cust_raw\""), "Cargo.lock: cust_raw");
}
