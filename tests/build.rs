//! Writes the samples of the catalogue's pairs, for `src/sampled.rs`, and says which programs of `tests/` this run leaves out.

#[path = "src/operators/matrix.rs"]
#[allow(dead_code, reason = "for the tables")]
mod matrix;
#[path = "src/operators/pairs.rs"]
#[allow(dead_code, reason = "for the lists of gpu-kernels")]
mod pairs;
#[path = "src/operators/samples.rs"]
mod samples;

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The matrix is part of this program: a change of it compiles and runs this again.
    println!("cargo::rerun-if-changed=build.rs");
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("samples.rs"), samples::samples())?;
    // Some programs take turns: for four turns the one half of them is compiled, for the next four the other. What a program tests
    // has turns of four itself, so eight turns that follow each other test all. Modulo 16 as in `src/turn.rs`.
    println!("cargo::rerun-if-env-changed=WARPFOLD_TURN");
    println!("cargo::rustc-check-cfg=cfg(first_half, second_half)");
    let turn = std::env::var("WARPFOLD_TURN").unwrap_or_default();
    let of_second = turn.parse().map(|turn: u64| turn / 4 % 2 == 1);
    if turn == "all" || of_second != Ok(true) {
        println!("cargo::rustc-cfg=first_half");
    }
    if turn == "all" || of_second == Ok(true) {
        println!("cargo::rustc-cfg=second_half");
    }
    Ok(())
}
