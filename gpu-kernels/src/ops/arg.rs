//! Where the least and the greatest element stand.

use bytemuck::{Pod, Zeroable};

use super::order::{Key, Ordered};
use crate::op::Op;
use crate::unroll::unrolled;

/// Where the least element stands: the first index that holds what [`Min`](super::Min) would return. NaN is
/// skipped unless every element is NaN, and -0.0 is less than +0.0. `None` for no elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMin;

/// Where the greatest element stands: the first index that holds what [`Max`](super::Max) would return. NaN
/// is skipped unless every element is NaN, and -0.0 is less than +0.0. `None` for no elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMax;

/// An element and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At<T> {
    /// Index of the element, counted from 0.
    pub index: u64,
    /// The element; canonical NaN if it is NaN.
    pub value: T,
}

/// What [`ArgMin`] and [`ArgMax`] carry: the rank of an element's [key](Key) and the element's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Indexed {
    /// The element's order among all elements.
    pub rank: i64,
    /// Where it stands; `u64::MAX` in the identity.
    pub index: u64,
}

macro_rules! arg {
    ($op:ty: $choose:ident, $before:tt, identity $identity:ident, NaN $nan:ident) => {
        impl<T: Ordered> Op<T> for $op {
            type Acc = Indexed;
            type Out = Option<At<T>>;
            const IDENTITY: Indexed = Indexed { rank: i64::$identity, index: u64::MAX };
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
            #[inline]
            fn lift(self, x: T, index: u64) -> Indexed {
                Indexed { rank: x.key(T::Key::$nan).rank(), index }
            }
            #[inline]
            fn combine(left: Indexed, right: Indexed) -> Indexed {
                // `&` and `|`, not `&&` and `||`: a select costs less than a branch.
                let first = (right.rank == left.rank) & (right.index < left.index);
                if (right.rank $before left.rank) | first { right } else { left }
            }
            #[inline(always)]
            fn append_rows<const V: usize, const R: usize>(
                self,
                acc: Indexed,
                rows: [[T; V]; R],
                first: u64,
                stride: u64,
            ) -> Indexed {
                // The best element first, by one instruction each; its place only if it is better than what was found
                // before.
                let Some(mut best) = rows.first().and_then(|row| row.first()).copied() else { return acc };
                let mut bests = [best; R];
                unrolled!(i < R => {
                    bests[i] = rows[i][0];
                    unrolled!(j < V => { if j > 0 { bests[i] = bests[i].$choose(rows[i][j]) } });
                    best = best.$choose(bests[i]);
                });
                let rank = best.key(T::Key::$nan).rank();
                let is_identity = size_of::<T::Key>() == size_of::<i64>() && acc.index == u64::MAX;
                if !((rank $before acc.rank) | is_identity) {
                    return acc;
                }
                // The row that holds it first, then its place there: the last step of each search wins. If nothing is
                // the same as NaN, which it is only if all are, the first place is right.
                let (mut row, mut there) = (0, rows[0]);
                unrolled!(back < R => {
                    let i = R - 1 - back;
                    if bests[i].is_same(best) {
                        (row, there) = (i as u32, rows[i]);
                    }
                });
                let mut column = 0;
                unrolled!(back < V => {
                    let j = V - 1 - back;
                    if there[j].is_same(best) {
                        column = j as u32;
                    }
                });
                let index = first.wrapping_add(stride.wrapping_mul(row.into())).wrapping_add(column.into());
                Indexed { rank, index }
            }
            #[inline]
            fn finish(acc: Indexed, len: u64) -> Option<At<T>> {
                (len > 0).then(|| At { index: acc.index, value: T::from_key(T::Key::from_rank(acc.rank)) })
            }
        }
    };
}
arg!(ArgMin: lesser, <, identity MAX, NaN GREATEST);
arg!(ArgMax: greater, >, identity MIN, NaN LEAST);
