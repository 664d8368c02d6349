//! The division of a strided view into boxes, which blocks of threads move one by one: the host's argument of the kernel
//! `pack`.

use bytemuck::{Pod, Zeroable};

/// The most axes that are moved: 8 of a view, and the words of an element.
pub const MOST_AXES: usize = 9;

/// Threads of a block that moves boxes.
pub const BOX_THREADS: usize = 256;

/// Returns the words of a box per thread: as many as leave registers for several resident blocks. Eight words of 1 or 2 bytes
/// take 88 registers, four 51.
#[must_use]
pub const fn words_per_thread(word_bytes: usize) -> usize {
    if word_bytes <= 8 { 4 } else { 2 }
}

/// Bytes of shared memory per box: one and a half times its words. Each word takes at least 4 bytes there. The rest is
/// for gaps that keep words in different banks.
pub const BOX_BYTES: usize = 12_288;

/// An axis along which boxes are side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct BoxAxis {
    /// Distance of neighbouring boxes in the input, in words.
    pub from: i64,
    /// Distance of neighbouring boxes in the output, in words.
    pub to: u64,
    /// Boxes along this axis.
    pub count: u32,
    /// Number of this axis among those that are [cut](Boxes::cuts), plus 1; 0 if boxes span all of it.
    pub cut: u32,
}

/// An axis of the words in a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct InnerAxis {
    /// Distance of neighbouring words in memory, in words. All words of a box are less than 2^31 apart.
    pub step: i32,
    /// Words along this axis.
    pub extent: u32,
    /// Distance of neighbouring words in shared memory, in words.
    pub place: u32,
    /// As [`BoxAxis::cut`].
    pub cut: u32,
}

/// An axis that is longer than boxes, and need not be a multiple of their extent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Cut {
    /// Words along the whole axis.
    pub len: u64,
    /// Words along a box.
    pub extent: u64,
}

/// A view in boxes, which is plain data and an argument of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Boxes {
    /// Distance from the lowest word of the input to the word of index 0 along each axis.
    pub first: u64,
    /// The number of boxes, at most 2^31 - 1.
    pub count: u32,
    /// Words of a whole box, at most 256 times [`words_per_thread`].
    pub words: u32,
    /// Whether the input and the output of a box have the same order, so that shared memory is not used.
    pub is_straight: u32,
    /// Always 0.
    pub padding: u32,
    /// The axes along which boxes are side by side, the last axis first.
    pub axes: [BoxAxis; MOST_AXES],
    /// The words of a box in reading order: the axis that is fastest in the input comes first. Unused axes have extent 1.
    pub reads: [InnerAxis; MOST_AXES],
    /// The words of a box in writing order.
    pub writes: [InnerAxis; MOST_AXES],
    /// The axes that are cut.
    pub cuts: [Cut; 2],
}
