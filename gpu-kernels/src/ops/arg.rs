//! The indices of the least and the greatest element.

use warpfold_exact::unrolled;

use super::native::of_native_integers;
use super::numbers::order::{Key, Ordered};
use crate::op::Op;

/// The index of the least element: the first that holds what [`Min`](super::Min) would return. NaN is skipped unless every
/// element is NaN, and -0.0 is less than +0.0. `None` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMin;

/// The index of the greatest element: the first that holds what [`Max`](super::Max) would return. NaN is skipped unless every
/// element is NaN, and -0.0 is less than +0.0. `None` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMax;

/// An element and its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At<T> {
    /// Index of the element, counted from 0.
    pub index: u64,
    /// The element; canonical NaN if it is NaN.
    pub value: T,
}

/// Elements in which the host finds the best value before its index. This is between 128, which is faster for short arrays,
/// and 512, which is faster for long ones (docs/tuning/cpu.md).
const RUN: usize = 256;

/// The `worst` key is the one that orders after all elements, and NaN's key; `place` orders equal keys.
macro_rules! arg {
    ($op:ty: $pick:ident $choose:ident, $before:tt, worst $worst:ident $nowhere:ident, place $place:expr) => {
        impl<T: Ordered> Op<T> for $op {
            type Acc = <T::Key as Key>::Indexed;
            type Out = Option<At<T>>;
            const IDENTITY: Self::Acc = T::Key::$nowhere;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
            const FINISHES_EMPTY: bool = false;
            #[inline(always)]
            fn lift(self, x: T, index: u64) -> Self::Acc {
                x.key(T::$worst).at(index)
            }
            #[inline(always)]
            fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc {
                let (left_key, left_index) = T::Key::of(left);
                let (right_key, right_index) = T::Key::of(right);
                // `&` and `|`, not `&&` and `||`: a select costs less than a branch.
                let first = (right_key == left_key) & (right_index < left_index);
                let is_right = (right_key $before left_key) | first;
                // Key and index are chosen one by one: for pairs in a loop the compiler chooses between addresses, which puts
                // them in memory.
                let key = if is_right { right_key } else { left_key };
                key.at(if is_right { right_index } else { left_index })
            }
            #[inline(always)]
            fn append_rows<const V: usize, const R: usize>(
                self,
                acc: Self::Acc,
                rows: [[T; V]; R],
                first: u64,
                stride: u64,
            ) -> Self::Acc {
                let (found, found_index) = T::Key::of(acc);
                let at = |key: T::Key, row: u32, column: u32| {
                    key.at(first.wrapping_add(stride.wrapping_mul(row.into())).wrapping_add(column.into()))
                };
                if size_of::<T>() <= 2 && V * R <= 256 {
                    // There is room for the place below the key. No key here is the identity's.
                    let place: fn(u32) -> u32 = $place;
                    let keys = rows.map(|row| row.map(|x| x.key(T::$worst)));
                    let mut best = keys[0][0].with_place(place(0));
                    unrolled!(i < R, up to 8 => {
                        unrolled!(j < V => { best = best.$pick(keys[i][j].with_place(place((i * V + j) as u32))) });
                    });
                    let (best, at_place) = best.split_place();
                    let at_place = place(at_place);
                    return if best $before found {
                        at(best, at_place / V as u32, at_place % V as u32)
                    } else {
                        acc
                    };
                }
                // First the best element, by one instruction per element; its place is found only if it is better than the best
                // so far.
                let mut bests = rows.map(|row| row[0]);
                let mut best = bests[0];
                unrolled!(i < R, up to 8 => {
                    unrolled!(j < V => { if j > 0 { bests[i] = bests[i].$choose(rows[i][j]) } });
                    best = best.$choose(bests[i]);
                });
                let key = best.key(T::$worst);
                // An element's key may be equal to the identity's.
                if !((key $before found) | (found_index == u64::MAX)) {
                    return acc;
                }
                // First the row that holds the best, then the place in it; the last step of each search wins, so that both are
                // the first. `is_same` never holds of NaN. NaN is the best only if all elements are NaN, and then the first
                // place is right. (Of NaNs with different bits the device may return the bits of a later one, or of none.)
                let (mut row, mut there) = (0, rows[0]);
                unrolled!(back < R, up to 8 => {
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
                at(key, row, column)
            }
            #[inline(always)]
            fn append_rows_if<const V: usize, const R: usize>(
                self,
                acc: Self::Acc,
                (there, rows): ([[bool; V]; R], [[T; V]; R]),
                first: u64,
                stride: u64,
            ) -> Self::Acc {
                let worst = T::from_key(T::$worst);
                let mut filled = rows;
                unrolled!(i < R, up to 8 => {
                    unrolled!(j < V => { filled[i][j] = if there[i][j] { rows[i][j] } else { worst } });
                });
                let found = self.append_rows(acc, filled, first, stride);
                if (T::Key::of(found).0 != T::$worst) | (T::Key::of(acc).1 != u64::MAX) {
                    return found;
                }
                // The first elements that are there, if any, are as bad as those that are not.
                let mut place = u64::MAX;
                unrolled!(i < R, up to 8 => {
                    unrolled!(j < V => {
                        if there[R - 1 - i][V - 1 - j] {
                            place = first.wrapping_add(stride.wrapping_mul((R - 1 - i) as u64)).wrapping_add((V - 1 - j) as u64);
                        }
                    });
                });
                if place == u64::MAX { acc } else { T::$worst.at(place) }
            }
            #[inline(always)]
            fn append_slice(self, mut acc: Self::Acc, x: &[T], first: u64) -> Self::Acc {
                let (runs, rest) = x.as_chunks::<RUN>();
                for (run, first) in runs.iter().zip((first..).step_by(RUN)) {
                    acc = self.append_run(acc, run, first);
                }
                if let (Some(run), false) = (x.last_chunk::<RUN>(), rest.is_empty()) {
                    // A whole run, which overlaps the one before, is faster than a short one. Elements seen twice are not
                    // better than themselves.
                    acc = self.append_run(acc, run, first + (x.len() - RUN) as u64);
                } else if !rest.is_empty() {
                    acc = self.append_run(acc, rest, first);
                }
                acc
            }
            #[inline]
            fn finish(acc: Self::Acc, len: u64) -> Option<At<T>> {
                let (key, index) = T::Key::of(acc);
                (len > 0).then(|| At { index, value: T::from_key(key) })
            }
        }

        impl $op {
            /// Returns the best key up to the end of `run`, with its first index. The best of a run is found without its place,
            /// and the place only if that is better than the best so far.
            #[inline(always)]
            fn append_run<T: Ordered>(
                self,
                acc: <T::Key as Key>::Indexed,
                run: &[T],
                first: u64,
            ) -> <T::Key as Key>::Indexed {
                let worst = T::shorten(T::$worst);
                let mut best = worst;
                for &x in run {
                    best = best.$pick(x.short(worst));
                }
                let (found, found_index) = T::Key::of(acc);
                let key = T::lengthen(best);
                if !((key $before found) | (found_index == u64::MAX)) {
                    return acc;
                }
                // The least place of all that hold it, instead of the first met: a loop without an early exit is vector code.
                let mut least = u32::MAX;
                for (&x, place) in run.iter().zip(0..) {
                    least = least.min(if x.short(worst) == best { place } else { u32::MAX });
                }
                key.at(first + u64::from(least))
            }
        }
    };
}
arg!(ArgMin: min lesser, <, worst GREATEST GREATEST_NOWHERE, place |at| at);
arg!(ArgMax: max greater, >, worst LEAST LEAST_NOWHERE, place |at| 0xff - at);

of_native_integers!(ArgMin, ArgMax);
