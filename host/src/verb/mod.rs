//! Verbs as values: a request is a verb with its arguments. A [`Backend`] runs it.
//!
//! The methods of the backends make requests: `cpu.reduce(Sum, &x)` is `cpu.run(Reduce { op: Sum, input: &x })`. The
//! documentation of a request describes its verb on every backend.
//!
//! | request | method | results |
//! |---|---|---|
//! | [`Reduce`] | `reduce` | one, or one for each part |
//! | [`Fold`] | `fold` | the accumulator, not finished |
//! | [`Scan`] | `scan` | one for each element |
//! | [`Compact`], [`CompactByFlags`] | `compact`, `compact_by_flags` | the elements that are selected |
//! | [`Partition`], [`PartitionByFlags`] | `partition`, `partition_by_flags` | the selected elements, then the others |
//! | [`Unique`] | `unique` | the first element of each run |
//! | [`Sort`], [`SortPairs`], [`Argsort`] | `sort`, `sort_pairs`, `argsort` | the elements in order, or their indices |
//! | [`TopK`] | `top_k`, `bottom_k` | the first elements of a sort, and their indices |
//! | [`Median`], [`Quantiles`] | `median`, `quantiles` | numbers |
//! | [`SumExp`] | `sum_exp`, `log_sum_exp`, `log_mean_exp` | one, or one for each part |
//! | [`CrossEntropy`] | `cross_entropy` | one for each row |
//! | [`MapRows`] | `softmax`, `log_softmax`, `rms_norm`, `layer_norm`, and `.._gradient` of each and of `cross_entropy` | a row for each row |
//! | [`ExactState`] | `exact_state` | a state that is merged, sent and taken back |
//! | [`Histogram`] | `histogram` | the number of elements in each bin |
//! | [`AllReduce`], [`ReduceScatter`] | `all_reduce`, `reduce_scatter` | arrays of all ranks, folded element by element |
//! | [`WriteTo`] | `reduce_into`, `scan_into`, .. | written to memory that exists |

mod across;
mod compact;
mod cross_entropy;
mod exact_state;
mod gradients;
mod histogram;
mod map_rows;
pub(crate) mod order;
mod reduce;
mod scan;
mod select;
mod sum_exp;
mod write_to;

pub use across::{AllReduce, ReduceScatter};
pub use compact::{Compact, CompactByFlags, Partition, PartitionByFlags, Unique};
pub use cross_entropy::{CrossEntropy, CrossEntropyGradient};
pub use exact_state::ExactState;
pub use gradients::{LayerNormGradient, LogSoftmaxGradient, RmsNormGradient, SoftmaxGradient};
pub use histogram::Histogram;
pub use map_rows::{LayerNorm, LogSoftmax, MapRows, RmsNorm, Softmax};
pub use order::{Argsort, Sort, SortPairs};
pub use reduce::{Fold, Reduce};
pub use scan::Scan;
pub use select::{Median, Quantiles, TopK};
pub use sum_exp::{SumExp, SumExpResult};
pub use write_to::WriteTo;

use crate::error::Error;

/// A backend that runs requests of type `R`: a [verb](self) with an operator and inputs that the backend takes.
///
/// Functions that are generic over the backend name the request:
///
/// ```
/// use warpfold::verb::{Backend, Reduce};
/// use warpfold::{Auto, Cpu, Error, SumOfSquares};
///
/// fn norm<'a, B>(backend: &B, x: &'a [f32]) -> Result<f32, Error>
/// where
///     B: Backend<Reduce<SumOfSquares, &'a [f32]>, Results = f32>,
/// {
///     Ok(backend.run(Reduce { op: SumOfSquares, input: x })?.sqrt())
/// }
/// assert_eq!(norm(&Cpu::new(), &[3.0, 4.0])?, norm(&Auto::new(), &[3.0, 4.0])?);
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot run `{R}`",
    label = "this backend does not take these arguments",
    note = "an array is passed as `&x`, to be changed in place as `&mut x`; its parts by `rows(&x, ..)`, `columns(..)`, `segments(..)` and their like",
    note = "an iterator is collected first: `let x: Vec<_> = iterator.collect()`",
    note = "`Op<T>` must be implemented for the operator and the type `T` of the elements; a tuple has two to four operators, and more are nested: `((Sum, Min, Max), (Mean, StdDev))`",
    note = "arrays in host memory are taken by `Cpu`, `Auto` and `World`, arrays on a device by `Cuda`, `Stream` and `World`",
    note = "a device takes operators that have kernels for the elements; others fold on the CPU, `Cpu::new().reduce(op, &x)`, or get kernels of your own: docs/own-operators.md"
)]
pub trait Backend<R> {
    /// What the request returns.
    type Results;

    /// Runs `request`.
    ///
    /// # Errors
    /// The errors that the request documents.
    fn run(&self, request: R) -> Result<Self::Results, Error>;

    /// Loads what `request` needs, for a later [`run`](Self::run). `Cuda::prepare` calls it.
    #[doc(hidden)]
    fn prepare(&self, _request: &R) -> Result<(), Error> {
        Ok(())
    }

    /// Runs `request` on this backend, or on another one that returns sooner. `Auto` calls it.
    #[doc(hidden)]
    fn run_anywhere(&self, request: R) -> Result<Self::Results, Error> {
        self.run(request)
    }
}

/// What a method of backend `B` returns for request `R`.
pub type Answer<B, R> = Result<<B as Backend<R>>::Results, Error>;
