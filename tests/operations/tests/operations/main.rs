//! Operations of the CPU, each for many types and called on little: compaction and sorts against the obvious, arrays of
//! other crates, and every kind of input.
#![allow(missing_docs)]

mod arrow;
mod by_group;
mod by_key;
mod by_parts;
mod comoments;
mod compact;
mod histogram;
mod input;
mod ndarray;
mod nulls;
mod scan_along;
mod sort;
mod windows;
