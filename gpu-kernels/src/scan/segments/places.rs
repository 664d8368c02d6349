//! The elements and the outputs of segments, a part of them at a time.

use bytemuck::Pod;
use cuda_std::global::{GlobalCells, GlobalSlice};

use crate::op::Element;
use crate::scan::input::{Input, are_words};
use crate::scan::output::Output;

/// Where elements and outputs are.
#[derive(Clone, Copy)]
pub(crate) struct Arrays<T, S> {
    input: *const T,
    out: *mut S,
    len: u64,
}

/// The elements of a row, and their outputs' places; both also as words, if they are a whole number of them: there are none
/// otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Span<T, S> {
    pub(crate) elements: GlobalSlice<T>,
    pub(crate) element_words: GlobalSlice<u32>,
    pub(crate) outs: GlobalCells<S>,
    pub(crate) out_words: GlobalCells<u32>,
    /// Places in `outs`, and in `out_words`.
    pub(crate) lens: (u64, u64),
}

impl<T: Element, S: Pod> Arrays<T, S> {
    /// Makes the handle.
    ///
    /// # Safety
    /// `input` is aligned and readable for `len` elements, and `out` aligned and writable for as many outputs, which nothing else
    /// uses during the launch. They are apart, or begin at one place with elements and outputs of one size; then an element is
    /// read by nobody but by who writes its output, afterwards and behind a barrier.
    #[inline(always)]
    pub(crate) unsafe fn new(input: *const T, out: *mut S, len: u64) -> Self {
        Self { input, out, len }
    }

    /// `len` elements from `first` on and their outputs, as far as there are any.
    #[inline(always)]
    pub(super) fn segment(self, first: u64, len: u64) -> (Input<T>, Output<S>) {
        let (first, len) = self.within(first, len);
        // SAFETY: within the arrays, by the line above; `new`'s caller promised them.
        unsafe {
            let input = Input::whole_by_words(self.input.wrapping_add(first as usize), len);
            (input, Output::whole_by_words(self.out.wrapping_add(first as usize), len))
        }
    }

    /// The same for a row.
    #[inline(always)]
    pub(super) fn span(self, first: u64, len: u32) -> Span<T, S> {
        let (first, len) = self.within(first, u64::from(len));
        let (input, out) = (self.input.wrapping_add(first as usize), self.out.wrapping_add(first as usize));
        let words_of = |bytes: usize, are: bool| if are { len * (bytes as u64 / 4) } else { 0 };
        let of_input = words_of(size_of::<T>(), are_words::<T>());
        let of_out = words_of(size_of::<S>(), are_words::<S>());
        let input_words = if are_words::<T>() { input.cast() } else { core::ptr::dangling() };
        let out_words = if are_words::<S>() { out.cast() } else { core::ptr::dangling_mut() };
        // SAFETY: within the arrays, by the first line; `new`'s caller promised them. Elements have no padding, so that their
        // bytes are words, which are aligned, by `are_words`.
        unsafe {
            Span {
                elements: GlobalSlice::new(input, len),
                element_words: GlobalSlice::new(input_words, of_input),
                outs: GlobalCells::new(out, len),
                out_words: GlobalCells::new(out_words, of_out),
                lens: (len, of_out),
            }
        }
    }

    /// As far as there are any.
    #[inline(always)]
    fn within(self, first: u64, len: u64) -> (u64, u64) {
        let first = first.min(self.len);
        (first, len.min(self.len - first))
    }
}
