//! On Linux the library has the name that programs linked with it ask for, and in release no symbols that only debuggers read.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=include/warpfold.h");
    let header = include_str!("include/warpfold.h");
    let abi = header.lines().find_map(|line| line.strip_prefix("#define WARPFOLD_ABI "));
    let is = |variable, value| env::var(variable).as_deref() == Ok(value);
    if let Some(abi) = abi.filter(|_| is("CARGO_CFG_TARGET_OS", "linux")) {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libwarpfold_c.so.{abi}");
        if is("PROFILE", "release") {
            println!("cargo::rustc-cdylib-link-arg=-Wl,--strip-all");
        }
    }
}
