//! Programs that must not compile, and what the compiler says of them.
//!
//! The words are those of the compiler that rust-toolchain.toml names. After a change, `TRYBUILD=overwrite cargo test
//! -p warpfold-compile-tests` writes them anew, to be read before they are kept.
#![allow(missing_docs)]

#[test]
fn misuse_does_not_compile() {
    let programs = trybuild::TestCases::new();
    // With a program to run, all are compiled to the end: a zero-sized element is found only there.
    programs.pass("programs/control.rs");
    programs.compile_fail("programs/always/*.rs");
    // Here and not in a test of its own, which would compile all that the programs need once more.
    #[cfg(feature = "cuda")]
    programs.compile_fail("programs/cuda/*.rs");
}
