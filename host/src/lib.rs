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
//! `reduce` takes an operator and an input. Both are values; the backend is what it is called on.
//!
//! | to reduce | write | on |
//! |---|---|---|
//! | a slice, by an operator without parameters | [`reduce::<f32, Sum>(&x)`](reduce()) | whichever backend is sooner done |
//! | any [input](Input), by any operator | [`Auto::new().reduce(op, input)`](Auto::reduce) | whichever backend is sooner done |
//! | any input, by any operator | [`Cpu::new().reduce(op, input)`](Cpu::reduce) | the CPU |
//! | arrays in a GPU's memory, or longer ones in host memory | `cuda.reduce(op, input)` of a `Cuda` (feature `cuda`) | that GPU |
//! | arrays there, after earlier work, without waiting | `stream.reduce_into(op, input, &mut out)` of a `Stream` (feature `cuda`) | that GPU |
//!
//! ```
//! use warpfold::{Auto, Cpu, Dot, Max, Mean, Sum, rows, zip};
//!
//! let (x, y) = (vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 9.0], vec![2.0f32; 6]);
//! assert_eq!(Auto::new().reduce((Mean, Max), &x)?, (Some(4.0), Some(9.0)));
//! assert_eq!(Cpu::new().reduce(Sum, rows(&x, [2, 3]))?, [6.0, 18.0]);
//! assert_eq!(Cpu::new().reduce(Dot, zip(&x, &y))?, 48.0);
//! # Ok::<(), warpfold::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | reduce all elements of an array | `&x` |
//! | reduce two arrays side by side | [`zip(&x, &y)`](zip()) |
//! | reduce behind an initial value | [`after_element`], [`after_fold`] |
//! | reduce each row or column of a matrix, or along any axes of a strided array | [`rows(&x, [r, c])`](rows()), [`columns`](columns()), [`along(view, &axes)`](along()) of a [`View`] |
//! | reduce pieces: of one length, of any lengths, runs of equal keys, groups by id | [`chunks`](chunks()), [`segments`](segments()), [`runs`](runs()), [`groups`](groups()) |
//! | reduce an array of ndarray or Arrow, or one with missing elements | [`AsElements`], [`Elements`] (features `ndarray`, `arrow`) |
//! | do any of this with an array that several threads, processes or machines have parts of | [`World`] |
//! | reduce in portions | [`Cpu::fold_tiles`], [`finish`] |
//! | scan an array, or segments of one | [`Cpu::scan`], [`Scan`] |
//! | keep the elements that a predicate or flags select, one of each run, or part them in two | [`Cpu::compact`], [`Cpu::compact_by_flags`], [`Cpu::unique`], [`Cpu::partition`] |
//! | sort, with values or as indices | [`Cpu::sort`], [`Cpu::sort_pairs`], [`Cpu::argsort`] |
//! | find the greatest few, a median or other quantiles | [`Cpu::top_k`], [`Cpu::median`], [`Cpu::quantiles`] |
//! | do any of this on a GPU with what is there, or leave the result there | `Cuda`, `Stream` (feature `cuda`) |
//! | leave results of parts there, as accumulators or as an array | `DeviceResults`, `DeviceResults::finished`, `DeviceValues` (feature `cuda`); what each result is there: [`stored`] |
//! | reduce on a GPU what is in host memory, however long, with progress | `host` (feature `cuda`) |
//! | write a predicate | a closure, or [`Predicate`]; ready are [`above`], [`below`], [`within`], [`NonZero`], [`IsNan`], [`not`] |
//! | write an operator | [`operator!`] of an identity and two elements; any other by [`Op`]; for GPUs also [`Kernel`] and [`ship_kernels!`] |
//! | report a bug | [`about`] |
//!
//! # Operators
//!
//! | operator | result for elements `T` | of no elements | NaN |
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
//! | [`Mean`], [`Variance`], [`SampleVariance`], [`StdDev`], [`SampleStdDev`] | `Option`, f64 for integers, otherwise the float that `T` is carried in | `None` | any NaN gives NaN |
//! | [`SumOfSquares`], [`Norm1`], [`NormInf`], [`Norm2`], [`CentredSquares`] | u64 for integers (f64 for `Norm2`), otherwise the float that `T` is carried in | 0 | any NaN gives NaN |
//! | [`BitAnd`], [`BitOr`], [`BitXor`] | `T` | all ones, 0, 0 | |
//! | [`All`], [`Any`] | bool | true, false | is not 0 |
//! | [`count`] of a [`Predicate`] | u64 | 0 | as the predicate says |
//! | [`First`], [`Last`] | `Option<T>` | `None` | an element like any other |
//! | [`Compose`], [`MatrixProduct`], [`PolynomialHash`] | affine map, 2 x 2 matrix, u64 | the unit map, the unit matrix, 0 | |
//! | [`Dot`], [`AccurateDot`], [`ExactDot`], [`SquaredDistance`], [`WeightedMean`], of [`zip`](zip()) | what `Sum` of `T` is carried in; `Option` | as `Sum`; `None` | any NaN gives NaN |
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
//! - `cuda`: the GPU backend. It builds on any Linux machine, without a CUDA toolkit or a driver: docs/gpu.md.
//! - `ndarray`: [`AsElements`] for the arrays and views of ndarray 0.17, `AsView`, and [`along`](along()) the axes of one,
//!   from array to array.
//! - `arrow`: [`AsElements`] for the primitive and Boolean arrays of arrow-array 60.
//! - `tracing`: events of the crate tracing on the way to a GPU: devices opened, kernels loaded, speeds measured, tunings kept.
//! - `rust-cuda`: buffers and streams of Rust-CUDA's cust 0.3, whose build needs a CUDA toolkit.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!(
    "warpfold needs SSE2: x87 arithmetic rounds twice, so results would differ from other machines"
);

mod about;
mod arrays;
mod auto;
#[cfg(feature = "cuda")]
mod cache;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod error;
mod float_environment;
mod index_type;
mod input;
mod kernel;
mod layout;
mod operator;
mod order;
mod plan;
mod scan;
#[cfg(feature = "cuda")]
mod told;
mod view;
mod world;

pub use about::{About, about};
#[cfg(feature = "ndarray")]
#[cfg_attr(docsrs, doc(cfg(feature = "ndarray")))]
pub use arrays::AsView;
pub use arrays::{AsElements, Elements};
pub use auto::{Auto, reduce};
pub use cpu::{Cpu, Interpolate, Interpolation, finish};
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use cuda::launch_times;
#[cfg(feature = "cuda")]
#[cfg_attr(docsrs, doc(cfg(feature = "cuda")))]
pub use cuda::{
    Cuda, DeviceArray, DeviceElements, DeviceInput, DeviceProperties, DeviceResults, DeviceScalar,
    DeviceScanInPlace, DeviceScanInput, DeviceSlice, DeviceValues, DeviceView, Event, Feed, Graph, Host,
    KeyType, Pending, Planned, Shape, SortKey, Stream, StreamInput, StreamScanInput, Tuned, Tuning, host,
};
pub use error::{DriverCode, Error, RankFault, Unavailable, Version};
pub use gpu_kernels::ops::*;
pub use gpu_kernels::{
    Accumulator, Complex, Element, Op, Storable, StoredAt, StoredOf, TREE_VERSION, addresses, arguments,
    bf16, f16, is_free, reference, scan as scan_tree, stored, tree,
};
pub use index_type::IndexType;
pub use input::{
    AfterElement, AfterFold, Along, Chunks, Columns, Groups, Input, Rows, Runs, ScanInPlace, ScanInput,
    Segments, Zip, after_element, after_fold, along, chunks, columns, groups, rows, runs, segments, zip,
};
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use inventory;
pub use kernel::entry::{Entry, Untyped};
#[doc(hidden)]
pub use kernel::kernel_parameters;
#[doc(hidden)]
pub use kernel::moves::{SHIPPED_BY_RANK, SHIPPED_FOR_MOVES, SHIPPED_TO_SELECT, SHIPPED_TO_SORT};
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use kernel::registry::{Shipped, ShippedTogether};
#[doc(hidden)]
pub use kernel::texts::Texts;
pub use kernel::{
    Kernel, RowsKernel, SHIPPED, SHIPPED_FOR_ROWS, SHIPPED_FOR_SCANS, SHIPPED_FOR_TWO, ScanKernel, ZipKernel,
};
pub use order::Order;
pub use plan::columns::ColumnsPlan;
pub use plan::rows::RowsPlan;
pub use plan::{Passes, Plan};
pub use scan::Scan;
pub use view::View;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use warpfold_ptx;
pub use world::{Communicator, Threads, World, WorldInput, WorldScanInput};
