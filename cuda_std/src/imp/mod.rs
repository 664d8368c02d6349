//! The two implementations of the device library. Both have the same functions in the same order; one of them is
//! compiled.
//!
//! `nvptx` consists of instructions, `emulated` calls the emulator. No code above this module knows which one it uses.

#[cfg(not(target_arch = "nvptx64"))]
#[path = "emulated.rs"]
mod half;
#[cfg(target_arch = "nvptx64")]
#[path = "nvptx.rs"]
mod half;

pub(crate) use half::*;

/// How a shuffle selects the source lane. The variants have the names of the PTX ISA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Xor,
    Idx,
}

/// Returns the lane from which `shfl.sync` reads, or `None` if it is outside the segment. The names are from PTX ISA
/// 9.7.9.6: operand `b` is the lane operand, and `c` holds the clamp in bits 0-4 and the segment mask in bits 8-12.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(crate) fn source(mode: Shuffle, lane: u32, b: u32, c: u32) -> Option<u32> {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let max = (lane & segment) | (clamp & !segment);
    let min = lane & segment;
    let (source, valid) = match mode {
        // Signed, so that a lane below 0 is less than any limit.
        Shuffle::Up => (lane.wrapping_sub(b), lane as i32 - b as i32 >= max as i32),
        Shuffle::Down => (lane + b, lane + b <= max),
        Shuffle::Xor => (lane ^ b, lane ^ b <= max),
        Shuffle::Idx => (min | (b & !segment), min | (b & !segment) <= max),
    };
    valid.then_some(source)
}

#[cfg(test)]
mod tests {
    use super::{Shuffle, source};

    /// Returns operand `c` for segments of `width` lanes.
    fn clamp(width: u32, clamp: u32) -> u32 {
        ((32 - width) << 8) | clamp
    }

    #[test]
    fn a_shuffle_stays_in_its_segment() {
        for width in [1, 2, 4, 8, 16, 32] {
            for lane in 0..32 {
                let start = lane / width * width;
                let within = |source: i64| {
                    (source >= i64::from(start) && source < i64::from(start + width)).then_some(source as u32)
                };
                for b in 0..32 {
                    let (l, d) = (i64::from(lane), i64::from(b));
                    assert_eq!(source(Shuffle::Up, lane, b, clamp(width, 0)), within(l - d));
                    assert_eq!(source(Shuffle::Down, lane, b, clamp(width, 31)), within(l + d));
                    let index = start + b % width;
                    assert_eq!(source(Shuffle::Idx, lane, b, clamp(width, 31)), Some(index));
                    if b < width {
                        assert_eq!(source(Shuffle::Xor, lane, b, clamp(width, 31)), Some(lane ^ b));
                    }
                }
            }
        }
    }

    /// A butterfly may read from an earlier segment, but not from a later one.
    #[test]
    fn a_wide_butterfly_reaches_down_only() {
        assert_eq!(source(Shuffle::Xor, 8, 8, clamp(8, 31)), Some(0));
        assert_eq!(source(Shuffle::Xor, 0, 8, clamp(8, 31)), None);
    }

    #[test]
    fn only_five_bits_of_the_lane_count() {
        assert_eq!(source(Shuffle::Down, 3, 33, clamp(32, 31)), Some(4));
    }
}
