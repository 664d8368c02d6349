//! Selection: the elements at some positions of the sorted sequence, without sorting.
//!
//! A sorted sample gives two bounds that probably enclose a position. All elements are compared with the bounds; the few
//! between them are searched for the position. If the bounds do not enclose it, or several positions are too far apart, all
//! elements are searched.
//!
//! Floyd and Rivest, *Expected time bounds for selection*, Communications of the ACM 18, 1975.

use gpu_kernels::{Rank, TotalOrder};

use super::sample;
use crate::cpu::{Cpu, TASK_BYTES, processor, share};
use crate::error::Error;
use crate::memory;
use crate::verb::order::Order;

/// Distance of the bounds from a position in the sample: eight times the square root of half its length, four standard
/// deviations of the median's position.
const MARGIN: usize = 4 * 45;

/// Most positions that are selected one by one; for more of them sorting is faster.
const MANY: usize = 8;

/// Elements that are compared at once.
const BLOCK: usize = 1 << 10;

/// The numbers of elements below two bounds, at them and between them, and the ranks of these. Only reading elements depends on
/// their type: what follows is compiled once for each type of rank.
struct Counted<K> {
    below: usize,
    at_lower: usize,
    between: Vec<K>,
    at_upper: usize,
}

impl<K: Rank> Counted<K> {
    fn new() -> Self {
        Self { below: 0, at_lower: 0, between: Vec::new(), at_upper: 0 }
    }

    /// Returns the counts of all elements from those of their parts.
    fn joined(parts: Vec<Self>) -> Result<Self, Error> {
        let mut all = Self::new();
        all.between = memory::with_room(parts.iter().map(|part| part.between.len()).sum())?;
        for part in parts {
            all.below += part.below;
            all.at_lower += part.at_lower;
            all.between.extend(part.between);
            all.at_upper += part.at_upper;
        }
        Ok(all)
    }

    /// Adds the ranks at some positions of all elements to `found`, which has room for them, up to one outside the bounds.
    fn find(&mut self, [lower, upper]: [K; 2], positions: &[usize], found: &mut Vec<K>) {
        let find = |&position: &usize| {
            let position = position.checked_sub(self.below)?;
            if position < self.at_lower {
                return Some(lower);
            }
            let position = position - self.at_lower;
            if position < self.between.len() {
                return Some(*self.between.select_nth_unstable(position).1);
            }
            (position - self.between.len() < self.at_upper).then_some(upper)
        };
        found.extend(positions.iter().map_while(find));
    }
}

/// Adds the ranks at ascending positions of the sorted ranks to `found`, which has room for them. Reorders the ranks.
fn select_each<K: Rank>(all: &mut [K], positions: &[usize], found: &mut Vec<K>) {
    let (mut rest, mut start) = (all, 0);
    for &position in positions {
        let (_, rank, above) = rest.select_nth_unstable(position - start);
        found.push(*rank);
        (rest, start) = (above, position + 1);
    }
}

/// Adds the ranks at ascending positions of the sorted ranks to `found`, on this thread. Reorders the ranks.
pub(super) fn ranks_at<K: Rank>(
    ranks: &mut [K],
    positions: &[usize],
    found: &mut Vec<K>,
) -> Result<(), Error> {
    memory::reserve(found, positions.len())?;
    if positions.len() <= MANY {
        select_each(ranks, positions, found);
    } else {
        ranks.sort_unstable();
        found.extend(positions.iter().map(|&position| ranks[position]));
    }
    Ok(())
}

impl Cpu {
    /// Returns the ranks at `positions` of the sorted ranks of `x`. The positions ascend and are less than the length. Takes up to
    /// twice the memory of the elements.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory.
    pub(super) fn ranks_at_positions<T: TotalOrder>(
        &self,
        x: &[T],
        positions: &[usize],
    ) -> Result<Vec<T::Rank>, Error> {
        let mut found = memory::with_room(positions.len())?;
        if x.len() >= sample::WORTH {
            let sample = sample::ranks(x, Order::Ascending)?;
            // Positions within a margin of each other are searched together.
            let apart = MARGIN * (x.len() / sample::LEN);
            let clusters = || positions.chunk_by(|left, right| right - left <= apart);
            if clusters().count() <= MANY {
                for positions in clusters() {
                    let bounds = enclosing(&sample, x.len(), positions);
                    let before = found.len();
                    self.count_between(x, bounds)?.find(bounds, positions, &mut found);
                    if found.len() - before < positions.len() {
                        break;
                    }
                }
                if found.len() == positions.len() {
                    return Ok(found);
                }
                found.clear();
            }
        }
        let mut all = self.map(x, |_, x| x.rank())?;
        if positions.len() <= MANY {
            select_each(&mut all, positions, &mut found);
        } else {
            self.sort_ranks(&mut all);
            found.extend(positions.iter().map(|&position| all[position]));
        }
        Ok(found)
    }

    fn count_between<T: TotalOrder>(&self, x: &[T], bounds: [T::Rank; 2]) -> Result<Counted<T::Rank>, Error> {
        let part_len = (TASK_BYTES / size_of::<T>().max(1)).max(BLOCK);
        let mut parts = memory::collected((0..x.len().div_ceil(part_len)).map(|_| Counted::new()))?;
        let tasks = x.chunks(part_len).zip(&mut parts);
        let helpers = self.threads_for(size_of_val(x)) - 1;
        share(self.pool.as_deref(), helpers, tasks, |(x, counted)| {
            processor::widest(Part { x, bounds, counted })
        })?;
        Counted::joined(parts)
    }
}

/// Returns two ranks that probably enclose those at some positions of the sorted ranks of `n` elements.
fn enclosing<K: Rank>(sample: &[K], n: usize, positions: &[usize]) -> [K; 2] {
    let in_sample = |position: usize| (position as u128 * sample.len() as u128 / n as u128) as usize;
    let first = positions.first().and_then(|&first| in_sample(first).checked_sub(MARGIN));
    let last = positions.last().and_then(|&last| sample.get(in_sample(last) + MARGIN));
    [first.map_or(K::zeroed(), |at| sample[at]), last.copied().unwrap_or(!K::zeroed())]
}

/// A part whose elements are compared with two bounds.
struct Part<'a, T: TotalOrder> {
    x: &'a [T],
    bounds: [T::Rank; 2],
    counted: &'a mut Counted<T::Rank>,
}

impl<T: TotalOrder> processor::Job for Part<'_, T> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, _: impl processor::Processor) -> Result<(), Error> {
        let Part { x, bounds: [lower, upper], counted } = self;
        let mut between = [lower; BLOCK];
        for block in x.chunks(BLOCK) {
            let (mut below, mut at_lower, mut at_upper) = (0u32, 0u32, 0u32);
            for x in block {
                let rank = x.rank();
                below += u32::from(rank < lower);
                at_lower += u32::from(rank == lower);
                at_upper += u32::from(rank == upper);
            }
            let mut len = 0;
            for x in block {
                // Branchless: a rank that is not between the bounds is overwritten by the next.
                let rank = x.rank();
                between[len % BLOCK] = rank;
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
            let mut sorted: Vec<u32> = x.iter().map(|x| x.rank()).collect();
            sorted.sort();
            for threads in [1, 3] {
                let cpu = Cpu::with_threads(threads).unwrap();
                let many: Vec<usize> = (0..40).map(|i| i * (N / 40)).collect();
                for positions in
                    [&[0][..], &[N - 1], &[N / 2 - 1, N / 2], &[1, N / 4, N / 2, N - 9], &[N / 3 * 2], &many]
                {
                    let found = cpu.ranks_at_positions(&x, positions).unwrap();
                    let expected: Vec<u32> = positions.iter().map(|&position| sorted[position]).collect();
                    assert_eq!(found, expected, "input {input}, positions {positions:?}");
                }
            }
        }
    }
}
