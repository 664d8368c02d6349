//! A stable radix sort, by digits of 8 bits. Parts that do not fit a cache are divided by their highest digit: by all threads if
//! they are long, because the parts may be few. Parts that fit are sorted from the lowest digit up, by as many of the highest digits
//! as tell most elements apart; elements that are equal in these are then sorted among themselves. So each element moves at most
//! once for each byte of its rank, whatever the input, and few of the moves go to memory.
//!
//! Knuth, *The Art of Computer Programming*, vol. 3, section 5.2.5.

use std::cmp::Reverse;
use std::convert::Infallible;

use gpu_kernels::Rank;

use super::merge;
use crate::cpu::processor::touch_line_after;
use crate::cpu::{Cpu, share};
use crate::error::Error;
use crate::memory;

/// Bits of a digit, and the number of digits. The first-level cache has a line for the write position of each digit.
const BITS: u32 = 8;
const DIGITS: usize = 1 << BITS;

/// Most digits by which a part is sorted from the lowest one up.
const MOST_UP: usize = 4;

/// Number of elements with each digit.
type Histogram = [usize; DIGITS];

/// Bytes of a part that fits a second-level cache together with its buffer. Parts of 512 KiB are faster than parts of 128
/// KiB (docs/tuning/cpu.md).
const CACHED: usize = 1 << 19;

/// Most elements that are sorted by comparisons, for each digit of a rank: there are more digits than such
/// elements.
const FEW: usize = 64;

/// Elements of a part whose digits are joined, since it would be divided into parts of about as many elements as there are digits.
const SHORT: usize = DIGITS << 10;

/// Least number of parts for each thread, so that no thread waits long.
const SHARES: usize = 4;

impl Cpu {
    /// Sorts `x` on up to `threads` threads. `other` is a buffer of the same length.
    pub(super) fn sort_by_digits<R: Copy + Send + Sync, K: Rank>(
        &self,
        x: &mut [R],
        other: &mut [R],
        threads: usize,
        rank: impl Fn(&R) -> K + Copy + Sync,
    ) {
        let long = x.len() / (SHARES * threads);
        let whole = Part { x, other, bits: K::BITS, stays: true };
        if threads < 2 {
            return whole.sort(rank);
        }
        let (mut undivided, mut parts) = (vec![whole], Vec::new());
        while let Some(part) = undivided.pop() {
            let part = if part.x.len() > long && part.bits > 0 {
                let Err(part) = self.divide(part, threads, rank, &mut undivided) else { continue };
                part
            } else {
                part
            };
            // Without memory to list it, the part is sorted here.
            if memory::reserve(&mut parts, 1).is_ok() {
                parts.push(part);
            } else {
                part.sort(rank);
            }
        }
        parts.sort_unstable_by_key(|part| Reverse(part.x.len()));
        let Ok(()) = share(self.pool.as_deref(), threads - 1, parts.into_iter(), |part| {
            part.sort(rank);
            Ok::<_, Infallible>(())
        });
    }

    /// Divides a part by its highest digit, on all threads. Returns it as it was if there is not enough memory for that.
    fn divide<'a, R: Copy + Send + Sync, K: Rank>(
        &self,
        part: Part<'a, R>,
        threads: usize,
        rank: impl Fn(&R) -> K + Copy + Sync,
        parts: &mut Vec<Part<'a, R>>,
    ) -> Result<(), Part<'a, R>> {
        let (len, width) = (part.x.len().div_ceil(threads), part.bits.min(BITS));
        let shift = part.bits - width;
        let digit = |x: &R| rank(x).digit(shift, width) as usize;
        let (Ok(mut histograms), Ok(mut places)) = (memory::filled([0; DIGITS], threads), places(threads))
        else {
            return Err(part);
        };
        if memory::reserve(parts, DIGITS).is_err() {
            return Err(part);
        }
        let counting = part.x.chunks(len).zip(&mut histograms);
        let Ok(()) = share(self.pool.as_deref(), threads - 1, counting, |(x, histogram)| {
            *histogram = count(x, digit);
            Ok::<_, Infallible>(())
        });
        let all = std::array::from_fn(|digit| histograms.iter().map(|histogram| histogram[digit]).sum());
        if all.contains(&part.x.len()) {
            parts.push(Part { bits: shift, ..part });
            return Ok(());
        }
        let mut rest = &mut *part.other;
        for digit in 0..DIGITS {
            for (places, histogram) in places.iter_mut().zip(&histograms) {
                places.push(rest.split_off_mut(..histogram[digit]).unwrap_or_default());
            }
        }
        let moving = part.x.chunks(len).zip(places);
        let Ok(()) = share(self.pool.as_deref(), threads - 1, moving, |(x, mut places)| {
            for x in x {
                // There is a place, because the digits were counted.
                if let Some(place) = places[digit(x)].split_off_first_mut() {
                    touch_line_after(place);
                    *place = *x;
                }
            }
            Ok::<_, Infallible>(())
        });
        parts.extend(part.divided(all, shift));
        Ok(())
    }
}

/// Returns room for each thread's places of each digit.
fn places<'a, R>(threads: usize) -> Result<Vec<Vec<&'a mut [R]>>, Error> {
    let mut places = memory::with_room(threads)?;
    for _ in 0..threads {
        places.push(memory::with_room(DIGITS)?);
    }
    Ok(places)
}

/// A part to be sorted by the lowest `bits` bits of its ranks, the others being equal. The result replaces `x` if it `stays`,
/// otherwise `other`, which is as long.
struct Part<'a, R> {
    x: &'a mut [R],
    other: &'a mut [R],
    bits: u32,
    stays: bool,
}

impl<'a, R: Copy> Part<'a, R> {
    /// Sorts the part.
    fn sort<K: Rank>(self, rank: impl Fn(&R) -> K + Copy) {
        let (len, bits) = (self.x.len(), self.bits);
        let digits = digits(len, bits);
        if len <= FEW * digits || bits == 0 {
            if bits > 0 {
                merge::sort(self.x, self.other, rank);
            }
            if !self.stays {
                self.other.copy_from_slice(self.x);
            }
            return;
        }
        if size_of_val(self.x) <= CACHED || bits <= BITS {
            return self.sort_up(digits, rank);
        }
        let width = bits.min(BITS);
        let shift = bits - width;
        let histogram = count(self.x, |x| rank(x).digit(shift, width) as usize);
        // A digit that is equal in all elements moves none.
        if histogram.contains(&len) {
            return Self { bits: shift, ..self }.sort(rank);
        }
        let (histogram, joined) =
            if len < SHORT { coarsest(histogram, width, CACHED / size_of::<R>()) } else { (histogram, 0) };
        let (shift, width) = (shift + joined, width - joined);
        scatter(self.x, self.other, &histogram, |x| rank(x).digit(shift, width) as usize);
        for part in self.divided(histogram, shift) {
            part.sort(rank);
        }
    }

    /// Returns the parts of `other` with each digit, after the elements were moved there. They differ in the lowest `bits` bits.
    fn divided(self, histogram: Histogram, bits: u32) -> impl Iterator<Item = Self> {
        let Self { x: mut to, other: mut from, stays, .. } = self;
        histogram.into_iter().filter(|&len| len > 0).filter_map(move |len| {
            let (x, other) = (from.split_off_mut(..len)?, to.split_off_mut(..len)?);
            Some(Self { x, other, bits, stays: !stays })
        })
    }

    /// Sorts by the highest `digits` digits, from the lowest of them up, and then elements that are equal in these.
    fn sort_up<K: Rank>(self, digits: usize, rank: impl Fn(&R) -> K + Copy) {
        let Self { x, other, bits, stays } = self;
        let low = bits.saturating_sub(digits as u32 * BITS);
        let mut histograms = [[0; DIGITS]; MOST_UP];
        let histograms = &mut histograms[..digits];
        for x in x.iter() {
            let rank = rank(x);
            for (histogram, shift) in histograms.iter_mut().zip((low..).step_by(BITS as usize)) {
                histogram[rank.digit(shift, BITS) as usize] += 1;
            }
        }
        let (mut from, mut to) = (x, other);
        let mut is_in_x = true;
        for (histogram, shift) in histograms.iter().zip((low..).step_by(BITS as usize)) {
            if histogram.contains(&from.len()) {
                continue;
            }
            scatter(from, to, histogram, |x| rank(x).digit(shift, BITS) as usize);
            (from, to) = (to, from);
            is_in_x = !is_in_x;
        }
        if is_in_x != stays {
            to.copy_from_slice(from);
            (from, to) = (to, from);
        }
        if low > 0 {
            sort_equal(from, to, low, rank);
        }
    }
}

/// Sorts neighbours that are equal in all bits but the lowest `bits`. `other` is a buffer of the same length.
fn sort_equal<R: Copy, K: Rank>(x: &mut [R], other: &mut [R], bits: u32, rank: impl Fn(&R) -> K + Copy) {
    // The highest bits, which may be left out here, are equal in all elements.
    let high = |x: &R| rank(x).digit(bits, u32::BITS);
    let mut at = 0;
    while let Some(apart) = x[at..].windows(2).position(|pair| high(&pair[0]) == high(&pair[1])) {
        let start = at + apart;
        let first = high(&x[start]);
        at = start + x[start..].iter().take_while(|x| high(x) == first).count();
        Part { x: &mut x[start..at], other: &mut other[start..at], bits, stays: true }.sort(rank);
    }
}

/// Returns the number of the highest digits, of `bits` bits in all, by which most of `len` elements with random ranks differ: of
/// 256 elements one is equal to another.
fn digits(len: usize, bits: u32) -> usize {
    let enough = len.max(1).ilog2() + BITS;
    (enough.min(bits).div_ceil(BITS) as usize).min(MOST_UP)
}

/// Counts the elements with each digit.
#[inline(always)]
fn count<R>(x: &[R], digit: impl Fn(&R) -> usize) -> Histogram {
    let mut histogram = [0; DIGITS];
    for x in x {
        histogram[digit(x)] += 1;
    }
    histogram
}

/// Joins digits of `width` bits that differ in the lowest bits, as many bits as leave at most `most` elements to each, so that
/// parts are not shorter than they need to be. Returns the elements of each, and the number of bits.
fn coarsest(histogram: Histogram, width: u32, most: usize) -> (Histogram, u32) {
    for joined in (1..width).rev() {
        let mut coarse = [0; DIGITS];
        for (coarse, digits) in coarse.iter_mut().zip(histogram.chunks(1 << joined)) {
            *coarse = digits.iter().sum();
        }
        if coarse.iter().all(|&len| len <= most) {
            return (coarse, joined);
        }
    }
    (histogram, 0)
}

/// Copies every element to its place: after all elements with lesser digits, and after earlier elements with
/// the same digit.
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
            touch_line_after(to);
            *to = *x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Sorts on one thread.
    fn sort<R: Copy, K: Rank>(x: &mut [R], rank: impl Fn(&R) -> K + Copy) {
        let mut other = x.to_vec();
        Part { x, other: &mut other, bits: K::BITS, stays: true }.sort(rank);
    }

    /// Returns the calls of `rank` per element.
    fn asked(x: &mut [(u32, usize)]) -> usize {
        let asked = Cell::new(0);
        sort(x, |x| {
            asked.set(asked.get() + 1);
            x.0
        });
        asked.get()
    }

    #[test]
    fn long_parts_are_sorted_stably_whatever_their_digits() {
        const N: usize = 2 * CACHED / size_of::<(u64, u32)>() + 77;
        let hash = |i: usize| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        // Digits that are random, few, equal above, below or in the middle, and all but one element in one part.
        let inputs: [&dyn Fn(usize) -> u64; 8] = [
            &hash,
            &|i| hash(i) >> 61 << 40,
            &|i| hash(i) >> 30 & 0xFFFF,
            &|i| (hash(i) >> 48) << 48,
            &|i| if i == 5 { u64::MAX } else { hash(i) >> 20 & 0xFF_FFFF },
            &|i| hash(i) & 0xFFFF_0000_0000_FFFF,
            &|i| hash(i) & 0xF0F0_0000_0000_00FF,
            &|i| hash(i) >> 60 << 60 | hash(i) >> 52 & 0xFF,
        ];
        let cpus = [2, 3].map(|threads| Cpu::with_threads(threads).unwrap());
        for (input, at) in inputs.into_iter().enumerate() {
            let x: Vec<(u64, u32)> = (0..N).map(|i| (at(i), i as u32)).collect();
            let mut expected = x.clone();
            expected.sort_by_key(|x| x.0);
            let mut sorted = x.clone();
            sort(&mut sorted, |x| x.0);
            assert!(sorted == expected, "{input}");
            for cpu in &cpus {
                let (mut sorted, mut other) = (x.clone(), x.clone());
                cpu.sort_by_digits(&mut sorted, &mut other, cpu.threads(), |x| x.0);
                assert!(sorted == expected, "{input}, {cpu:?}");
            }
        }
    }

    #[test]
    fn joined_digits_leave_few_enough_to_each() {
        let mut histogram = [1; DIGITS];
        assert_eq!(coarsest(histogram, BITS, 64).1, 6, "four parts of 64");
        assert_eq!(coarsest(histogram, BITS, 64).0[..5], [64, 64, 64, 64, 0]);
        assert_eq!(coarsest(histogram, BITS, 1), (histogram, 0));
        histogram[9] = 100;
        assert_eq!(coarsest(histogram, BITS, 64), (histogram, 0), "one digit has more");
        assert_eq!(coarsest(histogram, BITS, 101).1, 1);
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
            // One to count, one for each move, and a few to find elements that are equal in the highest digits.
            assert!((N..=10 * N).contains(&asked), "{asked}");
        }
        let mut equal = vec![(7, 0); N];
        assert!(asked(&mut equal) <= 8 * N, "equal elements are counted and not moved");
    }
}
