//! The compiled half of the Python package warpfold. Each function makes a request of the library, and runs it on the CPU, or on the GPU that
//! has the array.
//!
//! | file | has |
//! |---|---|
//! | `library.rs` | the libraries of arguments: NumPy, or one of arrays on a GPU |
//! | `array.rs` | an argument: an array where it is |
//! | `axes.rs` | the argument `axis` |
//! | `dispatch.rs` | the types and the operators, by the names that Python gives |
//! | `unfinished.rs` | an operator that several results share |
//! | `results.rs` | results as arrays of the caller's library |
//! | `gpu/` | requests on streams of a GPU |
//! | `failure.rs` | errors as exceptions |
//! | `threads.rs` | the number of threads |
//! | `reduce.rs`, `scan.rs`, `order.rs`, `parts.rs`, `histogram.rs`, `forward.rs`, `exact.rs` | the verbs |

#![cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "no array is on a GPU then"))]

mod array;
mod axes;
mod dispatch;
mod exact;
mod failure;
mod forward;
#[cfg(feature = "cuda")]
mod gpu;
#[cfg(not(feature = "cuda"))]
#[path = "gpu/absent.rs"]
mod gpu;
mod histogram;
mod library;
mod order;
mod parts;
mod reduce;
mod results;
mod scan;
mod threads;
mod unfinished;

/// What `warpfold/__init__.py` documents.
#[pyo3::pymodule(gil_used = false)]
mod _warpfold {
    #[pymodule_export]
    use crate::exact::{Moments, Sum};
    #[pymodule_export]
    use crate::forward::{logsumexp, map_rows};
    #[pymodule_export]
    use crate::histogram::{bincount, histogram};
    #[pymodule_export]
    use crate::order::{argsort, quantile, sort, topk};
    #[pymodule_export]
    use crate::parts::{group_reduce, segment_reduce};
    #[pymodule_export]
    use crate::reduce::{dot, reduce};
    #[pymodule_export]
    use crate::scan::scan;
    #[pymodule_export]
    use crate::threads::{set_threads, threads};
}
