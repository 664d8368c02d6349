//! The library as it is installed: the programs of docs/c-and-python.md, linked with it and with the static one.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = include_str!("../../docs/c-and-python.md");
const PKG_CONFIG: &str = include_str!("../warpfold.pc");

/// The code of the page in a language.
fn code(language: &str) -> &'static str {
    let (_, code) = PAGE.split_once(&format!("```{language}\n")).expect("code");
    code.split_once("```").expect("its end").0
}

/// What a program prints.
#[track_caller]
fn ran(program: &mut Command) -> String {
    let output = program.output().expect("it starts");
    assert!(output.status.success(), "{program:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The folder with the libraries, which cargo does not link for a test by itself.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    let target = test.ancestors().nth(3).expect("the target folder");
    ran(Command::new(env!("CARGO"))
        .args(["build", "--quiet", "-p", "warpfold-c", "--target-dir"])
        .arg(target));
    target.join("debug")
}

/// A prefix with the library, its header and the file of pkg-config.
fn installed() -> PathBuf {
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("prefix-{}", std::process::id()));
    let (lib, include) = (prefix.join("lib"), prefix.join("include"));
    fs::create_dir_all(lib.join("pkgconfig")).expect("a folder");
    fs::create_dir_all(&include).expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("include/warpfold.h"), include.join("warpfold.h")).expect("the header");
    fs::write(lib.join("pkgconfig/warpfold.pc"), PKG_CONFIG).expect("the file");
    let real = lib.join("libwarpfold_c.so.1");
    let built = built();
    fs::copy(built.join("libwarpfold_c.so"), real).expect("the library");
    fs::copy(built.join("libwarpfold_c.a"), lib.join("libwarpfold_c.a")).expect("the static library");
    symlink("libwarpfold_c.so.1", lib.join("libwarpfold_c.so")).expect("its other name");
    prefix
}

#[test]
#[ignore = "builds the library once more, which takes minutes"]
fn programs_in_c_and_python_find_it_where_it_is_installed() {
    let prefix = installed();
    let source = prefix.join("sum.c");
    fs::write(&source, code("c")).expect("the program");
    let (include, lib) = (prefix.join("include"), prefix.join("lib"));
    let compile = |name: &str, with: &[&str]| {
        let program = prefix.join(name);
        ran(Command::new("cc").arg(&source).arg("-o").arg(&program).arg("-I").arg(&include).args(with));
        program
    };
    let path = format!("-L{}", lib.display());
    let shared = compile("shared", &[&path, "-lwarpfold_c"]);
    // It asks for the name with the number of the interface.
    assert_eq!(ran(Command::new(shared).env("LD_LIBRARY_PATH", &lib)), "sum 8\n");
    let archive = lib.join("libwarpfold_c.a");
    let whole = compile("static", &[archive.to_str().expect("a path"), "-lpthread", "-ldl", "-lm"]);
    assert_eq!(ran(&mut Command::new(whole)), "sum 8\n");
    let python = code("python")
        .replace("libwarpfold_c.so.1", lib.join("libwarpfold_c.so.1").to_str().expect("a path"));
    assert_eq!(ran(Command::new("python3").args(["-c", &python])), "sum 8.0\n");
    fs::remove_dir_all(prefix).expect("to remove it");
}

#[test]
fn the_version_for_pkg_config_is_the_packages() {
    assert!(PKG_CONFIG.contains(concat!("Version: ", env!("CARGO_PKG_VERSION"), "\n")));
}
