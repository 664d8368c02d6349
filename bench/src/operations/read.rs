//! The speed at which this machine reads memory: the limit of a reduction on the CPU.

use std::hint::black_box;

/// 64-bit words in a block of eight cache lines.
const BLOCK: usize = 64;

/// Adds up `words`, wrapping, in `streams` interleaved streams, each with as many independent sums as fit in
/// registers. On some processors several streams keep more prefetchers busy than one.
pub(super) fn read(words: &[u64], streams: usize) -> u64 {
    let stream_len = (words.len() / streams.max(1)).max(1);
    let streams: Vec<&[u64]> = words.chunks(stream_len).collect();
    let longest = streams.first().map_or(0, |stream| stream.len());
    let mut sums = [0_u64; 16];
    for start in (0..longest).step_by(BLOCK) {
        for stream in &streams {
            let end = stream.len().min(start + BLOCK);
            add(&mut sums, stream.get(start..end).unwrap_or_default());
        }
    }
    black_box(sums.iter().fold(0, |left, &right| left.wrapping_add(right)))
}

#[inline(always)]
fn add(sums: &mut [u64; 16], words: &[u64]) {
    let (rows, rest) = words.as_chunks::<16>();
    for row in rows {
        for (sum, &word) in sums.iter_mut().zip(row) {
            *sum = sum.wrapping_add(word);
        }
    }
    for (sum, &word) in sums.iter_mut().zip(rest) {
        *sum = sum.wrapping_add(word);
    }
}

/// [`read`] on all threads of `pool`, a part for each.
pub(super) fn read_by(pool: &rayon::ThreadPool, words: &[u64], streams: usize) -> u64 {
    let part = words.len().div_ceil(pool.current_num_threads()).max(1);
    let sums =
        pool.broadcast(|thread| read(words.chunks(part).nth(thread.index()).unwrap_or_default(), streams));
    sums.into_iter().fold(0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_once() {
        for n in [0, 1, 15, 16, 17, 63, 64, 65, 1000, 4099] {
            let words: Vec<u64> = (0..n).map(|i| 3 + i * i).collect();
            let sum = words.iter().fold(0, |left: u64, &right| left.wrapping_add(right));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
            for streams in [1, 2, 4] {
                assert_eq!(read(&words, streams), sum, "{n} words, {streams} streams");
                assert_eq!(read_by(&pool, &words, streams), sum, "{n} words, {streams} streams, 3 threads");
            }
        }
    }
}
