//! The choice of the catalogue's pairs for a run of the tests. Compiling all takes most of an hour on two
//! cores, so a run tests each operator and element once, and a sixteenth of the other pairs; sixteen turns test
//! all. `WARPFOLD_TURN`, read when the tests are compiled, is the number of the turn (modulo 16), or `all`. CI
//! takes it from the commit.
//!
//! Of tests with many cases per type or size, a run takes a part: a quarter or a sixteenth of the types or cases
//! that cost most, or, for a row outside its own turn, part of the product of sizes and launches. Sixteen turns
//! test all of these too.
//!
//! With the feature `catalogue` the device tests take all pairs, for a GPU: their kernels are compiled once, elsewhere.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use crate::sampled::ALWAYS;

/// Turns that together test every pair.
const TURNS: u64 = 16;

/// Of the rows in every turn, those for the kernels: one for each kind of accumulator, order and grouping, and the operators with
/// parameters.
const FEW: [&str; 20] = [
    "reduce_accurate_sum_f64",
    "reduce_all_bool",
    "reduce_argmin_f32",
    "reduce_centred_squares_f32",
    "reduce_compose_u64",
    "reduce_count_above_f32",
    "reduce_count_below_f32",
    "reduce_count_within_f32",
    "reduce_exact_sum_f32",
    "reduce_last_i16",
    "reduce_max_f16",
    "reduce_mean_i16",
    "reduce_min_max_sum_f32",
    "reduce_minmax_i32",
    "reduce_norm2_i64",
    "reduce_sample_stddev_f64",
    "reduce_stddev_i64",
    "reduce_sum_c64",
    "reduce_sum_f32",
    "reduce_sum_of_squares_f32",
];

/// The turn of this run; `None` tests all pairs.
const TURN: Option<u64> = match option_env!("WARPFOLD_TURN") {
    None => Some(0),
    Some(text) if equal(text, "all") => None,
    Some(text) => match u64::from_str_radix(text, 10) {
        Ok(number) => Some(number % TURNS),
        Err(_) => panic!("WARPFOLD_TURN is `all` or a number"),
    },
};

/// Whether this run tests the catalogue's pair with this name.
#[must_use]
pub const fn takes(row: &str) -> bool {
    is_of_every_turn(row) || is_turn_of(row)
}

/// Whether every run tests the pair.
#[must_use]
pub const fn is_of_every_turn(row: &str) -> bool {
    is_in(ALWAYS, row)
}

/// Whether this run tests the row under the emulator, where three kernels are compiled per row: the rows of `FEW`, and
/// a quarter of the other rows that are in every turn.
#[must_use]
pub const fn takes_of_kernels(row: &str) -> bool {
    is_in(&FEW, row) || (is_of_every_turn(row) && is_quarter_of(row)) || is_turn_of(row)
}

/// Whether this run tests the row in tests that compile six kernels per row: a quarter of `FEW`.
#[must_use]
pub const fn takes_of_many_kernels(row: &str) -> bool {
    (is_in(&FEW, row) && is_quarter_of(row)) || is_turn_of(row)
}

/// Whether this is the row's own turn, one of sixteen, in which tests take every combination of its cases.
#[must_use]
pub const fn is_turn_of(row: &str) -> bool {
    is_in_sixteenth(turn_of(row))
}

/// Whether this run takes the row's quarter: four turns that follow each other take all rows.
#[must_use]
pub const fn is_quarter_of(row: &str) -> bool {
    is_in_quarter(turn_of(row))
}

/// Whether this run takes the case with this number: four turns that follow each other take all cases.
#[must_use]
pub const fn is_in_quarter(case: u64) -> bool {
    match TURN {
        Some(turn) => case % 4 == turn % 4,
        None => true,
    }
}

/// Whether this run takes the case with this number: sixteen turns take all cases.
#[must_use]
pub const fn is_in_sixteenth(case: u64) -> bool {
    match TURN {
        Some(turn) => case % TURNS == turn,
        None => true,
    }
}

/// Whether it is the turn of `one` of `all`, which take turns one after the other.
#[must_use]
pub const fn is_next_of(all: &[&str], one: &str) -> bool {
    match TURN {
        Some(turn) => equal(all[turn as usize % all.len()], one),
        None => true,
    }
}

const fn is_in(rows: &[&str], row: &str) -> bool {
    let mut i = 0;
    while i < rows.len() {
        if equal(rows[i], row) {
            return true;
        }
        i += 1;
    }
    false
}

/// The turn of a row that is not in every turn, by FNV-1a of its name, so that a new row does not move others.
const fn turn_of(row: &str) -> u64 {
    let (bytes, mut hash, mut i) = (row.as_bytes(), 0xcbf2_9ce4_8422_2325_u64, 0);
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    (hash ^ (hash >> 32)) % TURNS
}

const fn equal(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut i = 0;
    while i < left.len() {
        if left[i] != right[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// `Some` of the value if this run tests the row. Otherwise nothing that the value names is compiled.
#[macro_export]
macro_rules! in_turn {
    ($row:ident => $value:expr) => {
        $crate::in_turn!(takes, $row => $value)
    };
    ($takes:ident, $row:ident => $value:expr) => {
        if const { $crate::turn::$takes(stringify!($row)) } { Some($value) } else { None }
    };
}

/// Runs a check if this run takes the case with this number: four turns that follow each other take all cases.
/// Otherwise nothing that the check names is compiled.
#[macro_export]
macro_rules! in_quarter {
    ($case:literal => $check:expr) => {
        if const { $crate::turn::is_in_quarter($case) } {
            $check;
        }
    };
}

/// A row's name and, if this run tests the row, its check.
pub type Row<'a> = (&'a str, Option<fn()>);

/// Runs the checks of this turn on all cores, and names those that fail.
///
/// # Panics
/// If a check fails, or if there is none.
pub fn check(rows: &[Row<'_>]) {
    let taken: Vec<(&str, fn())> = rows.iter().filter_map(|&(row, check)| Some((row, check?))).collect();
    assert!(!taken.is_empty(), "no pair is taken");
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(&(row, check)) = taken.get(next.fetch_add(1, Relaxed)) {
                    if catch_unwind(AssertUnwindSafe(check)).is_err() {
                        failed.lock().unwrap().push(row);
                    }
                }
            });
        }
    });
    println!("{} of {} rows, turn {TURN:?}", taken.len(), rows.len());
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{failed:?}");
}
