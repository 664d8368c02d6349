//! Operators and element types against obvious computations. Other tests show that every backend has the reference's bits.
#![allow(missing_docs)]

mod accuracy;
mod deviations;
mod exact;
mod families;
mod integers;
mod laws;
mod types;
mod zip;
