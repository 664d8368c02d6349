//! Names in the pages of docs/ exist: functions and variants of the library, its errors, the programs of the
//! gallery. Names of the driver crate are not in the public interface. Versions in the changelog follow from the tree's.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod packages;
mod releases;
mod requirements;
mod tuning;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The public interface, as written by `cargo xtask api`.
const API: &str = include_str!("../../../host/api.txt");

/// Variables in the pages' code that are backends.
const BACKENDS: [(&str, &str); 3] = [("auto", "Auto"), ("cpu", "Cpu"), ("cuda", "Cuda")];

#[test]
fn functions_and_variants_that_pages_name_are_public() {
    let public = public();
    let mut seen = 0;
    for (page, text) in pages() {
        // That section is about cust, whose types share some names with ours.
        let text = text.split("\n## Rust-CUDA\n").next().expect("the text before it");
        for (owner, separator, name) in named(text) {
            let backend = BACKENDS.iter().find(|(variable, _)| separator == "." && *variable == owner);
            let owner = backend.map_or(owner, |&(_, backend)| backend);
            if let Some(names) = public.get(owner).filter(|_| backend.is_some() || separator == "::") {
                assert!(names.contains(name), "{}: {owner}::{name} is not public", page.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 200, "{seen} names were found: the pages are read wrongly");
}

#[test]
fn every_error_is_in_troubleshooting() {
    let page = fs::read_to_string(root().join("docs/troubleshooting.md")).expect("the page");
    let public = public();
    for variant in public["Error"].iter().chain(&public["Unavailable"]) {
        if variant.starts_with(char::is_uppercase) && *variant != "Unavailable" {
            assert!(page.contains(&format!("`{variant}`")), "docs/troubleshooting.md: {variant} is missing");
        }
    }
}

#[test]
fn every_program_is_in_the_gallery() {
    let page = fs::read_to_string(root().join("docs/gallery.md")).expect("the page");
    for program in files(&root().join("examples/gallery/src/bin")) {
        let name = program.file_name().expect("a name").to_string_lossy();
        assert!(page.contains(&format!("/{name})")), "docs/gallery.md: {name} is missing");
    }
}

/// The driver crate stays private but for its errors.
#[test]
fn the_driver_crate_is_public_in_conversions_of_errors_alone() {
    let named: Vec<_> = API.lines().filter(|line| line.contains("cust::")).collect();
    assert!(!named.is_empty(), "the interface is read wrongly");
    for line in named {
        let is_conversion = ["cust::error::CudaError", "cust::error::DriverCode"].iter().any(|error| {
            line.starts_with(&format!("impl core::convert::From<{error}> for warpfold::"))
                || (line.starts_with("pub fn warpfold::")
                    && line.ends_with(&format!("::from({error}) -> Self")))
        });
        assert!(is_conversion, "not to be public: {line}");
    }
}

/// Public names, by the type or trait that has them.
fn public() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let mut public = BTreeMap::<_, BTreeSet<_>>::new();
    let paths =
        |line: &'static str| line.match_indices("warpfold::").map(|(at, crate_)| &line[at + crate_.len()..]);
    for path in API.lines().flat_map(paths) {
        let (owner, rest) = split_identifier(path);
        if let Some(name) = without_arguments(rest).strip_prefix("::") {
            public.entry(owner).or_default().insert(split_identifier(name).0);
        }
    }
    public
}

/// All occurrences of `owner::name` and `owner.name` in a text.
fn named(text: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    let separators = text.match_indices("::").chain(text.match_indices('.'));
    separators.filter_map(|(at, separator)| {
        let before = &text[..at];
        let start = before.rfind(|c: char| !is_identifier(c)).map_or(0, |end| end + 1);
        let longer = before[..start].ends_with(['.', ':', '/', '-']);
        let (name, _) = split_identifier(&text[at + separator.len()..]);
        (!longer && start < at && name.starts_with(char::is_alphabetic)).then_some((
            &text[start..at],
            separator,
            name,
        ))
    })
}

fn is_identifier(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn split_identifier(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c| !is_identifier(c)).unwrap_or(text.len()))
}

/// The text after generic arguments.
fn without_arguments(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|c| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && c != '>'
    });
    &text[end.unwrap_or(text.len())..]
}

fn pages() -> Vec<(PathBuf, String)> {
    let mut pages = ["docs", "docs/design", "docs/tuning"].map(|folder| files(&root().join(folder))).concat();
    pages.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    pages.push(root().join("README.md"));
    pages.into_iter().map(|page| (page.clone(), fs::read_to_string(page).expect("a page"))).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
