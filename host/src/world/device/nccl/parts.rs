//! How an array is divided: a share of the positions for each rank, and pieces of the shares.

use std::ops::Range;

/// The sizes at which arrays are divided. All ranks have the same.
#[derive(Clone, Copy, Debug)]
pub struct NcclSizes {
    /// Bytes of one piece on a rank: what it gets from all others, and its own. The shares of a piece are moved while
    /// the shares of the piece before are folded. Larger pieces mean fewer launches, of some 8 us each. Smaller pieces
    /// mean a shorter wait before the first fold and after the last.
    pub piece: usize,
    /// Least bytes of a share that is divided into two pieces. For shorter shares, two more launches take longer than
    /// the fold that they hide.
    pub least_share: usize,
    /// Largest array, in bytes, that each rank gets and folds as a whole: one exchange instead of two.
    pub small: usize,
    /// Most additional bytes that a rank then gets, compared with shares. Two ranks get equally many bytes
    /// both ways.
    pub more: usize,
}

impl Default for NcclSizes {
    /// Returns the sizes for NVLink: longer pieces gain little (docs/tuning/gpu.md).
    fn default() -> Self {
        Self { piece: 256 << 20, least_share: 8 << 20, small: 8 << 20, more: 2 << 20 }
    }
}

impl NcclSizes {
    /// Returns whether every rank gets the whole of an array of `bytes` bytes.
    pub(super) fn is_small(&self, bytes: usize, ranks: usize) -> bool {
        // All but its own, and twice its share of all but its own.
        let (all, shares) = (bytes.saturating_mul(ranks - 1), 2 * (bytes / ranks).saturating_mul(ranks - 1));
        bytes <= self.small && all.saturating_sub(shares) <= self.more
    }
}

/// A share begins at a multiple of this many positions, so that every share except the last is whole vectors of any
/// element.
const STEP: usize = 64;

/// The shares of all ranks, in pieces.
#[derive(Clone, Debug)]
pub(super) struct Shares {
    /// The start of each share, and the end of the last.
    starts: Vec<usize>,
    /// Elements of a share in one piece.
    step: usize,
    pieces: usize,
}

impl Shares {
    /// Divides `len` elements of `bytes` bytes each between `ranks` ranks, at whole vectors.
    pub(super) fn aligned(len: usize, bytes: usize, ranks: usize, sizes: &NcclSizes) -> Self {
        let share = len.div_ceil(ranks.max(1)).next_multiple_of(STEP);
        Self::at((0..=ranks).map(|rank| rank.saturating_mul(share).min(len)).collect(), bytes, sizes)
    }

    /// Divides at the positions `starts`. The last position is the number of elements.
    pub(super) fn at(starts: Vec<usize>, bytes: usize, sizes: &NcclSizes) -> Self {
        let ranks = starts.len().saturating_sub(1).max(1);
        let longest = starts.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
        let half = longest.div_ceil(2).max(sizes.least_share / bytes.max(1));
        let most = (sizes.piece / ranks / bytes.max(1)).max(STEP);
        let step = half.min(most).min(longest).max(1).next_multiple_of(STEP);
        Self { starts, step, pieces: longest.div_ceil(step) }
    }

    /// Returns the number of pieces.
    pub(super) fn pieces(&self) -> usize {
        self.pieces
    }

    /// Returns the most elements of a share in one piece, a multiple of 64.
    pub(super) fn step(&self) -> usize {
        self.step
    }

    /// Returns the positions of a rank's share.
    pub(super) fn share(&self, rank: usize) -> Range<usize> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// Returns the positions of a rank's share that are in a piece.
    pub(super) fn part(&self, piece: usize, rank: usize) -> Range<usize> {
        let Range { start, end } = self.share(rank);
        let at = |piece: usize| start.saturating_add(piece.saturating_mul(self.step)).min(end);
        at(piece)..at(piece + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_all_pieces_are_the_array() {
        for len in [0, 1, 63, 64, 65, 1000, (5 << 20) + 3, (40 << 20) + 77] {
            for (ranks, bytes) in [(1, 4), (2, 4), (3, 2), (7, 16), (8, 1), (64, 12)] {
                let sizes = NcclSizes::default();
                let shares = Shares::aligned(len, bytes, ranks, &sizes);
                assert!(shares.step() * bytes * ranks <= sizes.piece + STEP * bytes * ranks);
                let mut next = 0;
                for rank in 0..ranks {
                    assert_eq!(shares.share(rank).start, next);
                    for piece in 0..shares.pieces() {
                        let part = shares.part(piece, rank);
                        assert!(part.start == next && part.len() <= shares.step(), "{shares:?}");
                        next = part.end;
                    }
                }
                assert_eq!(next, len, "{shares:?}");
            }
        }
    }

    #[test]
    fn small_arrays_go_to_all_ranks() {
        let sizes = NcclSizes::default();
        for (ranks, most) in [(1, 8192), (2, 8192), (3, 3072), (4, 1365), (8, 390), (64, 33)] {
            assert!(sizes.is_small(most << 10, ranks), "{ranks}");
            assert!(!sizes.is_small((most + 1) << 10, ranks), "{ranks}");
        }
    }

    #[test]
    fn only_large_shares_are_divided() {
        let pieces = |mib: usize, ranks| Shares::aligned(mib << 18, 4, ranks, &NcclSizes::default()).pieces();
        assert_eq!([1, 16, 32, 64, 1024].map(|mib| pieces(mib, 2)), [1, 1, 2, 2, 4]);
        assert_eq!([16, 128, 1024].map(|mib| pieces(mib, 8)), [1, 2, 4]);
    }
}
