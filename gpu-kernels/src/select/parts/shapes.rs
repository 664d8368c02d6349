//! The shape of launches that select the first elements of parts: the contract between the kernels and the host.

/// Threads of a block that selects from a long part or slice.
pub const PART_THREADS: u32 = 256;

/// Returns the threads of a block that selects the first `k` of a part or slice of `bytes` bytes. Fewer threads wait less for each other, and
/// more sort more pairs in less time (docs/tuning/gpu.md).
#[must_use]
pub const fn part_threads(k: u64, bytes: u64) -> u32 {
    if k > 256 {
        2 * PART_THREADS
    } else if bytes <= 1 << 18 {
        PART_THREADS / 2
    } else {
        PART_THREADS
    }
}

/// Warps of a block whose warps select from a part each.
pub const PART_WARPS: u32 = 8;

/// Most elements wanted of a part: twice as many pairs fit a block's memory.
pub const MOST_OF_BLOCK: u64 = 2048;

/// Most elements wanted of a part that a warp reads: each lane's best is one of as many groups.
pub const MOST_OF_WARP: u64 = 32;

/// Most elements of a part that a lane has alone.
pub const MOST_OF_LANE: u64 = 16;

/// Warps of a block whose lanes have a part each.
pub const LANES_WARPS: u32 = 4;

/// Words of shared memory of such a warp: one in 33 is left out.
pub const LANES_WORDS: u32 = 32 * MOST_OF_LANE as u32 / 32 * 33;

/// The most elements of a part or slice. An index and a rank of up to 4 bytes have 8 bytes together.
pub const MOST_OF_PART: u64 = u32::MAX as u64 - 1;

/// Returns the vectors that a lane of a warp with a part of its own has in flight. More would leave it fewer registers.
#[must_use]
pub const fn warp_rows(bytes: usize) -> usize {
    match bytes {
        1 | 2 => 1,
        4 => 2,
        _ => 4,
    }
}

/// Returns the elements of `bytes` that a warp with a part of its own has in flight.
#[must_use]
pub const fn warp_tile(bytes: usize) -> u64 {
    (32 * 16 / bytes * warp_rows(bytes)) as u64
}

/// Returns the bytes of a pair of a rank of `bytes` and an index.
#[must_use]
pub const fn pair_bytes(bytes: usize) -> usize {
    if bytes <= 4 { 8 } else { 16 }
}

/// Returns the pairs that a block keeps while it looks for the first `k`: a power of two of more than `k`, and at least as many as it
/// has threads.
#[must_use]
pub const fn block_room(k: u64) -> u32 {
    match k {
        0..=256 => 1024,
        257..=512 => 2048,
        _ => 4096,
    }
}

/// Returns the pairs that a warp keeps while it looks for the first few of `len` elements of `bytes`: a power of two, and at least as many as
/// are wanted and one more.
#[must_use]
pub const fn warp_room(len: u64, bytes: usize) -> u32 {
    if len <= warp_tile(bytes) { 128 } else { 256 }
}

/// Returns which of the sorted bests of `groups` groups of `group` elements each, of a sample of `len`, probably comes after the first `k` of
/// all; `None` if no guess is likely to be right. If it does not, all elements are read again.
///
/// If `x` of the first `k` are expected in the sample, half as many and six more are taken: a Poisson variable with mean `x` is greater
/// in one of some thousand cases. Several of these may share a group.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
#[must_use]
pub const fn nth_of_groups(k: u32, groups: u32, group: u32, len: u64) -> Option<u32> {
    let expected = k as u64 * groups as u64 * group as u64 / len;
    if expected > groups as u64 {
        return None;
    }
    let nth = expected as u32 * 3 / 2 + 6;
    let nth = 2 * groups * nth / (2 * groups + nth);
    if nth <= groups / 4 * 3 { Some(nth) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_more_than_is_wanted() {
        for k in 1..=MOST_OF_BLOCK {
            let room = block_room(k);
            assert!(
                room.is_power_of_two() && u64::from(room) >= 2 * k && room >= part_threads(k, 1 << 20),
                "{k}"
            );
        }
        for bytes in [1, 2, 4, 8] {
            for len in [1, 256, 257, 1 << 20] {
                assert!(u64::from(warp_room(len, bytes)) > 2 * MOST_OF_WARP);
            }
        }
    }

    #[test]
    fn a_best_of_groups_comes_after_the_first() {
        for len in [300, 5000, 128_256, 1 << 31] {
            for k in [1, 8, 50, 2048] {
                for groups in [32, 256] {
                    if let Some(nth) = nth_of_groups(k, groups, 8, len) {
                        let expected = u64::from(k) * u64::from(groups) * 8 / len;
                        assert!(
                            (1..groups).contains(&nth) && u64::from(nth) * 4 > expected,
                            "{len} {k}: {nth}"
                        );
                    }
                }
            }
        }
        assert_eq!(nth_of_groups(50, 256, 8, 1 << 31), Some(5));
        assert_eq!(nth_of_groups(2048, 256, 8, 4096), None);
    }
}
