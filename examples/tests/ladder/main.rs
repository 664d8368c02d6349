//! Runs `ladder` as a user does, in the emulator; and the tests in its source files.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what it expected")]
#![allow(dead_code, reason = "the program's files are here for their own tests")]

mod kernels;
mod runs;

// Tests in an example's own files would not run.
#[path = "../../ladder/accuracy.rs"]
mod accuracy;
#[path = "../../ladder/cli.rs"]
mod cli;
#[path = "../../ladder/counted.rs"]
mod counted;
#[path = "../../ladder/emulated.rs"]
mod emulated;
#[path = "../../ladder/failure.rs"]
mod failure;
#[path = "../../ladder/number.rs"]
mod number;
#[path = "../../ladder/picture.rs"]
mod picture;
#[path = "../../ladder/scans.rs"]
mod scans;
#[path = "../../ladder/text.rs"]
mod text;
