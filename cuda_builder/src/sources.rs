//! The sources of a build: the files to watch, and a hash that does not depend on the compiler.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::inner::Inner;
use crate::{Error, flags, hex};

/// Changes whenever the set of hashed data does.
const FORMAT: &str = "cuda_builder sources 1";

/// The sources of one device build.
pub(crate) struct Sources {
    /// The library's name, as in `use name::`.
    pub(crate) library: String,
    /// The compiled files, including the files of path dependencies, absolute and in order.
    pub(crate) files: Vec<PathBuf>,
    /// SHA-256 over files, versions of other dependencies, and settings; as hexadecimal digits.
    pub(crate) hash: String,
}

impl Sources {
    /// Returns whether a file is newer than `moment`.
    pub(crate) fn changed_since(&self, moment: SystemTime) -> bool {
        let time = |file: &PathBuf| file.metadata().and_then(|file| file.modified());
        self.files.iter().any(|file| time(file).is_ok_and(|time| time > moment))
    }
}

/// Reads the sources from cargo's messages and the dependency file that it wrote.
pub(crate) fn read(inner: &Inner<'_>, messages: &str) -> Result<Sources, Error> {
    let unexpected =
        |what: &str| Error::Unexpected { what: what.to_owned(), target_dir: inner.target_dir.to_owned() };
    let units = device_units(inner, messages);
    let manifest = inner.folder.join("Cargo.toml");
    let library = units
        .iter()
        .find(|unit| unit.manifest == manifest)
        .ok_or_else(|| unexpected("no library"))?
        .name
        .clone();

    let record = inner.device_dir().join("release").join(format!("{library}.d"));
    let text = std::fs::read_to_string(&record).map_err(Error::io(&record))?;
    let files = dependencies(&text);
    if files.is_empty() {
        return Err(unexpected("an empty list of sources"));
    }
    let hash = hash(inner, &units, &files)?;
    Ok(Sources { library, files: files.into_iter().collect(), hash })
}

/// A crate compiled for the device.
struct Unit {
    name: String,
    /// Absolute path of its Cargo.toml.
    manifest: PathBuf,
    /// Everything that identifies it apart from its files: name, version unless it is a path dependency, edition,
    /// features.
    description: String,
    is_path: bool,
}

/// Returns the crates compiled for the device, without `core` and its companions.
fn device_units(inner: &Inner<'_>, messages: &str) -> Vec<Unit> {
    let device_dir = inner.device_dir();
    let on_device = |file: &Value| file.as_str().is_some_and(|file| Path::new(file).starts_with(&device_dir));
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter_map(|message| {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let manifest = PathBuf::from(text(&message["manifest_path"])?);
            let is_core = manifest.to_string_lossy().replace('\\', "/").contains("rustlib/src/rust/library/");
            let is_device = message["filenames"].as_array()?.iter().any(on_device);
            let is_root = manifest == inner.folder.join("Cargo.toml");
            let is_script = message["target"]["kind"].as_array()?.iter().any(|kind| kind == "custom-build");
            if is_core || is_script || !(is_device || is_root) {
                return None;
            }
            let id = text(&message["package_id"])?;
            let is_path = id.starts_with("path+");
            // A registry may be mirrored under another address; name and version identify the crate.
            let version = match id.rsplit_once('#') {
                _ if is_path => "path",
                Some((source, version)) if !source.starts_with("git+") => version,
                _ => &id,
            };
            let name = text(&message["target"]["name"])?;
            let (edition, features) = (&message["target"]["edition"], &message["features"]);
            let description = format!("{name} {version} {edition} {features}");
            Some(Unit { name, manifest, description, is_path })
        })
        .collect()
}

/// Returns the files after the colon of a line in make's syntax, where a backslash precedes each space in a name.
fn dependencies(text: &str) -> BTreeSet<PathBuf> {
    let line = text.lines().next().unwrap_or_default();
    let files = line.split_once(": ").map_or("", |(_, files)| files);
    let spaced = files.replace("\\ ", "\0");
    spaced.split_whitespace().map(|file| PathBuf::from(file.replace('\0', " "))).collect()
}

/// Returns the SHA-256 of everything except the compiler. Files are labelled by crate and path within it, so the hash
/// does not depend on where the sources are, and lines end in `\n` whatever the version control made of them.
fn hash(inner: &Inner<'_>, units: &[Unit], files: &BTreeSet<PathBuf>) -> Result<String, Error> {
    let mut labelled = BTreeMap::new();
    for file in files {
        let owner = units
            .iter()
            .filter(|unit| unit.is_path)
            .filter_map(|unit| Some((unit, file.strip_prefix(unit.manifest.parent()?).ok()?)))
            .min_by_key(|(_, inside)| inside.as_os_str().len());
        let label = match owner {
            Some((unit, inside)) => format!("{}/{}", unit.name, inside.to_string_lossy().replace('\\', "/")),
            None => file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        let text = std::fs::read(file).map_err(Error::io(file))?;
        labelled.insert((label, file), text);
    }
    let descriptions: BTreeSet<&str> = units.iter().map(|unit| unit.description.as_str()).collect();
    let mut sha = Sha256::new();
    let mut add = |bytes: &[u8]| {
        sha.update((bytes.len() as u64).to_le_bytes());
        sha.update(bytes);
    };
    add(FORMAT.as_bytes());
    for setting in
        flags::device(inner.arch).iter().chain(&flags::profile(inner.release)).chain(inner.arguments)
    {
        add(setting.as_bytes());
    }
    for description in descriptions {
        add(description.as_bytes());
    }
    for ((label, _), text) in labelled {
        add(label.as_bytes());
        add(String::from_utf8_lossy(&text).replace("\r\n", "\n").as_bytes());
    }
    Ok(hex(&sha.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_with_spaces_are_read() {
        let text = "/out/k.ptx: /a/src/lib.rs /with\\ space/src/warp.rs\n\n/a/src/lib.rs:\n";
        let expected = ["/a/src/lib.rs", "/with space/src/warp.rs"];
        assert_eq!(dependencies(text), expected.iter().map(PathBuf::from).collect());
        assert!(dependencies("").is_empty());
    }
}
