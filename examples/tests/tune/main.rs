//! Runs `tune` as a user does, with the emulated driver and without a driver; and the tests in its source files.
#![cfg(all(feature = "emulator", target_os = "linux"))]
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what it expected")]
#![allow(dead_code, reason = "the program's files are here for their own tests")]

mod program;
mod runs;

// Tests in an example's own files would not run.
#[path = "../../tune/arena.rs"]
mod arena;
#[path = "../../tune/budget.rs"]
mod budget;
#[path = "../../tune/candidates.rs"]
mod candidates;
#[path = "../../tune/catalogue.rs"]
mod catalogue;
#[path = "../../tune/cli.rs"]
mod cli;
#[path = "../../tune/datum.rs"]
mod datum;
#[path = "../../tune/failure.rs"]
mod failure;
#[path = "../../tune/verdict.rs"]
mod verdict;
