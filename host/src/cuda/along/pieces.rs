//! The division of a view's rows among launches that fold or pack them.

use gpu_kernels::pack::axes::Axis;

use crate::layout::{Parted, position};
use crate::plan::columns::Columns;

/// Least bytes of the rows that one launch folds in place: packing them would write and read them once more, which
/// takes as long as a launch costs. To be measured.
const LEAST_LAUNCH_BYTES: usize = 4 << 20;

/// Number of launches that take no longer than packing, however few the elements are.
const FEW_LAUNCHES: usize = 4;

/// Returns how many rows a launch folds in place, and their pitch. Returns `None` unless each row is a slice, the
/// first row along the last axis is the lowest in memory, and launches take less time than packing.
pub(crate) fn in_place<T>(parted: &Parted) -> Option<(usize, usize)> {
    if !matches!(parted.reduced[..], [] | [(_, 1)]) {
        return None;
    }
    let (rows, pitch) = match parted.kept.last() {
        None => (1, parted.len),
        Some(&(rows, stride)) => (rows, usize::try_from(stride).ok()?),
    };
    let bytes = rows.saturating_mul(parted.len).saturating_mul(size_of::<T>());
    (parted.count / rows <= FEW_LAUNCHES || bytes >= LEAST_LAUNCH_BYTES).then_some((rows, pitch))
}

/// Returns the rows as columns of matrices, if the rows along the last axis are side by side and all have one
/// stride.
pub(crate) fn as_columns(parted: &Parted) -> Option<Columns> {
    let &[(rows, row_pitch)] = &parted.reduced[..] else {
        return None;
    };
    let ((batches, batch_pitch), columns) = match parted.kept[..] {
        [] => ((1, 0), 1),
        [(columns, 1)] => ((1, 0), columns),
        [outer, (columns, 1)] => (outer, columns),
        _ => return None,
    };
    Some(Columns {
        batches: batches as u64,
        rows: rows as u64,
        columns: columns as u64,
        batch_pitch: u64::try_from(batch_pitch).ok()?,
        row_pitch: u64::try_from(row_pitch).ok()?,
    })
}

/// Rows that one launch packs or folds in place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Number of the first row among all.
    pub(crate) first: usize,
    /// Number of rows.
    pub(crate) rows: usize,
    /// Position of the first row's first element.
    pub(crate) offset: usize,
    /// The axes along which the rows lie.
    pub(crate) kept: Vec<Axis>,
}

/// Divides all rows along `kept` into pieces of at most `most_rows`: the last axes whole, some indices of one axis, and
/// one index of each axis before it.
pub(crate) fn pieces(kept: &[Axis], offset: usize, most_rows: usize) -> impl Iterator<Item = Piece> {
    let (mut whole, mut inner) = (kept.len(), 1_usize);
    while let Some(&(length, _)) = whole.checked_sub(1).and_then(|axis| kept.get(axis)) {
        match inner.checked_mul(length) {
            Some(rows) if rows <= most_rows => (whole, inner) = (whole - 1, rows),
            _ => break,
        }
    }
    let (outer, rest) = kept.split_at(whole);
    let (&(length, stride), outer) = outer.split_last().unwrap_or((&(1, 0), &[]));
    let step = (most_rows / inner).max(1);
    let indices = outer.iter().map(|&(length, _)| length).product::<usize>();
    (0..indices).flat_map(move |index| {
        let offset = position(offset, outer, index);
        (0..length).step_by(step).map(move |along| {
            let rows = step.min(length - along);
            #[expect(clippy::disallowed_methods, reason = "a few axes")]
            let kept = [&[(rows, stride)], rest].concat();
            Piece {
                first: (index * length + along) * inner,
                rows: rows * inner,
                offset: offset.wrapping_add_signed(stride.wrapping_mul(along.cast_signed())),
                kept,
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_are_all_rows() {
        let axes: [&[Axis]; 5] =
            [&[], &[(7, -3)], &[(4, 100), (5, 7)], &[(3, 0), (2, -50), (5, 1)], &[(6, 1), (1000, 6)]];
        for kept in axes {
            let rows = kept.iter().map(|&(length, _)| length).product::<usize>();
            for most in [1, 2, 3, 5, 9, 10, 11, 30, 6000] {
                let mut next = 0;
                for piece in pieces(kept, 500, most) {
                    assert_eq!(piece.first, next, "{kept:?}, {most}");
                    assert!((1..=most).contains(&piece.rows), "{kept:?}, {most}: {piece:?}");
                    for row in [0, piece.rows / 2, piece.rows - 1] {
                        let found = position(piece.offset, &piece.kept, row);
                        assert_eq!(found, position(500, kept, next + row), "{kept:?}, {most}: {piece:?}");
                    }
                    next += piece.rows;
                }
                assert_eq!(next, rows, "{kept:?}, {most}");
            }
        }
        assert_eq!(pieces(&[(4, 100), (5, 7)], 0, 20).count(), 1);
    }

    #[test]
    fn rows_side_by_side_are_columns() {
        let of = |kept: &[Axis], reduced: &[Axis]| {
            let found = as_columns(&Parted { kept: kept.into(), reduced: reduced.into(), count: 1, len: 1 });
            found.map(|Columns { batches, rows, columns, batch_pitch, row_pitch }| {
                [batches, rows, columns, batch_pitch, row_pitch]
            })
        };
        assert_eq!(of(&[(7, 1)], &[(5, 9)]), Some([1, 5, 7, 0, 9]));
        assert_eq!(of(&[(3, 100), (7, 1)], &[(5, 9)]), Some([3, 5, 7, 100, 9]));
        assert_eq!(of(&[(3, 0), (7, 1)], &[(5, 0)]), Some([3, 5, 7, 0, 0]));
        assert_eq!(of(&[], &[(5, 9)]), Some([1, 5, 1, 0, 9]));
        assert_eq!((of(&[(7, 2)], &[(5, 9)]), of(&[(7, 1)], &[(5, -9)])), (None, None));
        assert_eq!((of(&[(7, 1)], &[(2, 90), (5, 9)]), of(&[(7, 1)], &[])), (None, None));
    }

    #[test]
    fn rows_that_are_slices_stay_in_place() {
        let of = |kept: &[Axis], reduced: &[Axis]| {
            let length = |axes: &[Axis]| axes.iter().map(|&(length, _)| length).product();
            let (count, len) = (length(kept), length(reduced));
            in_place::<u32>(&Parted { kept: kept.into(), reduced: reduced.into(), count, len })
        };
        assert_eq!(of(&[(3, 7)], &[(5, 1)]), Some((3, 7)));
        assert_eq!(of(&[(3, 2)], &[(5, 1)]), Some((3, 2)));
        assert_eq!(of(&[(3, 0)], &[(5, 1)]), Some((3, 0)));
        assert_eq!(of(&[(3, 2)], &[]), Some((3, 2)));
        assert_eq!((of(&[], &[(5, 1)]), of(&[], &[])), (Some((1, 5)), Some((1, 1))));
        assert_eq!((of(&[(3, -7)], &[(5, 1)]), of(&[(3, 7)], &[(5, 2)])), (None, None));
        assert_eq!(of(&[(3, 70)], &[(5, 9), (2, 1)]), None);
        // Takes a launch for each index along the other axes, if these are few or each has much to do.
        assert_eq!(of(&[(2, -70), (2, 5), (30, 9)], &[(5, 1)]), Some((30, 9)));
        assert_eq!(of(&[(5, 900), (30, 9)], &[(5, 1)]), None);
        assert_eq!(of(&[(5, 1 << 21), (1 << 10, 1 << 11)], &[(1 << 10, 1)]), Some((1 << 10, 1 << 11)));
    }
}
