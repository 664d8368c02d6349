//! A stable radix sort on one thread, by digits of 8 bits, lowest first. It moves each element once for each byte of its rank,
//! whatever the input.
//!
//! Knuth, *The Art of Computer Programming*, vol. 3, section 5.2.5.

use gpu_kernels::Rank;

/// Bits of a digit. The first-level cache has a line for the write position of each digit.
const BITS: u32 = 8;

/// Digits of the longest rank.
const MOST_DIGITS: usize = 128 / BITS as usize;

/// Number of elements with each digit.
type Histogram = [usize; 1 << BITS];

/// Sorts `x`. `other` is a buffer of the same length.
pub(super) fn sort<R: Copy, K: Rank>(x: &mut [R], other: &mut [R], rank: impl Fn(&R) -> K) {
    let digits = (K::BITS / BITS) as usize;
    let mut histograms = [[0; 1 << BITS]; MOST_DIGITS];
    let histograms = &mut histograms[..digits];
    for x in x.iter() {
        let rank = rank(x);
        for (histogram, shift) in histograms.iter_mut().zip((0..).step_by(BITS as usize)) {
            histogram[rank.digit(shift, BITS) as usize] += 1;
        }
    }
    let (mut from, mut to) = (x, other);
    let mut moves = 0;
    for (histogram, shift) in histograms.iter().zip((0..).step_by(BITS as usize)) {
        // A digit that is equal in all elements moves none.
        if histogram.contains(&from.len()) {
            continue;
        }
        scatter(from, to, histogram, |x| rank(x).digit(shift, BITS) as usize);
        (from, to) = (to, from);
        moves += 1;
    }
    if moves % 2 == 1 {
        to.copy_from_slice(from);
    }
}

/// Copies every element after those of lesser digits, and after earlier elements of the same digit.
#[inline(always)]
fn scatter<R: Copy>(from: &[R], to: &mut [R], histogram: &Histogram, digit: impl Fn(&R) -> usize) {
    let mut places = *histogram;
    let mut before = 0;
    for place in &mut places {
        (*place, before) = (before, before + *place);
    }
    for x in from {
        let place = &mut places[digit(x)];
        // Updated before the element is written, because the compiler cannot know that the write does not change it.
        let at = *place;
        *place = at + 1;
        // Always in bounds, because the digits were counted.
        if let Some(to) = to.get_mut(at) {
            *to = *x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Returns the most calls of `rank` for any element: one to count, and one for each move.
    fn asked(x: &mut [(u32, usize)]) -> usize {
        let asked = Cell::new(0);
        let mut other = x.to_vec();
        sort(x, &mut other, |x| {
            asked.set(asked.get() + 1);
            x.0
        });
        asked.get()
    }

    #[test]
    fn no_input_takes_more_than_a_move_for_each_byte() {
        const N: usize = 3000;
        let killer = |i: usize| if i.is_multiple_of(2) { i } else { N - i };
        let inputs: [fn(usize) -> usize; 5] =
            [|i| i * 0x9E37_79B9 % 0xFFFF_FFFB, |i| i, |i| N - i, |_| 7, |i| i.min(N - i) << 16];
        for keys in inputs
            .into_iter()
            .map(|at| Box::new(at) as Box<dyn Fn(usize) -> usize>)
            .chain([Box::new(killer) as _])
        {
            let mut x: Vec<(u32, usize)> = (0..N).map(|i| (keys(i) as u32, i)).collect();
            let mut expected = x.clone();
            expected.sort_by_key(|x| x.0);
            let asked = asked(&mut x);
            assert_eq!(x, expected);
            assert!((N..=5 * N).contains(&asked), "{asked}");
        }
        let mut equal = vec![(7, 0); N];
        assert_eq!(asked(&mut equal), N, "equal elements are counted and not moved");
    }
}
