//! The two types that are added, and the elements that are made of them.

use std::thread::{available_parallelism, scope};

use gpu_kernels::ladder::rung::Stamped;
use warpfold::{Element, Kernel, Op, Sum, SumIn};

/// A type that the rungs add, with the operator that the library adds it by.
pub(crate) trait Number: Stamped + Element + PartialEq + std::fmt::Debug {
    /// The library's operator with the same result.
    type Library: Kernel<Self> + Op<Self, Acc = Self, Out = Self> + Default;
    /// Element number `i`. All orders of adding them have the same sum.
    fn element(i: u64) -> Self;
    /// The sum of those, in any way that is right.
    fn total(x: &[Self]) -> Self;
}

impl Number for i32 {
    type Library = SumIn<i32>;
    fn element(i: u64) -> Self {
        mix(i) as i32
    }
    fn total(x: &[Self]) -> Self {
        x.iter().fold(0, |sum, &x| sum.wrapping_add(x))
    }
}

/// Integers from -8 to 8, so that every partial sum is an integer, and far below 2^24: no order of them rounds.
impl Number for f32 {
    type Library = Sum;
    fn element(i: u64) -> Self {
        (mix(i) % 17) as f32 - 8.0
    }
    fn total(x: &[Self]) -> Self {
        x.iter().map(|&x| x as i64).sum::<i64>() as f32
    }
}

/// Float number `i` of those whose sum depends on the order, uniform in [0, 1).
pub(crate) fn uniform(i: u64) -> f32 {
    (mix(i) >> 40) as f32 / (1 << 24) as f32
}

/// `n` elements by all cores.
pub(crate) fn make<T: Number>(n: usize, element: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let mut x = vec![T::ZERO; n];
    let threads = available_parallelism().map_or(1, usize::from);
    let part = n.div_ceil(threads).max(1);
    scope(|scope| {
        for (at, part_of_x) in x.chunks_mut(part).enumerate() {
            let element = &element;
            scope.spawn(move || {
                for (i, place) in part_of_x.iter_mut().enumerate() {
                    *place = element((at * part + i) as u64);
                }
            });
        }
    });
    x
}

/// Mixes the bits of `x` so that each result bit depends on each of them (Steele, Lea and Flood, *Fast splittable
/// pseudorandom number generators*, 2014).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
