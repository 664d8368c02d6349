//! What the launches of selection look like: the contract between the kernels and the host.

/// Threads of a block that looks at samples, a warp for each group of them.
pub const SAMPLE_THREADS: u32 = 256;

/// Threads of a block that brings candidates together.
pub const FILTER_THREADS: u32 = 256;

/// Blocks of them for each multiprocessor, which has room for so many of 4 bytes at once.
/// [H200, 2^28 f32: with 5 blocks 240 us, as CUB's Max takes; with 8 244, with 16 252.]
pub const FILTER_BLOCKS: u32 = 5;

/// Threads of a block that counts digits.
pub const DIGITS_THREADS: u32 = 512;

/// Blocks of them for each multiprocessor, which has room for so many.
/// [H200, 2^28 f32: with 1 block 345 us, with 2 252, with 3 278, whether digits are random, sorted or all equal.]
pub const DIGITS_BLOCKS: u32 = 2;

/// Threads of the one block that picks among candidates.
pub const PICK_THREADS: u32 = 1024;

/// Bits of a digit.
pub const DIGIT_BITS: u32 = 11;

/// Values of a digit.
pub const DIGITS: usize = 1 << DIGIT_BITS;

/// Counters that a block has for each value: lanes beside each other add to different ones. To be measured: 1, 2 and 4.
pub const COPIES: usize = 4;

/// The most elements that the block that picks can sort: two for each thread.
pub const MOST_SORTED: usize = 2 * PICK_THREADS as usize;

/// Elements of a vector, of so many bytes each.
#[must_use]
pub const fn select_vector(bytes: usize) -> usize {
    16 / bytes
}

/// Vectors that a thread has under way. Its elements have a bit each, and at most 16 leave registers for 5 blocks.
#[must_use]
pub const fn select_rows(bytes: usize) -> usize {
    match bytes {
        1 => 1,
        2 => 2,
        _ => 4,
    }
}

/// Elements of a piece of the sample, of so many bytes each: what memory gives at once, and at most 16.
#[must_use]
pub const fn piece_len(bytes: usize) -> usize {
    if bytes == 1 { 16 } else { 32 / bytes }
}

/// The fewest elements that a sample is taken of: fewer are all candidates.
pub const LEAST_SAMPLED: u64 = (1 << 16) + 1;

/// Where a sample is taken: pieces of [`piece_len`] elements at equal distances, dealt to groups in turns.
///
/// The first of each group in the order wanted are as many elements, so if the `k`-th of them is an element, `k` elements at
/// least are not behind it. It is a good bound as well: about `k` pieces have something before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// How many pieces there are.
    pub pieces: u64,
    /// Elements from the beginning of one to that of the next: at least a piece.
    pub distance: u64,
    /// How many groups: a warp each, of whole blocks. Some may have no piece.
    pub groups: u64,
    /// Candidates for which there is room. In random order there are fewer; of sorted elements about `k` distances.
    pub room: u64,
}

impl Sample {
    /// The sample of `len` elements, at least [`LEAST_SAMPLED`], of `bytes` each by which the first `k` are bounded, which are
    /// 1 to [`MOST_SORTED`].
    ///
    /// Its pieces are read and the candidates looked at in about the same time: there are as many as elements by the
    /// distance of the ones, and of sorted elements as `k` distances, otherwise fewer, of the others. At least 512 bytes
    /// lie between two. [H200, 2^28 f32: 4 10^5 pieces take 17 us, and to pick from 65 10^3 candidates 50; k = 1 at
    /// distances of 2^14 and 2^16 takes 264 and 287 us in all, k = 100 at 163, 655 and 2621 takes 327, 285 and 334.]
    #[must_use]
    pub fn new(len: u64, bytes: usize, k: usize) -> Self {
        let (piece, k) = (piece_len(bytes) as u64, (k as u64).max(1));
        // Some times `k`, so that few of the first are in a group with another one of them.
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
                    // Of memory beside the elements: a hundredth of them, and of 2^40 no more than 2^25.
                    assert!((k as u64..=len).contains(&room), "{what}: room for {room}");
                    assert!(room <= (len / 128).clamp(1 << 17, 1 << 25), "{what}: room for {room}");
                }
            }
        }
    }
}
