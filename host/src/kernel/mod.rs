//! The (operator, element) pairs that have GPU kernels, and the PTX of the kernels that this crate ships.

pub(crate) mod entry;
#[cfg(feature = "cuda")]
pub(crate) mod fold;
pub(crate) mod moves;
#[cfg(target_pointer_width = "64")]
mod native;
#[cfg(feature = "cuda")]
pub(crate) mod registry;
pub(crate) mod texts;
#[cfg(feature = "cuda")]
pub(crate) mod zipped;

use bytemuck::Pod;
use gpu_kernels::addresses::Two;
use gpu_kernels::arguments;
use gpu_kernels::{Element, Op, Storable};

use crate::kernel::texts::library_texts;
use crate::{Entry, Texts};

/// An operator that has GPU kernels for elements `T`.
///
/// Implemented for every pair in gpu-kernels' catalogue, with and without the feature `cuda`. A pair without kernels
/// still folds on the [`Cpu`](crate::Cpu).
///
/// # Safety
/// The three entries must have been stamped by `gpu_kernels::stamp_kernels!` for exactly this operator and element,
/// with the definitions of both that this crate sees: the host launches them with arguments of those types. An operator
/// that is not a unit struct is passed too, and must then be plain data, which `ship_kernels!` checks.
#[diagnostic::on_unimplemented(
    message = "no GPU kernel is stamped for `{Self}` over `{T}`",
    label = "this pair is not in the catalogue of kernels",
    note = "fold on the CPU, which takes any operator: `warpfold::Cpu::new().reduce(op, &x)`",
    note = "or add the pair to gpu-kernels/src/catalogue.rs and run `cargo xtask ptx`"
)]
pub unsafe trait Kernel<T: Element>: Op<T> {
    /// The kernel that folds a few tiles in one block.
    const BLOCK: Entry<arguments::Block<*const T, T, Self>>;
    /// The kernel that folds any number of tiles in one launch.
    const GRID: Entry<arguments::Grid<*const T, T, Self>>;
    /// The kernel that folds partial results in passes.
    const PARTIALS: Entry<arguments::Partials<T, Self>>;
}

/// An operator over pairs that has GPU kernels for the pairs of two arrays of `T`.
///
/// # Safety
/// As for [`Kernel`], by `gpu_kernels::stamp_zip_kernels!`.
#[diagnostic::on_unimplemented(
    message = "no GPU kernel is stamped for `{Self}` over pairs from two arrays of `{T}`",
    label = "this pair is not in the catalogue of kernels over two arrays",
    note = "fold on the CPU, which takes any operator: `warpfold::Cpu::new().reduce(op, zip(&x, &y))`",
    note = "or add the pair to `for_each_zip_kernel!` in gpu-kernels/src/catalogue.rs and run `cargo xtask ptx`"
)]
pub unsafe trait ZipKernel<T: Element + Pod>: Op<[T; 2]> {
    /// The kernel that folds a few tiles in one block.
    const BLOCK: Entry<arguments::Block<Two<T>, [T; 2], Self>>;
    /// The kernel that folds any number of tiles in one launch.
    const GRID: Entry<arguments::Grid<Two<T>, [T; 2], Self>>;
    /// The kernel that folds partial results in passes.
    const PARTIALS: Entry<arguments::Partials<[T; 2], Self>>;
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
    note = "or add the pair to `for_each_rows_kernel!` in gpu-kernels/src/catalogue.rs and run `cargo xtask ptx`"
)]
pub unsafe trait RowsKernel<T: Element>: Kernel<T> + Op<T, Out: Storable> {
    /// The kernel that folds each row by some lanes of a warp, with vector loads.
    const BY_LANES: Entry<arguments::WholeRows<T, Self>>;
    /// [`BY_LANES`](Self::BY_LANES) for rows that cannot be loaded by vectors.
    const BY_LANES_UNALIGNED: Entry<arguments::WholeRows<T, Self>>;
    /// The kernel that folds rows of any length, or parts of them, by a warp each, with vector loads.
    const BY_WARP: Entry<arguments::RowsByParts<T, Self>>;
    /// [`BY_WARP`](Self::BY_WARP) for rows that cannot be loaded by vectors.
    const BY_WARP_UNALIGNED: Entry<arguments::RowsByParts<T, Self>>;
    /// The kernel that folds rows of at most one tile, at any address, by a warp each. For operators of which
    /// [warps do not fold rows](gpu_kernels::launch::do_warps_fold_rows) in this way it is empty.
    const BY_TILE: Entry<arguments::WholeRows<T, Self>>;
    /// [`BY_TILE`](Self::BY_TILE) for rows of up to 32 tiles.
    const BY_TILES: Entry<arguments::WholeRows<T, Self>>;
    /// The kernel that folds rows of any length, or parts of them, by a block each.
    const BY_BLOCK: Entry<arguments::RowsByParts<T, Self>>;
    /// The kernel that folds columns of any length, or parts of them, with vector loads.
    const COLUMNS: Entry<arguments::Columns<T, Self>>;
    /// [`COLUMNS`](Self::COLUMNS) for columns that cannot be loaded by vectors.
    const COLUMNS_UNALIGNED: Entry<arguments::Columns<T, Self>>;
    /// The kernel that folds columns of few rows, in one part.
    const COLUMNS_OF_FEW: Entry<arguments::ColumnsOfFew<T, Self>>;
    /// [`COLUMNS_OF_FEW`](Self::COLUMNS_OF_FEW) for columns that cannot be loaded by vectors.
    const COLUMNS_OF_FEW_UNALIGNED: Entry<arguments::ColumnsOfFew<T, Self>>;
    /// The kernel that folds the tiles of long segments.
    const SEGMENTS: Entry<arguments::Segments<T, Self>>;
    /// The kernel that folds short segments, and joins the tiles of long ones that have several.
    const SHORT_SEGMENTS: Entry<arguments::ShortSegments<T, Self>>;
    /// The kernel that computes results from accumulators.
    const FINISH: Entry<arguments::Finish<T, Self>>;
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
    note = "or add the pair to `for_each_scan_kernel!` in gpu-kernels/src/catalogue.rs and run `cargo xtask ptx`"
)]
pub unsafe trait ScanKernel<T: Element>: Op<T, Out: Storable> {
    /// The kernel that scans one array.
    const SCAN: Entry<arguments::Scan<T, Self>>;
    /// The kernel that scans the tiles of segments with several tiles.
    const SCAN_SEGMENTS: Entry<arguments::ScanSegments<T, Self>>;
    /// The kernel that scans segments of at most one tile.
    const SCAN_SHORT_SEGMENTS: Entry<arguments::ScanShortSegments<T, Self>>;
}

/// Ships kernels: implements [`Kernel`] for rows `entry: Operator, element;`. The PTX comes from the folder that
/// cuda_builder wrote, by way of its `entries.rs`. A row that is not there is a compile error.
///
/// The operators must be the calling crate's own, because only that crate may implement a foreign trait for them. So
/// the kernels crate both stamps and ships, the latter with `cfg(not(target_arch = "nvptx64"))`.
///
/// With the word `unsafe` the caller guarantees what [`Kernel`] requires: these modules were stamped by
/// `gpu_kernels::stamp_kernels!` from the same pairs.
///
/// ```text
/// warpfold::ship_kernels! {
///     unsafe from concat!(env!("OUT_DIR"), "/ptx");
///     reduce_gcd_u32: Gcd, u32;
/// }
/// ```
///
/// A crate with many kernels may keep them in a pack, in the format of `warpfold-ptx`: then write `unsafe packed in`
/// and the pack's file instead. A pack is embedded only with the feature `cuda`, so a row missing from it is an error
/// only with that feature.
#[macro_export]
macro_rules! ship_kernels {
    (unsafe from $folder:expr; $($rows:tt)*) => {
        $crate::ship_kernels! { unsafe of $crate::Texts::Written(include!(concat!($folder, "/entries.rs"))); $($rows)* }
    };
    (unsafe packed in $file:expr; $($rows:tt)*) => {
        $crate::ship_kernels! { unsafe of $crate::packed_texts!($file); $($rows)* }
    };
    (unsafe of $texts:expr; $($row:ident: $op:ty, $element:ty;)*) => {
        $crate::ship_kernels! {
            @of Kernel, "stamp_kernels", $texts; $($row: $op, $element, *const $element, $element;)*
        }
        $crate::register_kernels! { $($op, $element;)* }
    };
    // `$input` is how kernels find elements; `$folded` is what they fold: pairs, for elements in two arrays.
    (@of $kernel:ident, $stamp:literal, $texts:expr; $($row:ident: $op:ty, $element:ty, $input:ty, $folded:ty;)*) => {
        const _: () = {
            const KERNELS: $crate::Texts = $texts;
            $(
                assert!(
                    ::core::mem::size_of::<$op>() == 0 || {
                        #[allow(unused_imports)] // For operators that are not plain.
                        use $crate::kernel_parameters::Unknown;
                        $crate::kernel_parameters::Of::<$op>::ARE_PLAIN
                    },
                    "an operator with parameters goes to the device byte by byte: derive `bytemuck::NoUninit` for it"
                );
                // SAFETY: guaranteed by the `unsafe` in the macro's call.
                unsafe impl $crate::$kernel<$element> for $op {
                    const BLOCK: $crate::Entry<$crate::arguments::Block<$input, $folded, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_block", $stamp);
                    const GRID: $crate::Entry<$crate::arguments::Grid<$input, $folded, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_grid", $stamp);
                    const PARTIALS: $crate::Entry<$crate::arguments::Partials<$folded, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_partials", $stamp);
                }
                // Evaluated here, so that a missing entry is an error here rather than at its first use.
                let _ = (
                    <$op as $crate::$kernel<$element>>::BLOCK,
                    <$op as $crate::$kernel<$element>>::GRID,
                    <$op as $crate::$kernel<$element>>::PARTIALS,
                );
            )*
        };
    };
    (@entry $kernels:ident, $row:ident, $suffix:literal, $stamp:literal) => {
        $crate::Entry::among($kernels, concat!(stringify!($row), $suffix)).expect(concat!(
            "no kernel of this name was built: `",
            stringify!($row),
            $suffix,
            "`; give `gpu_kernels::",
            $stamp,
            "!` the same pair"
        ))
    };
}

/// Registers kernels, so that [`Auto`](crate::Auto) finds them.
#[cfg(feature = "cuda")]
#[doc(hidden)]
#[macro_export]
macro_rules! register_kernels {
    ($($op:ty, $element:ty;)*) => {
        $crate::inventory::submit! {
            $crate::ShippedTogether(&[$($crate::Shipped::of::<$element, $op>()),*])
        }
    };
}
/// Without the feature `cuda` there is nothing to register.
#[cfg(not(feature = "cuda"))]
#[doc(hidden)]
#[macro_export]
macro_rules! register_kernels {
    ($($op:ty, $element:ty;)*) => {};
}

/// [`ship_kernels!`](crate::ship_kernels) for operators over pairs from two arrays: implements [`ZipKernel`] for rows
/// `entry: Operator, element;`, where `element` is the element of each array, as given to
/// `gpu_kernels::stamp_zip_kernels!`.
#[macro_export]
macro_rules! ship_zip_kernels {
    (unsafe from $folder:expr; $($rows:tt)*) => {
        $crate::ship_zip_kernels! { unsafe of $crate::Texts::Written(include!(concat!($folder, "/entries.rs"))); $($rows)* }
    };
    (unsafe packed in $file:expr; $($rows:tt)*) => {
        $crate::ship_zip_kernels! { unsafe of $crate::packed_texts!($file); $($rows)* }
    };
    (unsafe of $texts:expr; $($row:ident: $op:ty, $element:ty;)*) => {
        $crate::ship_kernels! {
            @of ZipKernel, "stamp_zip_kernels", $texts;
            $($row: $op, $element, $crate::addresses::Two<$element>, [$element; 2];)*
        }
    };
}

/// [`ship_kernels!`](crate::ship_kernels) for many rows at once: implements [`RowsKernel`] for rows `entry: Operator,
/// element;`, as given to `gpu_kernels::stamp_rows_kernels!`. Ship the same pairs with `ship_kernels!` too.
#[macro_export]
macro_rules! ship_rows_kernels {
    (unsafe from $folder:expr; $($rows:tt)*) => {
        $crate::ship_rows_kernels! { unsafe of $crate::Texts::Written(include!(concat!($folder, "/entries.rs"))); $($rows)* }
    };
    (unsafe packed in $file:expr; $($rows:tt)*) => {
        $crate::ship_rows_kernels! { unsafe of $crate::packed_texts!($file); $($rows)* }
    };
    (unsafe of $texts:expr; $($row:ident: $op:ty, $element:ty;)*) => {
        const _: () = {
            const KERNELS: $crate::Texts = $texts;
            $(
                // SAFETY: guaranteed by the `unsafe` in the macro's call.
                unsafe impl $crate::RowsKernel<$element> for $op {
                    const BY_LANES: $crate::Entry<$crate::arguments::WholeRows<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_rows_by_lanes", "stamp_rows_kernels");
                    const BY_LANES_UNALIGNED: $crate::Entry<$crate::arguments::WholeRows<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_rows_by_lanes_unaligned", "stamp_rows_kernels");
                    const BY_WARP_UNALIGNED: $crate::Entry<$crate::arguments::RowsByParts<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_rows_by_warp_unaligned", "stamp_rows_kernels");
                    const BY_TILE: $crate::Entry<$crate::arguments::WholeRows<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_rows_by_tile", "stamp_rows_kernels");
                    const BY_TILES: $crate::Entry<$crate::arguments::WholeRows<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_rows_by_tiles", "stamp_rows_kernels");
                    const BY_WARP: $crate::Entry<$crate::arguments::RowsByParts<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_rows_by_warp", "stamp_rows_kernels");
                    const BY_BLOCK: $crate::Entry<$crate::arguments::RowsByParts<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_rows_by_block", "stamp_rows_kernels");
                    const SEGMENTS: $crate::Entry<$crate::arguments::Segments<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_segments", "stamp_rows_kernels");
                    const SHORT_SEGMENTS: $crate::Entry<$crate::arguments::ShortSegments<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_short_segments", "stamp_rows_kernels");
                    const COLUMNS: $crate::Entry<$crate::arguments::Columns<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_columns", "stamp_rows_kernels");
                    const COLUMNS_UNALIGNED: $crate::Entry<$crate::arguments::Columns<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_columns_unaligned", "stamp_rows_kernels");
                    const COLUMNS_OF_FEW: $crate::Entry<$crate::arguments::ColumnsOfFew<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_columns_of_few", "stamp_rows_kernels");
                    const COLUMNS_OF_FEW_UNALIGNED: $crate::Entry<$crate::arguments::ColumnsOfFew<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_columns_of_few_unaligned", "stamp_rows_kernels");
                    const FINISH: $crate::Entry<$crate::arguments::Finish<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_finish", "stamp_rows_kernels");
                }
                // Evaluated here, so that a missing entry is an error here rather than at its first use.
                let _ = (
                    <$op as $crate::RowsKernel<$element>>::BY_LANES,
                    <$op as $crate::RowsKernel<$element>>::BY_LANES_UNALIGNED,
                    <$op as $crate::RowsKernel<$element>>::BY_WARP_UNALIGNED,
                    <$op as $crate::RowsKernel<$element>>::BY_WARP,
                    <$op as $crate::RowsKernel<$element>>::BY_TILE,
                    <$op as $crate::RowsKernel<$element>>::BY_TILES,
                    <$op as $crate::RowsKernel<$element>>::BY_BLOCK,
                    <$op as $crate::RowsKernel<$element>>::SEGMENTS,
                    <$op as $crate::RowsKernel<$element>>::SHORT_SEGMENTS,
                    <$op as $crate::RowsKernel<$element>>::FINISH,
                    <$op as $crate::RowsKernel<$element>>::COLUMNS,
                    <$op as $crate::RowsKernel<$element>>::COLUMNS_UNALIGNED,
                    <$op as $crate::RowsKernel<$element>>::COLUMNS_OF_FEW,
                    <$op as $crate::RowsKernel<$element>>::COLUMNS_OF_FEW_UNALIGNED,
                );
            )*
        };
    };
}

/// [`ship_kernels!`](crate::ship_kernels) for scans: implements [`ScanKernel`] for rows `entry: Operator, element;`, as
/// given to `gpu_kernels::stamp_scan_kernels!`.
#[macro_export]
macro_rules! ship_scan_kernels {
    (unsafe from $folder:expr; $($rows:tt)*) => {
        $crate::ship_scan_kernels! { unsafe of $crate::Texts::Written(include!(concat!($folder, "/entries.rs"))); $($rows)* }
    };
    (unsafe packed in $file:expr; $($rows:tt)*) => {
        $crate::ship_scan_kernels! { unsafe of $crate::packed_texts!($file); $($rows)* }
    };
    (unsafe of $texts:expr; $($row:ident: $op:ty, $element:ty;)*) => {
        const _: () = {
            const KERNELS: $crate::Texts = $texts;
            $(
                assert!(
                    ::core::mem::size_of::<$op>() == 0 || {
                        #[allow(unused_imports)] // For operators that are not plain.
                        use $crate::kernel_parameters::Unknown;
                        $crate::kernel_parameters::Of::<$op>::ARE_PLAIN
                    },
                    "an operator with parameters goes to the device byte by byte: derive `bytemuck::NoUninit` for it"
                );
                // SAFETY: guaranteed by the `unsafe` in the macro's call.
                unsafe impl $crate::ScanKernel<$element> for $op {
                    const SCAN: $crate::Entry<$crate::arguments::Scan<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_scan", "stamp_scan_kernels");
                    const SCAN_SEGMENTS: $crate::Entry<$crate::arguments::ScanSegments<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_scan_segments", "stamp_scan_kernels");
                    const SCAN_SHORT_SEGMENTS: $crate::Entry<$crate::arguments::ScanShortSegments<$element, $op>> =
                        $crate::ship_kernels!(@entry KERNELS, $row, "_scan_short_segments", "stamp_scan_kernels");
                }
                // Evaluated here, so that a missing entry is an error here rather than at its first use.
                let _ = (
                    <$op as $crate::ScanKernel<$element>>::SCAN,
                    <$op as $crate::ScanKernel<$element>>::SCAN_SEGMENTS,
                    <$op as $crate::ScanKernel<$element>>::SCAN_SHORT_SEGMENTS,
                );
            )*
        };
    };
}

/// Tells `ship_kernels!`, which knows the type, whether an operator's parameters may be copied to a device.
#[doc(hidden)]
pub mod kernel_parameters {
    use std::marker::PhantomData;

    /// The parameters of operator `O`.
    #[derive(Debug)]
    pub struct Of<O>(PhantomData<O>);

    /// Fallback for types for which [`Of`] itself has no such constant: an inherent constant comes before a trait's.
    pub trait Unknown {
        /// The parameters may not be copied.
        const ARE_PLAIN: bool = false;
    }
    impl<O> Unknown for Of<O> {}

    impl<O: bytemuck::NoUninit> Of<O> {
        /// The parameters may be copied.
        pub const ARE_PLAIN: bool = true;
    }
}

/// Kernels that `cargo xtask ptx` compiled from the catalogue, and the canary's.
pub(crate) const KERNELS: Texts = library_texts!(REDUCE);

/// Kernels that `cargo xtask ptx` compiled from the catalogue of kernels over rows, and the kernel that lists segments.
pub(crate) const ROWS_KERNELS: Texts = library_texts!(ROWS);

/// Kernels that `cargo xtask ptx` compiled from the catalogue of scans, and the kernel that lists segments for them.
pub(crate) const SCAN_KERNELS: Texts = library_texts!(SCAN);

macro_rules! stamp {
    ($($row:ident: $op:ty, $element:ty;)*) => {
        // `cargo xtask ptx` compiled these modules from the same pairs, and CI checks that they match.
        ship_kernels! {
            unsafe of crate::kernel::KERNELS;
            $($row: $op, $element;)*
        }

        /// All entries that this crate ships for one array.
        pub const SHIPPED: &[Entry] = &[
            $(<$op as Kernel<$element>>::BLOCK.untyped(), <$op as Kernel<$element>>::GRID.untyped(),
              <$op as Kernel<$element>>::PARTIALS.untyped(),)*
        ];
    };
}
gpu_kernels::for_each_kernel!(stamp);

macro_rules! stamp_zip {
    ($($row:ident: $op:ty, $element:ty;)*) => {
        ship_zip_kernels! {
            unsafe of crate::kernel::KERNELS;
            $($row: $op, $element;)*
        }

        /// All entries that this crate ships for two arrays.
        pub const SHIPPED_FOR_TWO: &[Entry] = &[
            $(<$op as ZipKernel<$element>>::BLOCK.untyped(), <$op as ZipKernel<$element>>::GRID.untyped(),
              <$op as ZipKernel<$element>>::PARTIALS.untyped(),)*
        ];
    };
}
gpu_kernels::for_each_zip_kernel!(stamp_zip);

macro_rules! stamp_rows {
    ($($row:ident: $op:ty, $element:ty;)*) => {
        ship_rows_kernels! {
            unsafe of crate::kernel::ROWS_KERNELS;
            $($row: $op, $element;)*
        }

        /// All entries that this crate ships for many rows at once.
        pub const SHIPPED_FOR_ROWS: &[Entry] = &[
            $(<$op as RowsKernel<$element>>::BY_LANES.untyped(), <$op as RowsKernel<$element>>::BY_WARP.untyped(),
              <$op as RowsKernel<$element>>::BY_LANES_UNALIGNED.untyped(), <$op as RowsKernel<$element>>::BY_WARP_UNALIGNED.untyped(),
              <$op as RowsKernel<$element>>::BY_TILE.untyped(), <$op as RowsKernel<$element>>::BY_TILES.untyped(),
              <$op as RowsKernel<$element>>::BY_BLOCK.untyped(), <$op as RowsKernel<$element>>::SEGMENTS.untyped(),
              <$op as RowsKernel<$element>>::SHORT_SEGMENTS.untyped(), <$op as RowsKernel<$element>>::FINISH.untyped(),
              <$op as RowsKernel<$element>>::COLUMNS.untyped(), <$op as RowsKernel<$element>>::COLUMNS_UNALIGNED.untyped(),
              <$op as RowsKernel<$element>>::COLUMNS_OF_FEW.untyped(),
              <$op as RowsKernel<$element>>::COLUMNS_OF_FEW_UNALIGNED.untyped(),)*
        ];
    };
}
gpu_kernels::for_each_rows_kernel!(stamp_rows);

macro_rules! stamp_scans {
    ($($row:ident: $op:ty, $element:ty;)*) => {
        ship_scan_kernels! {
            unsafe of crate::kernel::SCAN_KERNELS;
            $($row: $op, $element;)*
        }

        /// All entries that this crate ships to scan.
        pub const SHIPPED_FOR_SCANS: &[Entry] = &[
            $(<$op as ScanKernel<$element>>::SCAN.untyped(), <$op as ScanKernel<$element>>::SCAN_SEGMENTS.untyped(),
              <$op as ScanKernel<$element>>::SCAN_SHORT_SEGMENTS.untyped(),)*
        ];
    };
}
gpu_kernels::for_each_scan_kernel!(stamp_scans);

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use crate::Sum;

    #[test]
    fn every_entry_is_in_its_module() {
        let names: std::collections::BTreeSet<_> = SHIPPED.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), SHIPPED.len());
        let moves =
            crate::SHIPPED_FOR_MOVES.iter().chain(crate::SHIPPED_BY_RANK).chain(crate::SHIPPED_TO_SELECT);
        let moves = moves.chain(crate::SHIPPED_FOR_RADIX).chain(crate::SHIPPED_FOR_LEAVES);
        let moves = moves.chain(crate::SHIPPED_FOR_LEVELS);
        let many = SHIPPED_FOR_ROWS.iter().chain(moves).chain(SHIPPED_FOR_SCANS);
        for entry in SHIPPED.iter().chain(SHIPPED_FOR_TWO).chain(many) {
            let (Entry { name, kernel, .. }, ptx) = (entry, entry.ptx().unwrap());
            assert!(ptx.contains(&format!(".visible .entry {kernel}(")), "{name}");
            assert_eq!(ptx.matches(".entry ").count(), 1, "{name}");
            assert!(ptx.contains(".target sm_75"), "{name}");
            // The host lets these overlap: see `gpu_kernels::entry::raw`.
            let newer = cuda_std::ptx::for_sm_90(&ptx).expect("marks for waiting");
            let waits = |line: &&str| line.trim() == "griddepcontrol.wait;";
            assert_eq!(newer.lines().filter(waits).count(), 1, "{name}");
        }
    }

    #[test]
    fn the_same_code_is_shipped_once() {
        let (signed, unsigned) = (<Sum as Kernel<i64>>::GRID, <Sum as Kernel<u64>>::GRID);
        assert_eq!((signed.name, unsigned.name), ("reduce_sum_i64_grid", "reduce_sum_u64_grid"));
        assert!(signed.kernel == unsigned.kernel && signed.untyped().is_at(&unsigned.untyped()));
        let other = <Sum as Kernel<f64>>::GRID;
        assert_ne!(signed.kernel, other.kernel);
    }
}
