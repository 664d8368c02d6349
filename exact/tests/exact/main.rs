//! States against big integers and fractions, and against themselves by other ways.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod bytes;
mod group;
mod reference;
mod small;
mod special;
mod values;
mod vectors;
