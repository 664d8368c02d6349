//! Ascending and descending runs of an array.

use gpu_kernels::Rank;

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
    pub(super) fn of<R, K: Rank>(x: &[R], most: usize, is_key: bool, rank: impl Fn(&R) -> K) -> Option<Self> {
        let most = (x.len() / LEAST_LEN).clamp(1, MOST.min(most));
        let mut runs = Self { ends: [(0, false); MOST], count: 0 };
        let mut at = 0;
        while at < x.len() {
            let descends = |pair: &[R]| rank(&pair[1]) < rank(&pair[0]);
            if is_key {
                // Equal elements are part of the run, whichever way it goes.
                let first = rank(&x[at]);
                at += x[at + 1..].iter().take_while(|x| rank(x) == first).count();
            }
            let mut pairs = x[at..].windows(2);
            let is_down = pairs.next().is_some_and(descends);
            let goes_up = |pair: &[R]| !(descends(pair) || is_key && rank(&pair[0]) == rank(&pair[1]));
            let more = if is_down { pairs.position(goes_up) } else { pairs.position(descends) };
            at = more.map_or(x.len(), |more| at + more + 2);
            *runs.ends[..most].get_mut(runs.count)? = (at, is_down);
            runs.count += 1;
        }
        Some(runs)
    }

    /// Returns the end of each run.
    pub(super) fn ends(&self) -> Vec<usize> {
        self.ends[..self.count].iter().map(|run| run.0).collect()
    }

    /// Reverses the runs of `x` that descend.
    pub(super) fn reverse<R>(&self, x: &mut [R]) {
        let mut start = 0;
        for &(end, is_down) in &self.ends[..self.count] {
            if is_down {
                x[start..end].reverse();
            }
            start = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_end_where_the_order_turns_and_equal_elements_keep_theirs() {
        let up_down = |i: u32| i.min(150 - i) / 2;
        let x: Vec<(u32, u32)> = (0..150).map(|i| (up_down(i), i)).collect();
        assert_eq!(Runs::of(&x, MOST, true, |x| x.0).unwrap().ends(), [77, 150]);
        assert!(Runs::of(&x, 1, true, |x| x.0).is_none(), "two are more than one");
        assert!(Runs::of(&x, MOST, false, |x| x.0).is_none(), "each pair of equal elements ends a run");
        let mut steep: Vec<(u32, u32)> = (0..150).map(|i| (i.min(150 - i), i)).collect();
        let runs = Runs::of(&steep, MOST, false, |x| x.0).unwrap();
        assert_eq!(runs.ends(), [76, 150]);
        runs.reverse(&mut steep);
        assert!(steep[..76].is_sorted() && steep[76..].is_sorted());
        assert_eq!(Runs::of(&steep[..1], MOST, true, |x| x.0).unwrap().ends(), [1]);
    }
}
