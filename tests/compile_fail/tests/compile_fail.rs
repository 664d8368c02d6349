//! Programs that must not compile, with the compiler's messages.
//!
//! The messages are from the compiler in rust-toolchain.toml. For a new compiler, `TRYBUILD=overwrite cargo
//! test -p warpfold-compile-tests` rewrites them; read them before you commit.
#![allow(missing_docs)]

#[test]
fn misuse_does_not_compile() {
    let programs = trybuild::TestCases::new();
    // With a program to run, all are compiled to the end; only then is a zero-sized element detected.
    programs.pass("programs/control.rs");
    programs.compile_fail("programs/arguments/*.rs");
    programs.compile_fail("programs/types/*.rs");
    // Here and not in a test of its own, which would compile all that the programs need once more.
    #[cfg(feature = "cuda")]
    programs.compile_fail("programs/cuda/*.rs");
}
