//! How elements in host memory are fed to a device. A feed changes the time, but never the result.

pub(crate) mod feeder;
pub(crate) mod host;
pub(crate) mod source;

use std::fmt;
use std::num::NonZeroUsize;

use gpu_kernels::{Element, tree};

use crate::error::Error;

/// How a slice in host memory is sent to a device that reduces it: in chunks, through several buffers at once. Each
/// buffer has page-locked memory on the host and as much memory on the device. While one buffer is filled, others are
/// copied, and others folded.
///
/// ```
/// use warpfold::Feed;
///
/// let feed = Feed::new(8 << 20, 3)?;
/// println!("{feed}");
/// assert!(Feed::new(0, 3).is_err());
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feed {
    chunk_bytes: usize,
    buffers: usize,
    threads: usize,
}

/// Bytes of a chunk. Larger chunks gain little, and 64 MiB are slower from pageable memory (docs/tuning/gpu.md).
const CHUNK_BYTES: usize = 16 << 20;

/// Number of buffers: one is filled, one copied and one folded. The fourth keeps them from waiting for the host to
/// wake. This is the best of 2 to 6 (docs/tuning/gpu.md).
const BUFFERS: usize = 4;

/// Least bytes of a chunk that may be asked for: a page.
const LEAST: usize = 4096;

/// Most threads that copy. Up to 16, more are faster (docs/tuning/gpu.md).
const THREADS: usize = 24;

/// Most buffers.
const MOST_BUFFERS: usize = 16;

/// Least bytes of a chunk that a short input is cut into, so that its copies overlap too.
const LEAST_CHUNK_BYTES: u64 = 1 << 20;

/// Number of chunks of a short input. Nothing overlaps with copying the first chunk and folding the last.
const CHUNKS: u64 = 8;

/// Tiles of a chunk, where they make it longer than asked for: a block folds each tile, and one block alone is slower
/// than the copy. By calculation: 16 KiB under way per block at 0.6 us latency are 27 GB/s.
const TILES: u64 = 4;

impl Feed {
    /// Creates a feed with chunks of about `chunk_bytes`, and at most `buffers` of them under way.
    ///
    /// A chunk is a whole number of [tiles](crate::tree): at least 4 if they fit in a quarter of the device's memory.
    /// So chunks of very long inputs are longer than any `chunk_bytes`.
    ///
    /// # Errors
    /// [`Error::Plan`] for chunks of less than 4096 bytes, or for a number of buffers other than 1 to 16.
    ///
    /// ```
    /// use warpfold::Feed;
    ///
    /// assert_eq!(Feed::new(1 << 20, 4)?.buffers(), 4);
    /// assert!(Feed::new(100, 4).is_err());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn new(chunk_bytes: usize, buffers: usize) -> Result<Self, Error> {
        if chunk_bytes < LEAST || chunk_bytes > isize::MAX as usize {
            return Err(Error::Plan {
                why: "a chunk has at least 4096 bytes, and no more than memory can hold",
            });
        }
        if !(1..=MOST_BUFFERS).contains(&buffers) {
            return Err(Error::Plan { why: "a device is fed through 1 to 16 buffers" });
        }
        Ok(Self { chunk_bytes, buffers, threads: THREADS })
    }

    /// Returns the same feed with at most `threads` threads that copy to page-locked memory, including the calling
    /// thread. Besides the calling thread, only threads of rayon's global pool copy.
    ///
    /// ```
    /// use std::num::NonZeroUsize;
    /// use warpfold::Feed;
    ///
    /// assert_eq!(Feed::default().with_threads(NonZeroUsize::MIN).threads(), 1);
    /// ```
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads: threads.get(), ..self }
    }

    /// Returns the bytes of a chunk, as asked for.
    #[must_use]
    pub fn chunk_bytes(&self) -> usize {
        self.chunk_bytes
    }

    /// Returns the number of buffers.
    #[must_use]
    pub fn buffers(&self) -> usize {
        self.buffers
    }

    /// Returns the most threads that copy to page-locked memory.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the elements of each chunk but the last, for an input of `n` elements on a device with `memory_bytes` of
    /// memory: whole tiles.
    pub(crate) fn chunk_len<T: Element>(&self, n: u64, memory_bytes: u64) -> u64 {
        let element = size_of::<T>() as u64;
        let tile = tree::tile_len::<T>(n);
        let fitting = |bytes: u64| bytes / element / tile;
        let wanted = (n.saturating_mul(element) / CHUNKS).max(LEAST_CHUNK_BYTES);
        let wanted = fitting(wanted.min(self.chunk_bytes as u64));
        // Takes at most a quarter of the memory to give blocks tiles side by side.
        let side_by_side = fitting(memory_bytes / 4 / self.buffers as u64).min(TILES);
        wanted.max(side_by_side).max(1).saturating_mul(tile)
    }
}

impl Default for Feed {
    /// Returns the feed of [`host`](crate::host()): 4 buffers of 16 MiB, filled by up to 24 threads.
    fn default() -> Self {
        Self { chunk_bytes: CHUNK_BYTES, buffers: BUFFERS, threads: THREADS }
    }
}

impl fmt::Display for Feed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { chunk_bytes, buffers, threads } = self;
        write!(
            f,
            "chunks of {chunk_bytes} bytes through {buffers} buffers, filled by up to {threads} threads"
        )
    }
}

/// Returns the chunks of an input of `n` elements: the first element of each, and the number of elements.
pub(crate) fn chunks(n: u64, chunk_len: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..n.div_ceil(chunk_len)).map(move |chunk| {
        let first = chunk * chunk_len;
        (first, chunk_len.min(n - first))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes<T>() -> Vec<u64> {
        let tile = tree::tile_len::<T>(0);
        let edges =
            [1, 2, 3, 4, 5, 8, 16, 17, tree::MAX_TILES / 2, tree::MAX_TILES].map(|tiles| tiles * tile);
        let powers = (0..=40).map(|log2| 1 << log2);
        let near = edges.into_iter().chain(powers).flat_map(|n| [n - 1, n, n + 1]);
        near.chain([999_983, (1 << 40) + 12_345]).collect()
    }

    fn check<T: Element>() {
        for feed in [
            Feed::default(),
            Feed { chunk_bytes: LEAST, buffers: 1, threads: 1 },
            Feed { chunk_bytes: 100_000, buffers: 3, threads: 1 },
        ] {
            for n in sizes::<T>() {
                for memory in [0, 1 << 30, 8 << 30, 141 << 30] {
                    let len = feed.chunk_len::<T>(n, memory);
                    let tile = tree::tile_len::<T>(n);
                    assert!(len > 0 && len.is_multiple_of(tile), "{n}: {len}");
                    let bytes = len * size_of::<T>() as u64;
                    let most = (feed.chunk_bytes as u64).max(memory / 4 / feed.buffers as u64);
                    assert!(len == tile || bytes <= most, "{n}: {bytes} of {memory}");
                    let mut next = 0;
                    for (first, chunk) in chunks(n, len) {
                        assert_eq!(first, next);
                        assert!(chunk == len || first + chunk == n, "{n}: {first}");
                        next += chunk;
                    }
                    assert_eq!(next, n);
                }
            }
        }
    }

    #[test]
    fn chunks_are_the_input_once_and_in_order() {
        check::<f32>();
        check::<u64>();
        check::<[u32; 3]>();
    }

    #[test]
    fn tiles_longer_than_a_chunk_are_chunks() {
        let feed = Feed::default();
        assert_eq!(feed.chunk_len::<f32>(1 << 30, 141 << 30), 4 << 20);
        // 2^40 elements have tiles of 1 GiB, four at a time, or fewer where that would take too much memory.
        assert_eq!(tree::tile_len::<f32>(1 << 40), 1 << 28);
        assert_eq!(feed.chunk_len::<f32>(1 << 40, 141 << 30), 4 << 28);
        assert_eq!(feed.chunk_len::<f32>(1 << 40, 40 << 30), 2 << 28);
        assert_eq!(feed.chunk_len::<f32>(1 << 40, 8 << 30), 1 << 28);
    }

    #[test]
    fn impossible_feeds_are_refused() {
        for (chunk_bytes, buffers) in [(4095, 4), (usize::MAX, 4), (LEAST, 0), (LEAST, 17)] {
            assert!(Feed::new(chunk_bytes, buffers).is_err(), "{chunk_bytes} {buffers}");
        }
        assert_eq!(Feed::new(CHUNK_BYTES, BUFFERS).ok(), Some(Feed::default()));
    }
}
