//! The entry points: raw arguments become tokens and handles, then each makes one call into a layer below.
//!
//! Each (entry, operator, element) of the [catalogue](crate::for_each_kernel) has `<entry>_block`, `<entry>_grid` and
//! `<entry>_partials`. A kernels crate of your own operators stamps its own with
//! [`stamp_kernels!`](crate::stamp_kernels). Entries of the shorter lists have more:
//!
//! - many rows at once: `<entry>_rows_by_lanes`, `<entry>_rows_by_warp` (each with an `_unaligned` twin),
//!   `<entry>_rows_by_tile`, `<entry>_rows_by_tiles` and `<entry>_rows_by_block`
//! - many columns: `<entry>_columns` and `<entry>_columns_of_few` (each with an `_unaligned` twin)
//! - segments: `<entry>_segments` and `<entry>_short_segments`, after `segments_list`
//! - results from the accumulators of these: `<entry>_finish`
//! - groups, for operators with an atomic instruction: `<entry>_groups`, before `group_accumulators`
//! - scans: `<entry>_scan` of an array; `<entry>_scan_segments` and `<entry>_scan_short_segments` of segments, after
//!   `scan_segments_list`
//!
//! `float_canary` and `float_canary_roots` show how a device computes: see [`canary`](crate::canary).

/// Stamps the kernel entry points of lines `entry: Operator, element;`. Each line becomes a module of the entry's name with a
/// function for each of [`fold_kernels!`](crate::fold_kernels).
#[macro_export]
macro_rules! stamp_kernels {
    ($($entry:ident: $op:ty, $element:ty;)*) => {
        $( $crate::fold_kernels! { [$crate::stamp_family!] ($entry: T = $element, O = $op, I = $crate::addresses::Readable<$element>) } )*
    };
}

/// Stamps the kernel entry points over many rows, columns or segments. Each line `entry: Operator, element;` also is a
/// line of [`stamp_kernels!`](crate::stamp_kernels). It becomes a module of the entry's name with a function for each
/// of [`rows_kernels!`](crate::rows_kernels), so call it in another module than `stamp_kernels!`. The operator's result
/// is [`Storable`](crate::Storable).
#[macro_export]
macro_rules! stamp_rows_kernels {
    ($($entry:ident: $op:ty, $element:ty;)*) => {
        $( $crate::rows_kernels! { [$crate::stamp_family!] ($entry: T = $element, O = $op, I = $crate::addresses::Readable<$element>) } )*
    };
}

/// Stamps the kernel entry points that scan, of lines `entry: Operator, element;`. Each line becomes a module of the entry's
/// name with a function for each of [`scan_kernels!`](crate::scan_kernels). The operator's result is
/// [`Storable`](crate::Storable).
#[macro_export]
macro_rules! stamp_scan_kernels {
    ($($entry:ident: $op:ty, $element:ty;)*) => {
        $( $crate::scan_kernels! { [$crate::stamp_family!] ($entry: T = $element, O = $op, I = $crate::addresses::Readable<$element>) } )*
    };
}

/// Stamps the kernel entry points over groups, of lines `entry: Operator, element;` of operators with an atomic instruction. Each line
/// becomes a module of the entry's name with a function for each of [`atomic_kernels!`](crate::atomic_kernels).
#[macro_export]
macro_rules! stamp_atomic_kernels {
    ($($entry:ident: $op:ty, $element:ty;)*) => {
        $( $crate::atomic_kernels! { [$crate::stamp_family!] ($entry: T = $element, O = $op) } )*
    };
}

/// [`stamp_kernels!`](crate::stamp_kernels) for operators over the pairs of two arrays: lines `entry: Operator, element;` with
/// the element of each array. The operator's own element is a pair, `[element; 2]`.
#[macro_export]
macro_rules! stamp_zip_kernels {
    ($($entry:ident: $op:ty, $element:ty;)*) => {
        $( $crate::fold_kernels! { [$crate::stamp_family!]
            ($entry: T = [$element; 2], O = $op, I = $crate::source::Two<$element>)
        } )*
    };
}

/// Stamps a family's entry points for one row: a module with the types that the family's list uses.
#[doc(hidden)]
#[macro_export]
macro_rules! stamp_family {
    (($entry:ident: $($of:ident = $type:ty),*) { $($constants:item)* }
        $($(#[$about:meta])* $name:ident: $arguments:ty = $suffix:literal, $body:path;)*) => {
        /// The kernels of a row.
        #[doc(hidden)]
        pub mod $entry {
            $(
                #[allow(dead_code, reason = "some families have no form of addresses")]
                type $of = $type;
            )*
            $($constants)*

            $crate::entry::kernel! { $(
                $(#[$about])*
                ///
                /// # Safety
                #[doc = concat!("The contract of `", stringify!($body), "`.")]
                pub unsafe fn $name as concat!(stringify!($entry), $suffix) => $body: $arguments;
            )* }
        }
    };
}

pub use cuda_std::kernel;

/// The generic bodies that the stamps call.
///
/// Each may overlap the launch before it on the same stream, because it waits for the end of that launch before it touches
/// memory ([`cuda_std::grid`]). So the host may allow overlap (programmatic stream serialization) where the kernel was compiled
/// for compute capability 9.0 or later.
///
/// Where `tag` is not 0, `out` is host memory for a tagged value: see [`cuda_std::global::Outbox`]. Every element was read
/// before that value could be computed, so the host may release the input as soon as it has the value.
pub mod raw {
    use cuda_std::grid::wait_for_earlier_launches;
    #[cfg(any(feature = "catalogue", feature = "emulator"))]
    use cuda_std::thread::index_1d;
    use cuda_std::thread::{block_idx_x, grid_dim_x};

    #[cfg(any(feature = "catalogue", feature = "emulator"))]
    use crate::arguments::Canary;
    use crate::arguments::{Block, Finish, Grid, Partials};
    use crate::block::groups::Groups;
    #[cfg(any(feature = "catalogue", feature = "emulator"))]
    use crate::canary::Row;
    use crate::finish::{self, Lens};
    use crate::grid;
    use crate::op::{Element, Op};
    use crate::source::Inputs;
    use crate::stored::Storable;

    pub use crate::columns::entry::{columns, columns_of_few, columns_of_few_unaligned, columns_unaligned};
    pub use crate::rows::entry::{
        rows_by_block, rows_by_lanes, rows_by_lanes_unaligned, rows_by_tiles, rows_by_warp,
        rows_by_warp_unaligned,
    };
    pub use crate::scan::entry::scan;
    pub use crate::scan::segments::entry::{scan_segments, scan_segments_list, scan_short_segments};
    #[cfg(any(feature = "rows", feature = "emulator"))]
    pub use crate::segments::entry::segments_list;
    pub use crate::segments::entry::{segments, short_segments};

    /// Folds `len` elements in one block and writes the accumulator to `out`.
    ///
    /// # Safety
    /// Launched with one block of 256, 512 or 1024 threads. `input` has `len` elements of each array, at most 16 tiles of the
    /// smallest length. `out` has room for one accumulator, or for one with a tag.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn block<T: Element, O: Op<T>, I: Inputs<T>, const V: usize>(a: Block<I, T, O>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; every thread runs the same calls below.
        let (block, input, out) = unsafe { (Groups::enter(), a.input.open(a.len), a.out.outbox(a.tag)) };
        grid::reduce_in_one_block::<T, O, _, V>(block, a.op, input, a.base, out);
    }

    /// Folds the tiles of `len` elements: without a ticket (null) to `partials`, otherwise to `out`.
    ///
    /// # Safety
    /// Launched with blocks of 256, 512 or 1024 threads. `input` has `len` elements of each array. `2^log2_tile` is the tile
    /// length and a multiple of the smallest one. `partials` has room for one accumulator per span, of as many tiles as a block
    /// has groups of 256 threads; with a ticket there are at most 4096 spans. `ticket`, if it is there, is 0, and `out` has room
    /// for one accumulator, or for one with a tag.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn grid<T: Element, O: Op<T>, I: Inputs<T>, const V: usize>(a: Grid<I, T, O>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; every thread runs the same calls below. No index below reaches the number of
        // spans, for which the caller made `partials` writable.
        let (block, elements, partials, out) = unsafe {
            (
                Groups::enter(),
                a.input.open(a.len),
                a.partials.cells(u64::MAX),
                a.out.get_unchecked().outbox(a.tag),
            )
        };
        // SAFETY: by this function's contract.
        let ticket = a.ticket.get().map(|ticket| unsafe { ticket.ticket() });
        let input = grid::Input { elements, base: a.base, log2_tile: a.log2_tile };
        grid::reduce::<T, O, _, V>(block, a.op, input, partials, ticket, out);
    }

    /// Folds `count` accumulators in portions of `fan_in` to one accumulator per block in `out`.
    ///
    /// # Safety
    /// Launched with `count.div_ceil(fan_in)` blocks of 256 threads. `input` has `count` accumulators. `out` has room for one per
    /// block or, of a single block, for one with a tag. `fan_in` is a power of two up to 4096.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn partials<T: Element, O: Op<T>>(a: Partials<T, O>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; every thread runs the same calls below.
        let (block, input, cells, tagged) = unsafe {
            (
                Groups::enter(),
                a.input.cells(a.count),
                a.out.cells(u64::from(grid_dim_x())),
                a.out.outbox(a.tag),
            )
        };
        let total = grid::reduce_partials::<T, O>(block, input, a.count, a.fan_in);
        match (block.thread, a.tag) {
            (0, 0) => cells.write(u64::from(block_idx_x()), total),
            (0, _) => tagged.write(total),
            _ => {}
        }
    }

    /// Finishes `count` accumulators to the results at the same indices of `out`. Each is of `len` elements or, with `offsets`,
    /// accumulator `i` is of `offsets[i + 1] - offsets[i]`. Accumulators of no elements are not read.
    ///
    /// # Safety
    /// `accs` has `count` accumulators, `out` room for as many results, and `offsets`, if it is there, `count + 1` offsets.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn finish<T: Element, O: Op<T, Out: Storable>>(a: Finish<T, O>) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; each place is written by one thread.
        let (accs, out) = unsafe { (a.accs.slice(a.count), a.out.cells(a.count)) };
        let lens = match a.offsets.get() {
            None => Lens::Same(a.len),
            // SAFETY: by this function's contract.
            Some(offsets) => Lens::Between(unsafe { offsets.slice(a.count + 1) }),
        };
        finish::finish::<T, O>(accs, lens, out);
    }

    /// Writes the sums and products of each of `len` rows of operands.
    ///
    /// # Safety
    /// Launched with at least `len` threads in all. `input` has `len` rows, and `out` room for as many.
    #[cfg(any(feature = "catalogue", feature = "emulator"))]
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn arithmetic(rows: Canary) {
        // SAFETY: the same contract.
        unsafe { each_row(rows, Row::arithmetic) }
    }

    /// Writes the quotients and roots of each of `len` rows of operands.
    ///
    /// # Safety
    /// As for [`arithmetic`].
    #[cfg(any(feature = "catalogue", feature = "emulator"))]
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub unsafe fn roots(rows: Canary) {
        // SAFETY: the same contract.
        unsafe { each_row(rows, Row::roots) }
    }

    /// Writes `compute` of each row of operands, one per thread.
    ///
    /// # Safety
    /// As for [`arithmetic`].
    #[cfg(any(feature = "catalogue", feature = "emulator"))]
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    unsafe fn each_row(a: Canary, compute: impl Fn(Row) -> Row) {
        // SAFETY: by this function's contract; each thread writes a row of its own.
        let (input, out) = unsafe { (a.input.slice(a.len), a.out.cells(a.len)) };
        let index = index_1d();
        if index < a.len {
            out.write(index, compute(input.read(index)));
        }
    }
}

#[cfg(feature = "catalogue")]
crate::for_each_kernel!(stamp_kernels);
#[cfg(feature = "catalogue")]
crate::for_each_zip_kernel!(stamp_zip_kernels);

/// The kernels of operators over formulas.
#[cfg(feature = "formula")]
#[doc(hidden)]
pub mod formulas {
    crate::for_each_formula_kernel!(stamp_kernels);
    crate::for_each_formula_zip_kernel!(stamp_zip_kernels);

    /// The kernels over many rows.
    pub mod rows {
        crate::for_each_formula_kernel!(stamp_rows_kernels);
    }

    /// The kernels that scan.
    pub mod scans {
        crate::for_each_formula_scan_kernel!(stamp_scan_kernels);
    }

    macro_rules! stamp {
        ($($entry:ident: $word:ty;)*) => {
            $( crate::satisfying_kernels! { [crate::stamp_family!] ($entry: W = $word) } )*
        };
    }
    crate::for_each_satisfying_kernel!(stamp);
}

/// The kernels over groups of operators with an atomic instruction.
#[cfg(feature = "moves")]
#[doc(hidden)]
pub mod groups {
    crate::for_each_atomic_kernel!(stamp_atomic_kernels);
}

/// The kernels that scan.
#[cfg(feature = "scan")]
#[doc(hidden)]
pub mod scans {
    crate::for_each_scan_kernel!(stamp_scan_kernels);

    crate::entry::kernel! {
        /// Checks the offsets of segments to be scanned, and lists the long segments and their tiles.
        ///
        /// # Safety
        /// The contract of [`raw::scan_segments_list`](super::raw::scan_segments_list).
        pub unsafe fn scan_segments_list => super::raw::scan_segments_list: crate::arguments::ScanSegmentsList;
    }
}

/// The kernels over many rows.
#[cfg(feature = "rows")]
#[doc(hidden)]
pub mod rows {
    crate::for_each_rows_kernel!(stamp_rows_kernels);

    crate::entry::kernel! {
        /// Checks the offsets of segments, and lists the tiles of long segments.
        ///
        /// # Safety
        /// The contract of [`raw::segments_list`](super::raw::segments_list).
        pub unsafe fn segments_list => super::raw::segments_list: crate::arguments::SegmentsList;
    }
}

#[cfg(feature = "catalogue")]
kernel! {
    /// Computes the sums and products of `len` rows of operands.
    ///
    /// # Safety
    /// The contract of [`raw::arithmetic`].
    pub unsafe fn float_canary => raw::arithmetic: crate::arguments::Canary;

    /// Computes the quotients and roots of `len` rows of operands. It is a kernel of its own because a GPU divides by fused
    /// operations, which must not be found in the machine code of the other one.
    ///
    /// # Safety
    /// The contract of [`raw::roots`].
    pub unsafe fn float_canary_roots => raw::roots: crate::arguments::Canary;
}
