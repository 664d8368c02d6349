//! Runs `stats` as a user does, on .npy files written byte by byte, and on tables.
#![allow(clippy::expect_used, clippy::panic, reason = "a test says what it expected")]

mod expected;
mod npy_bytes;
mod program;

#[cfg(feature = "arrow")]
mod arrow_files;
#[cfg(feature = "arrow")]
mod arrow_keys;
mod axes;
mod csv;
mod groups;
#[cfg(all(feature = "arrow", unix))]
mod hostile;
mod input;
mod quantiles;
#[cfg(feature = "mpi")]
mod ranks;
mod results;
mod synthetic;
mod tables;
mod text;
mod usage;
