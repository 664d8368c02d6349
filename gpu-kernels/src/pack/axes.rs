//! Axes of strided arrays in memory.

extern crate alloc;
use alloc::vec::Vec;

/// The length of an axis, and the distance of neighbouring elements along it.
pub type Axis = (usize, isize);

/// Merges contiguous axes and drops axes of length 1. The last axis runs fastest.
///
/// ```
/// use gpu_kernels::pack::axes::merged;
///
/// assert_eq!(merged([(2, 24), (1, 7), (3, 8), (8, 1)]), [(48, 1)]);
/// assert_eq!(merged([(3, 8), (2, 24)]), [(3, 8), (2, 24)]);
/// ```
#[must_use]
pub fn merged(axes: impl IntoIterator<Item = Axis>) -> Vec<Axis> {
    let mut merged: Vec<Axis> = Vec::new();
    for (len, stride) in axes.into_iter().filter(|&(len, _)| len != 1) {
        match merged.last_mut() {
            Some(outer) if outer.1 == stride.wrapping_mul(len.cast_signed()) => {
                *outer = (outer.0.saturating_mul(len), stride);
            }
            _ => merged.push((len, stride)),
        }
    }
    merged
}
