//! The entry points: raw arguments become tokens and handles, then one call into the grid layer.
//!
//! Three per catalogue row: `<row>_block`, `<row>_grid` and `<row>_partials`. A kernels crate of a user's
//! own operators stamps its own with [`stamp_kernels!`](crate::stamp_kernels). Three more per row of a shorter catalogue fold
//! many rows at once: `<row>_rows_by_lanes`, `<row>_rows_by_warp` and `<row>_rows_by_block`. Two, `float_canary` and
//! `float_canary_roots`, show how a device computes: see [`canary`](crate::canary).

/// Stamps the kernel entry points of rows `entry: Operator, element;`, each row a module of the entry's name
/// with the functions `block`, `grid` and `partials`.
#[macro_export]
macro_rules! stamp_kernels {
    ($($entry:ident: $op:ty, $element:ty;)*) => { $(
        $crate::stamp_kernels! { @row $entry: $op, $element, *const $element }
    )* };
    (@row $entry:ident: $op:ty, $element:ty, $input:ty) => {
        #[doc = concat!("The kernels of `", stringify!($op), "` over `", stringify!($element), "`.")]
        #[allow(improper_ctypes_definitions)] // The operator goes from Rust to Rust, and is none if it has no size.
        pub mod $entry {
            use $crate::entry::raw;

            type T = $element;
            type Acc = <$op as $crate::Op<T>>::Acc;
            const V: usize = $crate::tree::vector_len::<T>();

            $crate::entry::kernel! {
                /// Folds `len` elements, at most 16 of the smallest tiles, in one block.
                ///
                /// # Safety
                /// The contract of [`raw::block`].
                pub unsafe fn block as concat!(stringify!($entry), "_block") =>
                    (input: $input, len: u64, base: u64, out: *mut Acc, tag: u32, op: $op)
                {
                    // SAFETY: the same contract.
                    unsafe { raw::block::<T, $op, _, V>(input, len, base, out, tag, op) }
                }

                /// Folds the tiles of `len` elements to partial results and, with a ticket, those to one.
                ///
                /// # Safety
                /// The contract of [`raw::grid`].
                pub unsafe fn grid as concat!(stringify!($entry), "_grid") =>
                    (input: $input, len: u64, base: u64, log2_tile: u32, partials: *mut Acc,
                     ticket: *mut u32, out: *mut Acc, tag: u32, op: $op)
                {
                    // SAFETY: the same contract.
                    unsafe {
                        raw::grid::<T, $op, _, V>(input, len, base, log2_tile, partials, ticket, out, tag, op)
                    }
                }

                /// Folds `count` partial results in portions of `fan_in`, one per block.
                ///
                /// # Safety
                /// The contract of [`raw::partials`].
                pub unsafe fn partials as concat!(stringify!($entry), "_partials") =>
                    (input: *mut Acc, count: u64, fan_in: u32, out: *mut Acc, tag: u32)
                {
                    // SAFETY: the same contract.
                    unsafe { raw::partials::<T, $op>(input, count, fan_in, out, tag) }
                }
            }
        }
    };
}

/// Stamps the kernel entry points that fold many rows at once, of rows `entry: Operator, element;` that
/// [`stamp_kernels!`](crate::stamp_kernels) has too: each a module of the entry's name with the functions `by_lanes`,
/// `by_warp` and `by_block`. Called in another module than that one.
#[macro_export]
macro_rules! stamp_rows_kernels {
    ($($entry:ident: $op:ty, $element:ty;)*) => { $(
        #[doc = concat!("The kernels of `", stringify!($op), "` over rows of `", stringify!($element), "`.")]
        #[allow(improper_ctypes_definitions)] // The operator goes from Rust to Rust, and is none if it has no size.
        pub mod $entry {
            use $crate::entry::raw;

            type T = $element;
            type Acc = <$op as $crate::Op<T>>::Acc;
            const V: usize = $crate::tree::vector_len::<T>();
            const L: usize = $crate::shape::loads_of_item::<T, $op>();
            const K: usize = $crate::shape::lanes_row_values::<T, $op>();

            $crate::entry::kernel! {
                /// Folds each of `rows` rows that lanes of a warp hold.
                ///
                /// # Safety
                /// The contract of [`raw::rows_by_lanes`].
                pub unsafe fn by_lanes as concat!(stringify!($entry), "_rows_by_lanes") =>
                    (input: *const T, rows: u64, len: u64, pitch: u64, out: *mut Acc, op: $op)
                {
                    // SAFETY: the same contract.
                    unsafe { raw::rows_by_lanes::<T, $op, V, L, K>(input, rows, len, pitch, out, op) }
                }

                /// Folds each of `rows` rows of at most a tile.
                ///
                /// # Safety
                /// The contract of [`raw::rows_by_warp`].
                pub unsafe fn by_warp as concat!(stringify!($entry), "_rows_by_warp") =>
                    (input: *const T, rows: u64, len: u64, pitch: u64, out: *mut Acc, op: $op)
                {
                    // SAFETY: the same contract.
                    unsafe { raw::rows_by_warp::<T, $op, V>(input, rows, len, pitch, out, op) }
                }

                /// Folds each of `rows` rows of any length, or parts of them.
                ///
                /// # Safety
                /// The contract of [`raw::rows_by_block`].
                pub unsafe fn by_block as concat!(stringify!($entry), "_rows_by_block") =>
                    (input: *const T, rows: u64, len: u64, pitch: u64, log2_parts: u32, out: *mut Acc, op: $op)
                {
                    // SAFETY: the same contract.
                    unsafe { raw::rows_by_block::<T, $op, V>(input, rows, len, pitch, log2_parts, out, op) }
                }
            }
        }
    )* };
}

/// [`stamp_kernels!`](crate::stamp_kernels) for operators over the pairs of two arrays: rows `entry: Operator, element;`
/// with the element of each array. The operator's own element is a pair, `[element; 2]`.
#[macro_export]
macro_rules! stamp_zip_kernels {
    ($($entry:ident: $op:ty, $element:ty;)*) => { $(
        $crate::stamp_kernels! { @row $entry: $op, [$element; 2], $crate::source::Two<$element> }
    )* };
}

pub use cuda_std::kernel;

/// The generic bodies that the stamps call.
///
/// Each may overlap the launch before it on the same stream: it waits for that one's end before it touches memory
/// ([`cuda_std::grid`]), so the host may allow it (programmatic stream serialization) where the kernel was compiled for
/// compute capability 9.0 or later.
///
/// Where `tag` is not 0, `out` is host memory for a tagged value: see [`cuda_std::global::Outbox`]. Every element was read
/// before that value could be computed: the host may give the input back as soon as it has the value.
pub mod raw {
    use cuda_std::atomic::Ticket;
    use cuda_std::global::{GlobalCells, GlobalSlice, Outbox};
    use cuda_std::grid::wait_for_earlier_launches;
    #[cfg(feature = "catalogue")]
    use cuda_std::thread::index_1d;
    use cuda_std::thread::{block_idx_x, grid_dim_x};

    use crate::block::groups::Groups;
    #[cfg(feature = "catalogue")]
    use crate::canary::Row;
    use crate::grid;
    use crate::op::{Element, Op};
    use crate::rows::{Rows, blocks, lanes, warps};
    use crate::shape::{are_rows_vectors, warp_row_len};
    use crate::source::Inputs;

    /// Folds `len` elements in one block and writes the accumulator to `out`.
    ///
    /// # Safety
    /// Launched with one block of 256, 512 or 1024 threads. `input` is aligned and readable for `len`
    /// elements of each array, at most 16 tiles of the smallest length; `out` is writable for one accumulator, or one with a tag;
    /// nothing else uses them during the launch, but for reading `input`, and the host `out`.
    #[inline(always)]
    pub unsafe fn block<T: Element, O: Op<T>, I: Inputs<T>, const V: usize>(
        input: I,
        len: u64,
        base: u64,
        out: *mut O::Acc,
        tag: u32,
        op: O,
    ) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; every thread runs the same calls below.
        let (block, input, out) = unsafe { (Groups::enter(), input.open(len), Outbox::new(out, tag)) };
        grid::reduce_in_one_block::<T, O, _, V>(block, op, input, base, out);
    }

    /// Folds the tiles of `len` elements; without a ticket (null) to `partials`, otherwise to `out`.
    ///
    /// # Safety
    /// Launched with blocks of 256, 512 or 1024 threads. `input` is aligned and readable for `len` elements of each array;
    /// `2^log2_tile` is the tile length and a multiple of the smallest one; `partials` is writable for one accumulator
    /// per span of as many tiles as a block has times 256 threads, at most 4096 of them if there is a ticket; `ticket`
    /// is null or a u32 that is 0; `out` is writable for one accumulator, or one with a tag, if there is a ticket;
    /// nothing else uses them during the launch, but for reading `input`, and the host `out`.
    #[inline(always)]
    pub unsafe fn grid<T: Element, O: Op<T>, I: Inputs<T>, const V: usize>(
        input: I,
        len: u64,
        base: u64,
        log2_tile: u32,
        partials: *mut O::Acc,
        ticket: *mut u32,
        out: *mut O::Acc,
        tag: u32,
        op: O,
    ) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; every thread runs the same calls below. No index below passes
        // the number of spans.
        let (block, elements, partials, out) = unsafe {
            (Groups::enter(), input.open(len), GlobalCells::new(partials, u64::MAX), Outbox::new(out, tag))
        };
        // SAFETY: by this function's contract.
        let ticket = (!ticket.is_null()).then(|| unsafe { Ticket::new(ticket) });
        let input = grid::Input { elements, base, log2_tile };
        grid::reduce::<T, O, _, V>(block, op, input, partials, ticket, out);
    }

    /// Folds `count` accumulators in portions of `fan_in` to `out`, one per block.
    ///
    /// # Safety
    /// Launched with `count.div_ceil(fan_in)` blocks of 256 threads. `input` is readable for `count`
    /// accumulators and `out` writable for one per block, or of one block for one with a tag; nothing else uses them
    /// during the launch, but the host reads `out`; `fan_in` is a power of two up to 4096.
    #[inline(always)]
    pub unsafe fn partials<T: Element, O: Op<T>>(
        input: *mut O::Acc,
        count: u64,
        fan_in: u32,
        out: *mut O::Acc,
        tag: u32,
    ) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; every thread runs the same calls below.
        let (block, input, cells, tagged) = unsafe {
            (
                Groups::enter(),
                GlobalCells::new(input, count),
                GlobalCells::new(out, u64::from(grid_dim_x())),
                Outbox::new(out, tag),
            )
        };
        let total = grid::reduce_partials::<T, O>(block, input, count, fan_in);
        match (block.thread, tag) {
            (0, 0) => cells.write(u64::from(block_idx_x()), total),
            (0, _) => tagged.write(total),
            _ => {}
        }
    }

    /// Folds each of `rows` rows of `len` elements, which begin every `pitch` elements, to its place in `out`.
    ///
    /// # Safety
    /// Launched with blocks of whole warps. There is at least one row, of 1 to
    /// [`lanes_row_len`](crate::shape::lanes_row_len) elements, with `are_vectors` as
    /// [`are_rows_vectors`] tells. `input` is aligned and readable up to the last row's last
    /// element, and `out` writable for one accumulator per row; nothing else uses them during the launch, but for reading
    /// `input`. `L` and `K` are [`loads_of_item`](crate::shape::loads_of_item) and
    /// [`lanes_row_values`](crate::shape::lanes_row_values).
    #[inline(always)]
    pub unsafe fn rows_by_lanes<T: Element, O: Op<T>, const V: usize, const L: usize, const K: usize>(
        input: *const T,
        rows: u64,
        len: u64,
        pitch: u64,
        out: *mut O::Acc,
        op: O,
    ) {
        wait_for_earlier_launches();
        let are_vectors = are_rows_vectors::<T>(input.addr() as u64, len, pitch);
        // SAFETY: by this function's contract; every thread runs the same calls below.
        let (rows, out) = unsafe { (open_rows(input, rows, len, pitch), GlobalCells::new(out, rows)) };
        match rows.elements.vectors::<V>() {
            Some(vectors) if are_vectors => lanes::reduce::<T, O, _, V, L, K>(op, rows, vectors, out),
            _ => lanes::reduce::<T, O, _, 1, L, K>(op, rows, rows.elements, out),
        }
    }

    /// As [`rows_by_lanes`], by a warp per row.
    ///
    /// # Safety
    /// The same, for rows of 1 to [`warp_row_len`] elements.
    #[inline(always)]
    pub unsafe fn rows_by_warp<T: Element, O: Op<T>, const V: usize>(
        input: *const T,
        rows: u64,
        len: u64,
        pitch: u64,
        out: *mut O::Acc,
        op: O,
    ) {
        wait_for_earlier_launches();
        let are_vectors = are_rows_vectors::<T>(input.addr() as u64, len, pitch);
        // SAFETY: by this function's contract; every thread runs the same calls below.
        let (rows, out) = unsafe { (open_rows(input, rows, len, pitch), GlobalCells::new(out, rows)) };
        // Of accumulators that are too large there is the entry, and no code.
        if warp_row_len::<T, O>() == 0 {
            return;
        }
        match rows.elements.vectors::<V>() {
            Some(vectors) if are_vectors => warps::reduce::<T, O, _, V>(op, rows, vectors, out),
            _ => warps::reduce::<T, O, _, V>(op, rows, rows.elements, out),
        }
    }

    /// Folds each of `rows` rows of `len` elements, which begin every `pitch` elements, in `2^log2_parts` parts, each to its
    /// place in `out`. The parts of a row are left to be folded in pairs of neighbours: by [`partials`].
    ///
    /// # Safety
    /// Launched with blocks of 256, 512 or 1024 threads. There is at least one row, of at least one element. A row has, with
    /// its number of tiles rounded up to a power of two, a tile or more for each part and each 256 threads of a block.
    /// `input` is aligned and readable up to the last row's last element, and `out` writable for one accumulator per part;
    /// nothing else uses them during the launch, but for reading `input`.
    #[inline(always)]
    pub unsafe fn rows_by_block<T: Element, O: Op<T>, const V: usize>(
        input: *const T,
        rows: u64,
        len: u64,
        pitch: u64,
        log2_parts: u32,
        out: *mut O::Acc,
        op: O,
    ) {
        wait_for_earlier_launches();
        // SAFETY: by this function's contract; every thread runs the same calls below.
        let (block, rows, out) = unsafe {
            (Groups::enter(), open_rows(input, rows, len, pitch), GlobalCells::new(out, rows << log2_parts))
        };
        blocks::reduce::<T, O, V>(block, op, rows, log2_parts, out);
    }

    /// The handle of the rows.
    ///
    /// # Safety
    /// `input` is aligned and readable up to the last row's last element during the launch, and nothing writes there.
    #[inline(always)]
    unsafe fn open_rows<T: Element>(input: *const T, count: u64, len: u64, pitch: u64) -> Rows<T> {
        let end = (count - 1) * pitch + len;
        // SAFETY: by this function's contract.
        Rows { elements: unsafe { GlobalSlice::new(input, end) }, count, len, pitch }
    }

    /// Writes `compute` of each of `len` rows, one by each thread.
    ///
    /// # Safety
    /// Launched with at least `len` threads in all. `input` is readable and `out` writable for `len` rows; nothing
    /// else uses them during the launch, but for reading `input`.
    #[cfg(feature = "catalogue")]
    #[inline(always)]
    pub unsafe fn rows(input: *const Row, len: u64, out: *mut Row, compute: impl Fn(Row) -> Row) {
        // SAFETY: by this function's contract; each thread writes a row of its own.
        let (input, out) = unsafe { (GlobalSlice::new(input, len), GlobalCells::new(out, len)) };
        let index = index_1d();
        if index < len {
            out.write(index, compute(input.read(index)));
        }
    }
}

#[cfg(feature = "catalogue")]
crate::for_each_kernel!(stamp_kernels);
#[cfg(feature = "catalogue")]
crate::for_each_zip_kernel!(stamp_zip_kernels);

/// The kernels over many rows.
#[cfg(feature = "rows")]
pub mod rows {
    crate::for_each_rows_kernel!(stamp_rows_kernels);
}

#[cfg(feature = "catalogue")]
kernel! {
    /// The sums and products of `len` rows of operands.
    ///
    /// # Safety
    /// The contract of [`raw::rows`].
    pub unsafe fn float_canary(input: *const crate::canary::Row, len: u64, out: *mut crate::canary::Row) {
        // SAFETY: the same contract.
        unsafe { raw::rows(input, len, out, crate::canary::Row::arithmetic) }
    }

    /// The quotients and roots of `len` rows of operands. A kernel of its own, because a GPU divides by fused
    /// operations, which must not be found in the other one's machine code.
    ///
    /// # Safety
    /// The contract of [`raw::rows`].
    pub unsafe fn float_canary_roots(input: *const crate::canary::Row, len: u64, out: *mut crate::canary::Row) {
        // SAFETY: the same contract.
        unsafe { raw::rows(input, len, out, crate::canary::Row::roots) }
    }
}
