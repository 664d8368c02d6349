//! How a strided view is cut into boxes, which blocks of threads move one by one: what the host tells the kernel
//! `pack`.

use bytemuck::{Pod, Zeroable};

/// The most axes of what is moved: 8 of a view, and the words of an element.
pub const MOST_AXES: usize = 9;

/// Threads of a block that moves boxes.
pub const BOX_THREADS: usize = 256;

/// Words of a box that each of the threads moves: as many as its registers leave room for several blocks beside it. Eight
/// of 1 or 2 bytes take 88 registers, four 51.
#[must_use]
pub const fn words_per_thread(word_bytes: usize) -> usize {
    if word_bytes <= 8 { 4 } else { 2 }
}

/// Bytes of the shared memory that a box has: half as much again as its words, of which none has less than 4 bytes there, for
/// the gaps that keep them in different banks.
pub const BOX_BYTES: usize = 12_288;

/// An axis along which boxes stand side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct BoxAxis {
    /// From a box to the next one in the input, in words.
    pub from: i64,
    /// From a box to the next one in the output, in words.
    pub to: u64,
    /// Boxes along this axis.
    pub count: u32,
    /// Which of the axes that are [cut](Boxes::cuts) it is, plus 1; 0 if boxes have all of it.
    pub cut: u32,
}

/// An axis of the words within a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct InnerAxis {
    /// From a word to the next one in memory, in words. Those of a box are less than 2^31 apart.
    pub step: i32,
    /// Words along this axis.
    pub extent: u32,
    /// From a word to the next one in shared memory, in words.
    pub place: u32,
    /// As [`BoxAxis::cut`].
    pub cut: u32,
}

/// An axis that is longer than boxes are, and need not end where one does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Cut {
    /// Words along the whole axis.
    pub len: u64,
    /// Words along a box.
    pub extent: u64,
}

/// A view in boxes: an argument of the kernel, plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Boxes {
    /// From the lowest word of the input to that of index 0 along each axis.
    pub first: u64,
    /// How many boxes there are, at most 2^31 - 1.
    pub count: u32,
    /// Words of a whole box, at most 256 times [`words_per_thread`].
    pub words: u32,
    /// Whether the input's order is the output's within a box, so that shared memory has no part.
    pub is_straight: u32,
    /// Nothing.
    pub padding: u32,
    /// Where boxes stand: the axes, the last of them first.
    pub axes: [BoxAxis; MOST_AXES],
    /// The words of a box in the order in which they are read, by the axis that is fastest in the input first. An axis that
    /// is none has extent 1.
    pub reads: [InnerAxis; MOST_AXES],
    /// The same in the order in which they are written.
    pub writes: [InnerAxis; MOST_AXES],
    /// The axes that are cut.
    pub cuts: [Cut; 2],
}
