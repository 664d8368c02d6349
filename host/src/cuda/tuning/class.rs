//! Size classes: inputs of similar size share a plan.
//!
//! Class `c` has the inputs that are nearest to `2^c` bytes by ratio, from `2^(c - 1/2)` up to `2^(c + 1/2)`. So the
//! size that was measured, `2^c` bytes, is at most a factor of 1.42 away.

use gpu_kernels::Element;

use crate::plan::MAX_LAUNCH_BYTES;

/// The greatest class: inputs of as many bytes as one launch may read. Longer inputs use the general plan.
pub(super) const GREATEST: u32 = MAX_LAUNCH_BYTES.ilog2();

/// Returns the class of `n` elements, or `None` for empty inputs and for more than one launch may read.
pub(super) fn of<T: Element>(n: u64) -> Option<u32> {
    let bytes = n.saturating_mul(size_of::<T>() as u64);
    if bytes == 0 || bytes > MAX_LAUNCH_BYTES {
        return None;
    }
    // Rounds log2(bytes), computed as log2(2 bytes^2) / 2 = log2(bytes) + 1/2. The operand is at most 2^73.
    let twice_squared = 2 * u128::from(bytes) * u128::from(bytes);
    Some(twice_squared.ilog2() / 2)
}

/// Returns the number of elements in the middle of a class, at least 1.
pub(super) fn middle<T: Element>(class: u32) -> u64 {
    ((1 << class.min(GREATEST)) / size_of::<T>() as u64).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_what_is_nearest_by_ratio() {
        assert_eq!((of::<u8>(0), of::<u8>(1), of::<u8>(2), of::<u8>(3)), (None, Some(0), Some(1), Some(2)));
        for class in 4..GREATEST {
            let edge = (2f64.powf(f64::from(class) + 0.5)).floor() as u64;
            assert_eq!(of::<u8>(1 << class), Some(class));
            assert_eq!((of::<u8>(edge), of::<u8>(edge + 1)), (Some(class), Some(class + 1)), "{class}");
            assert_eq!(of::<f64>(middle::<f64>(class)), Some(class));
        }
        assert_eq!((of::<u8>(MAX_LAUNCH_BYTES), of::<u8>(MAX_LAUNCH_BYTES + 1)), (Some(GREATEST), None));
        assert_eq!((of::<f64>(u64::MAX), of::<f64>(1)), (None, Some(3)));
        assert_eq!((middle::<f64>(0), middle::<u8>(u32::MAX)), (1, MAX_LAUNCH_BYTES));
    }
}
