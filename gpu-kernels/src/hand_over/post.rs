//! What a tile posts for the tiles after it: a count and a tag, in one word.

use cuda_std::atomic::AtomicCells;

/// A word that is 0 before the launch. It has the count of a tile alone, or of all tiles up to its end.
pub(crate) trait State: Copy {
    /// Makes the word.
    fn new(count: Self, is_up_to_here: bool) -> Self;
    /// Returns whether the tile has posted any count.
    fn is_posted(self) -> bool;
    /// Returns whether the count includes all tiles up to the end of this one.
    fn is_up_to_here(self) -> bool;
    /// Returns the count.
    fn count(self) -> Self;
    /// Stores to a cell.
    fn store(self, cells: AtomicCells<Self>, index: u64);
}

/// The most that a state of 32 bits counts: its tag is in the two bits above.
pub(crate) const MOST_COUNTED: u32 = (1 << 30) - 1;

/// The tag of a tile's own count, in 32 bits.
const OWN_ABOVE: u32 = 1 << 30;
/// The tag of the count up to a tile's end, in 32 bits.
const UP_TO_HERE_ABOVE: u32 = 2 << 30;

/// The tag is above, so that one comparison finds it.
impl State for u32 {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn new(count: u32, is_up_to_here: bool) -> u32 {
        let tag = if is_up_to_here { UP_TO_HERE_ABOVE } else { OWN_ABOVE };
        tag | count
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_posted(self) -> bool {
        self >= OWN_ABOVE
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_up_to_here(self) -> bool {
        self >= UP_TO_HERE_ABOVE
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(self) -> u32 {
        self & MOST_COUNTED
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn store(self, cells: AtomicCells<u32>, index: u64) {
        cells.store(index, self);
    }
}

/// The bits of the tag in 64 bits.
const TAG_BELOW: u64 = 3;
/// The tag of a tile's own count, in 64 bits.
const OWN_BELOW: u64 = 1;
/// The tag of the count up to a tile's end, in 64 bits.
const UP_TO_HERE_BELOW: u64 = 2;

/// The tag is below, in the half of the word that is looked at alone.
impl State for u64 {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn new(count: u64, is_up_to_here: bool) -> u64 {
        count << 2 | if is_up_to_here { UP_TO_HERE_BELOW } else { OWN_BELOW }
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_posted(self) -> bool {
        self & TAG_BELOW != 0
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_up_to_here(self) -> bool {
        self & TAG_BELOW == UP_TO_HERE_BELOW
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn count(self) -> u64 {
        self >> 2
    }
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn store(self, cells: AtomicCells<u64>, index: u64) {
        cells.store(index, self);
    }
}

/// The states of the tiles of a launch for one count.
#[derive(Clone, Copy)]
pub(crate) struct States<S> {
    /// The words of all counts.
    pub(crate) cells: AtomicCells<S>,
    /// The place of the first tile's word.
    pub(crate) first: u64,
    /// The distance of the next tile's.
    pub(crate) step: u32,
}

impl<S: State> States<S> {
    /// Posts the count of a tile. For the first tile this is the count up to its end.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn post_own(self, tile: u64, own: S) {
        S::new(own, tile == 0).store(self.cells, self.place(tile));
    }

    /// Posts the count of all tiles up to the end of `tile`, which has [posted its own](Self::post_own).
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn post_up_to_here(self, tile: u64, all: S) {
        if tile > 0 {
            S::new(all, true).store(self.cells, self.place(tile));
        }
    }

    /// Returns the place of a tile's word.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn place(self, tile: u64) -> u64 {
        tile * u64::from(self.step) + self.first
    }
}
