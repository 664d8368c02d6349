//! Reductions of rows, columns and axes on a device against the reference or the CPU backend, bit for bit.
#![allow(missing_docs)]

mod axes;
mod columns;
mod finish;
mod forward;
mod matrices;
mod rows;
mod windows;
