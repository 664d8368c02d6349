//! Processes as ranks: every method has the bits of the CPU over the concatenated parts, on up to four processes.
//!
//! The cases are the same as for threads as ranks (`tests/world`). Without `mpirun`, the program starts itself with
//! `mpirun`.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test; another package uses its modules too"
)]

/// Lists a module's functions as test cases.
macro_rules! cases {
    ($($case:ident),* $(,)?) => {
        pub const CASES: &[(&str, fn())] =
            &[$((concat!(module_path!(), "::", stringify!($case)), $case)),*];
    };
}

#[path = "../../../tests/world/tests/world/all_reduce.rs"]
mod all_reduce;
#[path = "../../../tests/world/tests/world/compact.rs"]
mod compact;
#[path = "../../../tests/world/tests/world/cuts.rs"]
mod cuts;
mod engine;
#[path = "../../../tests/world/tests/world/flat.rs"]
mod flat;
#[path = "../../../tests/world/tests/world/histogram.rs"]
mod histogram;
#[path = "../mpirun/mod.rs"]
mod mpirun;
#[path = "../../../tests/world/tests/world/order.rs"]
mod order;
#[path = "../../../tests/world/tests/world/pairs.rs"]
mod pairs;
#[path = "../../../tests/world/tests/world/parts.rs"]
mod parts;
mod ranks;
#[path = "../../../tests/world/tests/world/scan.rs"]
mod scan;
#[path = "../../../tests/world/tests/world/sort.rs"]
mod sort;

use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    if !mpirun::is_launched() {
        let status = mpirun::mpirun(ranks::MOST, &[]).args(std::env::args().skip(1)).status();
        return if status.unwrap().success() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let modules = [
        engine::CASES,
        flat::CASES,
        parts::CASES,
        scan::CASES,
        compact::CASES,
        histogram::CASES,
        order::CASES,
        sort::CASES,
        all_reduce::CASES,
    ];
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part));
    let cases = modules.concat().into_iter().filter(|(name, _)| is_wanted(name));
    let (rank, mut passed) = (ranks::rank(), 0);
    for (name, case) in cases {
        let begun = Instant::now();
        case();
        passed += 1;
        if rank == 0 {
            println!("test {name} ... ok ({:.1} s)", begun.elapsed().as_secs_f64());
        }
    }
    if rank == 0 {
        println!("{passed} passed, 0 failed");
    }
    ExitCode::SUCCESS
}
