//! Reductions of arrays with the same bits everywhere: on the CPU with any number of threads, and on any NVIDIA GPU.
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
//! # A backend, an operator, an input
//!
//! [`reduce::<f32, Sum>(&x)`](reduce()) is the short form. In general `reduce` is a method of a backend, and takes an
//! operator and an input, both values. The operator says what to compute, the input which elements are reduced together.
//!
//! | to reduce | write | on |
//! |---|---|---|
//! | a slice, by an operator without parameters | [`reduce::<f32, Sum>(&x)`](reduce()) | the faster backend |
//! | any [input](verb::Reduce), by any operator | [`Auto::new().reduce(op, input)`](Auto::reduce) | the faster backend |
//! | any input, by any operator | [`Cpu::new().reduce(op, input)`](Cpu::reduce) | the CPU |
//! | arrays in a GPU's memory, or longer ones in host memory | `cuda.reduce(op, input)` of a [`Cuda`] (feature `cuda`) | that GPU |
//! | arrays there, after earlier work, without waiting | `stream.reduce_into(op, input, &mut out)` of a [`Stream`] (feature `cuda`) | that GPU |
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
//! Scans, compactions, sorts and selections are methods of the backends too: [`verb`] lists all verbs, with their documentation.
//!
//! # Tasks
//!
//! | to | use |
//! |---|---|
//! | reduce all elements of an array | `&x` |
//! | reduce two arrays side by side | [`zip(&x, &y)`](zip()) |
//! | reduce with an initial value | [`after_element`], [`after_fold`] |
//! | reduce each row or column of a matrix, or along any axes of a strided array | [`rows(&x, [r, c])`](rows()), [`columns`](columns()), [`along(view, &axes)`](along()) of a [`View`] |
//! | reduce chunks of one length, segments of any lengths, runs of equal keys | [`chunks`](chunks()), [`segments`](segments()), [`runs`](runs()) |
//! | group by id, or by keys of any type | [`groups`](groups()), [`by_key`](by_key()) |
//! | compute rolling sums, means and extremes | [`windows`](windows()) |
//! | reduce an array of ndarray or Arrow, or one with missing elements | [`AsElements`], [`Elements`] (features `ndarray`, `arrow`) |
//! | do any of this with an array whose parts are on several threads, processes, machines or GPUs | [`World`] |
//! | reduce in portions | [`Cpu::fold_tiles`], [`finish`] |
//! | keep an exact sum, mean, deviation or correlation to be merged, sent or taken back | [`Cpu::exact_state`], [`exact`] |
//! | scan an array, its parts, or along any axes of it | [`Cpu::scan`], [`Scan`] |
//! | keep the elements that a predicate or flags select, keep one of each run, partition | [`Cpu::compact`], [`Cpu::compact_by_flags`], [`Cpu::unique`], [`Cpu::partition`] |
//! | sort elements, key-value pairs or indices | [`Cpu::sort`], [`Cpu::sort_pairs`], [`Cpu::argsort`] |
//! | compute sums of exponentials, their logarithms, softmax and norms of rows | [`Cpu::log_sum_exp`], [`Cpu::softmax`], [`Cpu::rms_norm`], [`Cpu::layer_norm`] |
//! | compute cross-entropies of rows, and gradients of rows | [`Cpu::cross_entropy`], [`Cpu::softmax_gradient`], [`Cpu::layer_norm_gradient`] |
//! | count the elements in bins; reduce elements by the bin of their keys | [`Cpu::histogram`], [`Bins`]; [`binned`](binned()) |
//! | find the greatest few, a median or other quantiles | [`Cpu::top_k`], [`Cpu::median`], [`Cpu::quantiles`] |
//! | do any of this with arrays in device memory, and leave results there | [`Cuda`], [`Stream`] (feature `cuda`) |
//! | keep many results in device memory, as accumulators or as an array | [`DeviceResults`], [`DeviceResults::finished`], [`DeviceValues`] (feature `cuda`); their layout: [`stored`] |
//! | reduce an array in host memory of any length on a GPU, with progress | `host` (feature `cuda`) |
//! | write a predicate | a closure, or [`Predicate`]; there are [`above`], [`below`], [`within`], [`NonZero`], [`IsNan`], [`not`] |
//! | write an operator | [`operator!`] for an identity and a [`formula!`] or a closure; [`Op`] for any other; for GPUs also [`Kernel`](kernels::Kernel) and [`ship_kernels!`] |
//! | report a bug | [`about`] |
//!
//! # Operators
//!
#![doc = include_str!("operators.md")]
//!
//! A NaN result is the canonical NaN (f32 0x7fc00000, f64 0x7ff8000000000000, f16 0x7e00, bf16 0x7fc0); `First` and `Last`
//! return the element's own. -0.0 is preserved, and is less than +0.0.
//!
//! Element types are i8 to i128, u8 to u128, isize, usize, [`struct@f16`], [`struct@bf16`], f32, f64, bool (`Sum` counts the
//! true elements), and [`Complex`] of f32 and f64 (`Sum` and `Product`). `First` and `Last` on the CPU take any plain data.
//! The accumulator of f16 and bf16 is f32; `Sum` and `Product` round to the element type once, at the end.
//! docs/operators.md lists the pairs with GPU kernels; the CPU takes an operator over any element type that it is
//! implemented for.
//!
//! # The contract
//!
//! `bits(reduce(x, op)) = F(values, n, type, op, TREE_VERSION)`. The bits depend on nothing else: not on the device, the
//! grid, the block size, the alignment, the stream, the number of threads, the portions or the backend. `F` is the
//! canonical [`tree`]; [`mod@reference`] has it as slow, obvious code. The order of the elements matters: `sum(a ++ b)` is
//! not `sum(a) + sum(b)`, bit for bit, and a permutation of floats may sum differently. A release that changes any result
//! bit has a new [`TREE_VERSION`] and is a breaking one.
//!
//! # Modules
//!
//! This page has what programs name first. [`input`] has the types of inputs, [`elements`] the traits that bound generic functions,
//! [`kernels`] what operators with GPU kernels have, [`plans`] how a device divides its work, and [`verb`] each verb's documentation.
//!
//! # Features
//!
//! - `cuda`: the GPU backend. It builds on any Linux machine, without a CUDA toolkit or a driver: docs/gpu.md.
//! - `emulator`: `Cuda::emulated`, a device that is not a GPU, for tests of programs that use a GPU.
//! - `ndarray`: [`AsElements`] for the arrays and views of ndarray 0.17, their conversion to a [`View`], and [`along`](along()) the axes of one,
//!   from array to array.
//! - `arrow`: [`AsElements`] for the primitive and Boolean arrays of arrow-array 60.
//! - `tracing`: events of the crate tracing: devices opened, kernels loaded, speeds measured, tunings kept.
#![cfg_attr(
    not(feature = "cuda"),
    allow(rustdoc::broken_intra_doc_links, reason = "types of GPUs are named, and have no page")
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Tests may end without memory.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!(
    "warpfold needs SSE2: x87 arithmetic rounds twice, so results would differ from other machines"
);

mod about;
mod arrays;
mod bins;
#[cfg(feature = "cuda")]
mod cache;
mod cpu;
mod error;
#[cfg(feature = "cuda")]
mod events;
mod float_environment;
mod group_key;
mod index_type;
pub mod input;
mod interpolate;
mod kernel;
mod layout;
mod memory;
mod open;
mod operator;
mod plan;
mod scan;
mod sort_key;
mod sync;
mod unfinished;
pub mod verb;
mod view;
#[allow(clippy::disallowed_methods, reason = "`memory` is for arrays; the others have an item for each rank")]
mod world;

// The page of a backend has the methods of each module in this order: how one is opened comes first, then `reduce` and the other verbs.
mod methods;

mod auto;
#[cfg(feature = "cuda")]
mod cuda;

pub use about::{About, about};
pub use arrays::{AsElements, Elements};
pub use auto::{Auto, reduce};
pub use bins::{Bins, Histogram};
pub use cpu::{Cpu, finish};
#[cfg(all(feature = "cuda", fuzzing))]
#[doc(hidden)]
pub use cuda::is_tuning_or_refused;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use cuda::launch_times;
#[cfg(feature = "cuda")]
#[cfg_attr(docsrs, doc(cfg(feature = "cuda")))]
pub use cuda::{
    Cuda, DeviceArray, DeviceBins, DeviceProperties, DeviceResults, DeviceScalar, DeviceSlice, DeviceValues,
    Event, Feed, Graph, Host, Pending, Stream, host,
};
pub use error::{DriverCode, Error, RankFault, Unavailable, Version};
#[doc(hidden)]
pub use gpu_kernels;
#[doc(inline)]
pub use gpu_kernels::{
    Above, AccurateDot, AccurateSum, Affine, All, Any, ArgMax, ArgMin, ArgMinMax, At, Below, BitAnd, BitOr,
    BitXor, CentredSquares, Compose, Count, Dot, ExactDot, ExactMean, ExactSampleStdDev, ExactSampleVariance,
    ExactStdDev, ExactSum, ExactVariance, Extremes, First, IsNan, Last, Matrix2, MatrixProduct, Max, Maximum,
    Mean, Min, MinMax, Minimum, NanGreatest, NonZero, Norm1, Norm2, NormInf, Not, PolynomialHash, Predicate,
    Product, ProductIn, SampleStdDev, SampleVariance, SquaredDistance, StdDev, Sum, SumIn, SumOfSquares,
    Variance, WeightedMean, Within, above, below, count, not, within,
};
pub use gpu_kernels::{
    Complex, Element, Formula, Op, TREE_VERSION, addresses, arguments, bf16, f16, formula, reference,
    scan as scan_tree, stored, tree,
};
#[doc(inline)]
pub use input::{
    after_element, after_fold, along, binned, by_key, chunks, columns, groups, padded, rows, runs, segments,
    windows, zip,
};
pub use interpolate::Interpolation;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use inventory;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use kernel::registry::{Shipped, ShippedTogether};
#[doc(hidden)]
pub use kernel::ship::kernel_parameters;
#[doc(hidden)]
pub use kernel::texts::Texts;
pub use operator::{ExactCorrelation, ExactCovariance, ExactSampleCovariance};
#[cfg(fuzzing)]
#[doc(hidden)]
pub use plan::fuzz::{Numbers, plans_hold};
pub use scan::Scan;
pub use verb::order::Order;
pub use view::View;
pub use warpfold_exact as exact;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use warpfold_ptx;
#[cfg(feature = "cuda")]
#[cfg_attr(docsrs, doc(cfg(feature = "cuda")))]
pub use world::Nccl;
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub use world::{Channel, NcclSizes};
pub use world::{Communicator, Threads, World};

/// Traits of elements and accumulators, which bound generic functions, and the types that operators over them carry. Most
/// functions need [`Element`] and [`Op`] alone.
pub mod elements {
    pub use crate::bins::BinNumber;
    pub use crate::group_key::GroupKey;
    pub use crate::index_type::IndexType;
    pub use crate::sort_key::SortKey;
    #[doc(inline)]
    pub use gpu_kernels::{
        Accumulator, BitField, ByRank, CarriedIn, DevicePredicate, Dividend, EndElement, Ending, ExactTotal,
        Float, Joined, Kept, Key, Moments, Number, OfNativeIntegers, Ordered, Rank, RankedNumber, Ranks,
        Real, Ring, Spread, Squares, TotalOrder, WholeWords, Wide, is_free,
    };
}

/// Operators with GPU kernels: traits that say which pairs of operator and element have them, the kernels themselves, and
/// results in device memory.
pub mod kernels {
    #[cfg(feature = "emulator")]
    pub use crate::kernel::entry::Emulated;
    pub use crate::kernel::entry::{Entry, Untyped};
    pub use crate::kernel::family::{FoldEntries, GroupEntries, RowsEntries, ScanEntries};
    #[doc(hidden)]
    pub use crate::kernel::ship::MOVE_KERNELS;
    pub use crate::kernel::ship::shipped;
    pub use crate::kernel::{Kernel, RowsKernel, ScanKernel};
    #[doc(inline)]
    pub use gpu_kernels::{Storable, StoredAt, StoredOf};
}

/// How a device divides its work, which changes no bit: plans, and their tuning.
pub mod plans {
    #[cfg(feature = "cuda")]
    #[cfg_attr(docsrs, doc(cfg(feature = "cuda")))]
    pub use crate::cuda::{LaunchConfig, Planned, Tuned, Tuning};
    pub use crate::plan::columns::ColumnsPlan;
    pub use crate::plan::rows::RowsPlan;
    pub use crate::plan::{Passes, Plan};
}
