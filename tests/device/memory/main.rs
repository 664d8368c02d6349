//! Device memory at its limits: full to the last byte, after many objects, and after calls of the driver that fail. Without a
//! device these tests fail.
//!
//! They measure how many bytes of the device are free, and how many files are open, so one runs after the other. Other programs must not use the
//! device meanwhile.
#![allow(missing_docs)]

#[cfg(feature = "emulator")]
mod failing;
mod full;
mod many;
mod operations;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps the other tests of this program from using the device.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Printed whether or not the test fails.
fn show(line: &str) {
    use std::io::Write as _;
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}
