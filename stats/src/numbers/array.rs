//! Elements in memory or in a file. Any range of them can be read.

use std::ops::Range;

use warpfold::{Element, Elements};

use super::numeric::Numeric;
use crate::failure::Failure;
use crate::source::opened::Opened;

/// Elements whose ranges can be read as slices.
pub(crate) trait Ranges<T>: Sync {
    /// The number of elements.
    fn len(&self) -> usize;

    /// The elements of a range. Elements of a file are read into `room`.
    fn range<'a>(&'a self, range: Range<usize>, room: &'a mut Vec<T>) -> Result<&'a [T], Failure>;
}

impl<T: Sync> Ranges<T> for &[T] {
    fn len(&self) -> usize {
        (**self).len()
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
    /// The same with some elements missing, if it is in memory and has none missing yet.
    #[must_use]
    pub(crate) fn without(self, is_missing: impl Fn(T) -> bool) -> Self {
        match self {
            Self::Memory(x) if x.missing() == 0 => {
                Self::Memory(x.iter().map(|&x| (!is_missing(x)).then_some(x)).collect())
            }
            others => others,
        }
    }

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

    /// Copies or reads elements, from the one with index `at` on.
    pub(crate) fn fill(&self, x: &mut [T], at: usize) -> Result<(), Failure> {
        match self {
            Self::Memory(all) => x.copy_from_slice(&all[at..at + x.len()]),
            Self::File(all) => (all.fill)(x, at)?,
        }
        Ok(())
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

/// Reads elements, from the one with an index on.
type Fill<'a, T> = dyn Fn(&mut [T], usize) -> Result<(), Failure> + Send + Sync + 'a;

/// Elements of a file.
pub(crate) struct InFile<'a, T> {
    file: &'a Opened,
    len: usize,
    fill: Box<Fill<'a, T>>,
}

impl<'a, T: Numeric> InFile<'a, T> {
    /// `len` elements, which `fill` reads.
    pub(crate) fn new(
        file: &'a Opened,
        len: usize,
        fill: impl Fn(&mut [T], usize) -> Result<(), Failure> + Send + Sync + 'a,
    ) -> Self {
        Self { file, len, fill: Box::new(fill) }
    }

    fn range<'b>(&self, range: Range<usize>, room: &'b mut Vec<T>) -> Result<&'b [T], Failure> {
        let what = "a portion of the file is read at a time";
        if room.len() < range.len() {
            *room = crate::memory::zeroed(range.len(), what)?;
        }
        let x = &mut room[..range.len()];
        (self.fill)(x, range.start)?;
        Ok(x)
    }
}
