//! Compaction: the elements that a predicate or flags select, or one of each run, in order.

mod selection;
mod split;

use gpu_kernels::{Count, Element, Predicate};

pub(super) use self::selection::Selection;
use self::selection::{Changes, Flagged, Satisfying};
use super::Cpu;
use super::unwritten::{Slot, Unwritten};
use crate::AsElements;
use crate::arrays::both;
use crate::error::Error;

impl Cpu {
    /// Counts the elements for which a predicate holds: [`reduce`](Self::reduce) with [`Count`].
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    ///
    /// ```
    /// use warpfold::{Cpu, IsNan};
    ///
    /// assert_eq!(Cpu::new().count(IsNan, &[1.0, f32::NAN, 3.0])?, 1);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn count<T: Element, P: Predicate<T>>(&self, predicate: P, x: &[T]) -> Result<u64, Error> {
        self.reduce_slice(Count { predicate }, x)
    }

    /// Returns the elements for which a predicate holds, in order. The predicate must be a pure function of the element.
    ///
    /// # Errors
    /// [`Error::FloatEnvironment`] if a thread that calls the predicate flushes subnormal numbers or does not round to
    /// nearest; [`Error::TooManyResults`] if there is not enough memory for the elements.
    ///
    /// ```
    /// use warpfold::{Above, Cpu, Predicate};
    ///
    /// let x = [3, -1, 4, -1, 5];
    /// assert_eq!(Cpu::new().compact(Above { threshold: 0 }, &x)?, [3, 4, 5]);
    ///
    /// #[derive(Clone, Copy)]
    /// struct Even;
    /// impl Predicate<i32> for Even {
    ///     fn holds(self, x: i32) -> bool {
    ///         x % 2 == 0
    ///     }
    /// }
    /// assert_eq!(Cpu::new().compact(Even, &x)?, [4]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn compact<T: Element, P: Predicate<T>>(&self, predicate: P, x: &[T]) -> Result<Vec<T>, Error> {
        self.selected(x, &Satisfying { predicate, x })
    }

    /// Does [`compact`](Self::compact) to the start of a slice. Returns the number of elements; the rest of the slice
    /// is unchanged.
    ///
    /// # Errors
    /// [`Error::Room`] with the number of elements, if the slice is too short; otherwise as `compact`.
    ///
    /// ```
    /// use warpfold::{Cpu, above};
    ///
    /// let mut out = [0; 4];
    /// assert_eq!(Cpu::new().compact_into(above(0), &[3, -1, 4], &mut out)?, 2);
    /// assert_eq!(out, [3, 4, 0, 0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn compact_into<T: Element, P: Predicate<T>>(
        &self,
        predicate: P,
        x: &[T],
        out: &mut [T],
    ) -> Result<usize, Error> {
        self.select_into(x, &Satisfying { predicate, x }, out)
    }

    /// Returns the elements whose flag is `true`, in order. Where an element or its flag is missing, such as a null of
    /// Arrow, nothing is returned.
    ///
    /// # Errors
    /// [`Error::Lengths`] if there is not one flag for each element; otherwise as [`compact`](Self::compact).
    ///
    /// ```
    /// use warpfold::Cpu;
    ///
    /// assert_eq!(Cpu::new().compact_by_flags(&[true, false, true], &['a', 'b', 'c'])?, ['a', 'c']);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn compact_by_flags<F, X>(&self, flags: &F, x: &X) -> Result<Vec<X::Element>, Error>
    where
        F: AsElements<Element = bool> + ?Sized,
        X: AsElements + ?Sized,
    {
        let (flags, x) = both(flags.try_elements()?, x.try_elements()?)?;
        self.selected(&x, &Flagged { flags: &flags })
    }

    /// Does [`compact_by_flags`](Self::compact_by_flags) to the start of a slice. Returns the number of elements.
    ///
    /// # Errors
    /// [`Error::Room`] as [`compact_into`](Self::compact_into); otherwise as `compact_by_flags`.
    ///
    /// ```
    /// use warpfold::Cpu;
    ///
    /// let mut out = ['-'; 2];
    /// assert_eq!(Cpu::new().compact_by_flags_into(&[true, false, true], &['a', 'b', 'c'], &mut out)?, 2);
    /// assert_eq!(out, ['a', 'c']);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn compact_by_flags_into<F, X>(
        &self,
        flags: &F,
        x: &X,
        out: &mut [X::Element],
    ) -> Result<usize, Error>
    where
        F: AsElements<Element = bool> + ?Sized,
        X: AsElements + ?Sized,
    {
        let (flags, x) = both(flags.try_elements()?, x.try_elements()?)?;
        self.select_into(&x, &Flagged { flags: &flags }, out)
    }

    /// Returns the first element of each run of equal elements; for a sorted slice, each element once. Elements are
    /// compared by `==`, as for [`runs`](crate::runs()): -0.0 and 0.0 are equal, and every NaN is kept.
    ///
    /// # Errors
    /// As [`compact`](Self::compact).
    ///
    /// ```
    /// use warpfold::Cpu;
    ///
    /// assert_eq!(Cpu::new().unique(&[1, 1, 2, 2, 2, 1])?, [1, 2, 1]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn unique<T: Element + PartialEq>(&self, x: &[T]) -> Result<Vec<T>, Error> {
        self.selected(x, &Changes { x })
    }

    /// Does [`unique`](Self::unique) to the start of a slice. Returns the number of elements.
    ///
    /// # Errors
    /// [`Error::Room`] as [`compact_into`](Self::compact_into); otherwise as `unique`.
    ///
    /// ```
    /// use warpfold::Cpu;
    ///
    /// let mut out = [0; 3];
    /// assert_eq!(Cpu::new().unique_into(&[1, 1, 2, 2], &mut out)?, 2);
    /// assert_eq!(out, [1, 2, 0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn unique_into<T: Element + PartialEq>(&self, x: &[T], out: &mut [T]) -> Result<usize, Error> {
        self.select_into(x, &Changes { x }, out)
    }

    /// Returns all elements, first those for which a predicate holds, then the others, each in order; and the number of
    /// elements for which it holds.
    ///
    /// # Errors
    /// As [`compact`](Self::compact).
    ///
    /// ```
    /// use warpfold::{Below, Cpu};
    ///
    /// let (x, low) = Cpu::new().partition(Below { threshold: 3 }, &[5, 1, 4, 2, 3])?;
    /// assert_eq!((&x[..low], &x[low..]), (&[1, 2][..], &[5, 4, 3][..]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn partition<T: Element, P: Predicate<T>>(
        &self,
        predicate: P,
        x: &[T],
    ) -> Result<(Vec<T>, usize), Error> {
        let mut out = Unwritten::new(x.len())?;
        let count = self.part(x, &Satisfying { predicate, x }, out.slots())?;
        // SAFETY: `part` has written a slot for each element.
        Ok((unsafe { out.written() }, count))
    }

    /// Does [`partition`](Self::partition) to the start of a slice. Returns the number of elements for which the
    /// predicate holds.
    ///
    /// # Errors
    /// [`Error::Room`] if the slice is shorter than `x`; otherwise as `partition`.
    ///
    /// ```
    /// use warpfold::{Cpu, below};
    ///
    /// let mut out = [0; 5];
    /// assert_eq!(Cpu::new().partition_into(below(3), &[5, 1, 4, 2, 3], &mut out)?, 2);
    /// assert_eq!(out, [1, 2, 5, 4, 3]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn partition_into<T: Element, P: Predicate<T>>(
        &self,
        predicate: P,
        x: &[T],
        out: &mut [T],
    ) -> Result<usize, Error> {
        let out = with_room(out, x.len())?;
        self.part(x, &Satisfying { predicate, x }, out)
    }

    /// Writes the selected elements, then the others, to as many slots, and returns the number of the selected ones.
    fn part<T: Element, P: Slot<T>>(
        &self,
        x: &[T],
        selection: &impl Selection,
        slots: &mut [P],
    ) -> Result<usize, Error> {
        let counts = self.count_selected(x, selection)?;
        let count = counts.iter().sum();
        let (selected, rejected) = slots.split_at_mut(count);
        self.split(x, selection, &counts, selected, rejected)?;
        Ok(count)
    }

    /// Returns the selected elements.
    pub(super) fn selected<T: Element>(&self, x: &[T], selection: &impl Selection) -> Result<Vec<T>, Error> {
        let counts = self.count_selected(x, selection)?;
        let mut out = Unwritten::new(counts.iter().sum())?;
        self.split(x, selection, &counts, out.slots(), &mut [])?;
        // SAFETY: `split` has written every slot.
        Ok(unsafe { out.written() })
    }

    /// Writes the selected elements to the start of a slice, and returns their number.
    fn select_into<T: Element>(
        &self,
        x: &[T],
        selection: &impl Selection,
        out: &mut [T],
    ) -> Result<usize, Error> {
        let counts = self.count_selected(x, selection)?;
        let out = with_room(out, counts.iter().sum())?;
        self.split(x, selection, &counts, out, &mut [])?;
        Ok(out.len())
    }
}

/// Returns the first `needed` elements of a slice, if it has that many.
fn with_room<T>(out: &mut [T], needed: usize) -> Result<&mut [T], Error> {
    let room = out.len();
    out.get_mut(..needed).ok_or(Error::Room { needed, room })
}
