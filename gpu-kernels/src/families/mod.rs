//! Families of kernels: what is stamped for one operator and element, or for one size of a word.
//!
//! A list here is the only place that names a family's kernels, their arguments and their bodies. From it follow the entry points
//! on the device, what the host launches, what the emulator runs, and what tests go through.
//!
//! A list calls a macro with what it is given, the constants that bodies have for parameters, and lines
//! `field: Arguments = "suffix", body;`. The names of types that a list does not define are types where the list is used.

mod floats;
mod operators;
mod words;
