//! Runs `stats` as a user does, on .npy files written byte by byte.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what it expected")]

mod npy_bytes;
mod program;

mod input;
mod results;
mod synthetic;
mod text;
mod usage;
