//! Global memory that has not been written since it was allocated.

use core::ops::Range;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Which bytes of a range of global memory have been written.
///
/// ```
/// use cuda_std::emulator::Written;
///
/// let written = Written::nothing(100);
/// written.add(16..32);
/// assert_eq!(written.first_missing(16..32), None);
/// assert_eq!(written.first_missing(20..40), Some(32));
/// ```
#[derive(Debug)]
pub struct Written {
    /// A bit for each byte. Atomic, so that a launch and its driver may share them; they take turns.
    bits: Box<[AtomicU64]>,
}

impl Written {
    /// What memory of unwritten bytes is filled with. A byte with another value counts as written: not all writes pass through
    /// this crate.
    pub const FILL: u8 = 0xa5;

    /// Begins a range where nothing is written.
    #[must_use]
    pub fn nothing(bytes: usize) -> Self {
        Self { bits: (0..bytes.div_ceil(64)).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Adds bytes, counted from the range's start.
    pub fn add(&self, bytes: Range<usize>) {
        for (word, mask) in words(bytes) {
            if let Some(bits) = self.bits.get(word) {
                bits.store(bits.load(Relaxed) | mask, Relaxed);
            }
        }
    }

    /// Returns the first of these bytes that nobody has written: it is not among those [added](Self::add), and still
    /// [filled](Self::FILL). The others are added.
    ///
    /// # Safety
    /// `start` is the address of the range, whose bytes are readable, and which nobody writes during the call.
    #[must_use]
    pub unsafe fn first_unwritten(&self, start: usize, bytes: Range<usize>) -> Option<usize> {
        let mut first = bytes.start;
        while let Some(missing) = self.first_missing(first..bytes.end) {
            // SAFETY: the caller's promise.
            if unsafe { ptr::with_exposed_provenance::<u8>(start + missing).read() } == Self::FILL {
                return Some(missing);
            }
            self.add(missing..missing + 1);
            first = missing + 1;
        }
        None
    }

    /// Returns the first of these bytes that was not added.
    #[must_use]
    pub fn first_missing(&self, bytes: Range<usize>) -> Option<usize> {
        words(bytes).find_map(|(word, mask)| {
            let missing = mask & !self.bits.get(word)?.load(Relaxed);
            (missing != 0).then(|| word * 64 + missing.trailing_zeros() as usize)
        })
    }
}

/// The words that hold the bits of some bytes, and which of their bits.
fn words(bytes: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
    let Range { mut start, end } = bytes;
    core::iter::from_fn(move || {
        if start >= end {
            return None;
        }
        let (word, bit) = (start / 64, start % 64);
        let count = (end - start).min(64 - bit);
        start += count;
        Some((word, (u64::MAX >> (64 - count)) << bit))
    })
}
