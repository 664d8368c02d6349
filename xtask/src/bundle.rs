//! `cargo xtask bundle`: makes one folder with the GPU tests, the benchmark, `stats`, the examples `tune`, `ladder` and
//! `softmax` and the C library, built here, for a machine with an NVIDIA driver and no Rust.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::workspace;

/// The script that runs in the folder.
const RUN: &str = include_str!("bundle/run.sh");

/// Tests the C library on arrays of other libraries.
const INTEROP: &str = "tests/interop/cupy_reduce.py";

/// Arguments of the command.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder to make; files of an earlier bundle are replaced
    #[arg(long, default_value = "bundle")]
    out: PathBuf,
    /// Test targets of warpfold-device-tests to include
    #[arg(long, default_value = "*")]
    tests: Vec<String>,
    /// A folder of CCCL's headers to include, for a newer CUB than in the GPU machine's toolkit
    #[arg(long)]
    cccl: Option<PathBuf>,
    /// Include CubeCL in the benchmark; building it takes some minutes
    #[arg(long)]
    cubecl: bool,
}

/// A program that cargo built.
struct Built {
    target: String,
    kind: String,
    path: PathBuf,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let root = workspace::root();
    let tests = tests(&arguments.tests)?;
    let bench = program("bench", &["build", "-p", "warpfold-bench", "--bin", "bench"])?;
    let stats = program("stats", &["build", "-p", "warpfold-stats", "--bin", "stats"])?;
    let tune = program("tune", &["build", "-p", "warpfold-examples", "--example", "tune"])?;
    let ladder = program("ladder", &["build", "-p", "warpfold-examples", "--example", "ladder"])?;
    let library = program("warpfold_c", &["build", "-p", "warpfold-c", "--lib"])?;

    let out = &arguments.out;
    for folder in ["tests", "peers", "interop"] {
        let folder = out.join(folder);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| format!("could not clear {}: {e}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|e| format!("could not make {}: {e}", folder.display()))?;
    }
    for test in &tests {
        take(&test.path, &out.join("tests").join(&test.target))?;
    }
    take(&bench.path, &out.join("bench"))?;
    take(&stats.path, &out.join("stats"))?;
    take(&tune.path, &out.join("tune"))?;
    take(&ladder.path, &out.join("ladder"))?;
    take(&library.path, &out.join("libwarpfold_c.so"))?;
    let softmax = separate(&root.join("examples/softmax"), "softmax", &["--features", "cuda"])?;
    take(&softmax, &out.join("softmax"))?;
    fs::copy(root.join(INTEROP), out.join("interop/cupy_reduce.py"))?;
    let peers = root.join("bench/peers");
    for entry in fs::read_dir(&peers)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), out.join("peers").join(entry.file_name()))?;
        }
    }
    if arguments.cubecl {
        take(&separate(&peers.join("cubecl"), "peer-cubecl", &["--locked"])?, &out.join("peer_cubecl"))?;
    }
    if let Some(cccl) = &arguments.cccl {
        copy_tree(cccl, &out.join("peers/cccl"))?;
    }
    let script = out.join("run.sh");
    fs::write(&script, RUN)?;
    executable(&script)?;
    println!(
        "{}: {:.1} MiB; on the GPU machine: ./run.sh all",
        out.display(),
        size(out)? as f64 / f64::from(1 << 20)
    );
    Ok(())
}

/// Builds the test programs with these names, with every pair of the catalogue, and the test programs of ranks with
/// GPUs.
fn tests(names: &[String]) -> Result<Vec<Built>, Box<dyn Error>> {
    let mut command = vec!["test", "--no-run", "-p", "warpfold-device-tests", "--no-default-features"];
    command.extend(names.iter().flat_map(|name| ["--test", name]));
    let mut built = cargo(&command, "catalogue")?;
    built.extend(cargo(&["test", "--no-run", "-p", "warpfold-world-tests", "--test", "gpu*"], "cuda")?);
    built.retain(|program| program.kind == "test");
    Ok(built)
}

/// Returns the one program with this name that `command` builds.
fn program(target: &str, command: &[&str]) -> Result<Built, Box<dyn Error>> {
    let found = cargo(command, "cuda")?.into_iter().find(|program| program.target == target);
    found.ok_or_else(|| format!("cargo {} made no program {target}", command.join(" ")).into())
}

/// Builds `program` of the package in `folder`, which is its own workspace, and returns its path.
fn separate(folder: &Path, program: &str, arguments: &[&str]) -> Result<PathBuf, Box<dyn Error>> {
    let target = workspace::root().join("target").join(program);
    let mut run = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    run.args(["build", "--release", "--target-dir"]).arg(&target).args(arguments).current_dir(folder);
    // cudarc, which CubeCL uses, would ask an installed toolkit for this version. It loads any driver of this version
    // or later.
    run.env("CUDARC_CUDA_VERSION", "13000");
    if !run.status()?.success() {
        return Err(format!("{} does not build", folder.display()).into());
    }
    Ok(target.join("release").join(program))
}

/// Runs a cargo command for the release build with these features, and returns the programs that it built.
fn cargo(command: &[&str], features: &str) -> Result<Vec<Built>, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut run = Command::new(cargo);
    run.args(command).args(["--release", "--features", features, "--message-format=json-render-diagnostics"]);
    let output = run.current_dir(workspace::root()).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("cargo {} failed", command.join(" ")).into());
    }
    let messages = String::from_utf8(output.stdout)?;
    Ok(messages.lines().filter_map(|line| built(&serde_json::from_str(line).ok()?)).collect())
}

/// Returns the program, or the C library, in one of cargo's messages; `None` for other messages.
fn built(message: &Value) -> Option<Built> {
    let mut files = message.get("filenames").and_then(Value::as_array).into_iter().flatten();
    let library = files.find(|file| file.as_str().is_some_and(|file| file.ends_with(".so")));
    let path = message.get("executable")?.as_str().or_else(|| library?.as_str())?.into();
    let target = message.get("target")?;
    let kind = target.get("kind")?.get(0)?.as_str()?.to_owned();
    Some(Built { target: target.get("name")?.as_str()?.to_owned(), kind, path })
}

/// Copies a program without its symbols.
fn take(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::copy(from, to).map_err(|e| format!("could not copy {} to {}: {e}", from.display(), to.display()))?;
    let status = Command::new("strip").arg(to).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("strip {}: {status}", to.display()).into()),
        Err(e) => Err(format!("could not run strip: {e}; install binutils").into()),
    }
}

fn executable(path: &Path) -> Result<(), Box<dyn Error>> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).map_err(|e| format!("could not read {}: {e}", from.display()))? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), &to)?;
        }
    }
    Ok(())
}

/// Returns the bytes of all files in a folder.
fn size(folder: &Path) -> Result<u64, Box<dyn Error>> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_programs_are_taken_from_cargos_messages() {
        let parse = |text: &str| built(&serde_json::from_str(text).unwrap());
        let program = r#"{"reason":"compiler-artifact","target":{"kind":["test"],"name":"gpu"},"executable":"/x/gpu-1"}"#;
        let program = parse(program).unwrap();
        assert_eq!((program.target.as_str(), program.kind.as_str()), ("gpu", "test"));
        assert_eq!(program.path, Path::new("/x/gpu-1"));
        assert!(
            parse(r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"x"},"executable":null}"#)
                .is_none()
        );
        assert!(parse(r#"{"reason":"build-finished","success":true}"#).is_none());
        let library = r#"{"reason":"compiler-artifact","target":{"kind":["cdylib"],"name":"c"},"executable":null,
            "filenames":["/x/libc.so"]}"#;
        assert_eq!(parse(library).unwrap().path, Path::new("/x/libc.so"));
    }
}
