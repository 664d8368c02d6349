//! Runs `stats` as a user does, on .npy files written byte by byte, and on tables.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what it expected")]

mod expected;
mod npy_bytes;
mod program;

#[cfg(feature = "arrow")]
mod arrow;
mod axes;
mod columns;
mod csv;
mod faults;
mod groups;
mod histogram;
mod input;
mod nan;
mod quantiles;
#[cfg(feature = "mpi")]
mod ranks;
mod results;
mod spool;
mod synthetic;
mod tables;
mod text;
mod usage;
