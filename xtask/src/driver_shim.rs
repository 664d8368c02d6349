//! `cargo xtask driver-shim`: a static `libcuda.a` that finds the driver at run time (source: xtask/driver_shim).
//!
//! cust links to `-lcuda`. With this archive in the link path the feature `cuda` builds where there is no CUDA
//! toolkit and no driver, and the program starts on such a machine too, where every call answers "no driver".

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The shim's source.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/driver_shim");

/// Where cargo looks for the shim in this workspace: `CUDA_LIBRARY_PATH` in .cargo/config.toml.
const OUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/driver-shim");

/// Arguments of `cargo xtask driver-shim`.
#[derive(clap::Args, Default)]
pub(crate) struct Arguments {
    /// Folder to make lib64/libcuda.a in, for CUDA_LIBRARY_PATH [default: target/driver-shim]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Makes the archive and says how to link to it.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let archive = build(arguments.out.as_deref().unwrap_or(Path::new(OUT)))?.canonicalize()?;
    println!("made {}", archive.display());
    if let (Some(_), Some(folder)) = (&arguments.out, archive.parent().and_then(Path::parent)) {
        println!("To link to it, add to .cargo/config.toml, of a workspace or of your home folder:\n");
        println!("[env]\nCUDA_LIBRARY_PATH = \"{}\"", folder.display());
    }
    Ok(())
}

/// Compiles the shim and returns the archive's path. cust's build script looks for `lib64` in
/// `CUDA_LIBRARY_PATH`, and the linker takes `libcuda.a` for `-lcuda` where no `libcuda.so` stands beside it.
fn build(out: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let folder = out.join("lib64");
    std::fs::create_dir_all(&folder).map_err(|e| format!("could not make {}: {e}", folder.display()))?;
    let archive = folder.join("libcuda.a");
    let objects = ["entries.S", "resolve.c"]
        .map(|file| (Path::new(SOURCE).join(file), folder.join(file).with_extension("o")));
    for (source, object) in &objects {
        let mut compile = tool("CC", "cc");
        finish(compile.args(["-O2", "-fPIC", "-c"]).arg(source).arg("-o").arg(object))?;
    }
    // Made beside and moved into place: a link that runs meanwhile sees the old archive or the new one.
    let unfinished = folder.join("libcuda.unfinished");
    let _ = std::fs::remove_file(&unfinished);
    finish(tool("AR", "ar").arg("crs").arg(&unfinished).args(objects.iter().map(|(_, object)| object)))?;
    std::fs::rename(&unfinished, &archive)?;
    for (_, object) in &objects {
        std::fs::remove_file(object)?;
    }
    Ok(archive)
}

/// A program of the C toolchain: what the environment variable names, else the usual one.
fn tool(variable: &str, usual: &str) -> Command {
    Command::new(std::env::var_os(variable).unwrap_or_else(|| usual.into()))
}

/// Runs a command to its end.
fn finish(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| {
        format!(
            "could not run `{name}` ({e}): install a C compiler and binutils, which Rust's linking needs too"
        )
    })?;
    if status.success() { Ok(()) } else { Err(format!("`{name}` failed: {status}").into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The functions that the shim answers for.
    fn listed() -> BTreeSet<String> {
        let text = include_str!("../driver_shim/names.inc");
        let names: Vec<_> =
            text.lines().filter_map(|line| line.strip_prefix("CU(")?.strip_suffix(')')).collect();
        assert!(names.is_sorted(), "keep names.inc sorted");
        let set: BTreeSet<_> = names.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(set.len(), names.len(), "names.inc holds a name twice");
        set
    }

    /// The driver's functions that a piece of Rust declares.
    fn declared(source: &str) -> BTreeSet<String> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let names =
            source.split("fn cu").skip(1).map(|rest| rest.split(|c| !is_name(c)).next().unwrap_or(""));
        names
            .filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
            .map(|name| format!("cu{name}"))
            .collect()
    }

    /// A folder of this test run alone.
    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("warpfold-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        folder
    }

    #[test]
    fn every_function_that_cust_declares_is_listed() {
        let metadata = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--all-features", "--manifest-path"])
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../host/Cargo.toml"))
            .output()
            .expect("cargo metadata");
        let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).expect("JSON");
        let packages = metadata["packages"].as_array().expect("packages");
        let raw = packages.iter().find(|package| package["name"] == "cust_raw").expect("cust_raw");
        let manifest = Path::new(raw["manifest_path"].as_str().expect("a path"));
        let source =
            std::fs::read_to_string(manifest.with_file_name("src").join("cuda.rs")).expect("its source");
        let declared = declared(&source);
        assert!(declared.len() > 300, "found only {} functions", declared.len());
        let missing: Vec<_> = declared.difference(&listed()).cloned().collect();
        assert!(missing.is_empty(), "add to names.inc: {missing:?}");
    }

    #[test]
    fn every_function_that_warpfold_declares_is_listed() {
        let declared = declared(include_str!("../../host/src/cuda/driver/raw.rs"));
        assert!(declared.contains("cuLaunchKernel"), "found {declared:?}");
        let missing: Vec<_> = declared.difference(&listed()).cloned().collect();
        assert!(missing.is_empty(), "add to names.inc: {missing:?}");
    }

    /// Calls through the shim, against a driver of our own: arguments in registers and on the stack arrive, by
    /// every way of calling; a function that the driver lacks and a driver that cannot be loaded give codes.
    #[test]
    fn calls_reach_the_driver_that_is_there() {
        let out = folder("driver-shim");
        build(&out).expect("the shim");
        let write = |name: &str, text: &str| {
            let path = out.join(name);
            std::fs::write(&path, text).expect("a file");
            path
        };
        // The signatures are ours: the shim knows none.
        let driver = write(
            "driver.c",
            "int cuLaunchKernel(int a, int b, int c, int d, int e, int f, int g, int h, double i, float j, double k) {
                 static int calls = 0;
                 calls++;
                 return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f + 1000000 * g + 10000000 * h
                     + (int)(i + j + k) + calls * 100000000;
             }",
        );
        let program = write(
            "program.c",
            "#include <stdio.h>
             int cuLaunchKernel(int, int, int, int, int, int, int, int, double, float, double);
             int cuInit(unsigned);
             int main(void) {
                 int first = cuLaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 0.25, 0.25f, 0.5);
                 int second = cuLaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 0.25, 0.25f, 0.5);
                 printf(\"%d %d %d %d\", first, second, cuInit(0), cuInit(0));
                 return 0;
             }",
        );
        let empty = folder("driver-shim-unusable");
        std::fs::write(empty.join("libcuda.so.1"), "").expect("a file");
        finish(tool("CC", "cc").args(["-shared", "-fPIC", "-o"]).arg(out.join("libcuda.so.1")).arg(driver))
            .expect("a driver");
        let binary = out.join("program");
        finish(
            tool("CC", "cc")
                .arg(program)
                .arg("-o")
                .arg(&binary)
                .arg("-L")
                .arg(out.join("lib64"))
                .args(["-lcuda", "-ldl"]),
        )
        .expect("a program");
        let says = |driver: &Path| {
            let output = Command::new(&binary).env("LD_LIBRARY_PATH", driver).output().expect("to run");
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).expect("text")
        };
        assert_eq!(says(&out), "187654322 287654322 500 500");
        assert_eq!(says(&empty), "34 34 34 34");
        for folder in [out, empty] {
            std::fs::remove_dir_all(folder).expect("to remove it");
        }
    }
}
