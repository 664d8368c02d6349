//! Threads as ranks: every verb has the bits of the CPU over the parts put end to end, for every number of ranks and every cut.
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
