//! The launches of exponentials, softmax, norms and gradients of rows. They check that their arguments are memory the kernels may touch, as
//! [`fold`](crate::cuda::launch::fold) does for one input.

use cuda_std::Arguments;
use cuda_std::memory::{Optional, Pointer, Readable};
use gpu_kernels::Element;
use gpu_kernels::arguments::{
    CrossEntropyGradient, Logarithms, Norm, NormGradient, Softmax, SoftmaxGradient,
};
use gpu_kernels::forward::SumExpResult;
use gpu_kernels::forward::shapes::{
    LANES_THREADS, LanesShape, groups, groups_of_tiles, most_of_lanes, most_of_warp,
};
use gpu_kernels::tree::THREADS;

use crate::cuda::launch::enqueue::Input;
use crate::cuda::launch::memory::Region;
use crate::cuda::launch::rows::ranges;
use crate::cuda::launch::{Kernels, Queue};
use crate::error::Error;
use crate::index_type::IndexType;
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

/// Which norm: its parameters of columns, if any; whether it is the layer norm; and what is added to the mean of squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NormOf<'a> {
    pub(crate) weight: Option<Region<'a>>,
    pub(crate) bias: Option<Region<'a>>,
    pub(crate) is_centred: bool,
    pub(crate) epsilon: f64,
}

/// A label for each row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labels<'a> {
    region: Region<'a>,
    are_wide: bool,
    are_signed: bool,
}

impl<'a> Labels<'a> {
    /// Returns the labels in an array.
    pub(crate) fn new<L: IndexType + Element>(array: Input<'a, L>) -> Self {
        Self { region: array.region(), are_wide: size_of::<L>() == 8, are_signed: L::IS_SIGNED }
    }

    /// Returns what the kernels are told of them.
    fn kind(self) -> u32 {
        u32::from(self.are_wide) + 2 * u32::from(self.are_signed)
    }
}

/// What is made of the logarithm of the sum of a row's exponentials.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LogOf<'a> {
    /// The logarithm of the softmax of each element.
    Softmax,
    /// A sum, for each row.
    Sums(SumExpResult),
    /// The cross-entropy of each row.
    Loss(Labels<'a>),
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

    /// Returns the address of the labels of some rows, and keeps their memory.
    fn labels_of(&self, labels: Labels<'_>, first: u64, rows: u64) -> Result<Readable<u32>, Error> {
        Ok(match labels.are_wide {
            true => self.part_of::<Readable<u64>>(labels.region, first, rows)?.cast(),
            false => self.part_of(labels.region, first, rows)?,
        })
    }

    /// Writes the logarithm of the softmax of each row to `to`; or a result of each row, in the carrier of `T`.
    pub(crate) fn logarithms_of_rows<T: ForwardKernel>(
        &self,
        kernels: &Kernels,
        matrix: Matrix<'_>,
        of: LogOf<'_>,
        to: Region<'_>,
    ) -> Result<(), Error> {
        let entries = T::FORWARD.logarithms();
        let arguments = |Rows { input, first, rows, shape }: Rows<T>| {
            let len = matrix.len;
            let (mut out, mut sums) = (Optional::none(), Optional::none());
            let (mut labels, mut label_kind) = (Optional::none(), 0);
            let result = match of {
                LogOf::Softmax => 0,
                LogOf::Sums(SumExpResult::Sum) => 1,
                LogOf::Sums(SumExpResult::Log) => 2,
                LogOf::Sums(SumExpResult::LogMean) => 3,
                LogOf::Loss(all) => {
                    labels = self.labels_of(all, first, rows)?.into();
                    label_kind = all.kind();
                    4
                }
            };
            match of {
                LogOf::Softmax => out = self.part_of(to, first * len, rows * len)?,
                _ => sums = self.part_of(to, first, rows)?,
            }
            let LanesShape { log2_lanes, log2_pieces } = shape;
            Ok(Logarithms {
                input,
                out,
                rows,
                len,
                log2_lanes,
                log2_pieces,
                result,
                sums,
                labels,
                label_kind,
            })
        };
        // SAFETY: as for softmax; with a result of each row there is room for one, and a label if it is needed.
        unsafe { self.launch_rows(kernels, matrix, entries, arguments) }
    }

    /// Writes the gradient of the cross-entropy of each row to `out`, which is other memory. `gradients` are in the carrier of `T`.
    pub(crate) fn cross_entropy_gradients<T: ForwardKernel>(
        &self,
        kernels: &Kernels,
        matrix: Matrix<'_>,
        labels: Labels<'_>,
        gradients: Region<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let len = matrix.len;
        let arguments = |Rows { input, first, rows, shape }: Rows<T>| {
            let out = self.part_of(out, first * len, rows * len)?;
            let gradients = self.part_of(gradients, first, rows)?;
            let LanesShape { log2_lanes, log2_pieces } = shape;
            let (labels, label_kind) = (self.labels_of(labels, first, rows)?, labels.kind());
            Ok(CrossEntropyGradient {
                input,
                out,
                rows,
                len,
                log2_lanes,
                log2_pieces,
                labels,
                label_kind,
                gradients,
            })
        };
        // SAFETY: as for softmax; `part_of` checked that there is a label and a gradient of each row.
        unsafe { self.launch_rows(kernels, matrix, T::FORWARD.cross_entropy_gradient(), arguments) }
    }

    /// Returns the address of a parameter of each column, if there is one, and keeps its memory.
    fn of_columns<T: ForwardKernel>(
        &self,
        all: Option<Region<'_>>,
        len: u64,
    ) -> Result<Optional<Readable<T>>, Error> {
        all.map_or_else(|| Ok(Optional::none()), |all| self.part_of(all, 0, len))
    }

    /// Writes the norm of each row to `out`, which is other memory.
    pub(crate) fn norm_rows<T: ForwardKernel>(
        &self,
        kernels: &Kernels,
        matrix: Matrix<'_>,
        NormOf { weight, bias, is_centred, epsilon }: NormOf<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let len = matrix.len;
        let (weight, bias) = (self.of_columns::<T>(weight, len)?, self.of_columns::<T>(bias, len)?);
        let arguments = |Rows { input, first, rows, shape }: Rows<T>| {
            let out = self.part_of(out, first * len, rows * len)?;
            let LanesShape { log2_lanes, log2_pieces } = shape;
            let (is_centred, epsilon) = (u32::from(is_centred), T::carrier(epsilon));
            Ok(Norm { input, out, rows, len, log2_lanes, log2_pieces, weight, bias, is_centred, epsilon })
        };
        // SAFETY: as for softmax; `of_columns` checked that there is a weight and a bias of each column, if any.
        unsafe { self.launch_rows(kernels, matrix, T::FORWARD.norm(), arguments) }
    }

    /// Writes the gradient of the softmax of each row to `out`, which is other memory, or of its logarithm.
    pub(crate) fn softmax_gradients<T: ForwardKernel>(
        &self,
        kernels: &Kernels,
        matrix: Matrix<'_>,
        gradient: Region<'_>,
        is_logarithm: bool,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let len = matrix.len;
        let arguments = |Rows { input, first, rows, shape }: Rows<T>| {
            let out = self.part_of(out, first * len, rows * len)?;
            let gradient = self.part_of(gradient, first * len, rows * len)?;
            let LanesShape { log2_lanes, log2_pieces } = shape;
            let is_logarithm = u32::from(is_logarithm);
            Ok(SoftmaxGradient { input, out, rows, len, log2_lanes, log2_pieces, gradient, is_logarithm })
        };
        // SAFETY: as for softmax; `part_of` checked that there is a gradient of each element.
        unsafe { self.launch_rows(kernels, matrix, T::FORWARD.softmax_gradient(), arguments) }
    }

    /// Writes the gradient of a norm of each row to `out`, which is other memory.
    pub(crate) fn norm_gradients<T: ForwardKernel>(
        &self,
        kernels: &Kernels,
        matrix: Matrix<'_>,
        gradient: Region<'_>,
        NormOf { weight, is_centred, epsilon, .. }: NormOf<'_>,
        out: Region<'_>,
    ) -> Result<(), Error> {
        let len = matrix.len;
        let weight = self.of_columns::<T>(weight, len)?;
        let arguments = |Rows { input, first, rows, shape }: Rows<T>| {
            let out = self.part_of(out, first * len, rows * len)?;
            let gradient = self.part_of(gradient, first * len, rows * len)?;
            let LanesShape { log2_lanes, log2_pieces } = shape;
            let (is_centred, epsilon) = (u32::from(is_centred), T::carrier(epsilon));
            Ok(NormGradient {
                input,
                out,
                rows,
                len,
                log2_lanes,
                log2_pieces,
                gradient,
                weight,
                is_centred,
                epsilon,
            })
        };
        // SAFETY: as for norms, and there is a gradient of each element.
        unsafe { self.launch_rows(kernels, matrix, T::FORWARD.norm_gradient(), arguments) }
    }
}
