//! Sorts, selections and compactions on a GPU against the CPU backend, bit for bit. Without a device these tests fail.
#![allow(missing_docs)]

mod compact;
mod first;
mod histogram;
mod levels;
mod parts;
mod select;
mod sort;
mod waiting;
