//! Reductions of rows, columns and axes on a GPU against the reference or the CPU backend, bit for bit. Without a device these tests fail.
#![allow(missing_docs)]

mod axes;
mod columns;
mod finish;
mod rows;
