//! Selection: the elements at some positions of the sorted sequence, without sorting.
//!
//! A sorted sample gives two bounds that probably enclose a position. All elements are compared with the bounds; the few
//! between them are searched for the position. If the bounds do not enclose it, or several positions are too far apart, all
//! elements are searched.
//!
//! Floyd and Rivest, *Expected time bounds for selection*, Communications of the ACM 18, 1975.

use bytemuck::Zeroable as _;
use gpu_kernels::TotalOrder;

use super::{rank_in, sample};
use crate::cpu::{Cpu, TASK_BYTES, processor, share};
use crate::error::Error;
use crate::memory;
use crate::order::Order;

/// Distance of the bounds from a position in the sample: eight times the square root of half its length, four standard
/// deviations of the median's position.
const MARGIN: usize = 4 * 45;

/// Most positions that are selected one by one; for more of them sorting is faster.
const MANY: usize = 8;

/// Elements that are compared at once.
const BLOCK: usize = 1 << 10;

/// The numbers of elements below two bounds, at them and between them.
struct Counted<T> {
    below: usize,
    at_lower: usize,
    between: Vec<T>,
    at_upper: usize,
}

/// Returns the elements at ascending positions of the sorted elements, and reorders these.
fn select_each<'a, T: Copy, K: Ord>(
    all: &'a mut [T],
    positions: &'a [usize],
    rank: impl Fn(&T) -> K + Copy + 'a,
) -> impl Iterator<Item = T> + 'a {
    let (mut rest, mut start) = (all, 0);
    positions.iter().map(move |&position| {
        let (_, found, above) = std::mem::take(&mut rest).select_nth_unstable_by_key(position - start, rank);
        (rest, start) = (above, position + 1);
        *found
    })
}

/// Adds the elements at ascending positions of those with these ranks to `found`, and reorders the ranks.
pub(super) fn ranks_at<T: TotalOrder>(
    ranks: &mut [T::Rank],
    positions: &[usize],
    found: &mut Vec<T>,
) -> Result<(), Error> {
    memory::reserve(found, positions.len())?;
    if positions.len() <= MANY {
        found.extend(select_each(ranks, positions, |&rank| rank).map(T::from_rank));
    } else {
        ranks.sort_unstable();
        found.extend(positions.iter().map(|&position| T::from_rank(ranks[position])));
    }
    Ok(())
}

impl Cpu {
    /// Returns the elements at `positions` of the sorted `x`. The positions ascend and are less than the length. Takes up to
    /// twice the memory of the elements.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory.
    pub(super) fn at_positions<T: TotalOrder>(
        &self,
        x: &[T],
        order: Order,
        positions: &[usize],
    ) -> Result<Vec<T>, Error> {
        if x.len() >= sample::WORTH {
            let sample = sample::ranks(x, order)?;
            // Positions within a margin of each other are searched together.
            let apart = MARGIN * (x.len() / sample::LEN);
            let clusters = || positions.chunk_by(|left, right| right - left <= apart);
            if clusters().count() <= MANY {
                let mut found = memory::with_room(positions.len())?;
                for positions in clusters() {
                    if !self.between_bounds(x, order, &sample, positions, &mut found)? {
                        break;
                    }
                }
                if found.len() == positions.len() {
                    return Ok(found);
                }
            }
        }
        let mut all = self.map(x, |_, &x| x)?;
        if positions.len() <= MANY {
            return memory::collected(select_each(&mut all, positions, |&x| rank_in(order, x)));
        }
        self.sort_slice(&mut all, order);
        memory::collected(positions.iter().map(|&position| all[position]))
    }

    /// Adds the elements at `positions` to `found`, which has room for them. Returns whether bounds from the sample enclose all.
    fn between_bounds<T: TotalOrder>(
        &self,
        x: &[T],
        order: Order,
        sample: &[T::Rank],
        positions: &[usize],
        found: &mut Vec<T>,
    ) -> Result<bool, Error> {
        let (Some(&first), Some(&last)) = (positions.first(), positions.last()) else { return Ok(true) };
        let in_sample =
            |position: usize| (position as u128 * sample.len() as u128 / x.len() as u128) as usize;
        let lower = in_sample(first).checked_sub(MARGIN).map_or(T::Rank::zeroed(), |at| sample[at]);
        let upper = sample.get(in_sample(last) + MARGIN).copied().unwrap_or(!T::Rank::zeroed());
        let mut counted = self.count_between(x, order, lower, upper)?;
        let element = |rank| T::from_rank(if order == Order::Ascending { rank } else { !rank });
        let find = |&position: &usize| {
            let position = position.checked_sub(counted.below)?;
            if position < counted.at_lower {
                return Some(element(lower));
            }
            let position = position - counted.at_lower;
            if position < counted.between.len() {
                return Some(nth(&mut counted.between, order, position));
            }
            (position - counted.between.len() < counted.at_upper).then(|| element(upper))
        };
        let before = found.len();
        found.extend(positions.iter().map_while(find));
        Ok(found.len() - before == positions.len())
    }

    fn count_between<T: TotalOrder>(
        &self,
        x: &[T],
        order: Order,
        lower: T::Rank,
        upper: T::Rank,
    ) -> Result<Counted<T>, Error> {
        let part_len = (TASK_BYTES / size_of::<T>().max(1)).max(BLOCK);
        let new = || Counted { below: 0, at_lower: 0, between: Vec::new(), at_upper: 0 };
        let mut parts = memory::collected((0..x.len().div_ceil(part_len)).map(|_| new()))?;
        let tasks = x.chunks(part_len).zip(&mut parts);
        let helpers = self.threads_for(size_of_val(x)) - 1;
        share(self.pool.as_deref(), helpers, tasks, |(x, counted)| {
            processor::widest(Part { x, order, lower, upper, counted })
        })?;
        let room = parts.iter().map(|part| part.between.len()).sum();
        let mut all = new();
        all.between = memory::with_room(room)?;
        for part in parts {
            all.below += part.below;
            all.at_lower += part.at_lower;
            all.between.extend(part.between);
            all.at_upper += part.at_upper;
        }
        Ok(all)
    }
}

/// A part whose elements are compared with two bounds.
struct Part<'a, T: TotalOrder> {
    x: &'a [T],
    order: Order,
    lower: T::Rank,
    upper: T::Rank,
    counted: &'a mut Counted<T>,
}

impl<T: TotalOrder> processor::Job for Part<'_, T> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, _: impl processor::Processor) -> Result<(), Error> {
        in_order!(self.order, order => compare(self, |x| rank_in(order, x)))
    }
}

#[inline(always)]
fn compare<T: TotalOrder>(part: Part<'_, T>, rank: impl Fn(T) -> T::Rank) -> Result<(), Error> {
    let Part { x, lower, upper, counted, .. } = part;
    let Some(&any) = x.first() else { return Ok(()) };
    let mut between = [any; BLOCK];
    for block in x.chunks(BLOCK) {
        let (mut below, mut at_lower, mut at_upper) = (0u32, 0u32, 0u32);
        for &x in block {
            let rank = rank(x);
            below += u32::from(rank < lower);
            at_lower += u32::from(rank == lower);
            at_upper += u32::from(rank == upper);
        }
        let mut len = 0;
        for &x in block {
            // Branchless: an element that is not between the bounds is overwritten by the next.
            between[len % BLOCK] = x;
            let rank = rank(x);
            len += usize::from((lower < rank) & (rank < upper));
        }
        counted.below += below as usize;
        counted.at_lower += at_lower as usize;
        // If the bounds are equal, these elements are already counted.
        counted.at_upper += if lower == upper { 0 } else { at_upper as usize };
        memory::append(&mut counted.between, &between[..len])?;
    }
    Ok(())
}

/// Returns the element at a position of the sorted sequence. Reorders the others.
fn nth<T: TotalOrder>(x: &mut [T], order: Order, position: usize) -> T {
    *x.select_nth_unstable_by_key(position, |&x| rank_in(order, x)).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_has_the_element_that_sorting_puts_there() {
        const N: usize = 100_000;
        let hash = |i: usize| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let inputs: [&dyn Fn(usize) -> f32; 8] = [
            &|i| hash(i) as f32,
            &|i| i as f32,
            &|i| -(i as f32),
            &|_| 7.0,
            &|i| i.min(N - i) as f32,
            &|i| (hash(i) % 3) as f32,
            // Half of all elements are one number; the other half are far apart.
            &|i| if i % 2 == 0 { 0.0 } else { f32::from_bits(hash(i) as u32 * 97) },
            &|i| [f32::NAN, -f32::NAN, 0.0, -0.0, f32::INFINITY, hash(i) as f32][i % 6],
        ];
        for (input, at) in inputs.iter().enumerate() {
            let x: Vec<f32> = (0..N).map(at).collect();
            for order in [Order::Ascending, Order::Descending] {
                let mut sorted = x.clone();
                sorted.sort_by_key(|&x| rank_in(order, x));
                for threads in [1, 3] {
                    let cpu = Cpu::with_threads(threads).unwrap();
                    for positions in
                        [&[0][..], &[N - 1], &[N / 2 - 1, N / 2], &[1, N / 4, N / 2, N - 9], &[N / 3 * 2]]
                    {
                        let found = cpu.at_positions(&x, order, positions).unwrap();
                        let expected: Vec<f32> = positions.iter().map(|&position| sorted[position]).collect();
                        let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                        assert_eq!(
                            bits(&found),
                            bits(&expected),
                            "input {input}, {order:?}, positions {positions:?}"
                        );
                    }
                    let many: Vec<usize> = (0..40).map(|i| i * (N / 40)).collect();
                    let found = cpu.at_positions(&x, order, &many).unwrap();
                    assert!(
                        found
                            .iter()
                            .zip(&many)
                            .all(|(x, &position)| x.to_bits() == sorted[position].to_bits())
                    );
                }
            }
        }
    }
}
