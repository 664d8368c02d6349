//! Elements in memory or in a file, of which any range can be had.

use std::marker::PhantomData;
use std::ops::Range;

use bytemuck::cast_slice_mut;
use warpfold::{Element, Elements};

use super::numeric::Numeric;
use crate::failure::Failure;
use crate::source::opened::Opened;

/// Elements of which any range can be had as a slice.
pub(crate) trait Ranges<T>: Sync {
    /// The number of elements.
    fn len(&self) -> usize;

    /// The elements of a range. Elements of a file are read into `room`.
    fn range<'a>(&'a self, range: Range<usize>, room: &'a mut Vec<T>) -> Result<&'a [T], Failure>;
}

impl<T: Sync> Ranges<T> for [T] {
    fn len(&self) -> usize {
        self.len()
    }

    fn range<'a>(&'a self, range: Range<usize>, _room: &'a mut Vec<T>) -> Result<&'a [T], Failure> {
        Ok(&self[range])
    }
}

/// Elements as they were read, or as they lie in a file.
pub(crate) enum Array<'a, T: Element> {
    Memory(Elements<'static, T>),
    File(InFile<'a, T>),
}

impl<T: Numeric> Array<'_, T> {
    /// Rows of a table without a value, which do not count as elements.
    pub(crate) fn missing(&self) -> u64 {
        match self {
            Self::Memory(x) => x.missing(),
            Self::File(_) => 0,
        }
    }

    /// The row of an element.
    pub(crate) fn position(&self, index: u64) -> Option<u64> {
        match self {
            Self::Memory(x) => x.position(index),
            Self::File(_) => Some(index),
        }
    }

    /// The elements, if they are in memory.
    pub(crate) fn in_memory(&self) -> Option<&[T]> {
        match self {
            Self::Memory(x) => Some(x),
            Self::File(_) => None,
        }
    }

    /// An error if the elements are in a file that changed since it was opened.
    pub(crate) fn unchanged(&self) -> Result<(), Failure> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::File(x) => x.file.unchanged(),
        }
    }
}

impl<T: Numeric> Ranges<T> for Array<'_, T> {
    fn len(&self) -> usize {
        match self {
            Self::Memory(x) => x.len(),
            Self::File(x) => x.len,
        }
    }

    fn range<'a>(&'a self, range: Range<usize>, room: &'a mut Vec<T>) -> Result<&'a [T], Failure> {
        match self {
            Self::Memory(x) => Ok(&x[range]),
            Self::File(x) => x.range(range, room),
        }
    }
}

/// Elements of a file, in this machine's byte order.
pub(crate) struct InFile<'a, T> {
    file: &'a Opened,
    /// The byte at which the first begins.
    at: u64,
    len: usize,
    of: PhantomData<T>,
}

impl<'a, T: Numeric> InFile<'a, T> {
    /// `len` elements from byte `at` on.
    pub(crate) fn new(file: &'a Opened, at: u64, len: usize) -> Self {
        Self { file, at, len, of: PhantomData }
    }

    fn range<'b>(&self, range: Range<usize>, room: &'b mut Vec<T>) -> Result<&'b [T], Failure> {
        let what = "a portion of the file is read at a time";
        if room.len() < range.len() {
            *room = crate::memory::zeroed(range.len(), what)?;
        }
        let x = &mut room[..range.len()];
        self.file.read(cast_slice_mut(x), self.at + (range.start * size_of::<T>()) as u64)?;
        Ok(x)
    }
}
