//! The two types that are added, and their elements.

use std::thread::{available_parallelism, scope};

use gpu_kernels::ladder::host::rung::Stamped;
use warpfold::kernels::Kernel;
use warpfold::{Element, Op, Sum, SumIn};

/// A type that the rungs add, with the library's operator for it.
pub(crate) trait Number: Stamped + Element + PartialEq + std::fmt::Debug {
    /// The library's operator with the same result.
    type Library: Kernel<Self> + Op<Self, Acc = Self, Out = Self> + Default;
    /// Element number `i`. Their sum is the same in any order.
    fn element(i: u64) -> Self;
    /// The right sum of the elements.
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

/// Integers from -8 to 8: every partial sum is an integer far below 2^24, so no order of additions rounds.
impl Number for f32 {
    type Library = Sum;
    fn element(i: u64) -> Self {
        (mix(i) % 17) as f32 - 8.0
    }
    fn total(x: &[Self]) -> Self {
        x.iter().map(|&x| x as i64).sum::<i64>() as f32
    }
}

/// Float number `i`, uniform in [0, 1); the sum of these depends on the order.
pub(crate) fn uniform(i: u64) -> f32 {
    (mix(i) >> 40) as f32 / (1 << 24) as f32
}

/// Generates `n` elements on all cores.
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

/// Mixes the bits of `x` so that each result bit depends on all of them (Steele, Lea and Flood, *Fast
/// splittable pseudorandom number generators*, 2014).
fn mix(x: u64) -> u64 {
    let x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
