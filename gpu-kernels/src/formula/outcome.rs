//! What a formula is given and what it results in: elements, numbers, and none where an element counts as absent.

use super::scalar::{Numeric, Scalar};
#[cfg(not(target_arch = "nvptx64"))]
use super::{Host, Mode, Operand, Trace, Value, program::Node};
use crate::op::Element;

/// What a formula is given: an element, a pair of two arrays' elements, or an element and its index.
#[diagnostic::on_unimplemented(
    message = "formulas are not given `{Self}`",
    label = "not f32, f64, i32, i64, u32, u64, bool, f16 or bf16, nor two of one such type, nor one with its index"
)]
pub trait Given: Copy + Send + Sync + 'static {
    /// The element of an input.
    type Element: Element;
    /// The type of the first value.
    type Scalar: Scalar;
    /// The type of the second value, if there is one.
    type Second: Scalar;
    /// How many values there are.
    const COUNT: usize;
    /// Whether the second value is the index.
    const HAS_INDEX: bool = false;
    /// Returns what a formula is given for an element.
    fn of(element: Self::Element, index: u64) -> Self;
    /// Returns both values; one twice.
    fn parts(self) -> (Self::Scalar, Self::Second);
    /// The values that the text of a formula computes with.
    #[cfg(not(target_arch = "nvptx64"))]
    type Values<M: Mode>;
    /// Returns the values that stand for both.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    fn values<M: Mode>(of: (M::Of<Self::Scalar>, M::Of<Self::Second>)) -> Self::Values<M>;
}

impl<T: Scalar> Given for T {
    type Element = T;
    type Scalar = T;
    type Second = T;
    const COUNT: usize = 1;
    #[inline(always)]
    fn of(element: T, _index: u64) -> T {
        element
    }
    #[inline(always)]
    fn parts(self) -> (T, T) {
        (self, self)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    type Values<M: Mode> = Value<M, T>;
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn values<M: Mode>((x, _): (M::Of<T>, M::Of<T>)) -> Value<M, T> {
        Value(x)
    }
}

macro_rules! two {
    ($($given:ty: $element:ty, $second:ty, $has_index:literal, |$of:ident, $index:ident| $given_of:expr, |$both:pat_param| $parts:expr;)*) => { $(
        impl<T: Scalar + bytemuck::Pod> Given for $given {
            type Element = $element;
            type Scalar = T;
            type Second = $second;
            const COUNT: usize = 2;
            const HAS_INDEX: bool = $has_index;
            #[inline(always)]
            fn of($of: $element, $index: u64) -> Self {
                $given_of
            }
            #[inline(always)]
            fn parts(self) -> (T, $second) {
                let $both = self;
                $parts
            }
            #[cfg(not(target_arch = "nvptx64"))]
            type Values<M: Mode> = (Value<M, T>, Value<M, $second>);
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn values<M: Mode>((x, y): (M::Of<T>, M::Of<$second>)) -> Self::Values<M> {
                (Value(x), Value(y))
            }
        }
    )* };
}
two! {
    [T; 2]: [T; 2], T, false, |pair, _index| pair, |[x, y]| (x, y);
    (T, u64): T, u64, true, |element, index| (element, index), |both| both;
}

/// What a formula results in: a number, a `bool`, or an `Option` of a number, which is `None` where the element counts as absent.
#[diagnostic::on_unimplemented(
    message = "formulas do not result in `{Self}`",
    label = "not f32, f64, i32, i64, u32, u64 or bool, nor an `Option` of such a number"
)]
pub trait Outcome: Copy + Send + Sync + 'static {
    /// The type of the number.
    type Scalar: Scalar;
    /// Whether there may be none.
    const MAY_LACK: bool;
    /// Returns the number of these bits, if there is one.
    fn of_word(word: u64, is_there: bool) -> Self;
    /// What the text of a formula computes.
    #[cfg(not(target_arch = "nvptx64"))]
    type Of<M: Mode>;
    /// Returns what was computed.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    fn of_host(of: Self::Of<Host>) -> Self;
    /// Returns the steps of the number and of whether it is there.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    fn nodes<'a>(of: Self::Of<Trace<'a>>) -> (Node<'a>, Option<Node<'a>>);
}

impl<T: Scalar> Outcome for T {
    type Scalar = T;
    const MAY_LACK: bool = false;
    #[inline(always)]
    fn of_word(word: u64, _is_there: bool) -> T {
        T::from_word(word)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    type Of<M: Mode> = Value<M, T>;
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn of_host(of: Value<Host, T>) -> T {
        of.0
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn nodes<'a>(of: <Self as Outcome>::Of<Trace<'a>>) -> (Node<'a>, Option<Node<'a>>) {
        (of.0, None)
    }
}

impl<T: Numeric> Outcome for Option<T> {
    type Scalar = T;
    const MAY_LACK: bool = true;
    #[inline(always)]
    fn of_word(word: u64, is_there: bool) -> Self {
        if is_there { Some(T::from_word(word)) } else { None }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    type Of<M: Mode> = Maybe<M, T>;
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    fn of_host(of: Maybe<Host, T>) -> Self {
        if of.is_some.0 { Some(of.value.0) } else { None }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    fn nodes<'a>(of: <Self as Outcome>::Of<Trace<'a>>) -> (Node<'a>, Option<Node<'a>>) {
        (of.value.0, Some(of.is_some.0))
    }
}

/// A value that a formula results in only where a condition holds: see [`Value::then_some`].
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct Maybe<M: Mode, T: Scalar> {
    value: Value<M, T>,
    is_some: Value<M, bool>,
}

#[cfg(not(target_arch = "nvptx64"))]
impl<M: Mode> Value<M, bool> {
    /// Returns a formula's result, an `Option`: the value where it is true, and `None` elsewhere. There the element counts as absent.
    ///
    /// ```
    /// use gpu_kernels::{ArgMin, Mean, formula, reference};
    ///
    /// let positive = formula!(|v: f32| -> Option<f32> { v.gt(0.0).then_some(v) });
    /// assert_eq!(positive.of(-1.0), None);
    /// let x = [-1.0, 3.0, 1.0];
    /// assert_eq!(reference::reduce_by(Mean.of(positive), &x), Some(2.0));
    /// assert_eq!(reference::reduce_by(ArgMin.of(positive), &x).map(|least| least.index), Some(2));
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn then_some<T: Numeric>(self, value: impl Operand<M, T>) -> Maybe<M, T> {
        Maybe { value: value.beside(self), is_some: self }
    }
}
