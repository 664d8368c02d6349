//! Integer types of offsets, group ids and labels, and the checks of offsets and labels.

use std::ops::Range;

use bytemuck::Pod;

use crate::error::Error;

/// An integer type of segment offsets, group ids and labels: i32, u32, i64, u64 or usize.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer type of offsets and group ids",
    label = "not i32, u32, i64, u64 or usize",
    note = "convert others: `let offsets: Vec<i64> = offsets.iter().map(|&offset| offset as i64).collect()`",
    note = "a generic function asks for it: `I: warpfold::elements::IndexType`"
)]
pub trait IndexType: Pod + Send + Sync + sealed::Integer {}

mod sealed {
    /// What is asked of such an integer.
    pub trait Integer: bytemuck::Pod {
        /// The greatest there is.
        #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "GPUs take them as bits"))]
        const MOST: u64;
        /// Its value, if it may be an index on this machine.
        fn index(self) -> Option<usize>;
        /// Its value, for a message.
        fn value(self) -> i128;
        /// Whether it may be negative.
        const IS_SIGNED: bool;
    }
}

macro_rules! index_types {
    ($($int:ty),*) => { $(
        impl IndexType for $int {}
        impl sealed::Integer for $int {
            const MOST: u64 = <$int>::MAX as u64;
            #[inline]
            fn index(self) -> Option<usize> {
                usize::try_from(self).ok()
            }
            fn value(self) -> i128 {
                self as i128
            }
            const IS_SIGNED: bool = <$int>::MIN != 0;
        }
    )* };
}
index_types!(i32, u32, i64, u64, usize);

/// Checks the labels of rows with this number of columns.
///
/// # Errors
/// [`Error::Label`] for the first row whose label is negative or not a column.
pub(crate) fn check_labels<I: IndexType>(labels: &[I], columns: usize) -> Result<(), Error> {
    let wrong = |label: &I| label.index().is_none_or(|label| label >= columns);
    match labels.iter().position(wrong) {
        Some(row) => Err(Error::Label { row, label: labels[row].value(), columns }),
        None => Ok(()),
    }
}

/// Returns the number of elements of the longest segment between `offsets`, within `len` elements.
///
/// # Errors
/// [`Error::Offset`] if an offset is less than the one before it, negative, or more than the number of elements.
pub(crate) fn longest_segment<I: IndexType>(offsets: &[I], len: usize) -> Result<usize, Error> {
    longest_segment_at(offsets, 0..offsets.len(), len)
}

/// Does [`longest_segment`] for the segments that end at some of the offsets.
pub(crate) fn longest_segment_at<I: IndexType>(
    offsets: &[I],
    ends: Range<usize>,
    len: usize,
) -> Result<usize, Error> {
    let first = offsets.get(ends.start.saturating_sub(1));
    let (mut before, mut longest) = (first.and_then(|first| first.index()).unwrap_or(0), 0);
    for (at, offset) in (ends.start..).zip(&offsets[ends]) {
        let wrong = |why| Error::Offset { at, offset: offset.value(), why, len };
        let index = offset.index().filter(|&index| index <= len);
        let index = index.ok_or_else(|| wrong("there is no such position"))?;
        let elements = index.checked_sub(before).ok_or_else(|| wrong("the one before it is greater"))?;
        (before, longest) = (index, elements.max(longest));
    }
    Ok(longest)
}
