//! The builder in the build script of a crate outside this workspace, as users run it: on the active toolchain, with
//! cargo's own variables set.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic)]

mod crates;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The build script of the crate's documentation.
const BUILD: &str = r#"
fn main() {
    cuda_builder::CudaBuilder::new("../kernels").build_script();
}
"#;

const MAIN: &str = r#"
const KERNELS: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/entries.rs"));

fn main() {
    let line = KERNELS.iter().find(|(entry, ..)| *entry == "line").unwrap();
    print!("{}", line.2);
}
"#;

/// Runs the program in `app`, whose build compiles the kernels.
fn run(app: &Path, flags: &str) -> Output {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--quiet", "--target-dir"]).arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("outer"));
    cargo.env("CARGO_TARGET_NVPTX64_NVIDIA_CUDA_RUSTFLAGS", flags);
    cargo.current_dir(app).env_remove("CARGO_TARGET_DIR").output().unwrap()
}

#[test]
fn a_program_embeds_kernels_and_follows_their_sources() {
    let folder = crates::folder("nested");
    let app = folder.join("app");
    crates::write_kernels(&folder.join("kernels"), crates::KERNELS);
    let manifest = format!(
        "[package]\nname = \"test-app\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[build-dependencies]\n\
         cuda_builder = {{ package = \"warpfold-cuda-builder\", path = '{}' }}\n",
        env!("CARGO_MANIFEST_DIR")
    );
    crates::write(&app, &manifest, &[("build.rs", BUILD), ("src/main.rs", MAIN)]);

    let printed = |output: Output| {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{stderr}");
        String::from_utf8(output.stdout).unwrap()
    };
    let module = printed(run(&app, ""));
    assert!(module.contains(".visible .entry line("), "{module}");
    assert!(module.contains("0f40400000"), "no 3.0 in {module}");

    // A change of the kernels reaches the program.
    crates::write_kernels(&folder.join("kernels"), &crates::KERNELS.replace("* 3.0 + 1.0", "* 2.5 + 1.0"));
    let changed = printed(run(&app, ""));
    assert!(changed.contains("0f40200000") && !changed.contains("0f40400000"), "no 2.5 in {changed}");

    // Flags that change results stop the build; the message names flag and variable.
    let refused = run(&app, "-C llvm-args=-fp-contract=fast");
    let message = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success());
    for part in
        ["llvm-args=-fp-contract=fast", "CARGO_TARGET_NVPTX64_NVIDIA_CUDA_RUSTFLAGS", "Remove the flag"]
    {
        assert!(message.contains(part), "{message}");
    }

    // So does an error in a kernel, with the compiler's own message.
    fs::write(folder.join("kernels/src/lib.rs"), crates::KERNELS.replace("3.0", "true")).unwrap();
    let broken = run(&app, "");
    let message = String::from_utf8_lossy(&broken.stderr);
    assert!(!broken.status.success() && message.contains("cannot multiply `f32` by `bool`"), "{message}");
}
