//! Numbers of operators and types become the operators and types: one match, whatever folds.

use std::ffi::c_void;

use warpfold::{ArgMax, ArgMin, Cpu, Element, Kernel, Max, Maximum, Min, Minimum, Op, Product, Sum};

use crate::failure::Failure;
use crate::outcome::{Outcome, Present};

/// Something that folds, with elements and an operator that are known at last.
pub(crate) trait Fold {
    /// Folds all of it.
    fn fold<T: Element, O: Kernel<T> + Default>(&self) -> Result<O::Out, Failure>;
}

/// Folds with the operator and the type of these numbers, which are those of `warpfold.h`.
pub(crate) fn reduce(op: i32, kind: i32, array: &impl Fold) -> Result<Outcome, Failure> {
    macro_rules! of_type {
        ($element:ty: $($number:literal $op:ty),*) => {
            match op {
                $($number => outcome::<$element, $op>(array),)*
                _ => Err(Failure::invalid("no such operator: see enum warpfold_op")),
            }
        };
        ($element:ty) => {
            of_type!($element: 0 Sum, 1 Product, 2 Min, 3 Max, 4 Minimum, 5 Maximum, 6 ArgMin, 7 ArgMax)
        };
    }
    match kind {
        0 => of_type!(i32),
        1 => of_type!(u32),
        2 => of_type!(i64),
        3 => of_type!(u64),
        4 => of_type!(f32),
        5 => of_type!(f64),
        _ => Err(Failure::invalid("no such type: see enum warpfold_type")),
    }
}

fn outcome<T: Element, O: Kernel<T> + Default + Op<T, Out: Present>>(
    array: &impl Fold,
) -> Result<Outcome, Failure> {
    Ok(array.fold::<T, O>()?.present())
}

/// An array in host memory.
pub(crate) struct HostArray {
    x: *const c_void,
    len: u64,
}

impl HostArray {
    /// `len` elements at `x`.
    ///
    /// # Safety
    /// As long as this lives, `x` has `len` elements of the type it is folded with, if it is aligned for that type and
    /// not null, and nobody writes them.
    pub(crate) unsafe fn new(x: *const c_void, len: u64) -> Self {
        Self { x, len }
    }
}

impl Fold for HostArray {
    fn fold<T: Element, O: Kernel<T> + Default>(&self) -> Result<O::Out, Failure> {
        if self.len == 0 {
            return Ok(Cpu::new().reduce(O::default(), &[] as &[T])?);
        }
        let x = self.x.cast::<T>();
        if x.is_null() || !x.is_aligned() {
            return Err(Failure::invalid("the array is null, or not aligned for its elements"));
        }
        let most = isize::MAX as u64 / size_of::<T>() as u64;
        let Ok(len) = usize::try_from(self.len.min(most)) else {
            return Err(Failure::invalid("the array has more bytes than there are addresses"));
        };
        if len as u64 != self.len {
            return Err(Failure::invalid("the array has more bytes than there are addresses"));
        }
        // SAFETY: not null, aligned and not too long (above); the elements are there (`new`).
        let x = unsafe { std::slice::from_raw_parts(x, len) };
        Ok(Cpu::new().reduce(O::default(), x)?)
    }
}
