//! The number of elements with each digit in all tiles before a tile, without a launch of its own: Merrill and Garland,
//! "Single-pass Parallel Prefix Scan with Decoupled Look-back" (NVIDIA NVR-2016-002); digit by digit in one pass of a radix
//! sort: Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs" (arXiv:2206.01784).
//!
//! For each digit a tile first posts its own number of elements with it. Then it walks back over the tiles before it and adds
//! up their numbers, to the first tile that has posted the number up to its end. Last it posts its own number up to its end.
//!
//! **Why every wait ends.** Tiles are numbered by tickets, in the order in which blocks draw them, so a tile has a
//! number only when its block runs, and all tiles with lower numbers have blocks that run or have ended: a block that
//! runs is not taken from its multiprocessor until it ends. A tile posts its own number without waiting for any other.
//! So each tile that is walked over has posted a number after a while, and the walk ends at tile 0 at the latest, which
//! posts the number up to its end at once. The order of blocks' numbers does not matter.
//!
//! **Why no fence is needed.** A state is one word, a tag and a number, which are read together. Blocks of a launch hand over
//! nothing else.

use cuda_std::atomic::AtomicCells;
use cuda_std::thread::nanosleep;

use super::shapes::{LOOK_BACK, MOST_SCATTERED};
use crate::unroll::unrolled;

/// Bits of the number; the tag is above. With a tag of 0 nothing is posted.
const NUMBER_BITS: u32 = 30;

/// The tag of a tile's own number.
const OWN: u32 = 1 << NUMBER_BITS;

/// The tag of the number up to a tile's end.
const UP_TO_HERE: u32 = 2 << NUMBER_BITS;

/// About how long a thread waits before it looks again, in nanoseconds: a look takes some hundreds.
const PAUSE: u32 = 40;

const _: () = assert!(MOST_SCATTERED < OWN as u64);

/// The states of the tiles of a launch for one digit, seen from one of them.
#[derive(Clone, Copy)]
pub(crate) struct LookBack {
    /// For each tile and digit, a word that is 0 before the launch.
    pub(crate) cells: AtomicCells<u32>,
    /// How many digits there are.
    pub(crate) digits: u32,
    /// The digit.
    pub(crate) digit: u32,
    /// The tile.
    pub(crate) tile: u32,
}

impl LookBack {
    /// Posts the number of elements of this tile with the digit.
    #[inline(always)]
    pub(crate) fn post_own(self, own: u32) {
        let tag = if self.tile == 0 { UP_TO_HERE } else { OWN };
        self.cells.store(self.cell(self.tile), tag | own);
    }

    /// Waits until all tiles before this one have posted their numbers, and returns the number of their elements with the
    /// digit. Posts the number up to the end of this tile, which has [posted](Self::post_own) `own`.
    #[inline(always)]
    pub(crate) fn before(self, own: u32) -> u32 {
        let (mut sum, mut next) = (0, self.tile);
        let mut is_open = self.tile > 0;
        while is_open {
            let mut states = [0; LOOK_BACK];
            if next >= LOOK_BACK as u32 {
                states = self.cells.load_back(self.cell(next - 1), self.digits);
            } else {
                // Tile 0 ends the walk, so nobody looks behind what this does not load.
                unrolled!(i < LOOK_BACK => {
                    if (i as u32) < next {
                        states[i] = self.cells.load(self.cell(next - 1 - i as u32));
                    }
                });
            }
            let mut is_posted = true;
            unrolled!(i < LOOK_BACK => {
                is_posted &= states[i] >= OWN;
                if is_open && is_posted {
                    sum += states[i] & (OWN - 1);
                    next -= 1;
                    is_open = states[i] < UP_TO_HERE;
                }
            });
            if is_open && !is_posted {
                nanosleep(PAUSE);
            }
        }
        if self.tile > 0 {
            self.cells.store(self.cell(self.tile), UP_TO_HERE | (sum + own));
        }
        sum
    }

    /// Neighbours in memory are of neighbouring digits, which neighbouring threads have.
    #[inline(always)]
    fn cell(self, tile: u32) -> u64 {
        u64::from(tile) * u64::from(self.digits) + u64::from(self.digit)
    }
}
