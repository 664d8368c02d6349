//! Uniform floats in [0, 1), each computed from its index alone. So any thread can generate any range at any
//! time, with the same values.

use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;

use crate::failure::Failure;
use crate::memory;
use crate::progress::Progress;

/// Elements between two reports of progress.
const BLOCK: usize = 1 << 20;

/// A synthetic array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Synthetic {
    pub(crate) count: u64,
    pub(crate) seed: u64,
}

impl Synthetic {
    /// Element `index`: 24 bits as a multiple of 2^-24, so that every value is exact in f32.
    fn element(self, index: u64) -> f32 {
        // SplitMix64 (Steele, Lea and Flood 2014): its state after `index + 1` steps of an odd constant.
        let steps = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = mixed(mixed(self.seed).wrapping_add(steps));
        (z >> 40) as f32 / (1_u32 << 24) as f32
    }

    /// Generates all elements on `threads` threads.
    pub(crate) fn elements(self, threads: NonZeroUsize, progress: &Progress) -> Result<Vec<f32>, Failure> {
        let what = "make fewer floats";
        let bytes = u128::from(self.count) * size_of::<f32>() as u128;
        let count = usize::try_from(self.count).map_err(|_| Failure::Memory { bytes, what })?;
        let mut elements = memory::zeroed(count, what)?;
        progress.stage("generating", size_of_val(elements.as_slice()) as u64);
        let share = elements.len().div_ceil(threads.get()).max(BLOCK);
        let (done, blocks) = mpsc::channel();
        thread::scope(|scope| {
            for (share, start) in elements.chunks_mut(share).zip((0..).step_by(share)) {
                let done = done.clone();
                let fill = move || {
                    for (block, start) in share.chunks_mut(BLOCK).zip((start..).step_by(BLOCK)) {
                        for (x, index) in block.iter_mut().zip(start..) {
                            *x = self.element(index);
                        }
                        // The receiver lives as long as this scope.
                        let _ = done.send(size_of_val(block) as u64);
                    }
                };
                thread::Builder::new().spawn_scoped(scope, fill).map_err(Failure::Thread)?;
            }
            drop(done);
            blocks.iter().for_each(|bytes| progress.passed(bytes));
            Ok::<_, Failure>(())
        })?;
        Ok(elements)
    }
}

/// A bijection in which every bit of `z` affects every bit of the result.
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
