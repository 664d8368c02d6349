//! Reductions of many rows of a matrix at once.

use gpu_kernels::shapes::{are_rows_vectors, do_warps_fold_rows};
use gpu_kernels::{Element, Op};

use crate::cuda::Cuda;
use crate::cuda::array::results::DeviceResults;
use crate::cuda::executor::Executor;
use crate::cuda::input::{DeviceElements, Parts, Work, parts};
use crate::cuda::launch::{Input, Region};
use crate::error::Error;
use crate::input::Rows;
use crate::kernel::RowsKernel;
use crate::kernel::entry::Entry;
use crate::plan::rows::{Kind, RowsPlan};

impl Cuda {
    /// Allocates `count` results for [`Stream::reduce_into`](crate::cuda::Stream::reduce_into). Before the first write
    /// they are results of empty inputs.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum, rows};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let (stream, x) = (cuda.stream()?, cuda.upload(&[1.0f32, 2.0, 3.0, 4.0])?);
    /// let mut sums = cuda.results::<f32, Sum>(2)?;
    /// stream.reduce_into(Sum, rows(&x, [2, 2]), &mut sums)?;
    /// assert_eq!(sums.to_vec()?, [3.0, 7.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn results<T: Element, O: Op<T>>(&self, count: usize) -> Result<DeviceResults<T, O>, Error> {
        self.lease(|executor| DeviceResults::new(self, executor, count))
    }
}

impl<D: DeviceElements> Rows<D> {
    /// Returns the plan by which `cuda` reduces these rows with `op`, unless they have [another](Rows::with_plan).
    /// Loads the kernel.
    ///
    /// # Errors
    /// [`Error::Shape`], and [`Error::PtxTooNew`] and [`Error::Kernel`] from the first call of each operator.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum, rows};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    /// let plan = rows(&x, [2, 2]).plan(Sum, &cuda)?;
    /// assert_eq!(cuda.reduce(Sum, rows(&x, [2, 2]).with_plan(plan))?.to_vec()?, [3.0, 7.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn plan<O: RowsKernel<D::Element>>(&self, _op: O, cuda: &Cuda) -> Result<RowsPlan, Error> {
        let x = self.x.device_slice();
        let [rows, columns] = checked(x.len(), self.shape)?;
        plan::<D::Element, O>(cuda, x.as_device_ptr(), rows, columns, columns)
    }
}

/// Rows of more than 64 GiB in all take several launches. After an error between two of them some results are
/// overwritten.
impl<D: DeviceElements, O: RowsKernel<D::Element>> Parts<O> for Rows<D> {
    type Element = D::Element;

    fn count(&self) -> Result<usize, Error> {
        Ok(checked(self.x.device_slice().len(), self.shape)?[0])
    }

    fn enqueue(&self, work: Work<'_>, op: O, out: &DeviceResults<D::Element, O>) -> Result<(), Error> {
        let (x, [rows, columns], cell) = (self.x.device_slice(), self.shape, out.cell());
        let (input, shape) = (x.input()?, [rows, columns, columns]);
        let enqueue = || work.executor.enqueue_rows(op, work.cuda, self.plan, input, shape, cell.region());
        work.write(cell, columns as u64, enqueue)
    }

    fn kernels() -> Vec<Entry> {
        let mut kernels = vec![
            O::ROWS.by_lanes.untyped(),
            O::ROWS.by_lanes_unaligned.untyped(),
            O::ROWS.by_warp.untyped(),
            O::ROWS.by_warp_unaligned.untyped(),
            O::ROWS.by_block.untyped(),
            O::FOLD.partials.untyped(),
            O::ROWS.finish.untyped(),
        ];
        if do_warps_fold_rows::<D::Element, O>() {
            kernels.extend([O::ROWS.by_tile.untyped(), O::ROWS.by_tiles.untyped()]);
        }
        kernels
    }
}
parts!([D: DeviceElements] D::Element, Rows<D>);

impl Executor {
    /// Enqueues the launches that fold `rows` rows of `columns` elements, `pitch` apart, to `out`. Does nothing for empty
    /// input.
    pub(crate) fn enqueue_rows<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        plan: Option<RowsPlan>,
        input: Input<'_, T>,
        [rows, columns, pitch]: [usize; 3],
        out: Region<'_>,
    ) -> Result<(), Error> {
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        let plan = match plan {
            Some(plan) => plan,
            None => self::plan::<T, O>(cuda, input.address(), rows, columns, pitch)?,
        };
        let (shape, scratch) = ((rows as u64, columns as u64, pitch as u64), self.ready()?);
        self.queue().fold_rows(op, cuda.kernels(), plan, input, shape, scratch.front()?, out)
    }
}

/// Returns the plan for `rows` rows of `columns` elements, `pitch` apart, that begin at `address`, by what the kernel's
/// registers leave room for.
fn plan<T: Element, O: RowsKernel<T>>(
    cuda: &Cuda,
    address: u64,
    rows: usize,
    columns: usize,
    pitch: usize,
) -> Result<RowsPlan, Error> {
    let (rows, len) = (rows as u64, columns as u64);
    let are_vectors = are_rows_vectors::<T>(address, len, pitch as u64);
    let resident = |kind| {
        cuda.kernels().resident(match kind {
            Kind::Lanes if are_vectors => O::ROWS.by_lanes.untyped(),
            Kind::Lanes => O::ROWS.by_lanes_unaligned.untyped(),
            Kind::Tile => O::ROWS.by_tile.untyped(),
            Kind::Tiles => O::ROWS.by_tiles.untyped(),
            Kind::Warp if are_vectors => O::ROWS.by_warp.untyped(),
            Kind::Warp => O::ROWS.by_warp_unaligned.untyped(),
            Kind::Block => O::ROWS.by_block.untyped(),
        })
    };
    let all = rows.saturating_sub(1).saturating_mul(pitch as u64).saturating_add(len);
    let are = [are_vectors, are_rows_vectors::<T>(address, all, all)];
    RowsPlan::for_residents::<T, O>(rows, len, are, cuda.multiprocessors(), resident)
}

/// Returns the shape if it has `given` elements.
pub(crate) fn checked(given: usize, shape: [usize; 2]) -> Result<[usize; 2], Error> {
    let [rows, columns] = shape;
    if rows.checked_mul(columns) == Some(given) {
        return Ok(shape);
    }
    Err(Error::Shape { shape: shape.into(), given: given as u64 })
}
