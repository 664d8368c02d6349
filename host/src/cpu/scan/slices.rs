//! The elements and outputs of a scan: in two slices, or in one.

use std::marker::PhantomData;

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
    /// Returns the elements. An element whose output was written may be overwritten.
    fn elements(&self) -> &[Self::Element];
    /// Returns the memory for the outputs.
    fn outs(&mut self) -> &mut [Self::Slot];
}

/// Elements, and as many slots for their outputs.
pub(super) struct Apart<'a, T, S, Out> {
    x: &'a [T],
    slots: &'a mut [S],
    outs: PhantomData<fn(Out)>,
}

impl<'a, T, S, Out> Apart<'a, T, S, Out> {
    #[inline(always)]
    pub(super) fn new(x: &'a [T], slots: &'a mut [S]) -> Self {
        Self { x, slots, outs: PhantomData }
    }
}

impl<T: Element, S: Slot<Out>, Out> Slices for Apart<'_, T, S, Out> {
    type Element = T;
    type Out = Out;
    type Slot = S;
    #[inline(always)]
    fn len(&self) -> usize {
        self.x.len()
    }
    #[inline(always)]
    fn split_at(self, at: usize) -> (Self, Self) {
        let ((x, rest), (slots, others)) = (self.x.split_at(at), self.slots.split_at_mut(at));
        (Self::new(x, slots), Self::new(rest, others))
    }
    #[inline(always)]
    fn elements(&self) -> &[T] {
        self.x
    }
    #[inline(always)]
    fn outs(&mut self) -> &mut [S] {
        self.slots
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
