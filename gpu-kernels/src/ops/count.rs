//! Counts of elements for which a predicate holds, and whether all or any elements are true.

use bytemuck::{NoUninit, Pod};
use warpfold_exact::unrolled;

use super::native::of_native_integers;
use crate::op::{Atomic, Element, Op};

/// A condition that holds of an element or does not. Its parameters are fields: a predicate is plain data, and is passed to the
/// device with the launch.
///
/// On the CPU a closure is a predicate too, if it declares its parameter's type and its captures are `Copy`.
///
/// ```
/// use gpu_kernels::{count, reference};
///
/// let least = 2.0;
/// assert_eq!(reference::reduce_by(count(move |x: f64| x > least), &[1.0, 2.0, 3.0]), 1);
/// ```
pub trait Predicate<T>: Copy + Send + Sync + 'static {
    /// Returns whether it holds of `x`.
    fn holds(self, x: T) -> bool;
    /// Returns [`Op::marked`] of the count.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    #[inline]
    fn marked_count() -> Option<crate::formula::Marked> {
        None
    }
}

/// The number of elements for which a predicate holds, which also decides about NaN. 0 for empty input.
///
/// ```
/// use gpu_kernels::{above, count, reference};
///
/// assert_eq!(reference::reduce_by(count(above(2.0)), &[1.0, 2.0, 3.0, f64::NAN]), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, NoUninit)]
#[repr(transparent)]
pub struct Count<P> {
    /// The predicate.
    pub predicate: P,
}

/// Whether all elements are `true` or not 0: NaN is not 0, and -0.0 is. `true` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct All;

/// Whether any element is `true` or not 0: NaN is not 0, and -0.0 is. `false` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Any;

/// `x != 0`, which holds of NaN and not of -0.0; for bools, `x`.
#[derive(Clone, Copy, Debug, Default)]
pub struct NonZero;

/// `x` is NaN.
#[derive(Clone, Copy, Debug, Default)]
pub struct IsNan;

/// `x > threshold`, which never holds of NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, NoUninit)]
#[repr(transparent)]
pub struct Above<T> {
    /// The greatest value that is not counted.
    pub threshold: T,
}

/// `x < threshold`, which never holds of NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, NoUninit)]
#[repr(transparent)]
pub struct Below<T> {
    /// The least value that is not counted.
    pub threshold: T,
}

/// `least <= x && x <= greatest`, which never holds of NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, NoUninit)]
#[repr(transparent)]
pub struct Within<T>
where
    T: Pod,
{
    /// The least and the greatest value that are counted.
    pub ends: [T; 2],
}

/// The negation of another predicate. It may hold of NaN: `not(above(t))` does, since `x > t` does not.
///
/// ```
/// use gpu_kernels::{Predicate, above, not};
///
/// let at_most_two = not(above(2.0));
/// assert!(at_most_two.holds(2.0) && at_most_two.holds(f64::NAN) && !at_most_two.holds(2.5));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, NoUninit)]
#[repr(transparent)]
pub struct Not<P> {
    /// The predicate that must not hold.
    pub predicate: P,
}

/// Returns the [`Count`] of elements for which `predicate` holds.
#[must_use]
pub const fn count<P>(predicate: P) -> Count<P> {
    Count { predicate }
}

/// Returns the predicate `x > threshold`: [`Above`].
#[must_use]
pub const fn above<T>(threshold: T) -> Above<T> {
    Above { threshold }
}

/// Returns the predicate `x < threshold`: [`Below`].
#[must_use]
pub const fn below<T>(threshold: T) -> Below<T> {
    Below { threshold }
}

/// Returns the predicate `least <= x && x <= greatest`: [`Within`].
#[must_use]
pub const fn within<T: Pod>(least: T, greatest: T) -> Within<T> {
    Within { ends: [least, greatest] }
}

/// Returns the negation of `predicate`: [`Not`].
#[must_use]
pub const fn not<P>(predicate: P) -> Not<P> {
    Not { predicate }
}

impl<T, F: Fn(T) -> bool + Copy + Send + Sync + 'static> Predicate<T> for F {
    #[inline]
    fn holds(self, x: T) -> bool {
        self(x)
    }
}

impl<T, P: Predicate<T>> Predicate<T> for Not<P> {
    #[inline]
    fn holds(self, x: T) -> bool {
        !self.predicate.holds(x)
    }
}

impl<T: Default + PartialEq> Predicate<T> for NonZero {
    #[inline]
    fn holds(self, x: T) -> bool {
        x != T::default()
    }
}

impl<T: Copy + PartialEq> Predicate<T> for IsNan {
    #[inline]
    #[allow(clippy::eq_op)] // NaN alone differs from itself.
    fn holds(self, x: T) -> bool {
        x != x
    }
}

impl<T: Element + PartialOrd> Predicate<T> for Above<T> {
    #[inline]
    fn holds(self, x: T) -> bool {
        x > self.threshold
    }
}

impl<T: Element + PartialOrd> Predicate<T> for Below<T> {
    #[inline]
    fn holds(self, x: T) -> bool {
        x < self.threshold
    }
}

impl<T: Pod + Send + Sync + PartialOrd> Predicate<T> for Within<T> {
    #[inline]
    fn holds(self, x: T) -> bool {
        (self.ends[0] <= x) & (x <= self.ends[1])
    }
}

impl<T: Element, P: Predicate<T>> Op<T> for Count<P> {
    type Acc = u64;
    type Out = u64;
    const IDENTITY: u64 = 0;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = true;
    const ATOMIC: Option<Atomic> = Some(Atomic::Add);
    const NEEDS_LEN: bool = false;
    const NEEDS_INDEX: bool = false;
    #[inline]
    fn lift(self, x: T, _index: u64) -> u64 {
        u64::from(self.predicate.holds(x))
    }
    #[inline]
    fn combine(left: u64, right: u64) -> u64 {
        left.wrapping_add(right)
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        acc: u64,
        rows: [[T; V]; R],
        _first: u64,
        _stride: u64,
    ) -> u64 {
        // Counted in 32 bits, which suffice for a few rows.
        let mut held = 0u32;
        unrolled!(i < R, up to 8 => { unrolled!(j < V => { held += u32::from(self.predicate.holds(rows[i][j])) }) });
        acc.wrapping_add(u64::from(held))
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn marked() -> Option<crate::formula::Marked> {
        P::marked_count()
    }
    #[inline]
    fn finish(acc: u64, _len: u64) -> u64 {
        acc
    }
}

macro_rules! every {
    ($op:ty: $combine:ident, identity $identity:literal) => {
        impl<T: Element + Default + PartialEq> Op<T> for $op {
            type Acc = u32;
            type Out = bool;
            const IDENTITY: u32 = $identity;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = true;
            const ATOMIC: Option<Atomic> = Some(Atomic::Or);
            const NEEDS_LEN: bool = false;
            const NEEDS_INDEX: bool = false;
            #[inline]
            fn lift(self, x: T, _index: u64) -> u32 {
                u32::from(NonZero.holds(x))
            }
            #[inline]
            fn combine(left: u32, right: u32) -> u32 {
                left.$combine(right)
            }
            #[inline]
            fn finish(acc: u32, _len: u64) -> bool {
                acc != 0
            }
        }
    };
}
every!(All: min, identity 1);
every!(Any: max, identity 0);

of_native_integers!(All, Any, Count<NonZero>);
