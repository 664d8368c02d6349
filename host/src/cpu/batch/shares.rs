//! Shares of consecutive rows with similar weights, found by bisection, so no thread walks over another thread's rows.

use std::ops::Range;

/// Cuts `outs`, `width` for each row, into shares of weight up to `most`, but at least one row. `weight` returns the weight
/// of all rows before a given one, and never descends.
pub(in crate::cpu) fn of<Out>(
    outs: &mut [Out],
    width: usize,
    most: usize,
    weight: impl Fn(usize) -> usize,
) -> impl Iterator<Item = (Range<usize>, &mut [Out])> {
    let count = outs.len() / width;
    let (mut outs, mut start) = (outs, 0);
    std::iter::from_fn(move || {
        if start == count {
            return None;
        }
        let end = last_within(start + 1, count, |row| weight(row) <= weight(start).saturating_add(most));
        let (share, rest) = std::mem::take(&mut outs).split_at_mut((end - start) * width);
        let range = start..end;
        (outs, start) = (rest, end);
        Some((range, share))
    })
}

/// Returns the last number in `first..=last` for which `is` holds, or `first` if it holds for none. `is` must hold for
/// all numbers before the last such one.
fn last_within(first: usize, last: usize, is: impl Fn(usize) -> bool) -> usize {
    let (mut first, mut last) = (first, last);
    while first < last {
        let middle = last - (last - first) / 2;
        if is(middle) { first = middle } else { last = middle - 1 }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_full_and_cover_all() {
        let before = [0, 3, 3, 10, 11, 12, 30, 31, 31, 31];
        let mut outs = [0; 9];
        let mut shares = Vec::new();
        for (range, share) in of(&mut outs, 1, 10, |row| before[row]) {
            share.fill(1);
            assert_eq!(share.len(), range.len());
            shares.push(range);
        }
        assert_eq!(shares, [0..3, 3..5, 5..6, 6..9]);
        assert_eq!(outs, [1; 9]);
        assert_eq!(of(&mut [0_u8; 0], 1, 10, |_| 0).count(), 0);
        let wide = of(&mut [0; 27], 3, 10, |row| before[row])
            .map(|(range, share)| (range, share.len()))
            .collect::<Vec<_>>();
        assert_eq!(wide, [(0..3, 9), (3..5, 6), (5..6, 3), (6..9, 9)]);
    }
}
