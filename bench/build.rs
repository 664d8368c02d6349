//! Passes the compiler's version to the program, which writes it to its records.

use std::{env, process::Command};

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok();
    let version = version.and_then(|output| String::from_utf8(output.stdout).ok());
    println!(
        "cargo::rustc-env=BENCH_RUSTC={}",
        version.as_deref().unwrap_or("rustc of unknown version").trim()
    );
    println!("cargo::rerun-if-changed=build.rs");
}
