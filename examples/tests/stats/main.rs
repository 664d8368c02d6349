//! Runs `stats` as a user does, on .npy files written byte by byte, and on tables.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what it expected")]

mod npy_bytes;
mod program;

#[cfg(feature = "arrow")]
mod arrow_files;
mod csv;
mod input;
mod results;
mod synthetic;
mod tables;
mod text;
mod usage;
