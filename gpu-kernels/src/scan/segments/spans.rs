//! The elements and the outputs of segments, one part at a time.

use bytemuck::Pod;
use cuda_std::global::{GlobalCells, GlobalSlice};
use cuda_std::memory::{Readable, Writable};

use crate::op::Element;
use crate::scan::input::{Input, are_words};
use crate::scan::output::Output;

/// The addresses of elements and outputs.
#[derive(Clone, Copy)]
pub(crate) struct Arrays<T, S> {
    input: Readable<T>,
    out: Writable<S>,
    len: u64,
}

/// The elements of a row and the places of their outputs, also as words if they are a whole number of words. Otherwise there
/// are no words.
#[derive(Clone, Copy)]
pub(crate) struct Span<T, S> {
    pub(crate) elements: GlobalSlice<T>,
    pub(crate) element_words: GlobalSlice<u32>,
    pub(crate) outs: GlobalCells<S>,
    pub(crate) out_words: GlobalCells<u32>,
    /// The numbers of places in `outs` and in `out_words`.
    pub(crate) lens: (u64, u64),
}

impl<T: Element, S: Pod> Arrays<T, S> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `input` is aligned and readable for `len` elements, and `out` aligned and writable for as many outputs. Nothing else
    /// uses them during the launch. They do not overlap, or they begin at one address with elements and outputs of one size;
    /// then only the threads that write an element's output read the element, before a barrier that precedes the writing.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) unsafe fn new(input: Readable<T>, out: Writable<S>, len: u64) -> Self {
        Self { input, out, len }
    }

    /// Returns `len` elements from `first` on and their outputs, or as many as there are.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn segment(self, first: u64, len: u64) -> (Input<T>, Output<S>) {
        let (first, len) = self.within(first, len);
        // SAFETY: within the arrays, by the line above; by `new`'s contract these are readable and writable.
        unsafe {
            let input = Input::whole_by_words(self.input.skip(first as usize), len);
            (input, Output::whole_by_words(self.out.skip(first as usize), len))
        }
    }

    /// Returns the elements and outputs of a row, or as many as there are.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn span(self, first: u64, len: u32) -> Span<T, S> {
        let (first, len) = self.within(first, u64::from(len));
        let (input, out) = (self.input.skip(first as usize), self.out.skip(first as usize));
        let words_of = |bytes: usize, are: bool| if are { len * (bytes as u64 / 4) } else { 0 };
        let of_input = words_of(size_of::<T>(), are_words::<T>());
        let of_out = words_of(size_of::<S>(), are_words::<S>());
        // SAFETY: within the arrays, by the first line; by `new`'s contract these are readable and writable. Elements have no
        // padding, so their bytes are words, which are aligned, by `are_words`.
        unsafe {
            Span {
                elements: input.slice(len),
                element_words: input.cast().slice(of_input),
                outs: out.cells(len),
                out_words: out.cast().cells(of_out),
                lens: (len, of_out),
            }
        }
    }

    /// Clips a range to the arrays.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn within(self, first: u64, len: u64) -> (u64, u64) {
        let first = first.min(self.len);
        (first, len.min(self.len - first))
    }
}
