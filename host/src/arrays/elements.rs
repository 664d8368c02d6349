//! The elements of an array as one slice, and their indices in the array.

#[cfg(any(feature = "arrow", feature = "ndarray"))]
use std::alloc::{Layout, handle_alloc_error};
use std::borrow::Cow;
use std::convert::Infallible;
use std::ops::Deref;

use gpu_kernels::Element;

use super::AsElements;
use super::blocks::in_blocks;
use super::presence::Presence;
use crate::error::Error;
use crate::memory;

/// The elements of an array as a contiguous slice, in the order of their indices. Where possible it is the array's own
/// memory. Pass it wherever a slice goes: `reduce`, [`Cpu`](crate::Cpu), `Cuda`.
///
/// Elements of an array can be missing, such as Arrow's nulls. They are left out: the result has the bits of a reduction of
/// the other elements. The slice has the other elements alone.
///
/// Positions that a call takes count missing elements: offsets, shapes and lengths, the partner in a pair, the element of an
/// id or a flag. So a call is passed the `Elements`, not its slice. Indices, in results and in operators, count the other
/// elements alone, from the start of the array or of the part; [`position`](Self::position) and
/// [`position_from`](Self::position_from) convert one to an index in the array.
///
/// ```
/// use warpfold::{ArgMax, Cpu, Elements, Sum, reduce, segments};
///
/// let x: Elements<f32> = [None, Some(1.0), None, Some(2.5)].into_iter().collect();
/// assert_eq!(*x, [1.0, 2.5]);
/// assert_eq!(reduce::<f32, Sum>(&x)?, 3.5);
/// assert_eq!(Cpu::new().reduce(Sum, segments(&x, &[0, 3, 4]))?, [1.0, 2.5]);
/// let greatest = reduce::<f32, ArgMax>(&x)?;
/// assert_eq!(greatest.map(|at| at.index), Some(1));
/// assert_eq!(greatest.and_then(|at| x.position(at.index)), Some(3));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Elements<'a, T: Element> {
    pub(super) values: Cow<'a, [T]>,
    /// `None` if no element is missing.
    pub(super) presence: Option<Cow<'a, Presence>>,
}

impl<'a, T: Element> Elements<'a, T> {
    /// Concatenates the elements of several arrays: the batches of a column, the chunks of a chunked array. Copies
    /// unless only one of them has elements.
    ///
    /// ```
    /// use warpfold::{Elements, Sum, reduce};
    ///
    /// let chunks = [vec![1, 2], vec![], vec![3]];
    /// assert_eq!(reduce::<i32, Sum>(&Elements::concat(&chunks))?, 6);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn concat<A>(arrays: impl IntoIterator<Item = &'a A>) -> Self
    where
        A: AsElements<Element = T> + ?Sized + 'a,
    {
        let mut all = Self::default();
        for array in arrays {
            let more = array.elements();
            if all.is_blank() {
                all = more;
            } else {
                all.append(&more);
            }
        }
        all
    }

    /// Appends a copy of the elements of another array, and its missing elements. If there is no memory for it, the
    /// process ends; [`try_append`](Self::try_append) returns an error instead.
    ///
    /// ```
    /// use warpfold::Elements;
    ///
    /// let mut all = Elements::concat([&[1, 2]]);
    /// all.append(&Elements::concat([&[3]]));
    /// assert_eq!(all[..], [1, 2, 3]);
    /// ```
    pub fn append(&mut self, more: &Elements<'_, T>) {
        if let Some(theirs) = &more.presence {
            self.presence().append(theirs);
        } else if let Some(ours) = &mut self.presence {
            ours.to_mut().push(more.values.len() as u64, true);
        }
        if !more.values.is_empty() {
            self.values.to_mut().extend(more.values.iter().copied());
        }
    }

    /// Does [`append`](Self::append), if there is enough memory.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory. Nothing is appended then.
    ///
    /// ```
    /// use warpfold::Elements;
    ///
    /// let mut all = Elements::concat([&[1, 2]]);
    /// all.try_append(&Elements::concat([&[3]]))?;
    /// assert_eq!(all[..], [1, 2, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn try_append(&mut self, more: &Elements<'_, T>) -> Result<(), Error> {
        self.reserve(more.values.len(), more.array_len())?;
        self.append(more);
        Ok(())
    }

    /// Appends elements, each `None` being a missing one, as long as there is memory.
    ///
    /// # Errors
    /// [`Error::TooManyResults`] if there is not enough memory. The elements before are appended.
    ///
    /// ```
    /// use warpfold::Elements;
    ///
    /// let mut some = Elements::default();
    /// some.try_extend([Some(1), None, Some(2)])?;
    /// assert_eq!((&some[..], some.missing()), (&[1, 2][..], 1));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn try_extend(&mut self, elements: impl IntoIterator<Item = Option<T>>) -> Result<(), Error> {
        in_blocks(elements, |block| {
            let present = block.iter().flatten().count();
            if self.reserve(present, block.len() as u64).is_ok() {
                self.append_block(block);
                return Ok(());
            }
            // There may be memory for some of them.
            for element in block {
                self.reserve(usize::from(element.is_some()), 1)?;
                self.append_block(&[*element]);
            }
            Ok(())
        })
    }

    /// Appends at most 64 elements, each `None` being a missing one.
    #[inline]
    fn append_block(&mut self, block: &[Option<T>]) {
        let mask = (0..).zip(block).fold(0, |mask, (at, element)| mask | u64::from(element.is_some()) << at);
        if self.presence.is_some() || mask.count_ones() as usize != block.len() {
            self.presence().push_word(mask, block.len() as u64);
        }
        self.values.to_mut().extend(block.iter().flatten());
    }

    /// Makes room for `all` more elements of the array; `present` of them are not missing.
    pub(super) fn reserve(&mut self, present: usize, all: u64) -> Result<(), Error> {
        match &mut self.values {
            _ if present == 0 => {}
            Cow::Owned(values) => memory::reserve(values, present)?,
            Cow::Borrowed(values) => {
                let mut owned = memory::with_room(values.len().saturating_add(present))?;
                owned.extend(values.iter().copied());
                self.values = Cow::Owned(owned);
            }
        }
        match &mut self.presence {
            Some(Cow::Owned(presence)) => presence.reserve(all),
            Some(presence) => {
                let mut copy = Presence::default();
                copy.reserve(presence.len().saturating_add(all))?;
                copy.append(presence);
                *presence = Cow::Owned(copy);
                Ok(())
            }
            None if all == present as u64 => Ok(()),
            none => {
                let (mut presence, there) = (Presence::default(), self.values.len() as u64);
                presence.reserve(there.saturating_add(all))?;
                presence.push(there, true);
                *none = Some(Cow::Owned(presence));
                Ok(())
            }
        }
    }

    /// Appends at most 64 values, the first for the lowest bit of `mask`. Values whose bit is set are copied; the
    /// others are missing.
    #[cfg(feature = "arrow")]
    pub(super) fn append_where(&mut self, values: &[T], mask: u64) {
        self.presence().push_word(mask, values.len() as u64);
        let ours = self.values.to_mut();
        if mask.count_ones() as usize == values.len() {
            ours.extend(values);
            return;
        }
        let mut left = mask;
        while left != 0 {
            ours.extend(values.get(left.trailing_zeros() as usize));
            left &= left - 1;
        }
    }

    /// Appends `count` missing elements. Each takes a bit of memory.
    ///
    /// ```
    /// use warpfold::Elements;
    ///
    /// let mut some = Elements::concat([&[1, 2]]);
    /// some.skip(3);
    /// assert_eq!((some.len(), some.array_len()), (2, 5));
    /// ```
    pub fn skip(&mut self, count: u64) {
        if count > 0 {
            self.presence().push(count, false);
        }
    }

    /// Returns the index in the array of the element at `index` of this slice; `None` if there is none.
    ///
    /// If nothing is missing it is the same index. Otherwise this reads one bit per element of the array: fast enough
    /// once per reduction, slow once per element.
    ///
    /// ```
    /// use warpfold::Elements;
    ///
    /// let mut some = Elements::concat([&[1]]);
    /// some.skip(3);
    /// some.append(&Elements::concat([&[2]]));
    /// assert_eq!([0, 1, 2].map(|index| some.position(index)), [Some(0), Some(4), None]);
    /// ```
    #[must_use]
    pub fn position(&self, index: u64) -> Option<u64> {
        match &self.presence {
            Some(presence) => presence.position(index),
            None => (index < self.values.len() as u64).then_some(index),
        }
    }

    /// Returns the index in the array of an element of a part that begins at `start` there, given its index among the
    /// part's elements, as [`ArgMin`](crate::ArgMin) returns it for a row, a chunk or a segment; `None` if the array has
    /// no such element. [`position`](Self::position) is the same from 0.
    ///
    /// ```
    /// use warpfold::{ArgMax, Cpu, Elements, rows};
    ///
    /// let x: Elements<f32> = [Some(1.0), None, Some(2.0), None, Some(0.5), Some(3.0)].into_iter().collect();
    /// let greatest = Cpu::new().reduce(ArgMax, rows(&x, [2, 3]))?;
    /// // The greatest element of row 1, which begins at index 3, is the second one there.
    /// let index = greatest[1].map(|at| at.index);
    /// assert_eq!((index, index.and_then(|index| x.position_from(3, index))), (Some(1), Some(5)));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn position_from(&self, start: u64, index: u64) -> Option<u64> {
        let before = self.presence.as_ref().map_or(start, |presence| presence.before(start));
        self.position(before.checked_add(index)?)
    }

    /// Returns the number of elements of the array, including missing ones.
    ///
    /// ```
    /// use warpfold::Elements;
    ///
    /// let mut some = Elements::concat([&[1, 2]]);
    /// some.skip(3);
    /// assert_eq!(some.array_len(), 5);
    /// ```
    #[must_use]
    pub fn array_len(&self) -> u64 {
        self.presence.as_ref().map_or(self.values.len() as u64, |presence| presence.len())
    }

    /// Returns the number of missing elements.
    ///
    /// ```
    /// use warpfold::Elements;
    ///
    /// let mut some = Elements::concat([&[1, 2]]);
    /// some.skip(3);
    /// assert_eq!(some.missing(), 3);
    /// ```
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.array_len() - self.values.len() as u64
    }

    /// Returns whether this is the array's own memory, not a copy.
    ///
    /// ```
    /// use warpfold::Elements;
    ///
    /// let mut some = Elements::concat([&[1, 2]]);
    /// assert!(some.is_borrowed());
    /// some.append(&Elements::concat([&[3]]));
    /// assert!(!some.is_borrowed());
    /// ```
    #[must_use]
    pub fn is_borrowed(&self) -> bool {
        matches!(self.values, Cow::Borrowed(_))
    }

    /// Returns the same array without copying anything.
    pub(super) fn borrowed(&self) -> Elements<'_, T> {
        let presence = self.presence.as_ref().map(|presence| Cow::Borrowed(&**presence));
        Elements { values: Cow::Borrowed(&self.values), presence }
    }

    /// Returns whether nothing was ever added, and no memory allocated.
    fn is_blank(&self) -> bool {
        self.presence.is_none() && matches!(self.values, Cow::Borrowed([]))
    }

    /// Returns the bits of presence, which are created if no element was missing so far.
    fn presence(&mut self) -> &mut Presence {
        let there = self.values.len() as u64;
        let presence = self.presence.get_or_insert_with(|| {
            let mut presence = Presence::default();
            presence.push(there, true);
            Cow::Owned(presence)
        });
        presence.to_mut()
    }
}

/// The elements without the missing ones.
impl<T: Element> Deref for Elements<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

/// Empty.
impl<T: Element> Default for Elements<'_, T> {
    fn default() -> Self {
        Cow::Borrowed([].as_slice()).into()
    }
}

/// An array without missing elements.
impl<'a, T: Element> From<Cow<'a, [T]>> for Elements<'a, T> {
    fn from(values: Cow<'a, [T]>) -> Self {
        Self { values, presence: None }
    }
}

/// An array without missing elements, in place.
impl<'a, T: Element> From<&'a [T]> for Elements<'a, T> {
    fn from(values: &'a [T]) -> Self {
        Cow::Borrowed(values).into()
    }
}

/// An array without missing elements.
impl<T: Element> From<Vec<T>> for Elements<'_, T> {
    fn from(values: Vec<T>) -> Self {
        Self { values: Cow::Owned(values), presence: None }
    }
}

/// An array in which each `None` is a missing element. If there is no memory for it, the process ends; [`Elements::try_extend`]
/// returns an error instead.
impl<T: Element> FromIterator<Option<T>> for Elements<'_, T> {
    fn from_iter<I: IntoIterator<Item = Option<T>>>(elements: I) -> Self {
        let mut all = Self::default();
        all.extend(elements);
        all
    }
}

/// Appends elements to the array; each `None` is a missing element. If there is no memory for them, the
/// process ends; [`Elements::try_extend`] returns an error instead.
impl<T: Element> Extend<Option<T>> for Elements<'_, T> {
    fn extend<I: IntoIterator<Item = Option<T>>>(&mut self, elements: I) {
        let Ok(()) = in_blocks(elements, |block| {
            self.append_block(block);
            Ok::<(), Infallible>(())
        });
    }
}

/// Returns the elements, or ends the process as the standard library does if there is not enough memory for them.
#[cfg(any(feature = "arrow", feature = "ndarray"))]
pub(super) fn copied_or_ended<T: Element>(elements: Result<Elements<'_, T>, Error>) -> Elements<'_, T> {
    elements.unwrap_or_else(|error| match error {
        Error::TooManyResults { results } => {
            handle_alloc_error(Layout::array::<T>(results).unwrap_or(Layout::new::<T>()))
        }
        _ => handle_alloc_error(Layout::new::<T>()),
    })
}
