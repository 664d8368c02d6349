//! The packing of a strided view: its words, and its boxes.
//!
//! Elements are split or combined to words. Words are as large as possible; every stride must be a multiple of their
//! size. A box is long enough along the fastest axes of the input to make a run worth reading. Along the last axes of
//! the output, it is as long as it can be.

extern crate alloc;
use alloc::vec::Vec;

use super::axes::{Axis, merged};
use super::boxes::{BOX_THREADS, BoxAxis, Boxes, Cut, InnerAxis, MOST_AXES, words_per_thread};

/// Bytes of the words for which there are kernels.
const WORD_BYTES: [usize; 5] = [16, 8, 4, 2, 1];

/// Bytes of a run worth reading, if they are 16 to 32 words: a cache line on every GPU so far. Other lengths have not been
/// measured.
const RUN_BYTES: usize = 128;

/// Words of four bytes per sector, the unit in which memory is fetched.
const SECTOR_WORDS: usize = 8;

/// Extent from which on a few more words cost nothing.
const LONG: usize = 8 * SECTOR_WORDS;

/// Banks of shared memory.
const BANKS: u32 = 32;

/// Words between the ends of a box along one axis, such that 32 bits suffice for a thread's words.
const REACH: usize = 1 << 27;

/// Most boxes of one launch.
const MOST_BOXES: usize = i32::MAX as usize;

/// The packing of a view by one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Packing {
    /// Bytes of a word, which determine the kernel.
    pub word_bytes: usize,
    /// Words of the view before the element at index 0; the kernel's input begins there.
    pub before: u64,
    /// Words from the start of the kernel's input to the last word of the view.
    pub span: u64,
    /// Number of words, which is the output's.
    pub words: u64,
    /// The kernel's argument.
    pub boxes: Boxes,
}

/// An axis, in words, and a box's extent along it.
#[derive(Clone, Copy)]
struct Along {
    len: usize,
    from: isize,
    to: usize,
    extent: usize,
}

impl Along {
    fn is_cut(&self) -> bool {
        self.extent > 1 && self.extent < self.len
    }

    /// Returns an extent of at most `room` that divides the axis about evenly. A long one is a multiple of a sector, so that
    /// all boxes begin at sectors if the first does.
    fn within(&self, room: usize) -> usize {
        let reach = |stride: usize| REACH / stride.max(1) + 1;
        let most = room.min(reach(self.from.unsigned_abs())).min(reach(self.to)).clamp(1, self.len);
        let even = self.len.div_ceil(self.len.div_ceil(most));
        if even < LONG { even } else { even.next_multiple_of(SECTOR_WORDS).min(most) }
    }
}

impl Packing {
    /// Makes the packing of elements of `element_bytes` along `axes`. The last axis is to be the fastest. Strides count
    /// elements. `addresses` is the bitwise or of two addresses: of the element at index 0, and of the output. Words
    /// are aligned to them.
    ///
    /// `None` if there are no elements, or more than 8 axes remain after contiguous ones are merged, or the view
    /// exceeds one launch. Below 2^31 words it never does.
    #[must_use]
    pub fn new(axes: impl IntoIterator<Item = Axis>, element_bytes: usize, addresses: u64) -> Option<Self> {
        let in_bytes = |(len, stride): Axis| (len, stride.wrapping_mul(element_bytes.cast_signed()));
        let bytes = merged(axes.into_iter().map(in_bytes).chain([(element_bytes, 1)]));
        let is_run = bytes.last().is_some_and(|&(_, stride)| stride == 1);
        let (outer, run) = match bytes.split_last() {
            Some((&(len, _), outer)) if is_run => (outer, len),
            _ => (&bytes[..], 1),
        };
        let divides = |word: &usize| {
            addresses.is_multiple_of(*word as u64)
                && run.is_multiple_of(*word)
                && outer.iter().all(|(_, stride)| stride.unsigned_abs().is_multiple_of(*word))
        };
        let word_bytes = WORD_BYTES.into_iter().find(divides)?;
        let in_words = |&(len, stride): &Axis| (len, stride / word_bytes.cast_signed());
        let axes = merged(outer.iter().map(in_words).chain([(run / word_bytes, 1)]));
        let mut words = 1_usize;
        let mut along = [Along { len: 1, from: 0, to: 0, extent: 1 }; MOST_AXES];
        for (place, &(len, from)) in along.get_mut(..axes.len())?.iter_mut().zip(&axes).rev() {
            *place = Along { len, from, to: words, extent: 1 };
            words = words.checked_mul(len).filter(|&words| words > 0)?;
        }
        let along = &mut along[..axes.len()];
        let order = reading_order(along);
        extend(along, &order, word_bytes);

        let reach = |axis: &Along| axis.from.unsigned_abs().saturating_mul(axis.len - 1) as u64;
        let sum = |is_before: bool| along.iter().filter(|axis| (axis.from < 0) == is_before).map(reach).sum();
        let (before, behind): (u64, u64) = (sum(true), sum(false));
        let boxes = boxes(along, &order, before)?;
        Some(Self { word_bytes, before, span: before + behind + 1, words: words as u64, boxes })
    }
}

/// Returns the axes, the fastest in the input first. A broadcast axis has no words of its own to read and comes last.
fn reading_order(along: &[Along]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..along.len()).rev().collect();
    order.sort_by_key(|&axis| along[axis].from.unsigned_abs().wrapping_sub(1));
    order
}

/// Extends boxes, first along the axes that are read first, then along those that are written first. At most one axis of each
/// kind is cut.
fn extend(along: &mut [Along], order: &[usize], word_bytes: usize) {
    let run = (RUN_BYTES / word_bytes).clamp(16, 32);
    let mut words = 1;
    for &axis in order {
        let axis = &mut along[axis];
        axis.extent = axis.within(run / words);
        words *= axis.extent;
        if axis.extent < axis.len {
            break;
        }
    }
    let most = BOX_THREADS * words_per_thread(word_bytes);
    for axis in along.iter_mut().rev() {
        let others = words / axis.extent;
        axis.extent = axis.within(most / others).max(axis.extent);
        words = others * axis.extent;
        if axis.extent < axis.len {
            break;
        }
    }
}

/// Returns the kernel's argument; `None` for too many boxes.
fn boxes(along: &[Along], order: &[usize], first: u64) -> Option<Boxes> {
    let mut boxes = Boxes { first, ..bytemuck::Zeroable::zeroed() };
    let mut cuts = 0;
    let (mut count, mut words, mut pitch) = (1_usize, 1, 1);
    // Unused axes.
    boxes.reads.iter_mut().chain(&mut boxes.writes).for_each(|inner| inner.extent = 1);
    boxes.axes.iter_mut().for_each(|axis| axis.count = 1);
    let mut inner = [InnerAxis::default(); MOST_AXES];
    let mut written = Vec::new();
    for (number, axis) in along.iter().enumerate().rev() {
        let boxes_along = axis.len.div_ceil(axis.extent);
        count = count.checked_mul(boxes_along).filter(|&count| count <= MOST_BOXES)?;
        words *= axis.extent;
        if order.first() == Some(&number) {
            pitch = apart(pitch, axis.extent as u32);
        }
        let mut cut = 0;
        if axis.is_cut() {
            *boxes.cuts.get_mut(cuts)? = Cut { len: axis.len as u64, extent: axis.extent as u64 };
            cuts += 1;
            cut = cuts as u32;
        }
        boxes.axes[along.len() - 1 - number] = BoxAxis {
            from: (axis.from as i64).wrapping_mul(axis.extent as i64),
            to: (axis.to * axis.extent) as u64,
            count: boxes_along as u32,
            cut,
        };
        inner[number] = InnerAxis { step: 0, extent: axis.extent as u32, place: pitch, cut };
        pitch *= axis.extent as u32;
        if axis.extent > 1 {
            written.push(number);
        }
    }
    let read: Vec<usize> = order.iter().copied().filter(|&number| along[number].extent > 1).collect();
    for (place, &number) in boxes.reads.iter_mut().zip(&read) {
        *place = InnerAxis { step: along[number].from as i32, ..inner[number] };
    }
    for (place, &number) in boxes.writes.iter_mut().zip(&written) {
        *place = InnerAxis { step: along[number].to as i32, ..inner[number] };
    }
    boxes.count = count as u32;
    boxes.words = words as u32;
    boxes.is_straight = u32::from(read == written);
    Some(boxes)
}

/// Returns the distance in shared memory, between `pitch` words and one and a half times that, which puts neighbours in the
/// input into different banks. It is odd, or for few `neighbours` leaves as many banks between them as their own neighbours
/// along the next axis take.
fn apart(pitch: u32, neighbours: u32) -> u32 {
    if neighbours <= BANKS / 2 {
        let gap = BANKS.div_ceil(neighbours).wrapping_sub(pitch) % BANKS;
        if gap <= pitch / 2 {
            return pitch + gap;
        }
    }
    pitch | 1
}
