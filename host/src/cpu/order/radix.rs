//! A stable radix sort on one thread, by digits of 8 bits. Parts that fit a cache are sorted from the lowest digit up; longer
//! ones are first divided by their highest digit. So it moves each element at most once for each byte of its rank, whatever
//! the input, and few of the moves go to memory.
//!
//! Knuth, *The Art of Computer Programming*, vol. 3, section 5.2.5.

use gpu_kernels::Rank;

/// Bits of a digit. The first-level cache has a line for the write position of each digit.
const BITS: u32 = 8;

/// Digits of the longest rank.
const MOST_DIGITS: usize = 128 / BITS as usize;

/// Number of elements with each digit.
type Histogram = [usize; 1 << BITS];

/// Bytes of a part that fits a second-level cache together with its buffer.
/// [2-core EPYC, one thread, CPU time, ns per element of 2^22 by lowest digits alone, and with parts of 512 KiB and 128 KiB:
/// f32 9.2, 7.7 and 7.9; pairs of u32 15.6, 10.5 and 14.7; u64, which the standard library sorts in 24.9, 14.7 and 20.]
const CACHED: usize = 1 << 19;

/// Most elements that are sorted by comparisons, as there are more digits than elements, and for each byte of a rank.
const FEW: usize = 64;

/// Sorts `x`. `other` is a buffer of the same length.
pub(super) fn sort<R: Copy, K: Rank>(x: &mut [R], other: &mut [R], rank: impl Fn(&R) -> K + Copy) {
    sort_low(x, other, K::BITS, true, rank);
}

/// Sorts by the lowest `bits` bits of the ranks, the others being equal. The result replaces `x` if it stays, otherwise
/// `other`.
fn sort_low<R: Copy, K: Rank>(
    x: &mut [R],
    other: &mut [R],
    bits: u32,
    stays: bool,
    rank: impl Fn(&R) -> K + Copy,
) {
    let is_few = x.len() <= FEW * (bits / BITS) as usize;
    if is_few || size_of_val(x) <= CACHED || bits <= BITS {
        let stayed = if is_few {
            x.sort_by_key(rank);
            true
        } else {
            sort_up(x, other, bits, rank)
        };
        match (stayed, stays) {
            (true, false) => other.copy_from_slice(x),
            (false, true) => x.copy_from_slice(other),
            _ => {}
        }
        return;
    }
    let bits = bits - BITS;
    let digit = |x: &R| rank(x).digit(bits, BITS) as usize;
    let mut histogram = [0; 1 << BITS];
    for x in x.iter() {
        histogram[digit(x)] += 1;
    }
    // A digit that is equal in all elements moves none.
    if histogram.contains(&x.len()) {
        return sort_low(x, other, bits, stays, rank);
    }
    scatter(x, other, &histogram, digit);
    let (mut to, mut from) = (x, other);
    for len in histogram {
        if let (Some(from), Some(to)) = (from.split_off_mut(..len), to.split_off_mut(..len)) {
            sort_low(from, to, bits, !stays, rank);
        }
    }
}

/// Sorts by the lowest `bits` bits, from the lowest digit up. Returns whether the result is in `x`; otherwise it is in
/// `other`.
fn sort_up<R: Copy, K: Rank>(x: &mut [R], other: &mut [R], bits: u32, rank: impl Fn(&R) -> K) -> bool {
    let digits = (bits / BITS) as usize;
    let mut histograms = [[0; 1 << BITS]; MOST_DIGITS];
    let histograms = &mut histograms[..digits];
    for x in x.iter() {
        let rank = rank(x);
        for (histogram, shift) in histograms.iter_mut().zip((0..).step_by(BITS as usize)) {
            histogram[rank.digit(shift, BITS) as usize] += 1;
        }
    }
    let (mut from, mut to) = (x, other);
    let mut is_in_x = true;
    for (histogram, shift) in histograms.iter().zip((0..).step_by(BITS as usize)) {
        if histogram.contains(&from.len()) {
            continue;
        }
        scatter(from, to, histogram, |x| rank(x).digit(shift, BITS) as usize);
        (from, to) = (to, from);
        is_in_x = !is_in_x;
    }
    is_in_x
}

/// Copies every element after those of lesser digits, and after earlier elements of the same digit.
#[inline(always)]
fn scatter<R: Copy>(from: &[R], to: &mut [R], histogram: &Histogram, digit: impl Fn(&R) -> usize) {
    let mut starts = *histogram;
    let mut before = 0;
    for start in &mut starts {
        (*start, before) = (before, before + *start);
    }
    for x in from {
        let next = &mut starts[digit(x)];
        // Updated before the element is written, because the compiler cannot know that the write does not change it.
        let at = *next;
        *next = at + 1;
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
    fn long_parts_are_sorted_stably_whatever_their_digits() {
        const N: usize = 2 * CACHED / size_of::<(u64, u32)>() + 77;
        let hash = |i: usize| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // Digits that are random, few, equal above or below, and all but one element in one part.
        let inputs: [&dyn Fn(usize) -> u64; 5] = [
            &hash,
            &|i| hash(i) >> 61 << 40,
            &|i| hash(i) >> 30 & 0xFFFF,
            &|i| (hash(i) >> 48) << 48,
            &|i| if i == 5 { u64::MAX } else { hash(i) >> 20 & 0xFF_FFFF },
        ];
        for (input, at) in inputs.into_iter().enumerate() {
            let mut x: Vec<(u64, u32)> = (0..N).map(|i| (at(i), i as u32)).collect();
            let (mut other, mut expected) = (x.clone(), x.clone());
            expected.sort_by_key(|x| x.0);
            sort(&mut x, &mut other, |x| x.0);
            assert!(x == expected, "{input}");
        }
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
