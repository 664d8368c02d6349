//! The elements at some places of the sorted sequence, without sorting: digit by digit from the highest, the elements that
//! share the digits of the wanted one are counted, and brought together by compaction.
//!
//! An element is read a few times for each digit, whatever the input: there is no pivot to choose badly.

use std::borrow::Cow;
use std::convert::Infallible;
use std::ops::Range;

use gpu_kernels::{Element, Rank, TotalOrder};

use super::rank_in;
use crate::Order;
use crate::cpu::compact::Selection;
use crate::cpu::{Cpu, TASK_BYTES, share};
use crate::error::Error;

/// Bits of a digit: a float's sign and exponent, and the first bits of the mantissa of an f32. As many counters of 4 bytes
/// as half of a first cache has room for.
const BITS: u32 = 12;

/// So few elements are copied and looked at in one cache.
const FEW: usize = 1 << 13;

/// Of more different digits it is quicker to sort than to bring together the elements with each.
/// [2-core EPYC, one thread, 2^26 f32 uniform in [0, 1): one place 3.1 ns per element, of three digits 6.2, to sort 10.]
const MANY: usize = 8;

/// Elements with this digit.
struct WithDigit<'a, T> {
    x: &'a [T],
    order: Order,
    shift: u32,
    bits: u32,
    digit: u32,
}

impl<T: TotalOrder> Selection for WithDigit<'_, T> {
    #[inline(always)]
    fn of(&self, range: Range<usize>) -> impl Iterator<Item = bool> {
        let Self { x, order, shift, bits, digit } = *self;
        x[range].iter().map(move |&x| rank_in(order, x).digit(shift, bits) == digit)
    }
}

impl Cpu {
    /// The elements that would stand at `places` if `x` were sorted. The places ascend and are less than its length. Takes up
    /// to twice the memory of the elements beside.
    ///
    /// # Errors
    /// As [`compact`](Self::compact).
    pub(super) fn at_places<T: TotalOrder>(
        &self,
        x: &[T],
        order: Order,
        places: &[usize],
    ) -> Result<Vec<T>, Error> {
        let mut found = Vec::with_capacity(places.len());
        self.narrow(Cow::Borrowed(x), order, T::Rank::BITS, places, 0, &mut found)?;
        Ok(found)
    }

    /// Adds the elements at `places` to `found`. `x` is in order from place `before` on, and all of it has the same rank but
    /// for the lowest `unknown` bits.
    fn narrow<T: TotalOrder>(
        &self,
        x: Cow<'_, [T]>,
        order: Order,
        unknown: u32,
        places: &[usize],
        before: usize,
        found: &mut Vec<T>,
    ) -> Result<(), Error> {
        if unknown == 0 {
            found.extend(places.iter().filter_map(|_| x.first()));
            return Ok(());
        }
        if x.len() <= FEW {
            found.extend(few(x.into_owned(), order, places, before));
            return Ok(());
        }
        let bits = BITS.min(unknown);
        let shift = unknown - bits;
        let counts = self.digits(&x, bits, |x| rank_in(order, x).digit(shift, bits));
        let wanted = wanted(&counts, places, before);
        if wanted.len() > MANY {
            let mut sorted = x.into_owned();
            self.sort(&mut sorted, order);
            found.extend(places.iter().filter_map(|&place| sorted.get(place - before)));
            return Ok(());
        }
        if let [Wanted { count, before, places, .. }] = wanted[..]
            && count == x.len()
        {
            return self.narrow(x, order, shift, places, before, found);
        }
        let with_each = wanted
            .iter()
            .map(|&Wanted { digit, .. }| self.selected(&x, &WithDigit { x: &x, order, shift, bits, digit }));
        let with_each = with_each.collect::<Result<Vec<_>, _>>()?;
        // Before more is copied: at no time more than twice the input.
        drop(x);
        for (Wanted { before, places, .. }, with_digit) in wanted.into_iter().zip(with_each) {
            self.narrow(Cow::Owned(with_digit), order, shift, places, before, found)?;
        }
        Ok(())
    }

    /// How many elements have each digit.
    fn digits<T: Element>(&self, x: &[T], bits: u32, digit: impl Fn(T) -> u32 + Sync) -> Vec<usize> {
        let threads = self.threads_for(size_of_val(x));
        // Several for each thread, so that none waits long; but each table is added up.
        let part_len = x.len().div_ceil(4 * threads).max(TASK_BYTES / size_of::<T>().max(1)).max(1);
        let mut tables = vec![vec![0_usize; 1 << bits]; x.len().div_ceil(part_len)];
        let Ok(()) =
            share(self.pool.as_deref(), threads - 1, x.chunks(part_len).zip(&mut tables), |(x, table)| {
                for &x in x {
                    table[digit(x) as usize] += 1;
                }
                Ok::<_, Infallible>(())
            });
        let add = |mut sum: Vec<usize>, table: Vec<usize>| {
            sum.iter_mut().zip(table).for_each(|(sum, count)| *sum += count);
            sum
        };
        tables.into_iter().reduce(add).unwrap_or_default()
    }
}

/// A digit of elements that stand at places that are wanted.
struct Wanted<'a> {
    digit: u32,
    count: usize,
    /// Where its elements begin.
    before: usize,
    places: &'a [usize],
}

/// The digits of the elements at `places`, which ascend.
fn wanted<'a>(counts: &[usize], mut places: &'a [usize], mut before: usize) -> Vec<Wanted<'a>> {
    let mut wanted = Vec::new();
    for (&count, digit) in counts.iter().zip(0..) {
        let end = before + count;
        let (here, behind) = places.split_at(places.partition_point(|&place| place < end));
        if !here.is_empty() {
            wanted.push(Wanted { digit, count, before, places: here });
        }
        (places, before) = (behind, end);
    }
    wanted
}

/// The elements at `places` of few.
fn few<T: TotalOrder>(mut x: Vec<T>, order: Order, places: &[usize], before: usize) -> Vec<T> {
    let rank = |x: &T| rank_in(order, *x);
    if let [place] = *places {
        return vec![*x.select_nth_unstable_by_key(place - before, rank).1];
    }
    x.sort_unstable_by_key(rank);
    places.iter().map(|&place| x[place - before]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// How often the rank of an element was asked for.
    static ASKED: AtomicUsize = AtomicUsize::new(0);

    #[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(transparent)]
    struct Counted(u64);

    impl TotalOrder for Counted {
        type Rank = u64;
        fn rank(self) -> u64 {
            ASKED.fetch_add(1, Ordering::Relaxed);
            self.0
        }
        fn from_rank(rank: u64) -> Self {
            Self(rank)
        }
    }

    #[test]
    fn no_input_is_read_more_often_than_its_digits_allow() {
        const N: u64 = 100_000;
        let inputs: [fn(u64) -> u64; 6] = [
            |i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15),
            |i| i,
            |i| N - i,
            |_| 7,
            |i| i.min(N - i),
            // One less in each digit, so that no digit tells much.
            |i| if i < 60 { 1 << i } else { u64::MAX - i % 5 },
        ];
        let cpu = Cpu::new();
        for (at, input) in inputs.into_iter().zip(0..) {
            let x: Vec<Counted> = (0..N).map(at).map(Counted).collect();
            let mut sorted = x.clone();
            sorted.sort_by_key(|x| x.0);
            for place in [0, N as usize / 2, N as usize - 1] {
                ASKED.store(0, Ordering::Relaxed);
                let found = cpu.at_places(&x, Order::Ascending, &[place]).unwrap();
                assert_eq!(found, [sorted[place]], "input {input}, place {place}");
                // To count, and twice to bring together, for each of six digits.
                let asked = ASKED.load(Ordering::Relaxed) as u64;
                assert!((N..=18 * N + 100 * FEW as u64).contains(&asked), "input {input}: {asked}");
            }
        }
    }
}
