//! The (operator, element) pairs that have GPU kernels.

pub(crate) mod entry;
pub(crate) mod family;
#[cfg(feature = "cuda")]
pub(crate) mod fold;
mod formula;
#[cfg(feature = "cuda")]
pub(crate) mod forward;
#[cfg(feature = "cuda")]
pub(crate) mod moves;
#[cfg(target_pointer_width = "64")]
mod native;
#[cfg(feature = "cuda")]
pub(crate) mod registry;
pub(crate) mod ship;
pub(crate) mod texts;

use gpu_kernels::addresses::Readable;
use gpu_kernels::{Element, Op, Storable};

use crate::kernel::family::{FoldEntries, GroupEntries, RowsEntries, ScanEntries};

/// An operator that has GPU kernels for elements `T`, which they find at `I`: the address of an array, or for pairs also
/// [`Two`](crate::addresses::Two), the addresses of the two arrays of a [`zip`](crate::zip()).
///
/// Implemented for every pair in gpu-kernels' catalogue, with and without the feature `cuda`. A pair without kernels
/// still folds on the [`Cpu`](crate::Cpu).
///
/// # Safety
/// The entries must have been stamped by `gpu_kernels::stamp_kernels!`, or `stamp_zip_kernels!` for two arrays, for exactly this
/// operator and element, with the definitions of both that this crate sees: the host launches them with arguments of those types. An operator
/// that is not a unit struct is passed too, and must then be plain data, which `ship_kernels!` checks.
#[diagnostic::on_unimplemented(
    message = "no GPU kernel is stamped for `{Self}` over `{T}`",
    label = "this pair is not in the catalogue of kernels for elements at `{I}`",
    note = "fold on the CPU, which takes any operator: `warpfold::Cpu::new().reduce(op, &x)`",
    note = "or compile a kernel for an operator of your own crate: docs/own-operators.md, \"For GPUs\"; one that wraps the library's operator will do"
)]
pub unsafe trait Kernel<T: Element, I: Copy = Readable<T>>: Op<T> {
    /// The kernels.
    const FOLD: FoldEntries<I, T, Self>;
}

/// An operator that has GPU kernels to fold many rows of elements `T` at once, besides those for one array, and a
/// kernel that finishes their results on the device.
///
/// Implemented for the pairs in gpu-kernels' shorter catalogue, `for_each_rows_kernel!`.
///
/// # Safety
/// As for [`Kernel`], by `gpu_kernels::stamp_rows_kernels!`.
#[diagnostic::on_unimplemented(
    message = "no GPU kernel is stamped for `{Self}` over rows of `{T}`",
    label = "this pair is not in the catalogue of kernels over many rows",
    note = "fold on the CPU, which takes any operator: `warpfold::Cpu::new().reduce(op, rows(&x, shape))`",
    note = "or compile kernels for an operator of your own crate by `stamp_rows_kernels!`: docs/own-operators.md, \"For GPUs\""
)]
pub unsafe trait RowsKernel<T: Element>: Kernel<T> + Op<T, Out: Storable> {
    /// The kernels.
    const ROWS: RowsEntries<T, Self>;
    /// The kernel over groups, if the operator has an atomic instruction and is one of the library.
    #[doc(hidden)]
    const GROUPS: Option<GroupEntries<T, Self>> = None;
}

/// An operator that has GPU kernels to scan elements `T`.
///
/// Implemented for the rows of gpu-kernels' catalogue of scans, `for_each_scan_kernel!`.
///
/// # Safety
/// As for [`Kernel`], by `gpu_kernels::stamp_scan_kernels!`.
#[diagnostic::on_unimplemented(
    message = "no GPU kernel is stamped that scans `{T}` with `{Self}`",
    label = "this pair is not in the catalogue of kernels that scan",
    note = "scan on the CPU, which takes any operator: `warpfold::Cpu::new().scan(op, &x, Scan::inclusive())`",
    note = "or compile kernels for an operator of your own crate by `stamp_scan_kernels!`: docs/own-operators.md, \"For GPUs\""
)]
pub unsafe trait ScanKernel<T: Element>: Op<T, Out: Storable> {
    /// The kernels.
    const SCAN: ScanEntries<T, Self>;
}
