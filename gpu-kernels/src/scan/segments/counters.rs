//! The counters of the launches that scan segments.

use bytemuck::{Pod, Zeroable};

/// Counters that the launches hand on to each other. They are 0 before the first launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Counters {
    /// Offsets that are less than the one before, or out of the elements. If there are any, nothing is scanned.
    pub wrong: u64,
    /// Segments of more than a row and at most a tile.
    pub medium: u64,
    /// Segments of more than a tile.
    pub long: u64,
    /// Tiles of the long segments.
    pub tiles: u64,
    /// Stretches of the long segments.
    pub stretches: u64,
    /// Tiles that blocks have taken.
    pub tickets: u64,
}

impl Counters {
    /// The number of counters.
    pub const COUNT: usize = size_of::<Self>() / size_of::<u64>();
    #[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
    pub(super) const MEDIUM: u64 = 1;
    #[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
    pub(super) const LONG: u64 = 2;
    #[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
    pub(super) const TILES: u64 = 3;
    #[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
    pub(super) const STRETCHES: u64 = 4;
    #[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
    pub(super) const TICKETS: usize = 5;
}
