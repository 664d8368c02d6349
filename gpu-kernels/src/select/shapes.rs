//! The shape of launches of selection: the contract between the kernels and the host.

/// Threads of a block that reads samples, with one warp per group.
pub const SAMPLE_THREADS: u32 = 256;

/// Threads of a block that compacts candidates.
pub const FILTER_THREADS: u32 = 256;

/// Blocks of [`FILTER_THREADS`] per multiprocessor, which has room for this many with elements of 4 bytes. This is the best
/// of 5, 8 and 16 (docs/tuning/gpu.md).
pub const FILTER_BLOCKS: u32 = 5;

/// Threads of a block that counts digits.
pub const DIGITS_THREADS: u32 = 512;

/// Blocks of [`DIGITS_THREADS`] per multiprocessor, which has room for this many. This is the best of 1 to 3
/// (docs/tuning/gpu.md).
pub const DIGITS_BLOCKS: u32 = 2;

/// Threads of the one block that picks among candidates.
pub const PICK_THREADS: u32 = 1024;

/// Bits of a digit.
pub const DIGIT_BITS: u32 = 11;

/// Values of a digit.
pub const DIGITS: usize = 1 << DIGIT_BITS;

/// Counters per value in a block: neighbouring lanes add to different ones. To be measured: 1, 2 and 4.
pub const COPIES: usize = 4;

/// The most elements that the picking block sorts: two per thread.
pub const MOST_SORTED: usize = 2 * PICK_THREADS as usize;

/// Returns the elements of `bytes` bytes in a vector.
#[must_use]
pub const fn select_vector(bytes: usize) -> usize {
    16 / bytes
}

/// Returns the vectors that a thread has in flight. Each of their elements needs one bit, and at most 16 leave registers for 5
/// blocks.
#[must_use]
pub const fn select_rows(bytes: usize) -> usize {
    match bytes {
        1 => 1,
        2 => 2,
        _ => 4,
    }
}

/// Returns the elements of `bytes` bytes in a piece of the sample: as many as one memory access fetches, and at most 16.
#[must_use]
pub const fn piece_len(bytes: usize) -> usize {
    if bytes == 1 { 16 } else { 32 / bytes }
}

/// The fewest elements from which a sample is taken. If there are fewer, all are candidates.
pub const LEAST_SAMPLED: u64 = (1 << 16) + 1;

/// The places of a sample: pieces of [`piece_len`] elements at equal distances, dealt to groups in turn.
///
/// In the given order, the first elements of all groups are as many elements as there are groups. So at least `k` elements are
/// not behind the `k`-th of them. It is also a good bound: about `k` pieces have an element before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The number of pieces.
    pub pieces: u64,
    /// Elements from the start of a piece to the start of the next: at least a piece.
    pub distance: u64,
    /// The number of groups: one warp each, in whole blocks. Some may have no piece.
    pub groups: u64,
    /// Most candidates that are stored. In random order there are fewer; of sorted elements about `k` distances.
    pub room: u64,
}

impl Sample {
    /// Makes the sample of `len` elements, at least [`LEAST_SAMPLED`], of `bytes` each, which bounds the first `k`, 1 to
    /// [`MOST_SORTED`].
    ///
    /// The distance makes the reading of the pieces and of the candidates take about the same time. There are `len` /
    /// distance pieces; candidates are `k` distances of sorted elements, otherwise fewer. At least 512 bytes lie between two
    /// pieces (docs/tuning/gpu.md).
    #[must_use]
    pub fn new(len: u64, bytes: usize, k: usize) -> Self {
        let (piece, k) = (piece_len(bytes) as u64, (k as u64).max(1));
        // Several times `k`, so that few of the first elements share a group.
        let groups = (4 * k).next_power_of_two().max(1024);
        let sparse = 512 / bytes as u64;
        let distance = (len / (8 * k)).isqrt().max(sparse).min(len / (4 * groups)).max(piece);
        let pieces = (len - piece.min(len)) / distance + 1;
        Self { pieces, distance, groups, room: (2 * k * distance).max(1 << 17).min(len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_within_the_elements_and_in_more_groups_than_are_wanted() {
        for bytes in [1, 2, 4, 8] {
            for len in [LEAST_SAMPLED, 1 << 17, (1 << 20) + 77, 1 << 28, (1 << 32) + 7, 1 << 40] {
                for k in [1, 2, 100, 1000, MOST_SORTED] {
                    let Sample { pieces, distance, groups, room } = Sample::new(len, bytes, k);
                    let what = format!("{len} of {bytes} bytes, the first {k}");
                    assert!((pieces - 1) * distance + piece_len(bytes) as u64 <= len, "{what}");
                    assert!(distance >= piece_len(bytes) as u64, "{what}");
                    assert!(pieces.min(groups) >= k as u64, "{what}: {pieces} pieces in {groups} groups");
                    assert!(groups.is_multiple_of(u64::from(SAMPLE_THREADS / 32)), "{what}");
                    // Memory beside the elements: a hundredth of them, and for 2^40 elements at most 2^25.
                    assert!((k as u64..=len).contains(&room), "{what}: room for {room}");
                    assert!(room <= (len / 128).clamp(1 << 17, 1 << 25), "{what}: room for {room}");
                }
            }
        }
    }
}
