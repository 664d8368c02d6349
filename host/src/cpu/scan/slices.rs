//! The elements and outputs of a scan: in two slices, or in one.

use std::mem::MaybeUninit;

use gpu_kernels::Element;

use crate::cpu::unwritten::Slot;

/// Elements in order, with memory for the output of each.
pub(super) trait Slices: Sized + Send {
    /// The type of elements.
    type Element: Element;
    /// The type of outputs.
    type Out;
    /// The type of the memory for an output.
    type Slot: Slot<Self::Out>;
    /// Returns the number of elements.
    fn len(&self) -> usize;
    /// Splits off the first `at` elements.
    fn split_at(self, at: usize) -> (Self, Self);
    /// Returns the elements. Those whose outputs were written may be overwritten.
    fn elements(&self) -> &[Self::Element];
    /// Returns the memory for the outputs.
    fn outs(&mut self) -> &mut [Self::Slot];
}

/// Elements and outputs in two slices of equal length.
pub(super) struct Apart<'a, T, Out>(pub(super) &'a [T], pub(super) &'a mut [Out]);

impl<T: Element, Out: Send> Slices for Apart<'_, T, Out> {
    type Element = T;
    type Out = Out;
    type Slot = Out;
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn split_at(self, at: usize) -> (Self, Self) {
        let ((x, rest), (outs, slots)) = (self.0.split_at(at), self.1.split_at_mut(at));
        (Self(x, outs), Self(rest, slots))
    }
    #[inline(always)]
    fn elements(&self) -> &[T] {
        self.0
    }
    #[inline(always)]
    fn outs(&mut self) -> &mut [Out] {
        self.1
    }
}

/// Elements, and uninitialized memory for as many outputs.
pub(super) struct New<'a, T, Out>(pub(super) &'a [T], pub(super) &'a mut [MaybeUninit<Out>]);

impl<T: Element, Out: Send> Slices for New<'_, T, Out> {
    type Element = T;
    type Out = Out;
    type Slot = MaybeUninit<Out>;
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn split_at(self, at: usize) -> (Self, Self) {
        let ((x, rest), (outs, slots)) = (self.0.split_at(at), self.1.split_at_mut(at));
        (Self(x, outs), Self(rest, slots))
    }
    #[inline(always)]
    fn elements(&self) -> &[T] {
        self.0
    }
    #[inline(always)]
    fn outs(&mut self) -> &mut [MaybeUninit<Out>] {
        self.1
    }
}

/// Elements that are replaced by their outputs.
pub(super) struct InPlace<'a, T>(pub(super) &'a mut [T]);

impl<T: Element> Slices for InPlace<'_, T> {
    type Element = T;
    type Out = T;
    type Slot = T;
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn split_at(self, at: usize) -> (Self, Self) {
        let (first, rest) = self.0.split_at_mut(at);
        (Self(first), Self(rest))
    }
    #[inline(always)]
    fn elements(&self) -> &[T] {
        self.0
    }
    #[inline(always)]
    fn outs(&mut self) -> &mut [T] {
        self.0
    }
}
