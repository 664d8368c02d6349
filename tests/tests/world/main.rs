//! Threads as ranks: every method has the bits of the CPU over the concatenated parts, for every number of
//! ranks and every division.
#![allow(missing_docs)]

mod all_reduce;
mod compact;
mod dying;
mod faults;
mod flat;
mod order;
mod parts;
mod ranks;
mod scan;
mod sort;
mod waiting;
