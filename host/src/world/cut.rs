//! The division of an array between ranks.

use std::ops::Range;

/// The parts of an array, one for each rank, in order.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// The start of each part, and the end of the last.
    starts: Vec<u64>,
}

impl Cut {
    /// Creates parts of these lengths. Returns `None` if their sum overflows.
    pub(super) fn new(lens: impl IntoIterator<Item = u64>) -> Option<Self> {
        let mut starts = vec![0_u64];
        for len in lens {
            starts.push(starts.last()?.checked_add(len)?);
        }
        Some(Self { starts })
    }

    /// Divides `len` elements into `parts` parts, whose lengths differ by at most one.
    pub(super) fn evenly(len: u64, parts: usize) -> Self {
        let start = |part| (u128::from(len) * part as u128 / parts.max(1) as u128) as u64;
        Self { starts: (0..=parts).map(start).collect() }
    }

    /// Returns the parts with these numbers of elements taken away from each.
    pub(super) fn without(&self, others: &Self) -> Self {
        let mut starts = vec![0_u64];
        let mut end = 0;
        for rank in 0..self.parts() {
            let [part, other] = [self.part(rank), others.part(rank)].map(|part| part.end - part.start);
            end += part.saturating_sub(other);
            starts.push(end);
        }
        Self { starts }
    }

    /// Returns the number of elements of all parts.
    pub(super) fn total(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns the range of a rank's part in the array.
    pub(super) fn part(&self, rank: usize) -> Range<u64> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// Returns the number of elements of a rank's part.
    pub(super) fn len(&self, rank: usize) -> usize {
        let part = self.part(rank);
        usize::try_from(part.end - part.start).unwrap_or(usize::MAX)
    }

    /// Returns a rank's share of a range of the array, counted from the start of its part.
    pub(super) fn within(&self, rank: usize, range: &Range<u64>) -> Range<usize> {
        let part = self.part(rank);
        let at = |position: u64| (position.clamp(part.start, part.end) - part.start) as usize;
        at(range.start)..at(range.end.max(range.start))
    }

    /// Returns the division of a range of the array: each rank's share of it.
    pub(super) fn of_range(&self, range: &Range<u64>) -> Self {
        let at = |start: &u64| start.clamp(&range.start, &range.end) - range.start;
        Self { starts: self.starts.iter().map(at).collect() }
    }

    /// Returns the number of parts.
    pub(super) fn parts(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the last rank before this one that has elements.
    pub(super) fn before(&self, rank: usize) -> Option<usize> {
        (0..rank).rev().find(|&rank| !self.part(rank).is_empty())
    }

    /// Returns the next rank after this one that has elements.
    pub(super) fn after(&self, rank: usize) -> Option<usize> {
        (rank + 1..self.parts()).find(|&rank| !self.part(rank).is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_ranges_of_them() {
        let cut = Cut::new([3, 0, 5, 2]).unwrap();
        assert_eq!((cut.total(), cut.part(2), cut.part(1)), (10, 3..8, 3..3));
        assert_eq!([0, 1, 2].map(|rank| cut.len(rank)), [3, 0, 5]);
        assert_eq!((cut.within(2, &(4..20)), cut.within(0, &(4..20))), (1..5, 3..3));
        assert_eq!(cut.of_range(&(2..4)).starts, [0, 1, 1, 2, 2]);
        assert_eq!(
            (cut.before(2), cut.after(0), cut.after(3), cut.before(0)),
            (Some(0), Some(2), None, None)
        );
        assert_eq!(Cut::evenly(10, 4).starts, [0, 2, 5, 7, 10]);
        assert!(Cut::new([u64::MAX, 1]).is_none());
        assert_eq!(cut.without(&Cut::new([1, 0, 5, 0]).unwrap()).starts, [0, 2, 2, 2, 4]);
    }
}
