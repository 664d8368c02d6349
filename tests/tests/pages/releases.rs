//! A changed result bit is a breaking release: the headings of CHANGELOG.md name the tree version of each release, and
//! a release with another tree version than the one before it has a version that is breaking by Semantic Versioning.

use std::fs;

use warpfold::TREE_VERSION;

/// The version in the root's Cargo.toml, which this package shares.
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[test]
fn a_new_tree_version_is_a_breaking_release() {
    let changelog = fs::read_to_string(super::root().join("CHANGELOG.md")).expect("the changelog");
    assert_eq!(check(&changelog, VERSION, TREE_VERSION), Ok(()));
}

/// A section of the changelog.
#[derive(Clone, Copy)]
struct Section {
    /// The version, or `None` if it is not released.
    version: Option<[u64; 3]>,
    tree_version: u32,
}

/// Fails with the first rule that is broken by a changelog, at a version of the packages and of the tree.
fn check(changelog: &str, version: &str, tree_version: u32) -> Result<(), String> {
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## "));
    let sections = headings.map(section).collect::<Result<Vec<_>, _>>()?;
    let current = numbers(version).ok_or(format!("{version} is no version X.Y.Z"))?;
    let first = *sections.first().ok_or("there is no section")?;
    if first.tree_version != tree_version {
        return Err(format!("the first section is of tree version {}", first.tree_version));
    }
    if first.version.is_some_and(|released| released != current) {
        return Err(format!("the first section's version is not {version}"));
    }
    let mut newer = Section { version: Some(current), ..first };
    for (index, &older) in sections[1..].iter().enumerate() {
        let (Some(new), Some(old)) = (newer.version, older.version) else {
            return Err("a section below the first is not released".into());
        };
        // What is not released may still have the version of the last release in Cargo.toml.
        let may_be_same = index == 0 && first.version.is_none();
        if new < old || (new == old && !may_be_same) {
            return Err(format!("{new:?} does not follow {old:?}"));
        }
        if newer.tree_version < older.tree_version {
            return Err(format!("the tree version of {new:?} is below that of {old:?}"));
        }
        if newer.tree_version != older.tree_version && breaking(new) == breaking(old) {
            return Err(format!("{new:?} has another tree version than {old:?}, and is not breaking"));
        }
        newer = older;
    }
    Ok(())
}

/// Reads `Unreleased (tree version N)` or `X.Y.Z, YYYY-MM-DD (tree version N)`.
fn section(heading: &str) -> Result<Section, String> {
    let read = || {
        let (name, tree_version) = heading.strip_suffix(')')?.split_once(" (tree version ")?;
        let version = match name {
            "Unreleased" => None,
            _ => {
                let (version, date) = name.split_once(", ")?;
                Some(numbers(version).filter(|_| is_date(date))?)
            }
        };
        Some(Section { version, tree_version: tree_version.parse().ok()? })
    };
    read().ok_or(format!("\"{heading}\" has not the form of a heading"))
}

/// The three numbers of a version.
fn numbers(version: &str) -> Option<[u64; 3]> {
    let numbers = version.split('.').map(|number| number.parse().ok()).collect::<Option<Vec<_>>>()?;
    numbers.try_into().ok()
}

/// Whether a text has the form 2026-01-31.
fn is_date(text: &str) -> bool {
    let form = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c });
    form.eq("0000-00-00".chars())
}

/// The part of a version that differs between releases that break: the major number, and before 1.0 the minor one.
fn breaking([major, minor, _]: [u64; 3]) -> (u64, u64) {
    (major, if major == 0 { minor } else { 0 })
}

/// The headings of a changelog, at a version of the packages and of the tree.
fn found(headings: &[&str], version: &str, tree_version: u32) -> Result<(), String> {
    let text: String = headings.iter().map(|heading| format!("## {heading}\n\n- A change.\n\n")).collect();
    check(&format!("# Changelog\n\n{text}"), version, tree_version)
}

#[test]
fn changelogs_that_keep_the_rules_pass() {
    let last = "0.2.1, 2026-02-01 (tree version 1)";
    let cases: [(&[&str], &str, u32); 9] = [
        (&["Unreleased (tree version 1)"], "0.1.0", 1),
        (&["0.1.0, 2026-01-31 (tree version 1)"], "0.1.0", 1),
        (&["Unreleased (tree version 1)", last], "0.2.1", 1),
        (&["Unreleased (tree version 1)", last], "0.2.2", 1),
        (&["Unreleased (tree version 2)", last], "0.3.0", 2),
        (&["Unreleased (tree version 2)", last], "1.0.0", 2),
        (&["0.3.0, 2026-03-01 (tree version 2)", last], "0.3.0", 2),
        (&["1.2.0, 2026-04-01 (tree version 1)", "1.1.9, 2026-03-01 (tree version 1)", last], "1.2.0", 1),
        (&["2.0.0, 2026-04-01 (tree version 2)", "1.1.9, 2026-03-01 (tree version 1)", last], "2.0.0", 2),
    ];
    for (headings, version, tree_version) in cases {
        assert_eq!(found(headings, version, tree_version), Ok(()), "{headings:?}, {version}");
    }
}

#[test]
fn changelogs_that_break_a_rule_are_refused() {
    let last = "0.2.1, 2026-02-01 (tree version 1)";
    let cases: [(&[&str], &str, u32, &str); 18] = [
        (&[], "0.1.0", 1, "no section"),
        (&["Unreleased"], "0.1.0", 1, "the form"),
        (&["Unreleased (tree version one)"], "0.1.0", 1, "the form"),
        (&["0.1.0 (tree version 1)"], "0.1.0", 1, "the form"),
        (&["0.1, 2026-01-31 (tree version 1)"], "0.1.0", 1, "the form"),
        (&["0.1.0, January (tree version 1)"], "0.1.0", 1, "the form"),
        (&["Unreleased (tree version 1)"], "0.1", 1, "no version"),
        (&["Unreleased (tree version 1)"], "0.2.0", 2, "is of tree version 1"),
        (&["0.2.0, 2026-01-31 (tree version 1)"], "0.1.0", 1, "version is not 0.1.0"),
        (&["Unreleased (tree version 1)", "Unreleased (tree version 1)"], "0.1.0", 1, "not released"),
        (&["Unreleased (tree version 1)", last], "0.2.0", 1, "does not follow"),
        (&[last, last], "0.2.1", 1, "does not follow"),
        (&["Unreleased (tree version 1)", last, last], "0.2.1", 1, "does not follow"),
        (&["Unreleased (tree version 0)", last], "0.3.0", 0, "is below"),
        (&["Unreleased (tree version 2)", last], "0.2.1", 2, "not breaking"),
        (&["Unreleased (tree version 2)", last], "0.2.2", 2, "not breaking"),
        (&["0.2.2, 2026-03-01 (tree version 2)", last], "0.2.2", 2, "not breaking"),
        (
            &[
                "Unreleased (tree version 2)",
                "1.2.0, 2026-04-01 (tree version 2)",
                "1.1.9, 2026-03-01 (tree version 1)",
            ],
            "1.2.0",
            2,
            "not breaking",
        ),
    ];
    for (headings, version, tree_version, why) in cases {
        let error = found(headings, version, tree_version).expect_err("a broken rule");
        assert!(error.contains(why), "{headings:?}, {version}: {error}");
    }
}
