//! Scans, sorts, selections and compactions. They run on the CPU, which takes less time than the copy to a device and
//! back.

use gpu_kernels::{At, Element, Predicate, TotalOrder};

use super::Auto;
use crate::{Error, Interpolate, Interpolation, Order, Scan, ScanInPlace, ScanInput};

impl Auto {
    /// Scans `input` with `op`: see [`Cpu::scan`](crate::Cpu::scan).
    ///
    /// # Errors
    /// As [`Cpu::scan`](crate::Cpu::scan).
    ///
    /// ```
    /// use warpfold::{Auto, Scan, Sum};
    ///
    /// assert_eq!(Auto::new().scan(Sum, &[3i32, 1, 4], Scan::inclusive())?, [3, 4, 8]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scan<O, I: ScanInput<O>>(
        &self,
        op: O,
        input: I,
        scan: Scan<I::Acc>,
    ) -> Result<Vec<I::Out>, Error> {
        self.cpu.scan(op, input, scan)
    }

    /// Scans `input` in place: see [`Cpu::scan_in_place`](crate::Cpu::scan_in_place).
    ///
    /// # Errors
    /// As [`Cpu::scan`](crate::Cpu::scan).
    ///
    /// ```
    /// use warpfold::{Auto, Scan, Sum};
    ///
    /// let mut x = [3i64, 1, 4];
    /// Auto::new().scan_in_place(Sum, &mut x, Scan::inclusive())?;
    /// assert_eq!(x, [3, 4, 8]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn scan_in_place<O, I: ScanInPlace<O>>(
        &self,
        op: O,
        input: I,
        scan: Scan<I::Acc>,
    ) -> Result<(), Error> {
        self.cpu.scan_in_place(op, input, scan)
    }

    /// Counts the elements for which a predicate holds.
    ///
    /// # Errors
    /// As [`reduce`](Self::reduce).
    ///
    /// ```
    /// use warpfold::{Auto, above};
    ///
    /// assert_eq!(Auto::new().count(above(0.5f32), &[0.25, 0.75, 1.0])?, 2);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn count<T: Element, P: Predicate<T>>(&self, predicate: P, x: &[T]) -> Result<u64, Error> {
        self.reduce_slice(crate::Count { predicate }, x)
    }

    /// Returns the elements for which a predicate holds, in order: see [`Cpu::compact`](crate::Cpu::compact).
    ///
    /// # Errors
    /// As [`Cpu::compact`](crate::Cpu::compact).
    ///
    /// ```
    /// use warpfold::{Auto, IsNan, Not};
    ///
    /// assert_eq!(Auto::new().compact(Not { predicate: IsNan }, &[1.5, f64::NAN, -2.0])?, [1.5, -2.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn compact<T: Element, P: Predicate<T>>(&self, predicate: P, x: &[T]) -> Result<Vec<T>, Error> {
        self.cpu.compact(predicate, x)
    }

    /// Returns the elements for which a predicate holds, then the others, and the number of the first: see
    /// [`Cpu::partition`](crate::Cpu::partition).
    ///
    /// # Errors
    /// As [`Cpu::partition`](crate::Cpu::partition).
    ///
    /// ```
    /// use warpfold::{Auto, below};
    ///
    /// let (x, low) = Auto::new().partition(below(3), &[5, 1, 4, 2, 3])?;
    /// assert_eq!((&x[..low], &x[low..]), (&[1, 2][..], &[5, 4, 3][..]));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn partition<T: Element, P: Predicate<T>>(
        &self,
        predicate: P,
        x: &[T],
    ) -> Result<(Vec<T>, usize), Error> {
        self.cpu.partition(predicate, x)
    }

    /// Returns the first element of each run of equal elements: see [`Cpu::unique`](crate::Cpu::unique).
    ///
    /// # Errors
    /// As [`Cpu::unique`](crate::Cpu::unique).
    ///
    /// ```
    /// use warpfold::Auto;
    ///
    /// assert_eq!(Auto::new().unique(&[1, 1, 2, 2, 2, 1])?, [1, 2, 1]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn unique<T: Element + PartialEq>(&self, x: &[T]) -> Result<Vec<T>, Error> {
        self.cpu.unique(x)
    }

    /// Sorts elements by their total order: see [`Cpu::sort`](crate::Cpu::sort).
    ///
    /// ```
    /// use warpfold::{Auto, Order};
    ///
    /// let mut x = [0.5, -1.0, f32::INFINITY, 0.0];
    /// Auto::new().sort(&mut x, Order::Ascending);
    /// assert_eq!(x, [-1.0, 0.0, 0.5, f32::INFINITY]);
    /// ```
    pub fn sort<T: TotalOrder>(&self, x: &mut [T], order: Order) {
        self.cpu.sort(x, order);
    }

    /// Sorts keys, and each value with its key: see [`Cpu::sort_pairs`](crate::Cpu::sort_pairs).
    ///
    /// # Errors
    /// As [`Cpu::sort_pairs`](crate::Cpu::sort_pairs).
    ///
    /// ```
    /// use warpfold::{Auto, Order};
    ///
    /// let (mut keys, mut values) = ([3, 1, 2], ['c', 'a', 'b']);
    /// Auto::new().sort_pairs(&mut keys, &mut values, Order::Ascending)?;
    /// assert_eq!((keys, values), ([1, 2, 3], ['a', 'b', 'c']));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn sort_pairs<K: TotalOrder, V: Copy + Send + Sync>(
        &self,
        keys: &mut [K],
        values: &mut [V],
        order: Order,
    ) -> Result<(), Error> {
        self.cpu.sort_pairs(keys, values, order)
    }

    /// Returns the indices of the elements in their total order: see [`Cpu::argsort`](crate::Cpu::argsort).
    ///
    /// # Errors
    /// As [`Cpu::argsort`](crate::Cpu::argsort).
    ///
    /// ```
    /// use warpfold::{Auto, Order};
    ///
    /// assert_eq!(Auto::new().argsort(&[3, 1, 2], Order::Ascending)?, [1, 2, 0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn argsort<T: TotalOrder>(&self, x: &[T], order: Order) -> Result<Vec<usize>, Error> {
        self.cpu.argsort(x, order)
    }

    /// Returns the `k` greatest elements with their indices: see [`Cpu::top_k`](crate::Cpu::top_k).
    ///
    /// # Errors
    /// As [`Cpu::top_k`](crate::Cpu::top_k).
    ///
    /// ```
    /// use warpfold::{At, Auto};
    ///
    /// assert_eq!(Auto::new().top_k(&[3, 9, 4], 2)?, [At { index: 1, value: 9 }, At { index: 2, value: 4 }]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn top_k<T: TotalOrder>(&self, x: &[T], k: usize) -> Result<Vec<At<T>>, Error> {
        self.cpu.top_k(x, k)
    }

    /// Returns the `k` least elements with their indices: see [`Cpu::bottom_k`](crate::Cpu::bottom_k).
    ///
    /// # Errors
    /// As [`Cpu::top_k`](crate::Cpu::top_k).
    ///
    /// ```
    /// use warpfold::{At, Auto};
    ///
    /// assert_eq!(Auto::new().bottom_k(&[3, 9, 4], 2)?, [At { index: 0, value: 3 }, At { index: 2, value: 4 }]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn bottom_k<T: TotalOrder>(&self, x: &[T], k: usize) -> Result<Vec<At<T>>, Error> {
        self.cpu.bottom_k(x, k)
    }

    /// Returns the median of the elements: see [`Cpu::median`](crate::Cpu::median).
    ///
    /// # Errors
    /// As [`Cpu::median`](crate::Cpu::median).
    ///
    /// ```
    /// use warpfold::Auto;
    ///
    /// assert_eq!(Auto::new().median(&[3.0f64, 9.0, 4.0, 1.0])?, 3.5);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn median<T: Interpolate>(&self, x: &[T]) -> Result<T::Out, Error> {
        self.cpu.median(x)
    }

    /// Returns quantiles of the elements: see [`Cpu::quantiles`](crate::Cpu::quantiles).
    ///
    /// # Errors
    /// As [`Cpu::quantiles`](crate::Cpu::quantiles).
    ///
    /// ```
    /// use warpfold::{Auto, Interpolation};
    ///
    /// let quartiles = Auto::new().quantiles(&[1.0f64, 2.0, 3.0, 4.0, 5.0], &[0.25, 0.75], Interpolation::Linear)?;
    /// assert_eq!(quartiles, [2.0, 4.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn quantiles<T: Interpolate>(
        &self,
        x: &[T],
        qs: &[f64],
        how: Interpolation,
    ) -> Result<Vec<T::Out>, Error> {
        self.cpu.quantiles(x, qs, how)
    }
}
