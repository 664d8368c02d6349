//! Golden vectors: results with their bits, checked in. A change of any of them is a change of
//! [`warpfold::TREE_VERSION`] and a breaking release.

use std::collections::HashMap;

use crate::data::Family::{self, Ordinary, Special};
use crate::{Bits, Sample, samples};
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::{Element, Op};

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

/// Elements of the cases with longer tiles: where those of 4-byte elements begin to grow, and two steps on.
pub const LONG: [u64; 2] = [(1 << 23) + 4099, (1 << 25) + 5];

/// A backend under test.
pub trait Backend {
    /// The result's bits.
    fn fold<T: Element + Sample, O: warpfold::Kernel<T> + Default + Op<T, Out: Bits>>(
        &self,
        x: &[T],
    ) -> String;
}

/// Every case of the catalogue and of the test operators as lines of the file, computed by `backend`.
#[must_use]
pub fn lines(backend: &impl Backend) -> Vec<String> {
    let mut lines = Vec::new();
    macro_rules! rows {
        ($($row:ident: $op:ty, $element:ty;)*) => { $(
            for (n, family) in CASES {
                let bits = backend.fold::<$element, $op>(&samples(family, SEED, n));
                lines.push(format!("{} {family:?} {n} {bits}", stringify!($row)));
            }
        )* };
    }
    gpu_kernels::for_each_kernel!(rows);
    // The tree itself.
    rows! {
        reduce_strided_u32: Strided, u32;
        reduce_ordered_u32: Ordered, u32;
        reduce_matrix_u32: MatrixProduct, u32;
    }
    // Longer tiles, by their trees and one sum.
    macro_rules! long_rows {
        ($($row:ident: $op:ty, $element:ty;)*) => { $(
            for n in LONG {
                let bits = backend.fold::<$element, $op>(&samples(Ordinary, SEED, n));
                lines.push(format!("{} Ordinary {n} {bits}", stringify!($row)));
            }
        )* };
    }
    long_rows! {
        reduce_strided_u32: Strided, u32;
        reduce_ordered_u32: Ordered, u32;
        reduce_sum_f64: warpfold::Sum, f64;
    }
    // The file keeps the order that it has: what is new comes behind what is there.
    let kept: HashMap<&str, usize> = checked_in().into_iter().map(case).zip(0..).collect();
    lines.sort_by_key(|line| kept.get(case(line)).copied().unwrap_or(usize::MAX));
    lines
}

/// A line but for its bits.
fn case(line: &str) -> &str {
    line.rsplit_once(' ').map_or(line, |(case, _bits)| case)
}

/// The lines of the checked-in file, without the comment.
#[must_use]
pub fn checked_in() -> Vec<&'static str> {
    FILE.lines().filter(|line| !line.starts_with('#')).collect()
}

/// Compares `lines` with the checked-in file, and shows the first few that differ.
///
/// # Panics
/// If any does.
pub fn assert_kept(lines: &[String]) {
    let kept = checked_in();
    let differ: Vec<_> = lines.iter().zip(&kept).filter(|(line, kept)| line != *kept).take(5).collect();
    assert!(differ.is_empty(), "found, and kept: {differ:#?}");
    assert_eq!(lines.len(), kept.len(), "lines found, and kept");
}
