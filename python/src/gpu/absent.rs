//! Without the feature `cuda` no array is on a GPU.

use std::convert::Infallible;
use std::marker::PhantomData;

use pyo3::prelude::*;
use warpfold::{Bins, Error, Unavailable};

use crate::array::Array;
use crate::failure::raise;
use crate::forward::Map;
use crate::order::Verb;
use crate::results::{Missing, Results};

/// The library of an array on a GPU: has no values.
#[derive(Clone)]
pub(crate) struct Gpu<'py>(Infallible, PhantomData<&'py ()>);

/// Stamps verbs that no array has.
macro_rules! none {
    ($($verb:ident[$($generic:ident),*]($($argument:ty),*) -> $Results:ty;)*) => { $(
        pub(crate) fn $verb<$($generic),*>(&self, $(_: $argument),*) -> $Results {
            match self.0 {}
        }
    )* };
}

#[allow(clippy::extra_unused_type_parameters, reason = "those of the verbs on a GPU")]
impl<'py> Gpu<'py> {
    /// Returns an error for an array on a GPU, and `None` for anything else.
    pub(crate) fn of(x: &Bound<'py, PyAny>) -> PyResult<Option<(Bound<'py, PyAny>, Self)>> {
        let error = || raise(x.py())(Error::Unavailable { reason: Unavailable::NotBuilt });
        let given = x.py().import("warpfold._gpu")?.call_method1("given", (x,)).map_err(|_| error())?;
        if given.is_none() { Ok(None) } else { Err(error()) }
    }

    none! {
        library[]() -> &Bound<'py, PyAny>;
        is[](&Self) -> bool;
        refuses_recording[](&'static str) -> PyResult<()>;
        along[T, E](&Array<'py>, &[usize], &[usize], Missing<'_>) -> PyResult<Results<'py>>;
        parts[T, E](&Array<'py>, &Array<'py>, Option<usize>) -> PyResult<Results<'py>>;
        dot[T](&Array<'py>, &Array<'py>) -> PyResult<Results<'py>>;
        scan[T, E](&Array<'py>, &[usize], &[usize], bool, bool) -> PyResult<Results<'py>>;
        rows[T](&Array<'py>, [usize; 2], Verb<'_>) -> PyResult<[Option<Results<'py>>; 2]>;
        histogram[T](&Array<'py>, &Bins<T>) -> PyResult<[Results<'py>; 2]>;
        log_sum_exp[T](&Array<'py>, [usize; 2], &[usize]) -> PyResult<Results<'py>>;
        map[T](&Array<'py>, [usize; 2], &Map<'py>) -> PyResult<Results<'py>>;
    }
}
