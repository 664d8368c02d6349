//! Types and operators by their names in Python: one match for every operation.

use bytemuck::Pod;
use pyo3::PyResult;
use warpfold::elements::{BinNumber, RankedNumber, SortKey};
use warpfold::kernels::{RowsKernel, ScanKernel};
use warpfold::{
    ArgMax, ArgMin, Count, Element, Max, Maximum, Mean, Min, Minimum, NanGreatest, NonZero, Norm2, Op,
    Product, SampleStdDev, SampleVariance, StdDev, Sum, Variance,
};

use crate::array::Integers;
use crate::failure::{type_error, value_error};
use crate::results::{Outcome, Placed, Values};

/// The types whose elements are read where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    F32,
    F64,
    I32,
    I64,
    U8,
}

impl Kind {
    /// Returns the type of elements, by the letter and the size that NumPy has for it, or the type to which they must be copied first;
    /// and whether they are of another type, which is read as this one.
    pub(crate) fn of(
        letter: u8,
        bytes: usize,
        integers: Integers,
    ) -> Option<(Result<Self, &'static str>, bool)> {
        let is_narrow = integers == Integers::Narrow;
        Some(match (letter, bytes) {
            (b'f', 4) => (Ok(Self::F32), false),
            (b'f', 8) => (Ok(Self::F64), false),
            (b'i', 8) => (Ok(Self::I64), false),
            (b'i', 4) if is_narrow => (Ok(Self::I32), false),
            (b'u', 1) if is_narrow => (Ok(Self::U8), false),
            (b'b', 1) if is_narrow => (Ok(Self::U8), true),
            (b'i', 1 | 2) if is_narrow => (Err("int32"), true),
            (b'i' | b'b', _) | (b'u', 1 | 2 | 4) => (Err("int64"), true),
            _ => return None,
        })
    }
}

/// An element type.
pub(crate) trait Number:
    Element + Pod + BinNumber + RankedNumber + SortKey<Quantile: Quantile + Placed> + Placed
{
    /// Its place in the matches.
    const PLACE: Kind;
    /// The same, in the order of sorts: NaN is last, whatever its sign.
    type Key: SortKey + Element + Pod;
}

macro_rules! numbers {
    ($($Kind:ident $number:ty, $key:ty;)*) => { $(
        impl Number for $number {
            const PLACE: Kind = Kind::$Kind;
            type Key = $key;
        }
    )* };
}
numbers! {
    F32 f32, NanGreatest<f32>;
    F64 f64, NanGreatest<f64>;
    I32 i32, i32;
    I64 i64, i64;
    U8 u8, u8;
}

/// A request, generic over the type and the operator: `F` folds, and `E` finishes.
pub(crate) trait OfOperator {
    /// Its result.
    type Answer;

    /// Runs it.
    fn call<T, F, E>(self) -> PyResult<Self::Answer>
    where
        T: Number,
        F: Op<T> + Default,
        E: RowsKernel<T> + Op<T, Acc = F::Acc, Out: Outcome> + Default;
}

/// A request of a scan, generic over the type and the operator.
pub(crate) trait OfScan {
    /// Its result.
    type Answer;

    /// Runs it.
    fn call<T, E>(self) -> PyResult<Self::Answer>
    where
        T: Number,
        E: ScanKernel<T> + Op<T, Out: Outcome> + Default;
}

/// A request, generic over the type.
pub(crate) trait OfType {
    /// Its result.
    type Answer;

    /// Runs it.
    fn call<T: Number>(self) -> PyResult<Self::Answer>
    where
        Values: From<Vec<T>>;
}

/// The type of quantiles, among results.
pub(crate) trait Quantile: Copy + Send + Sync {
    /// Converts them.
    fn values(quantiles: Vec<Self>) -> Values;
}

impl Quantile for f32 {
    fn values(quantiles: Vec<f32>) -> Values {
        quantiles.into()
    }
}

impl Quantile for f64 {
    fn values(quantiles: Vec<f64>) -> Values {
        quantiles.into()
    }
}

/// Matches an operator's name. A row: a name, the operator that folds, the one that finishes; of scans one operator.
macro_rules! named {
    ($op:expr, $request:expr, $T:ty: $($name:literal $($Op:ty),+;)*) => {
        match $op {
            $($name => $request.call::<$T, $($Op),+>(),)*
            other => Err(value_error(format!(
                "no operator `{other}` for these elements here: there are {}", [$($name),*].join(", ")
            ))),
        }
    };
}

/// Runs a reduction along axes.
pub(crate) fn reduction<R: OfOperator>(op: &str, kind: Kind, request: R) -> PyResult<R::Answer> {
    macro_rules! floats {
        ($T:ty) => {
            named! { op, request, $T:
                "sum" Sum, Sum;
                "mean" Sum, Mean;
                "variance" Variance, Variance;
                "sample_variance" Variance, SampleVariance;
                "std_dev" Variance, StdDev;
                "sample_std_dev" Variance, SampleStdDev;
                "minimum" Minimum, Minimum;
                "maximum" Maximum, Maximum;
                "argmin" ArgMin, ArgMin;
                "argmax" ArgMax, ArgMax;
                "norm2" Norm2, Norm2;
                "count" Count<NonZero>, Count<NonZero>;
            }
        };
    }
    macro_rules! narrow {
        ($T:ty) => {
            named! { op, request, $T:
                "sum" Sum, Sum;
                "minimum" Min, Min;
                "maximum" Max, Max;
                "count" Count<NonZero>, Count<NonZero>;
            }
        };
    }
    match kind {
        Kind::F32 => floats!(f32),
        Kind::F64 => floats!(f64),
        Kind::I32 => narrow!(i32),
        Kind::U8 => narrow!(u8),
        Kind::I64 => named! { op, request, i64:
            "sum" Sum, Sum;
            "mean" Mean, Mean;
            "variance" Variance, Variance;
            "sample_variance" Variance, SampleVariance;
            "std_dev" Variance, StdDev;
            "sample_std_dev" Variance, SampleStdDev;
            "minimum" Min, Min;
            "maximum" Max, Max;
            "argmin" ArgMin, ArgMin;
            "argmax" ArgMax, ArgMax;
            "count" Count<NonZero>, Count<NonZero>;
        },
    }
}

/// Returns which integers a reduction along axes reads where they are: for the operators that [`reduction`] lists for
/// i32 and u8, these.
pub(crate) fn integers_of(op: &str) -> Integers {
    match op {
        "sum" | "minimum" | "maximum" | "count" => Integers::Narrow,
        _ => Integers::Wide,
    }
}

/// Runs a request of [`Integers::Wide`].
macro_rules! wide {
    ($kind:expr, $floats:ident, $integers:ident) => {
        match $kind {
            Kind::F32 => $floats!(f32),
            Kind::F64 => $floats!(f64),
            Kind::I64 => $integers!(i64),
            Kind::I32 | Kind::U8 => Err(type_error("integers here have 64 bits")),
        }
    };
}

/// Runs a scan.
pub(crate) fn scanning<R: OfScan>(op: &str, kind: Kind, request: R) -> PyResult<R::Answer> {
    macro_rules! floats {
        ($T:ty) => {
            named! { op, request, $T: "sum" Sum; "product" Product; "minimum" Minimum; "maximum" Maximum; }
        };
    }
    macro_rules! integers {
        ($T:ty) => {
            named! { op, request, $T: "sum" Sum; "minimum" Min; "maximum" Max; }
        };
    }
    wide!(kind, floats, integers)
}

/// Runs a reduction of segments or groups.
pub(crate) fn of_parts<R: OfOperator>(op: &str, kind: Kind, request: R) -> PyResult<R::Answer> {
    macro_rules! floats {
        ($T:ty) => {
            named! { op, request, $T: "sum" Sum, Sum; "mean" Sum, Mean; "minimum" Minimum, Minimum; "maximum" Maximum, Maximum; }
        };
    }
    macro_rules! integers {
        ($T:ty) => {
            named! { op, request, $T: "sum" Sum, Sum; "mean" Mean, Mean; "minimum" Min, Min; "maximum" Max, Max; }
        };
    }
    wide!(kind, floats, integers)
}

/// Runs a request of [`Integers::Wide`] that has no operator.
pub(crate) fn of_type<R: OfType>(kind: Kind, request: R) -> PyResult<R::Answer> {
    macro_rules! called {
        ($T:ty) => {
            request.call::<$T>()
        };
    }
    wide!(kind, called, called)
}
