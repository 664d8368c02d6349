//! Threads as ranks: every verb has the bits of the CPU over the parts put end to end, for every number of ranks and every cut.
//!
//! The modules with `cases!`, and `verbs`, are those of processes as ranks too (`mpi/tests`).
#![allow(missing_docs)]

/// Makes functions of a module tests.
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
mod order;
mod parts;
mod ranks;
mod scan;
mod sort;
mod verbs;
mod waiting;
