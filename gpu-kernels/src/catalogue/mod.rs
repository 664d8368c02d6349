//! The catalogue: what kernels are shipped for, written once.

mod pairs;
mod words;
