//! Kinds of scans and their initial values.

use gpu_kernels::scan::Kind;
use gpu_kernels::{Element, Op};

use crate::error::Error;

/// The kind of a scan, inclusive or exclusive, and its initial value, if any: an accumulator `A`.
///
/// ```
/// use warpfold::{Cpu, Max, Op, Scan, Sum};
///
/// let (cpu, x) = (Cpu::new(), [3i32, 1, 4]);
/// assert_eq!(cpu.scan(Sum, &x, Scan::inclusive())?, [3, 4, 8]);
/// assert_eq!(cpu.scan(Sum, &x, Scan::exclusive())?, [0, 3, 4]);
/// assert_eq!(cpu.scan(Sum, &x, Scan::exclusive().from(100, 1))?, [100, 103, 104]);
/// let before = Scan::exclusive().from(Max.lift(2, 0), 1);
/// assert_eq!(cpu.scan(Max, &x, before)?, [Some(2), Some(3), Some(3)]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Scan<A> {
    kind: Kind,
    init: Option<(A, u64)>,
}

impl<A> Scan<A> {
    /// Creates an inclusive scan: output `i` is the reduction of elements 0 to `i`.
    ///
    /// ```
    /// use warpfold::{Cpu, Scan, Sum};
    ///
    /// assert_eq!(Cpu::new().scan(Sum, &[3i32, 1, 4], Scan::inclusive())?, [3, 4, 8]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub const fn inclusive() -> Self {
        Self { kind: Kind::Inclusive, init: None }
    }

    /// Creates an exclusive scan: output `i` is the reduction of the elements before `i`. Output 0 is the result of
    /// empty input, or the [initial value](Self::from).
    ///
    /// An operator without a result for empty input ([`Op::FINISHES_EMPTY`]), such as [`Max`](crate::Max), needs an
    /// initial value. Without one the scan fails with [`Error::NoInitialValue`](crate::Error::NoInitialValue), on the
    /// CPU and on a GPU.
    ///
    /// ```
    /// use warpfold::{Cpu, Error, Max, Scan, Sum};
    ///
    /// let (cpu, x) = (Cpu::new(), [3i32, 1, 4]);
    /// assert_eq!(cpu.scan(Sum, &x, Scan::exclusive())?, [0, 3, 4]);
    /// assert!(matches!(cpu.scan(Max, &x, Scan::exclusive()), Err(Error::NoInitialValue)));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub const fn exclusive() -> Self {
        Self { kind: Kind::Exclusive, init: None }
    }

    /// Adds an initial value: the accumulator of `before` elements in front of the elements of every
    /// output. It can be the fold of another array ([`Cpu::fold`](crate::Cpu::fold), with that array's length), or a
    /// [lifted](crate::Op::lift) element; for sums and products it is a plain number. `before` matters to operators
    /// whose result depends on the number of elements, such as a mean. Indices count from 0 in the scanned array.
    ///
    /// ```
    /// use warpfold::{Cpu, Scan, Sum};
    ///
    /// assert_eq!(Cpu::new().scan(Sum, &[3i32, 1, 4], Scan::inclusive().from(100, 1))?, [103, 104, 108]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn from(self, init: A, before: u64) -> Self {
        Self { init: Some((init, before)), ..self }
    }

    /// Returns the kind: inclusive or exclusive.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Refuses a scan whose first output would be the result of empty input, if the operator has none.
    pub(crate) fn check_first<T: Element, O: Op<T, Acc = A>>(&self) -> Result<(), Error> {
        let begins_empty =
            self.kind == Kind::Exclusive && self.init.as_ref().is_none_or(|&(_, before)| before == 0);
        if begins_empty && !O::FINISHES_EMPTY { Err(Error::NoInitialValue) } else { Ok(()) }
    }

    /// Returns the initial value, and its number of elements.
    pub(crate) fn init(self, identity: A) -> (A, u64) {
        self.init.unwrap_or((identity, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_kernels::{ArgMax, Last, Max, Mean, MinMax, Sum};

    fn is_refused<T: Element, O: Op<T>>(scan: Scan<O::Acc>) -> bool {
        scan.check_first::<T, O>().is_err()
    }

    #[test]
    fn what_would_begin_with_none_is_refused() {
        assert!(is_refused::<i32, Max>(Scan::exclusive()) && is_refused::<u64, Last>(Scan::exclusive()));
        assert!(
            is_refused::<f32, MinMax>(Scan::exclusive()) && is_refused::<i32, (Max, Sum)>(Scan::exclusive())
        );
        assert!(is_refused::<f64, Mean>(Scan::exclusive()) && is_refused::<i64, ArgMax>(Scan::exclusive()));
        // An initial value of no elements is none.
        assert!(is_refused::<i32, Max>(Scan::exclusive().from(7, 0)));
    }

    #[test]
    fn what_begins_with_a_result_is_not_refused() {
        assert!(
            !is_refused::<i32, Max>(Scan::exclusive().from(7, 1))
                && !is_refused::<i32, Max>(Scan::inclusive())
        );
        assert!(
            !is_refused::<i32, Sum>(Scan::exclusive()) && !is_refused::<f32, (Sum, Sum)>(Scan::exclusive())
        );
    }
}
