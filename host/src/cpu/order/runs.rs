//! Ascending and descending runs of an array.

use std::ops::Range;

use gpu_kernels::Rank;

use crate::cpu::processor::{self, Job, Processor};

/// Most runs of an array that is merged, and least elements per run: otherwise sorting afresh is faster.
const MOST: usize = 16;
const LEAST_LEN: usize = 32;

/// The runs of an array: their ends, and whether they descend.
pub(super) struct Runs {
    ends: [(usize, bool); MOST],
    pub(super) count: usize,
}

impl Runs {
    /// Finds the runs of `x`, if they are few and at most `most`. Otherwise stops early. Equal elements that descend are
    /// reversed with their run if they are keys, which have the same bits; otherwise they end it, so that they keep their
    /// order.
    pub(super) fn of<R, K: Rank, const ARE_KEYS: bool>(
        x: &[R],
        most: usize,
        rank: impl Fn(&R) -> K,
    ) -> Option<Self> {
        let most = (x.len() / LEAST_LEN).clamp(1, MOST.min(most));
        let mut runs = Self { ends: [(0, false); MOST], count: 0 };
        let mut at = 0;
        while at < x.len() {
            if ARE_KEYS {
                // Equal elements are part of the run, whichever way it goes.
                at += leading(&x[at..], |left, right| rank(left) == rank(right));
            }
            let is_down = matches!(&x[at..], [left, right, ..] if rank(right) < rank(left));
            let pairs = match (is_down, ARE_KEYS) {
                (false, _) => leading(&x[at..], |left, right| rank(left) <= rank(right)),
                (true, true) => leading(&x[at..], |left, right| rank(right) <= rank(left)),
                (true, false) => leading(&x[at..], |left, right| rank(right) < rank(left)),
            };
            at += pairs + 1;
            *runs.ends[..most].get_mut(runs.count)? = (at, is_down);
            runs.count += 1;
        }
        Some(runs)
    }

    /// Returns the end of each run.
    #[expect(clippy::disallowed_methods, reason = "at most 16 runs")]
    pub(super) fn ends(&self) -> Vec<usize> {
        self.ends[..self.count].iter().map(|run| run.0).collect()
    }

    /// Returns the runs that descend.
    pub(super) fn descending(&self) -> impl Iterator<Item = Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|run| run.0));
        let runs = starts.zip(&self.ends[..self.count]);
        runs.filter(|(_, (_, is_down))| *is_down).map(|(start, (end, _))| start..*end)
    }
}

/// Pairs of neighbours that are looked at together.
const BLOCK: usize = 64;

/// Returns the number of pairs of neighbours before the first one for which a condition does not hold.
pub(super) fn leading<R>(x: &[R], holds: impl Fn(&R, &R) -> bool) -> usize {
    let mut count = 0;
    processor::widest(Leading { x, holds, count: &mut count });
    count
}

/// Counts pairs of neighbours.
struct Leading<'a, R, F> {
    x: &'a [R],
    holds: F,
    count: &'a mut usize,
}

impl<R, F: Fn(&R, &R) -> bool> Job for Leading<'_, R, F> {
    type Done = ();

    #[inline(always)]
    fn run(self, _: impl Processor) {
        let Self { x, holds, count } = self;
        let mut at = 0;
        while let Some((left, last)) = x[at..].first_chunk::<BLOCK>().zip(x.get(at + BLOCK)) {
            let mut all = holds(&left[BLOCK - 1], last);
            for i in 0..BLOCK - 1 {
                all &= holds(&left[i], &left[i + 1]);
            }
            if !all {
                break;
            }
            at += BLOCK;
        }
        *count = at + x[at..].windows(2).take_while(|pair| holds(&pair[0], &pair[1])).count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_end_where_the_order_turns_and_equal_elements_keep_theirs() {
        let up_down = |i: u32| i.min(150 - i) / 2;
        let x: Vec<(u32, u32)> = (0..150).map(|i| (up_down(i), i)).collect();
        assert_eq!(Runs::of::<_, _, true>(&x, MOST, |x| x.0).unwrap().ends(), [77, 150]);
        assert!(Runs::of::<_, _, true>(&x, 1, |x| x.0).is_none(), "two are more than one");
        assert!(
            Runs::of::<_, _, false>(&x, MOST, |x| x.0).is_none(),
            "each pair of equal elements ends a run"
        );
        let mut steep: Vec<(u32, u32)> = (0..150).map(|i| (i.min(150 - i), i)).collect();
        let runs = Runs::of::<_, _, false>(&steep, MOST, |x| x.0).unwrap();
        assert_eq!(runs.ends(), [76, 150]);
        runs.descending().for_each(|run| steep[run].reverse());
        assert!(steep[..76].is_sorted() && steep[76..].is_sorted());
        assert_eq!(Runs::of::<_, _, true>(&steep[..1], MOST, |x| x.0).unwrap().ends(), [1]);
    }
}
