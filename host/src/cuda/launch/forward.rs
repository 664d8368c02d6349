//! The launches of exponentials, softmax and norms of rows. They check that their arguments are memory the kernels may touch, as
//! [`fold`](crate::cuda::launch::fold) does for one input.

use cuda_std::Arguments;
use cuda_std::memory::{Optional, Pointer, Readable};
use gpu_kernels::arguments::{Logarithms, Norm, Softmax};
use gpu_kernels::forward::SumExpResult;
use gpu_kernels::forward::shapes::{
    LANES_THREADS, LanesShape, groups, groups_of_tiles, most_of_lanes, most_of_warp,
};
use gpu_kernels::tree::THREADS;

use crate::cuda::launch::memory::Region;
use crate::cuda::launch::rows::ranges;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::kernel::entry::Entry;
use crate::kernel::forward::ForwardKernel;

/// Rows of a matrix in device memory: at least one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix<'a> {
    pub(crate) input: Region<'a>,
    pub(crate) rows: u64,
    pub(crate) len: u64,
}

/// Most blocks of a launch. Each then has several rows.
const MOST_BLOCKS: u64 = 1 << 30;

/// A launch over some rows of a matrix.
struct Rows<T> {
    input: Readable<T>,
    first: u64,
    rows: u64,
    shape: LanesShape,
}

/// What a norm multiplies with and adds to each column, if anything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affine<'a> {
    pub(crate) weight: Option<Region<'a>>,
    pub(crate) bias: Option<Region<'a>>,
}

impl Queue {
    /// Launches a kernel over all rows, `by_lanes`, `by_warp`, `by_tile` or `by_block` as their length requires, in as many launches as keep each short.
    ///
    /// # Safety
    /// The entry with the `arguments` for some rows may be launched where their elements are readable.
    unsafe fn launch_rows<T: ForwardKernel, A: Arguments>(
        &self,
        kernels: &Kernels,
        Matrix { input, rows, len }: Matrix<'_>,
        [by_lanes, by_warp, by_tile, by_block]: [Entry<A>; 4],
        arguments: impl Fn(Rows<T>) -> Result<A, Error>,
    ) -> Result<(), Error> {
        let elements = rows.checked_mul(len).filter(|_| rows > 0);
        let elements = elements.ok_or(Error::Plan { why: "a launch has at least one row" })?;
        input.array_of::<Readable<T>>(elements)?;
        self.keep_memory(input.memory())?;
        for (first, rows) in ranges(rows, len.saturating_mul(size_of::<T>() as u64)) {
            let input = input.part(first * len, rows * len, size_of::<T>())?.array_of(rows * len)?;
            let by_rows = LanesShape { log2_lanes: 0, log2_pieces: 0 };
            if len <= most_of_warp::<T>() {
                let (entry, shape, at_once) = if len <= most_of_lanes::<T>() {
                    let shape = LanesShape::new::<T>(len);
                    (by_lanes, shape, shape.rows::<T>())
                } else {
                    (by_warp, by_rows, 1)
                };
                let warps = rows.div_ceil(at_once);
                let blocks = warps.div_ceil(u64::from(LANES_THREADS / 32)).min(MOST_BLOCKS) as u32;
                let arguments = arguments(Rows { input, first, rows, shape })?;
                // SAFETY: the caller's promise; the elements are readable, and the queue keeps them. The shape is for this length.
                unsafe { self.launch(kernels, entry, blocks, LANES_THREADS, arguments) }?;
            } else {
                let most = |entry: Entry<A>| {
                    Ok::<_, Error>(self.most_threads(kernels, entry.untyped())? / THREADS as u32)
                };
                let held = groups_of_tiles::<T>(len);
                let (entry, groups) = match held {
                    Some(groups) if groups <= most(by_tile)? => (by_tile, groups),
                    _ => (by_block, groups::<T>(rows, len).min(1 << most(by_block)?.max(1).ilog2())),
                };
                let arguments = arguments(Rows { input, first, rows, shape: by_rows })?;
                let blocks = rows.min(MOST_BLOCKS) as u32;
                // SAFETY: as above; the groups are 1, 2 or 4, and hold the row if the entry is `by_tile`.
                unsafe { self.launch(kernels, entry, blocks, groups * THREADS as u32, arguments) }?;
            }
        }
        Ok(())
    }

    /// Returns the address of some elements of an array, and keeps its memory.
    fn part_of<P: Pointer>(&self, array: Region<'_>, first: u64, count: u64) -> Result<P, Error> {
        self.keep_memory(array.memory())?;
        Ok(array.part(first, count, size_of::<P::Element>())?.array_of(count)?)
    }

    /// Writes the softmax of each row to `out`, which is other memory.
    pub(crate) fn softmax_rows<T: ForwardKernel>(
        &self,
        kernels: &Kernels,
        matrix: Matrix<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let entries = T::FORWARD.softmax();
        let arguments = |Rows { input, first, rows, shape }: Rows<T>| {
            let out = self.part_of(out, first * matrix.len, rows * matrix.len)?;
            let LanesShape { log2_lanes, log2_pieces } = shape;
            Ok(Softmax { input, out, rows, len: matrix.len, log2_lanes, log2_pieces })
        };
        // SAFETY: `part_of` checked that there is room for a result of each element. Nothing else uses it: its cell lends it to one queue
        // at a time, or it is new.
        unsafe { self.launch_rows(kernels, matrix, entries, arguments) }
    }

    /// Writes the logarithm of the softmax of each row to `out`; or with a `result` one of each row, in the carrier of `T`.
    pub(crate) fn logarithms_of_rows<T: ForwardKernel>(
        &self,
        kernels: &Kernels,
        matrix: Matrix<'_>,
        result: Option<SumExpResult>,
        to: Region<'_>,
    ) -> Result<(), Error> {
        let entries = T::FORWARD.logarithms();
        let arguments = |Rows { input, first, rows, shape }: Rows<T>| {
            let (mut out, mut sums) = (Optional::none(), Optional::none());
            let number = match result {
                None => 0,
                Some(SumExpResult::Sum) => 1,
                Some(SumExpResult::Log) => 2,
                Some(SumExpResult::LogMean) => 3,
            };
            match result {
                None => out = self.part_of(to, first * matrix.len, rows * matrix.len)?,
                Some(_) => sums = self.part_of(to, first, rows)?,
            }
            let LanesShape { log2_lanes, log2_pieces } = shape;
            Ok(Logarithms {
                input,
                out,
                rows,
                len: matrix.len,
                log2_lanes,
                log2_pieces,
                result: number,
                sums,
            })
        };
        // SAFETY: as for softmax; with a result there is room for one of each row.
        unsafe { self.launch_rows(kernels, matrix, entries, arguments) }
    }

    /// Writes the root mean square norm of each row to `out`, or the layer norm if `is_centred`. `out` is other memory.
    pub(crate) fn norm_rows<T: ForwardKernel>(
        &self,
        kernels: &Kernels,
        matrix: Matrix<'_>,
        Affine { weight, bias }: Affine<'_>,
        (is_centred, epsilon): (bool, f64),
        out: Region<'_>,
    ) -> Result<(), Error> {
        let entries = T::FORWARD.norm();
        let parameters = |of: Option<Region<'_>>| {
            of.map_or_else(|| Ok(Optional::none()), |of| self.part_of(of, 0, matrix.len))
        };
        let (weight, bias) = (parameters(weight)?, parameters(bias)?);
        let arguments = |Rows { input, first, rows, shape }: Rows<T>| {
            let out = self.part_of(out, first * matrix.len, rows * matrix.len)?;
            let LanesShape { log2_lanes, log2_pieces } = shape;
            let (is_centred, epsilon) = (u32::from(is_centred), T::carrier(epsilon));
            Ok(Norm {
                input,
                out,
                rows,
                len: matrix.len,
                log2_lanes,
                log2_pieces,
                weight,
                bias,
                is_centred,
                epsilon,
            })
        };
        // SAFETY: as for softmax; `parameters` checked that there is a weight and a bias of each column, if any.
        unsafe { self.launch_rows(kernels, matrix, entries, arguments) }
    }
}
