//! Threads as ranks: every method has the bits of the CPU over the concatenated parts, for every number of
//! ranks and every division.
//!
//! `mpi/tests` runs the modules with `cases!` on processes as ranks, and uses `cuts` and `verbs`.
#![allow(missing_docs)]

/// Makes tests of a module's functions.
macro_rules! cases {
    ($($case:ident),* $(,)?) => {
        mod cases {
            $(
                #[test]
                fn $case() {
                    super::$case();
                }
            )*
        }
    };
}

mod all_reduce;
mod compact;
mod cuts;
mod dying;
mod faults;
mod flat;
mod histogram;
mod nulls;
mod order;
mod pairs;
mod parts;
mod ranks;
mod scan;
mod sort;
mod verbs;
mod waiting;
