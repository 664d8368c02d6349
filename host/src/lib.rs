//! Reductions with the same bits everywhere: any GPU, any launch shape, any thread count, and the CPU.
//!
//! ```
//! use warpfold::{ArgMin, Sum, reduce};
//!
//! let x: Vec<f32> = (0..1_000_000).map(|i| 1.0 / (i + 1) as f32).collect();
//! let sum = reduce::<f32, Sum>(&x)?;
//! let least = reduce::<f32, ArgMin>(&x)?;
//! assert_eq!(sum.to_bits(), 14.392727f32.to_bits()); // on every machine, GPU or not
//! assert_eq!(least.map(|at| at.index), Some(999_999));
//! # Ok::<(), warpfold::Error>(())
//! ```
//!
//! # The contract
//!
//! `bits(reduce(x, op)) = F(values, n, type, op, TREE_VERSION)`. Nothing else enters: not the device, grid, block
//! size, alignment, stream, number of threads, portions or backend. `F` is the canonical [`tree`], written as slow,
//! obvious code in [`mod@reference`]. It is not independent of the elements' order: `sum(a ++ b)` is not
//! `sum(a) + sum(b)`, bit for bit, and a permutation of floats may sum differently. A change of any result bit comes
//! with a new [`TREE_VERSION`] and is a breaking release.
//!
//! # Where things are
//!
//! | to | use |
//! |---|---|
//! | fold a slice, wherever it is fastest | [`reduce`], [`reduce_by`], [`reduce_with`] |
//! | fold two slices side by side | [`reduce_zip`], [`reduce_zip_by`] |
//! | fold on the CPU, with any operator, in portions | [`Cpu`], [`finish`] |
//! | fold each row or column of a matrix, or along any axes of a strided array | [`Cpu::reduce_rows`], [`Cpu::reduce_columns`], [`Cpu::reduce_axes`] of a [`View`] |
//! | fold pieces: of one length, of any lengths, runs of equal keys, groups by id | [`Cpu::reduce_chunks`], [`Cpu::reduce_segments`], [`Cpu::reduce_by_key`], [`Cpu::reduce_groups`] |
//! | keep the elements that a predicate or flags select, one of each run, or part them in two | [`compact`], [`compact_by_flags`], [`unique`], [`partition`] |
//! | sort, with values or as indices | [`sort`], [`sort_pairs`], [`argsort`] |
//! | find the greatest few, a median or other quantiles | [`top_k`], [`median`], [`Cpu::quantiles`] |
//! | fold on a GPU what is there, or leave the result there | `Cuda`, `Stream` (feature `cuda`) |
//! | fold rows, columns or axes of what is on a GPU | `Cuda::reduce_rows`, `Cuda::reduce_columns`, `Cuda::reduce_axes` of a `DeviceView` (feature `cuda`) |
//! | fold pieces, runs or groups of it | `Cuda::reduce_chunks`, `Cuda::reduce_segments`, `Cuda::reduce_by_key`, `Cuda::reduce_groups` (feature `cuda`) |
//! | leave such results there, as accumulators or as an array | `DeviceResults`, `DeviceResults::finished`, `DeviceValues` (feature `cuda`); what each result is there: [`stored`] |
//! | fold on a GPU what is in host memory, however long, with progress | `Cuda::reduce_host` (feature `cuda`) |
//! | fold an array of ndarray or Arrow, or one with missing elements | [`AsElements`], [`Elements`] (features `ndarray`, `arrow`) |
//! | write a predicate | [`Predicate`]; ready are [`Above`], [`Below`], [`Within`], [`NonZero`], [`IsNan`], [`Not`] |
//! | write an operator | [`Op`]; for GPUs also [`Kernel`] and [`ship_kernels!`] |
//! | report a bug | [`about`] |
//!
//! # Operators
//!
//! | operator | result for elements `T` | of nothing | NaN |
//! |---|---|---|---|
//! | [`Sum`] | integers: 64 bits, or 128 for those of 128, which wrap; otherwise `T` | 0, -0.0 | any NaN gives NaN |
//! | [`ExactSum`] | `T`, f32 or f64: the exact sum, rounded once | -0.0 | any NaN gives NaN |
//! | [`Product`] | as `Sum` | 1 | any NaN gives NaN |
//! | [`SumIn<A>`](SumIn), [`ProductIn<A>`](ProductIn) | `A`, in which they are carried | 0 or -0.0, 1 | as `Sum` |
//! | [`Min`], [`Max`] | `Option<T>` | `None` | skipped; all NaN gives NaN |
//! | [`Minimum`], [`Maximum`] | `Option<T>` | `None` | any NaN gives NaN |
//! | [`ArgMin`], [`ArgMax`], [`ArgMinMax`] | `Option<At<T>>`: the first index and the value there | `None` | as `Min`, `Max` |
//! | [`MinMax`] | `Option<Extremes<T>>` | `None` | as `Min`, `Max` |
//! | [`AccurateSum`] | the float that `T` is carried in, with rounding errors carried beside | -0.0 | any NaN gives NaN |
//! | [`Mean`], [`Variance`], [`StdDev`] | `Option`, f64 for integers, otherwise the float that `T` is carried in | `None` | any NaN gives NaN |
//! | [`SumOfSquares`], [`Norm1`], [`NormInf`], [`Norm2`], [`CentredSquares`] | u64 for integers (f64 for `Norm2`), otherwise the float that `T` is carried in | 0 | any NaN gives NaN |
//! | [`BitAnd`], [`BitOr`], [`BitXor`] | `T` | all ones, 0, 0 | |
//! | [`All`], [`Any`] | bool | true, false | is not 0 |
//! | [`Count`] of a [`Predicate`] | u64 | 0 | as the predicate says |
//! | [`First`], [`Last`] | `Option<T>` | `None` | an element like any other |
//! | [`Compose`], [`MatrixProduct`], [`PolynomialHash`] | affine map, 2 x 2 matrix, u64 | the unit map, the unit matrix, 0 | |
//! | [`Dot`], [`AccurateDot`], [`ExactDot`] (by [`Cpu::reduce_zip`]), [`SquaredDistance`], [`WeightedMean`], by [`reduce_zip`] | what `Sum` of `T` is carried in; `Option` | as `Sum`; `None` | any NaN gives NaN |
//! | tuples of up to four | a tuple of results | each its own | each its own |
//!
//! A NaN result is the canonical one (f32 0x7fc00000, f64 0x7ff8000000000000, f16 0x7e00, bf16 0x7fc0), but of `First` and
//! `Last` the element's own; -0.0 is kept, and is less than +0.0.
//!
//! Elements are i8 to i128, u8 to u128, isize, usize, [`struct@f16`], [`struct@bf16`], f32, f64, bool (`Sum` counts the true
//! ones), and [`Complex`] of f32 and f64 (`Sum` and `Product`); of `First` and `Last` on the CPU, any plain data. `Mean` and
//! `Norm2` of integers are the exact ones, rounded once; `Sum`, `Product`, `SumOfSquares` and `Norm1` wrap. f16 and bf16 are carried in f32; their `Sum` and `Product` are
//! rounded once more, at the end. Which pairs have GPU kernels is in docs/operators.md; the CPU takes an operator over any
//! element that it is implemented for.
//!
//! # Features
//!
//! - `cuda`: the GPU backend. It builds on any Linux machine, without a CUDA toolkit or a driver: see "Building with
//!   a GPU" in the README.
//! - `ndarray`: [`AsElements`] for the arrays and views of ndarray 0.17, `AsView`, and `Cpu::reduce_array_axes` from array
//!   to array.
//! - `arrow`: [`AsElements`] for the primitive and Boolean arrays of arrow-array 60.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!(
    "warpfold needs SSE2: x87 arithmetic rounds twice, so results would differ from other machines"
);

mod about;
mod arrange;
mod arrays;
mod auto;
#[cfg(feature = "cuda")]
mod cache;
mod columns_plan;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod entry;
mod error;
mod float_environment;
#[cfg(feature = "cuda")]
mod fold;
mod index_type;
mod kernel;
mod layout;
mod moves;
#[cfg(target_pointer_width = "64")]
mod native;
mod order;
mod plan;
mod rows_plan;
mod scan;
mod texts;
mod view;
mod zip;

pub use about::{About, about};
pub use arrange::{
    argsort, compact, compact_by_flags, count_if, median, partition, sort, sort_pairs, top_k, unique,
};
#[cfg(feature = "ndarray")]
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
pub use arrays::AsView;
pub use arrays::{AsElements, Elements};
pub use auto::{reduce, reduce_by, reduce_with};
pub use columns_plan::ColumnsPlan;
pub use cpu::{Cpu, Interpolate, Interpolation, finish};
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use cuda::launch_times;
#[cfg(feature = "cuda")]
#[cfg_attr(docsrs, doc(cfg(feature = "cuda")))]
pub use cuda::{
    Cuda, DeviceArray, DeviceResults, DeviceScalar, DeviceSlice, DeviceValues, DeviceView, Event, Feed,
    Graph, KeyType, Pending, Shape, SortKey, Stream, Tuned, Tuning,
};
pub use entry::{Entry, Untyped};
pub use error::{DriverCode, Error, Unavailable, Version};
pub use gpu_kernels::ops::*;
pub use gpu_kernels::{
    Accumulator, Complex, Element, Op, Storable, StoredAt, StoredOf, TREE_VERSION, addresses, arguments,
    bf16, f16, is_free, reference, scan as scan_tree, stored, tree,
};
pub use index_type::IndexType;
#[doc(hidden)]
pub use kernel::kernel_parameters;
pub use kernel::{
    Kernel, RowsKernel, SHIPPED, SHIPPED_FOR_ROWS, SHIPPED_FOR_SCANS, SHIPPED_FOR_TWO, ScanKernel, ZipKernel,
};
#[doc(hidden)]
pub use moves::{SHIPPED_BY_RANK, SHIPPED_FOR_MOVES, SHIPPED_TO_SELECT, SHIPPED_TO_SORT};
pub use order::Order;
pub use plan::{Passes, Plan};
pub use rows_plan::RowsPlan;
pub use scan::{Scan, scan, scan_by};
#[doc(hidden)]
pub use texts::Texts;
pub use view::View;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use warpfold_ptx;
pub use zip::{reduce_zip, reduce_zip_by};
