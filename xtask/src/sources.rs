//! A hash of everything that kernels are made from except the compiler, computed without compiling: of Rust's tokens, so that comments
//! and documentation change without a new pack.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::digest;
use crate::rust_text;
use crate::workspace::{self, Kernels};

/// The crate that turns compiler output into modules. Its source is part of the hash.
const BUILDER: &str = "cuda_builder";

/// Folders that are compiled for the host alone: of cuda_std, and of exact.
const FOR_HOSTS: [&str; 2] = ["src/emulator", "src/state"];

/// The catalogue's matrix. What is compiled is `catalogue/pairs.rs`, written from it.
const MATRIX: &str = "src/catalogue/matrix.txt";

/// Returns the hash of the crates that are compiled for the device (files of those in this workspace, versions of the
/// others), of their features, and of `cuda_builder`.
pub(crate) fn hash(kernels: &Kernels) -> Result<String, Box<dyn Error>> {
    let tree = tree(kernels)?;
    let (mut crates, mut files) = (Vec::new(), BTreeMap::new());
    read(&workspace::root().join(BUILDER), BUILDER, &mut files)?;
    for line in tree.lines() {
        let (name, folder) = package(line);
        if let Some(folder) = folder {
            read(&folder, line.split(' ').next().unwrap_or_default(), &mut files)?;
        }
        crates.push(name);
    }
    crates.sort();
    crates.dedup();
    let parts = kernels.arguments.iter().map(|argument| (*argument).to_owned()).chain(crates);
    let parts = parts.chain(files.into_iter().flat_map(|(name, text)| [name, text]));
    Ok(digest::sha256(&parts.map(|part| format!("{}:{part}", part.len())).collect::<String>()))
}

/// Returns the packages that are compiled for the device, one per line: name, version, folder if it is local, features.
fn tree(kernels: &Kernels) -> Result<String, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut run = Command::new(cargo);
    run.current_dir(workspace::root().join(kernels.folder)).args(["tree", "--quiet", "--locked"]);
    run.args([
        "--edges",
        "normal,build",
        "--target",
        "nvptx64-nvidia-cuda",
        "--prefix",
        "none",
        "--no-dedupe",
    ]);
    let output = run.args(["--format", "{p} {f}"]).args(kernels.arguments).output()?;
    if !output.status.success() {
        return Err(format!("cargo tree: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// Splits a line into the text without the folder, and the folder.
fn package(line: &str) -> (String, Option<PathBuf>) {
    let Some((before, rest)) = line.split_once(" (") else { return (line.to_owned(), None) };
    let (inside, features) = rest.split_once(')').unwrap_or((rest, ""));
    let folder = Path::new(inside).is_absolute().then(|| inside.into());
    (format!("{before}{features}"), folder)
}

/// Adds the files of a package: its Cargo.toml and the tokens of all Rust under `src` but what is for hosts alone.
fn read(folder: &Path, name: &str, files: &mut BTreeMap<String, String>) -> Result<(), Box<dyn Error>> {
    let mut open = vec![folder.join("Cargo.toml"), folder.join("src")];
    while let Some(path) = open.pop() {
        if FOR_HOSTS.iter().any(|hosts| path == folder.join(hosts)) {
            continue;
        }
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                open.push(entry?.path());
            }
            continue;
        }
        let text = match path.extension().and_then(OsStr::to_str) {
            Some("rs") => rust_text::tokens(&fs::read_to_string(&path)?)
                .map_err(|error| format!("{}: {error}", path.display()))?,
            Some("toml") => fs::read_to_string(&path)?.replace("\r\n", "\n"),
            // What lists are written from, which are sources.
            _ if path.ends_with(MATRIX) => continue,
            _ => return Err(format!("{}: is it a source of kernels? See FOR_HOSTS.", path.display()).into()),
        };
        files.insert(
            format!("{name}/{}", path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/")),
            text,
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_hosts_is_not_hashed_and_the_rest_is() {
        for ((package, kept), hosts) in
            [("cuda_std", "src/warp.rs"), ("exact", "src/total/batch_f32.rs")].into_iter().zip(FOR_HOSTS)
        {
            let (mut files, folder) = (BTreeMap::new(), workspace::root().join(package));
            read(&folder, package, &mut files).expect("the sources");
            assert!(folder.join(hosts).is_dir() && files.contains_key(&format!("{package}/{kept}")));
            assert!(!files.keys().any(|file| file.contains(hosts)), "{:?}", files.keys());
        }
    }

    #[test]
    fn a_line_of_the_tree_is_read() {
        let here = package("warpfold-kernels v0.1.0 (/a b/gpu-kernels) catalogue,default");
        assert_eq!(
            here,
            ("warpfold-kernels v0.1.0 catalogue,default".to_owned(), Some("/a b/gpu-kernels".into()))
        );
        let derive = package("bytemuck_derive v1.10.0 (proc-macro) ");
        assert_eq!(derive, ("bytemuck_derive v1.10.0 ".to_owned(), None));
        assert_eq!(package("half v2.7.1 bytemuck"), ("half v2.7.1 bytemuck".to_owned(), None));
    }

    #[test]
    fn features_tell_hashes_apart() {
        let hashes: Vec<String> = workspace::KERNELS.iter().map(|kernels| hash(kernels).unwrap()).collect();
        for (at, one) in hashes.iter().enumerate() {
            assert!(!hashes[..at].contains(one), "{}", workspace::KERNELS[at].pack);
        }
    }
}
