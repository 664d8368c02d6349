//! Golden vectors: checked-in results with their bits. A change of any of them is a change of
//! [`warpfold::TREE_VERSION`] and a breaking release.

use std::collections::HashMap;

use crate::data::Family::{self, Ordinary, Special};
use crate::{Bits, Sample, samples, turn};
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::kernels::Kernel;
use warpfold::{Element, Op, Sum};

/// The checked-in file: a comment, the tree's version, then a line per case: row, family, elements, bits.
pub const FILE: &str = include_str!("../golden/vectors.txt");

/// Seed of all golden data.
pub const SEED: u64 = 0x0901_de17;

/// (elements, family) of each row's cases: around vectors, warps and tiles.
pub const CASES: [(u64, Family); 9] = [
    (0, Ordinary),
    (1, Ordinary),
    (33, Ordinary),
    (1000, Special),
    (4097, Ordinary),
    (4097, Special),
    (20_000, Ordinary),
    (100_003, Special),
    (1_000_003, Ordinary),
];

/// Elements of the cases with longer tiles: where tiles of 4-byte elements begin to grow, and two steps later.
pub const LONG: [u64; 2] = [(1 << 23) + 4099, (1 << 25) + 5];

/// A backend under test.
pub trait Backend {
    /// Whether it is compiled for this pair: a run may test a [turn] of them.
    fn has<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self) -> bool {
        true
    }
    /// The most elements of a case that it computes.
    fn longest(&self) -> u64 {
        u64::MAX
    }
    /// The result's bits.
    fn fold<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(&self, x: &[T]) -> String;
}

/// Every case of the catalogue and of the test operators that `backend` has, as lines of the file.
#[must_use]
pub fn lines(backend: &impl Backend) -> Vec<String> {
    let mut lines = Vec::new();
    macro_rules! rows {
        ($($row:ident: $op:ty, $element:ty;)*) => { $(
            add::<$element, $op>(backend, stringify!($row), &CASES, &mut lines);
        )* };
    }
    gpu_kernels::for_each_kernel!(rows);
    add_trees(backend, &mut lines);
    // The file keeps its order: new lines are appended.
    let kept: HashMap<&str, usize> = checked_in().into_iter().map(case).zip(0..).collect();
    lines.sort_by_key(|line| kept.get(case(line)).copied().unwrap_or(usize::MAX));
    lines
}

/// The lines of the rows of this [turn], and of the test operators.
#[must_use]
pub fn lines_in_turn(backend: &impl Backend) -> Vec<String> {
    let mut lines = Vec::new();
    macro_rules! rows {
        ($($row:ident: $op:ty, $element:ty;)*) => { $(
            if const { turn::takes(stringify!($row)) } {
                add::<$element, $op>(backend, stringify!($row), &CASES, &mut lines);
            }
        )* };
    }
    gpu_kernels::for_each_kernel!(rows);
    add_trees(backend, &mut lines);
    lines
}

/// The cases of one row, if the backend has it.
fn add<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>(
    backend: &impl Backend,
    row: &str,
    cases: &[(u64, Family)],
    lines: &mut Vec<String>,
) {
    if !backend.has::<T, O>() {
        return;
    }
    lines.extend(cases.iter().filter(|&&(n, _)| n <= backend.longest()).map(|&(n, family)| {
        let bits = backend.fold::<T, O>(&samples(family, SEED, n));
        format!("{row} {family:?} {n} {bits}")
    }));
}

/// The tree itself; longer tiles are shown by their trees and one sum.
fn add_trees(backend: &impl Backend, lines: &mut Vec<String>) {
    add::<u32, Strided>(backend, "reduce_strided_u32", &CASES, lines);
    add::<u32, Ordered>(backend, "reduce_ordered_u32", &CASES, lines);
    add::<u32, MatrixProduct>(backend, "reduce_matrix_u32", &CASES, lines);
    for case in LONG.map(|n| [(n, Ordinary)]) {
        add::<u32, Strided>(backend, "reduce_strided_u32", &case, lines);
        add::<u32, Ordered>(backend, "reduce_ordered_u32", &case, lines);
        add::<f64, Sum>(backend, "reduce_sum_f64", &case, lines);
    }
}

/// A line without its bits.
fn case(line: &str) -> &str {
    line.rsplit_once(' ').map_or(line, |(case, _bits)| case)
}

/// The lines of the checked-in file, without the comment.
#[must_use]
pub fn checked_in() -> Vec<&'static str> {
    FILE.lines().filter(|line| !line.starts_with('#')).collect()
}

/// Compares all lines with the checked-in file, and shows the first few that differ.
///
/// # Panics
/// If any line differs or is missing.
pub fn assert_all_kept(lines: &[String]) {
    assert_kept(lines);
    assert_eq!(lines.len(), checked_in().len(), "lines found, and kept");
}

/// Compares the given lines with the checked-in file, and shows the first few that differ.
///
/// # Panics
/// If any line differs, or if there is none.
pub fn assert_kept(lines: &[String]) {
    let kept: HashMap<&str, &str> = checked_in().into_iter().map(|line| (case(line), line)).collect();
    let differ: Vec<_> = lines
        .iter()
        .map(|line| (line, kept.get(case(line)).copied()))
        .filter(|(line, kept)| Some(line.as_str()) != *kept)
        .take(5)
        .collect();
    assert!(differ.is_empty(), "found, and kept: {differ:#?}");
    assert!(!lines.is_empty());
}
