//! Converts numbers of operators and types to operators and types: one match for every operation.

use bytemuck::Pod;
use warpfold::addresses::Two;
use warpfold::elements::{BinNumber, SortKey};
use warpfold::kernels::{Kernel, RowsKernel, ScanKernel, Storable};
use warpfold::{ArgMax, ArgMin, Dot, Element, Max, Maximum, Mean, Min, Minimum, Op, Product, Sum, f16};

use crate::failure::Failure;
use crate::outcome::Present;

/// An element type of `enum warpfold_type`.
pub(crate) trait Number: Element + Pod + SortKey<Quantile: Present> + BinNumber {}

impl<T: Element + Pod + SortKey<Quantile: Present> + BinNumber> Number for T {}

/// An operator of `enum warpfold_op` over elements `T`.
pub(crate) trait Operator<T: Element>:
    RowsKernel<T> + ScanKernel<T> + Op<T, Out: Present + Storable> + Default
{
}

impl<T: Element, O> Operator<T> for O where
    O: RowsKernel<T> + ScanKernel<T> + Op<T, Out: Present + Storable> + Default
{
}

/// An operator over pairs of elements `T` from two arrays.
pub(crate) trait PairOperator<T: Element + Pod>:
    Kernel<[T; 2], Two<T>> + Op<[T; 2], Out: Present> + Default
{
}

impl<T: Element + Pod, O> PairOperator<T> for O where
    O: Kernel<[T; 2], Two<T>> + Op<[T; 2], Out: Present> + Default
{
}

/// A request, generic over the operator and the type, that `On` runs: a stream, or the memory for results on the host.
pub(crate) trait OfOperator<On> {
    /// Its result.
    type Answer;

    /// Runs it.
    fn call<T: Number, O: Operator<T>>(self, on: On) -> Result<Self::Answer, Failure>;
}

/// A request, generic over an operator over pairs and the type.
pub(crate) trait OfPairs<On> {
    /// Its result.
    type Answer;

    /// Runs it.
    fn call<T: Number, O: PairOperator<T>>(self, on: On) -> Result<Self::Answer, Failure>;
}

/// A request, generic over the type.
pub(crate) trait OfType<On> {
    /// Its result.
    type Answer;

    /// Runs it.
    fn call<T: Number>(self, on: On) -> Result<Self::Answer, Failure>;
}

/// Runs `$run` with `$element` as the type of a number of `warpfold.h`.
macro_rules! with_type {
    ($kind:expr, $run:ident) => {
        match $kind {
            0 => $run!(i32),
            1 => $run!(u32),
            2 => $run!(i64),
            3 => $run!(u64),
            4 => $run!(f32),
            5 => $run!(f64),
            6 => $run!(f16),
            _ => Err(Failure::invalid("no such type: see enum warpfold_type")),
        }
    };
}

/// Runs `request` with the operator and type of numbers of `warpfold.h`.
pub(crate) fn of_operator<On, R: OfOperator<On>>(
    op: i32,
    kind: i32,
    request: R,
    on: On,
) -> Result<R::Answer, Failure> {
    macro_rules! with_operator {
        ($element:ty: $($number:pat => $op:ty),*) => {
            match op {
                $($number => request.call::<$element, $op>(on),)*
                _ => Err(Failure::invalid("no such operator for this type: see enum warpfold_op")),
            }
        };
        // Scans have no kernels for indices of 16-bit floats.
        (f16) => {
            with_operator!(f16: 0 => Sum, 1 => Product, 2 => Min, 3 => Max, 4 => Minimum, 5 => Maximum, 8 => Mean)
        };
        (f32) => {
            with_operator!(floats f32)
        };
        (f64) => {
            with_operator!(floats f64)
        };
        (floats $float:ty) => {
            with_operator!($float: 0 => Sum, 1 => Product, 2 => Min, 3 => Max, 4 => Minimum, 5 => Maximum, 6 => ArgMin,
                7 => ArgMax, 8 => Mean)
        };
        // Without NaN two treatments of it are one, which is compiled once.
        ($integer:ty) => {
            with_operator!($integer: 0 => Sum, 1 => Product, 2 | 4 => Min, 3 | 5 => Max, 6 => ArgMin, 7 => ArgMax, 8 => Mean)
        };
    }
    with_type!(kind, with_operator)
}

/// Runs `request` with `Dot` over elements of the type of a number of `warpfold.h`.
pub(crate) fn of_dot<On, R: OfPairs<On>>(kind: i32, request: R, on: On) -> Result<R::Answer, Failure> {
    macro_rules! with_dot {
        (f16) => {
            Err(Failure::invalid("dot products have no type WARPFOLD_F16"))
        };
        ($element:ty) => {
            request.call::<$element, Dot>(on)
        };
    }
    with_type!(kind, with_dot)
}

/// Runs `request` with the type of a number of `warpfold.h`.
pub(crate) fn of_type<On, R: OfType<On>>(kind: i32, request: R, on: On) -> Result<R::Answer, Failure> {
    macro_rules! with_request {
        ($element:ty) => {
            request.call::<$element>(on)
        };
    }
    with_type!(kind, with_request)
}

/// Converts a caller's count.
pub(crate) fn count(number: u64) -> Result<usize, Failure> {
    usize::try_from(number).map_err(|_| Failure::invalid("an array has more bytes than there are addresses"))
}
