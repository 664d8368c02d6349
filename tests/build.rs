//! Writes the samples of the catalogue's pairs, for `src/sampled.rs`.

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
    Ok(())
}
