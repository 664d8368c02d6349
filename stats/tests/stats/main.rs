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
#[cfg(target_os = "linux")]
mod changing;
mod csv;
mod csv_text;
#[cfg(feature = "arrow")]
mod footers;
mod foreign;
mod groups;
#[cfg(all(feature = "arrow", unix))]
mod hostile;
mod input;
#[cfg(target_os = "linux")]
mod memory;
mod quantiles;
#[cfg(feature = "mpi")]
mod ranks;
mod results;
mod spool;
mod synthetic;
mod tables;
mod text;
mod usage;
