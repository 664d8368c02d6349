//! Parts of few elements: each element is compared with all others of its part, in vector registers, which finds its place
//! without a branch.

use std::ops::Range;

use bytemuck::Zeroable as _;
use gpu_kernels::TotalOrder;

use super::rank_in;
use crate::cpu::parts::Bounds;
use crate::cpu::processor::{Job, Processor, widest};
use crate::verb::order::Order;

/// Most elements of such a part: twice as many take four times the comparisons.
pub(super) const MOST: usize = 32;

/// Parts whose elements get their places.
struct Places<'a, T, P> {
    x: &'a [T],
    bounds: &'a Bounds,
    parts: Range<usize>,
    order: Order,
    put: P,
}

/// Returns whether all these parts are short and registers can compare their elements.
pub(super) fn are_short<T: TotalOrder>(bounds: &Bounds, parts: &Range<usize>) -> bool {
    size_of::<T::Rank>() <= 8 && parts.clone().all(|part| bounds.part(part).len() <= MOST)
}

/// Calls `put(part, at, place)` for each element of short parts: its place in the array, and its place in a stable sort of its
/// part. `x` has the elements of all these parts.
pub(super) fn place<T: TotalOrder>(
    x: &[T],
    (bounds, parts): (&Bounds, Range<usize>),
    order: Order,
    put: impl FnMut(usize, usize, usize),
) {
    widest(Places { x, bounds, parts, order, put });
}

impl<T: TotalOrder, P: FnMut(usize, usize, usize)> Job for Places<'_, T, P> {
    type Done = ();

    #[inline(always)]
    fn run(mut self, _: impl Processor) {
        let first = self.bounds.start(self.parts.start);
        for part in self.parts {
            let of_part = self.bounds.part(part);
            let put = |i, place| (self.put)(part, of_part.start + i, place);
            let x = &self.x[of_part.start - first..of_part.end - first];
            match x.len() {
                0..=8 => among::<T, 8>(x, self.order, put),
                9..=16 => among::<T, 16>(x, self.order, put),
                _ => among::<T, MOST>(x, self.order, put),
            }
        }
    }
}

/// Calls `put(i, place)` for each of at most `WIDTH` elements.
#[inline(always)]
fn among<T: TotalOrder, const WIDTH: usize>(x: &[T], order: Order, mut put: impl FnMut(usize, usize)) {
    // The filling of the row comes after all elements, because it has the greatest rank and is at
    // the end.
    let mut ranks = [!T::Rank::zeroed(); WIDTH];
    for (rank, &x) in ranks.iter_mut().zip(x) {
        *rank = rank_in(order, x);
    }
    for (i, &own) in ranks.iter().enumerate().take(x.len()) {
        let before: u32 = ranks.iter().map(|&other| u32::from(other < own)).sum();
        // Among equal elements, the earlier one comes first.
        let equal: u32 = ranks.iter().map(|&other| u32::from(other == own)).sum();
        let earlier = if equal == 1 { 0 } else { ranks[..i].iter().filter(|&&other| other == own).count() };
        put(i, before as usize + earlier);
    }
}
