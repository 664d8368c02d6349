//! `cargo xtask gate`: checks the source for forbidden operations.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::rust_text::code_only;
use crate::{rooms, workspace};

/// Folders whose arithmetic affects results.
const ARITHMETIC: [&str; 4] = ["elementary/src", "exact/src", "gpu-kernels/src", "host/src"];

/// Operations whose bits depend on the machine or the build.
const INEXACT: [&str; 9] = [
    "algebraic_",
    "fadd_fast",
    "fsub_fast",
    "fmul_fast",
    "fdiv_fast",
    "frem_fast",
    "mul_add",
    "intrinsics::f",
    "fmuladd",
];

/// Where `mul_add` is allowed: on a GPU, for a product that is exact, so that it has the bits of two operations.
const MAY_FUSE: &str = "elementary/src/float.rs";

/// Folders in which `unsafe` is confined.
const CONFINED: &[&str] = &[
    "c-abi/src",
    "cuda_std/src",
    "cuda_builder/src",
    "cust/src",
    "elementary/src",
    "exact/src",
    "gpu-kernels/src",
    "host/src",
    "examples",
    "mpi/src",
    "python/src",
    "stats",
    "xtask/src",
];

/// Where `unsafe` is allowed: files, and folders, which end in a slash.
const MAY_BE_UNSAFE: &[&str] = &[
    // The device's instructions, and the handles over them.
    "cuda_std/src/imp/",
    "cuda_std/src/emulator/",
    "cuda_std/src/atomic.rs",
    "cuda_std/src/global.rs",
    "cuda_std/src/global/",
    "cuda_std/src/arguments.rs",
    "cuda_std/src/kernel.rs",
    "cuda_std/src/memory.rs",
    "cuda_std/src/posts.rs",
    "cuda_std/src/shared.rs",
    "cuda_std/src/warp.rs",
    // Tokens and handles, and what kernels' bodies make of them; a panic becomes a trap.
    "gpu-kernels/src/block/",
    "gpu-kernels/src/formula/mark.rs",
    "gpu-kernels/src/forward/gradients.rs",
    "gpu-kernels/src/forward/verb.rs",
    "gpu-kernels/src/forward/verbs.rs",
    "gpu-kernels/src/ladder/",
    "gpu-kernels/src/panic.rs",
    "gpu-kernels/src/scan/input.rs",
    "gpu-kernels/src/scan/output.rs",
    "gpu-kernels/src/scan/segments/kept.rs",
    "gpu-kernels/src/scan/segments/quads.rs",
    "gpu-kernels/src/scan/segments/row.rs",
    "gpu-kernels/src/scan/segments/spans.rs",
    "gpu-kernels/src/segments/check.rs",
    "gpu-kernels/src/source.rs",
    "gpu-kernels/src/warp.rs",
    // Accumulators and results without padding as plain data.
    "gpu-kernels/src/ops/affine.rs",
    "gpu-kernels/src/ops/native.rs",
    "gpu-kernels/src/ops/words.rs",
    "gpu-kernels/src/stored/",
    // Calls to the driver and launches; uninitialized memory and functions for a processor's features on the CPU.
    "cust/src/",
    "host/src/cpu/unwritten.rs",
    "host/src/cpu/processor.rs",
    "host/src/memory.rs",
    "host/src/cuda/launch/",
    // A call's work, which borrows from the call, for helpers that begin at any time.
    "host/src/cpu/helpers.rs",
    // Results that threads write, each in its place.
    "host/src/cpu/batch/groups/buckets.rs",
    "host/src/cpu/batch/groups/partition.rs",
    "host/src/cpu/batch/groups/short.rs",
    "host/src/cpu/batch/matrix.rs",
    "host/src/cpu/batch/mod.rs",
    "host/src/cpu/compact/mod.rs",
    "host/src/cpu/forward/cross_entropy.rs",
    "host/src/cpu/forward/maps.rs",
    "host/src/cpu/forward/sum_exp.rs",
    "host/src/cpu/scan/along.rs",
    "host/src/cpu/scan/equal.rs",
    "host/src/cpu/scan/mod.rs",
    "host/src/cpu/scan/side_by_side.rs",
    "host/src/cpu/windows/mod.rs",
    // Other libraries' pointers; the floating-point control register; the mark on what a kernel returns.
    "host/src/cuda/foreign.rs",
    "c-abi/src/boundary/",
    "c-abi/src/device/",
    "c-abi/src/host.rs",
    "host/src/float_environment.rs",
    "host/src/kernel/formula.rs",
    "host/src/kernel/mod.rs",
    "host/src/kernel/ship.rs",
    "host/src/kernel/native.rs",
    // Calls to the MPI library.
    "mpi/src/library.rs",
    // Arrays of NumPy, and of other libraries on GPUs.
    "python/src/array.rs",
    "python/src/gpu/lent.rs",
    "python/src/gpu/streams.rs",
    // Examples: kernels of one's own, arrays of another library, and a file as a slice.
    "examples/gallery/src/bin/gpu_cudarc.rs",
    "examples/gallery/src/bin/sum_file.rs",
    "examples/ladder/emulated.rs",
    "examples/ladder/gpu/launch.rs",
    "examples/ladder/scans.rs",
    "examples/own-op/src/lib.rs",
    "examples/softmax/src/gpu.rs",
    "examples/softmax/src/lib.rs",
    "examples/softmax/src/main.rs",
    // The allocator.
    "stats/src/memory.rs",
];

/// Returns whether `unsafe` is allowed in a file: it is listed, or has bodies of kernels, which make tokens and handles of raw
/// arguments: `entry.rs` or the folder `entry` of a feature of gpu-kernels.
fn may_be_unsafe(name: &str) -> bool {
    let is_listed = |listed: &&str| name == *listed || (listed.ends_with('/') && name.starts_with(*listed));
    let is_entry = |path: &str| path.split('/').any(|part| part == "entry" || part == "entry.rs");
    MAY_BE_UNSAFE.iter().any(is_listed) || name.strip_prefix("gpu-kernels/src/").is_some_and(is_entry)
}

/// Runs the command.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let root = workspace::root();
    let mut findings = Vec::new();
    let mut read = 0;
    for folder in CONFINED {
        for file in rust_files(&root.join(folder))? {
            let name = file.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
            let source = fs::read_to_string(&file)?;
            findings.extend(check(&name, &source));
            findings.extend(rooms::check(&name, &source));
            read += 1;
        }
    }
    for listed in MAY_BE_UNSAFE.iter().filter(|listed| !root.join(listed).exists()) {
        findings.push(format!("{listed} is listed in xtask/src/gate.rs and does not exist"));
    }
    if !findings.is_empty() {
        return Err(format!("source that must not be there:\n  {}", findings.join("\n  ")).into());
    }
    println!("read {read} source files");
    Ok(())
}

/// Returns the findings in the file `name`.
fn check(name: &str, source: &str) -> Vec<String> {
    let is_arithmetic = ARITHMETIC.iter().any(|folder| name.starts_with(folder));
    let may_be_unsafe = may_be_unsafe(name);
    let code = match code_only(source) {
        Ok(code) => code,
        Err(error) => return vec![format!("{name}: {error}")],
    };
    let mut findings = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let place = format!("{name}:{}", index + 1);
        if is_arithmetic {
            let allowed = if name == MAY_FUSE { "mul_add" } else { "" };
            let inexact = INEXACT.into_iter().filter(|&word| word != allowed && line.contains(word));
            findings.extend(
                inexact.map(|word| format!("{place}: `{word}` does not give the same bits everywhere")),
            );
        }
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        if !may_be_unsafe && words.any(|word| word == "unsafe") {
            findings.push(format!("{place}: `unsafe` outside the files listed in xtask/src/gate.rs"));
        }
    }
    findings
}

/// Returns the Rust files under `folder`, in order.
fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for item in fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let path = item?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_arithmetic_is_found_where_results_are_made() {
        for line in [
            "x.algebraic_add(y)",
            "core::intrinsics::fadd_fast(x, y)",
            "x.mul_add(y, z)",
            "use core::intrinsics::fabsf32;",
        ] {
            assert!(!check("gpu-kernels/src/ops/sum.rs", line).is_empty(), "{line}");
            assert!(!check("host/src/cpu/mod.rs", line).is_empty(), "{line}");
            assert!(!check("exact/src/state/sum.rs", line).is_empty(), "{line}");
            assert!(check("cuda_builder/src/lib.rs", line).is_empty(), "{line}");
            assert!(check("gpu-kernels/src/ops/sum.rs", &format!("// {line}")).is_empty(), "{line}");
            assert_eq!(check(MAY_FUSE, line).is_empty(), line.contains("mul_add"), "{line}");
        }
    }

    #[test]
    fn planted_unsafe_is_found_outside_the_listed_files() {
        let source = "fn f() {\n    unsafe { g() }\n}\n";
        let found = check("gpu-kernels/src/tree.rs", source);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("gpu-kernels/src/tree.rs:2: `unsafe`"), "{found:?}");
        assert!(!check("host/src/cuda/other.rs", source).is_empty());
        assert!(check("cuda_std/src/imp/nvptx.rs", source).is_empty());
        assert!(check("host/src/cuda/launch/raw.rs", source).is_empty());
        assert!(check("gpu-kernels/src/verb/entry.rs", source).is_empty());
        assert!(!check("gpu-kernels/src/verb/reentry.rs", source).is_empty());
        assert!(check("gpu-kernels/src/tree.rs", "// unsafe\nlet unsafely = \"unsafe\";").is_empty());
    }

    #[test]
    fn the_workspace_passes() {
        run().unwrap();
    }
}
