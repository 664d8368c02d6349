//! Where the keys of a tile go, once they lie in shared memory by rank.

use bytemuck::Pod;
use cuda_std::shared::SharedSlice;
use warpfold_exact::unrolled;

use super::output::AT_ONCE;

/// The places of a tile's keys, seen from one of the block's threads.
#[derive(Clone, Copy)]
pub(super) struct Positions {
    /// The thread's index in its block.
    pub(super) thread: u32,
    /// Threads of the block.
    pub(super) threads: u32,
    /// How many keys the tile has.
    pub(super) count: u32,
    /// Whether these are as many as the block takes.
    pub(super) is_whole: bool,
    /// For each digit: how far from its rank a key's place is.
    pub(super) shifts: SharedSlice<u64>,
}

impl Positions {
    /// Calls `of` with the number and the rank of each of this thread's `I` keys, for its digit and what is to be written, and
    /// `write` with some of their places and as many of these.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn visit<T: Pod, const I: usize>(
        self,
        mut of: impl FnMut(usize, usize) -> (u32, T),
        mut write: impl FnMut(&[u64], &mut [T]),
    ) {
        unrolled!(group < { I.div_ceil(AT_ONCE) }, up to 8 => {
            let some = (I - group * AT_ONCE).min(AT_ONCE);
            let (mut places, mut values) = ([0; AT_ONCE], [T::zeroed(); AT_ONCE]);
            unrolled!(j < AT_ONCE, up to 8 => {
                if j < some {
                    let rank = self.thread + (group * AT_ONCE + j) as u32 * self.threads;
                    let (digit, value) = of(group * AT_ONCE + j, rank as usize);
                    (places[j], values[j]) = (self.shifts.read(digit as usize).wrapping_add(u64::from(rank)), value);
                }
            });
            if self.is_whole {
                write(&places[..some], &mut values[..some]);
            } else {
                unrolled!(j < AT_ONCE, up to 8 => {
                    if j < some && self.thread + (group * AT_ONCE + j) as u32 * self.threads < self.count {
                        write(&places[j..=j], &mut values[j..=j]);
                    }
                });
            }
        });
    }
}
