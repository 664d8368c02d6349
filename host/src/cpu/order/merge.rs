//! Merging two sorted runs in independent pieces. A position in the result cuts both runs; any thread can merge a piece.
//!
//! Odeh, Green, Mwassi, Shmueli and Birk, *Merge Path*, IPDPS workshops 2012.

use gpu_kernels::Rank;

/// Returns the number of elements that the standard library sorts stably without allocating.
/// [rustc 1.95, `core::slice::sort::stable`: as many as 4 KiB of the stack hold, if these are at least 48, else 20.]
pub(super) const fn sorted_at_once<R>() -> usize {
    let on_stack = 4096 / if size_of::<R>() == 0 { 1 } else { size_of::<R>() };
    if on_stack < 48 { 20 } else { on_stack }
}

/// Sorts stably, without allocating: the standard library sorts pieces, which are merged in turns. `other` is a buffer of the same
/// length, or empty if all elements are [sorted at once](sorted_at_once).
#[expect(clippy::disallowed_methods, reason = "pieces of this length take no memory")]
pub(super) fn sort<R: Copy, K: Rank>(x: &mut [R], other: &mut [R], rank: impl Fn(&R) -> K + Copy) {
    let mut len = sorted_at_once::<R>();
    x.chunks_mut(len).for_each(|piece| piece.sort_by_key(rank));
    let (mut from, mut to, mut is_in_x) = (x, other, true);
    while len < from.len() {
        for (from, to) in from.chunks(2 * len).zip(to.chunks_mut(2 * len)) {
            let (left, right) = from.split_at(len.min(from.len()));
            merge(left, right, to, rank);
        }
        (from, to, is_in_x) = (to, from, !is_in_x);
        len *= 2;
    }
    if !is_in_x {
        to.copy_from_slice(from);
    }
}

/// Returns the number of elements of the left run among the first `position` elements of the merged runs. Equal elements
/// of the left run come first.
pub(super) fn cut<R: Copy, K: Rank>(
    left: &[R],
    right: &[R],
    position: usize,
    rank: impl Fn(&R) -> K,
) -> usize {
    let (mut least, mut most) = (position.saturating_sub(right.len()), position.min(left.len()));
    while least < most {
        let middle = least + (most - least) / 2;
        if rank(&left[middle]) <= rank(&right[position - middle - 1]) {
            least = middle + 1
        } else {
            most = middle
        }
    }
    least
}

/// Merges two runs into `out`, which has the length of both: its halves side by side. Each step of a half waits for the
/// step before it, and meanwhile the processor does a step of the other half.
pub(super) fn merge<R: Copy, K: Rank>(left: &[R], right: &[R], out: &mut [R], rank: impl Fn(&R) -> K + Copy) {
    let middle = out.len() / 2;
    let (lower, upper) = out.split_at_mut(middle);
    let of_left = cut(left, right, middle, rank);
    let (left, left_end) = left.split_at(of_left);
    let (right, right_end) = right.split_at(middle - of_left);
    let mut lower = Merging { left, right, out: lower, at: [0; 2] };
    let mut upper = Merging { left: left_end, right: right_end, out: upper, at: [0; 2] };
    while lower.step(rank) && upper.step(rank) {}
    lower.end(rank);
    upper.end(rank);
}

/// Two runs. Their first `at` elements are merged.
struct Merging<'a, R> {
    left: &'a [R],
    right: &'a [R],
    out: &'a mut [R],
    at: [usize; 2],
}

impl<R: Copy> Merging<'_, R> {
    /// Merges an element, unless one of the runs has ended.
    #[inline(always)]
    fn step<K: Rank>(&mut self, rank: impl Fn(&R) -> K) -> bool {
        let [l, r] = self.at;
        let (Some(x), Some(y), Some(slot)) = (self.left.get(l), self.right.get(r), self.out.get_mut(l + r))
        else {
            return false;
        };
        let is_right = rank(y) < rank(x);
        *slot = if is_right { *y } else { *x };
        self.at = [l + usize::from(!is_right), r + usize::from(is_right)];
        true
    }

    /// Merges the rest.
    fn end<K: Rank>(mut self, rank: impl Fn(&R) -> K) {
        while self.step(&rank) {}
        let [l, r] = self.at;
        for (slot, x) in self.out[l + r..].iter_mut().zip(self.left[l..].iter().chain(&self.right[r..])) {
            *slot = *x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_sorted_and_merged_stably() {
        for n in [0, 1, 20, 21, 60, 255, 511, 512, 513, 1100, 3000] {
            let x: Vec<(u32, u32)> = (0..n).map(|i| (i * i % 97, i)).collect();
            let (mut sorted, mut other, mut expected) = (x.clone(), x.clone(), x.clone());
            expected.sort_by_key(|x| x.0);
            sort(&mut sorted, &mut other, |x| x.0);
            assert_eq!(sorted, expected, "{n}");
            let wide = |x: &[(u32, u32)]| x.iter().map(|&x| [x; 20]).collect::<Vec<_>>();
            let (mut sorted, mut other) = (wide(&x), wide(&x));
            sort(&mut sorted, &mut other, |x| x[0].0);
            assert_eq!(sorted, wide(&expected), "{n}");
        }
    }

    #[test]
    fn any_cut_gives_the_stable_order() {
        for [a, b] in [[0, 0], [0, 5], [5, 0], [7, 9], [40, 3], [31, 32]] {
            let run = |n: u32, side: u32| -> Vec<(u32, u32)> {
                (0..n).map(|i| (i * i / 7 % 1000, side * 100 + i)).collect()
            };
            let (mut left, mut right) = (run(a, 0), run(b, 1));
            left.sort_by_key(|x| x.0);
            right.sort_by_key(|x| x.0);
            let mut expected = [left.clone(), right.clone()].concat();
            expected.sort_by_key(|x| x.0);
            for position in 0..=expected.len() {
                let l = cut(&left, &right, position, |x| x.0);
                let mut out = vec![(0, 0); expected.len()];
                let (first, second) = out.split_at_mut(position);
                merge(&left[..l], &right[..position - l], first, |x| x.0);
                merge(&left[l..], &right[position - l..], second, |x| x.0);
                assert_eq!(out, expected, "{a} and {b}, cut at {position}");
            }
        }
    }
}
