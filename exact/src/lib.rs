//! The long integer of exact sums, at the bottom of warpfold: sums of floats that no order changes.

#![no_std]
#![forbid(unsafe_code)]

pub mod total;
mod unroll;
