//! The builder on crates as users write them. Needs a compiler that can build PTX; without one these tests fail with
//! the builder's own message, which says what to install.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod crates;

use std::fs;
use std::path::{Path, PathBuf};

use cuda_builder::{CudaBuilder, Error, PtxOutput};

/// One target folder for all tests, so that `core` is compiled once.
fn device() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("device")
}

fn build(folder: &Path) -> Result<PtxOutput, Error> {
    CudaBuilder::new(folder).target_dir(device()).build()
}

#[test]
fn a_kernels_crate_becomes_one_module_per_entry() {
    let folder = crates::folder("modules");
    crates::write_kernels(&folder.join("kernels"), crates::KERNELS);
    let builder = CudaBuilder::new(folder.join("kernels")).target_dir(device());
    let output = builder.copy_to(folder.join("ptx")).build().unwrap_or_else(|error| panic!("{error}"));

    assert_eq!(output.library(), "test_kernels");
    assert_eq!(output.entries().collect::<Vec<_>>(), ["another_line", "block_sum", "line", "primes"]);
    assert_eq!(
        output.modules().map(|(kernel, _)| kernel).collect::<Vec<_>>(),
        ["block_sum", "line", "primes"],
        "one of each code"
    );
    assert_eq!(output.kernel("another_line"), Some("line"));
    assert_eq!(output.module("another_line"), output.module("line"));
    let index = fs::read_to_string(folder.join("ptx/entries.rs")).unwrap();
    assert_eq!(index, output.index());
    assert!(index.contains("(\"another_line\", \"line\", include_str!(\"line.ptx\")),"), "{index}");
    for (entry, module) in output.modules() {
        assert_eq!(module.matches(".entry ").count(), 1, "{module}");
        assert!(module.contains(&format!(".visible .entry {entry}(")), "{module}");
        let version = module.lines().find_map(|line| line.strip_prefix(".version ")).unwrap();
        assert!(version.parse::<f32>().unwrap() <= 7.0, "{version} is newer than CUDA 11.0 takes");
        assert!(module.contains("\n.target sm_75\n"), "{module}");
        for private in ["_R", "_ZN", "rustlib", "/src/", env!("CARGO_MANIFEST_DIR")] {
            assert!(!module.contains(private), "{private} in {module}");
        }
        assert_eq!(fs::read_to_string(folder.join("ptx").join(format!("{entry}.ptx"))).unwrap(), module);
    }
    let module = |entry| output.module(entry).unwrap();
    let has = |text: &str| ["block_sum", "line", "primes"].map(|entry| module(entry).contains(text));
    assert_eq!(has(".shared .align 16 .b8 totals_shared[128];"), [true, false, false]);
    assert_eq!(has(".global .align 4 .b8 private_0[32]"), [false, false, true]);
    assert_eq!(has(".func "), [false, false, true]);
    assert!(
        module("line").contains("mul.rn.f32") && module("line").contains("add.rn.f32"),
        "{}",
        module("line")
    );
    assert!(module("primes").contains("trap;"), "an index out of bounds must stop the launch");
    assert!(output.whole().contains("block_sum") && output.whole().contains("primes"));
    assert!(
        output.sources().iter().any(|file| file.ends_with("cuda_std/src/warp.rs")),
        "{:?}",
        output.sources()
    );
}

#[test]
fn the_text_and_the_hash_follow_from_the_sources_alone() {
    let folder = crates::folder("same");
    let [here, there] = ["here", "over/there"].map(|name| folder.join(name));
    crates::write_kernels(&here, crates::KERNELS);
    crates::write_kernels(&there, crates::KERNELS);
    let [first, again, elsewhere] = [&here, &here, &there].map(|folder| build(folder).unwrap());
    for other in [&again, &elsewhere] {
        assert_eq!(first.source_hash(), other.source_hash());
        assert_eq!(first.modules().collect::<Vec<_>>(), other.modules().collect::<Vec<_>>());
    }

    crates::write_kernels(&there, &crates::KERNELS.replace("19]", "23]"));
    let changed = build(&there).unwrap();
    assert_ne!(first.source_hash(), changed.source_hash());
    assert_eq!(first.module("line"), changed.module("line"), "a module depends on what it uses only");
    assert_ne!(first.module("primes"), changed.module("primes"));
}

#[test]
fn the_compilers_words_reach_the_error() {
    let folder = crates::folder("broken");
    crates::write_kernels(&folder, &crates::KERNELS.replace("let mut w = 1;", "let mut w: bool = 1;"));
    match build(&folder) {
        Err(Error::Compile { stderr, .. }) => {
            assert!(stderr.contains("mismatched types") && stderr.contains("src/lib.rs"), "{stderr}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_crate_without_kernels_is_told_from_one_that_is_not_there() {
    let folder = crates::folder("empty");
    let error = build(&folder).unwrap_err();
    assert!(error.to_string().contains("no kernels crate at"), "{error}");

    let source = crates::KERNELS.split("cuda_std::shared_bytes!").next().unwrap();
    crates::write_kernels(&folder, &source.replace("use cuda_std::{thread, warp};", ""));
    let error = build(&folder).unwrap_err();
    assert!(matches!(error, Error::NoEntries), "{error}");
    assert!(error.to_string().contains("cuda_std::kernel!"), "{error}");
}

#[test]
fn a_compiler_that_will_not_do_is_not_passed_over() {
    let folder = crates::folder("compiler");
    crates::write_kernels(&folder, crates::KERNELS);
    let builder = CudaBuilder::new(&folder).target_dir(device()).rustc(folder.join("no-rustc"));
    let error = builder.build().unwrap_err().to_string();
    for part in ["no-rustc: cannot be run", "rustup component add rust-src", "rustc-web rust-web-src"] {
        assert!(error.contains(part), "{error}");
    }
}
