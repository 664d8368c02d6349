//! What the launches over segments count.

use bytemuck::{Pod, Zeroable};

/// What the launches tell each other: counters, which are 0 before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Counters {
    /// Offsets that are less than the one before, or no place in the elements. If there are any, nothing is folded.
    pub wrong: u64,
    /// Tiles of long segments.
    pub tiles: u64,
    /// Segments of several tiles.
    pub joins: u64,
}
