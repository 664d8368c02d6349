//! The elements of an array as one slice, and where each stands in the array.

use std::borrow::Cow;
use std::ops::Deref;

use gpu_kernels::Element;

use super::AsElements;
use super::presence::Presence;

/// The elements of an array, next to one another in the order of their indexes. It is a slice, the array's own
/// memory where that is possible, so that it goes wherever a slice goes: `reduce`, [`Cpu`](crate::Cpu), `Cuda`.
///
/// An array may miss elements, such as Arrow's nulls. They are left out, and the result's bits are those of the others
/// as if nothing were between them. An index that a reduction gives, or that an operator is given, counts them alone:
/// [`position`](Self::position) says where that element stands in the array.
///
/// ```
/// use warpfold::{ArgMax, Elements, Sum, reduce};
///
/// let x: Elements<f32> = [None, Some(1.0), None, Some(2.5)].into_iter().collect();
/// assert_eq!(*x, [1.0, 2.5]);
/// assert_eq!(reduce::<f32, Sum>(&x)?, 3.5);
/// let greatest = reduce::<f32, ArgMax>(&x)?;
/// assert_eq!(greatest.map(|at| at.index), Some(1));
/// assert_eq!(greatest.and_then(|at| x.position(at.index)), Some(3));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Elements<'a, T: Element> {
    values: Cow<'a, [T]>,
    /// `None` where nothing is missing.
    presence: Option<Presence>,
}

impl<'a, T: Element> Elements<'a, T> {
    /// The elements of several arrays, one after the other, as if they were one array: the batches of a column, the
    /// chunks of a chunked array. Copies unless only one of them has any.
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

    /// Copies the elements of another array to the end, and knows what it misses.
    pub fn append(&mut self, more: &Elements<'_, T>) {
        if let Some(theirs) = &more.presence {
            self.presence().append(theirs);
        } else if let Some(ours) = &mut self.presence {
            ours.push(more.values.len() as u64, true);
        }
        if !more.values.is_empty() {
            self.values.to_mut().extend_from_slice(&more.values);
        }
    }

    /// Copies those of at most 64 values whose bit in `mask` is set, the first value's the lowest, and knows that the
    /// others are missing.
    #[cfg(feature = "arrow")]
    pub(super) fn append_where(&mut self, values: &[T], mask: u64) {
        self.presence().push_word(mask, values.len() as u64);
        let ours = self.values.to_mut();
        if mask.count_ones() as usize == values.len() {
            ours.extend_from_slice(values);
            return;
        }
        let mut left = mask;
        while left != 0 {
            ours.extend(values.get(left.trailing_zeros() as usize));
            left &= left - 1;
        }
    }

    /// Says that the next `count` elements of the array are missing. That takes a bit of memory for each.
    pub fn skip(&mut self, count: u64) {
        if count > 0 {
            self.presence().push(count, false);
        }
    }

    /// Index in the array of the element that is at `index` here; `None` if no element is.
    ///
    /// Where nothing is missing that is the same index. Otherwise it is found by reading one bit per element of the
    /// array: once per reduction that is nothing, once per element it would be slow.
    #[must_use]
    pub fn position(&self, index: u64) -> Option<u64> {
        match &self.presence {
            Some(presence) => presence.position(index),
            None => (index < self.values.len() as u64).then_some(index),
        }
    }

    /// Number of elements of the array, those that are missing included.
    #[must_use]
    pub fn array_len(&self) -> u64 {
        self.presence.as_ref().map_or(self.values.len() as u64, Presence::len)
    }

    /// Number of elements that the array is missing.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.array_len() - self.values.len() as u64
    }

    /// Whether this is the array's own memory and not a copy.
    #[must_use]
    pub fn is_borrowed(&self) -> bool {
        matches!(self.values, Cow::Borrowed(_))
    }

    /// Whether nothing was ever added, not even memory.
    fn is_blank(&self) -> bool {
        self.presence.is_none() && matches!(self.values, Cow::Borrowed([]))
    }

    /// The bits, from now on, where nothing was missing so far.
    fn presence(&mut self) -> &mut Presence {
        let there = self.values.len() as u64;
        self.presence.get_or_insert_with(|| {
            let mut presence = Presence::default();
            presence.push(there, true);
            presence
        })
    }
}

/// The elements alone.
impl<T: Element> Deref for Elements<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values
    }
}

/// No elements.
impl<T: Element> Default for Elements<'_, T> {
    fn default() -> Self {
        Cow::Borrowed([].as_slice()).into()
    }
}

/// An array that misses nothing.
impl<'a, T: Element> From<Cow<'a, [T]>> for Elements<'a, T> {
    fn from(values: Cow<'a, [T]>) -> Self {
        Self { values, presence: None }
    }
}

/// An array that misses nothing, where it is.
impl<'a, T: Element> From<&'a [T]> for Elements<'a, T> {
    fn from(values: &'a [T]) -> Self {
        Cow::Borrowed(values).into()
    }
}

/// An array that misses nothing.
impl<T: Element> From<Vec<T>> for Elements<'_, T> {
    fn from(values: Vec<T>) -> Self {
        Self { values: Cow::Owned(values), presence: None }
    }
}

/// An array that misses what is `None`.
impl<T: Element> FromIterator<Option<T>> for Elements<'_, T> {
    fn from_iter<I: IntoIterator<Item = Option<T>>>(elements: I) -> Self {
        let mut all = Self::default();
        all.extend(elements);
        all
    }
}

/// More elements of the array; what is `None` is missing.
impl<T: Element> Extend<Option<T>> for Elements<'_, T> {
    fn extend<I: IntoIterator<Item = Option<T>>>(&mut self, elements: I) {
        for element in elements {
            match element {
                Some(value) => {
                    self.values.to_mut().push(value);
                    if let Some(presence) = &mut self.presence {
                        presence.push(1, true);
                    }
                }
                None => self.skip(1),
            }
        }
    }
}
