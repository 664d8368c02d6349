//! Many rows of a matrix on a device at once.

use gpu_kernels::shape::are_rows_vectors;

use super::lane::Lane;
use super::launch::Input;
use super::results::{DeviceResults, of_none};
use super::scalar::Cell;
use super::{Cuda, DeviceSlice, Stream};
use crate::error::Error;
use crate::rows_plan::Kind;
use crate::{Element, Kernel, RowsKernel, RowsPlan};

impl Cuda {
    /// Makes room for `count` results of [`Stream::reduce_rows_into`] and its like: until then they are results of no elements.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Driver`].
    pub fn results<T: Element, O: Kernel<T>>(&self, count: usize) -> Result<DeviceResults<T, O>, Error> {
        self.lease(|lane| DeviceResults::new(self, lane, count))
    }

    /// Reduces each row of a row-major matrix `[rows, columns]`, and waits for the results. Each has the bits of
    /// [`reduce`](Self::reduce) of that row alone, and an index in it counts from the row's first element.
    ///
    /// Rows of a multiple of 16 bytes that begin at one are read fastest.
    ///
    /// # Errors
    /// [`Error::Shape`] if rows times columns is not the number of elements, and those of [`reduce`](Self::reduce).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(cuda.reduce_rows::<f32, Sum>(&x.as_slice(), [2, 3])?, [6.0, 15.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_rows<T: Element, O: RowsKernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_rows_by(O::default(), x, shape)
    }

    /// [`reduce_rows`](Self::reduce_rows) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_rows`](Self::reduce_rows).
    pub fn reduce_rows_by<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        let [rows, columns] = checked(x.len(), shape)?;
        if rows == 0 || columns == 0 {
            return of_none::<T, O>(rows);
        }
        self.lease(|lane| {
            let cell = Cell::new::<O::Acc>(lane, rows)?;
            let input = x.input()?;
            let enqueue = || lane.enqueue_rows(op, self, None, input, shape, &cell);
            cell.write(lane.queue().handle(), columns as u64, enqueue)?;
            cell.results::<T, O>(self, rows)
        })
    }

    /// The plan by which this device reduces the rows of `x`. Loads the kernel.
    ///
    /// # Errors
    /// [`Error::Shape`], and [`Error::PtxTooNew`] and [`Error::Kernel`] from the first call of each operator.
    pub fn rows_plan<T: Element, O: RowsKernel<T>>(
        &self,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
    ) -> Result<RowsPlan, Error> {
        let [rows, columns] = checked(x.len(), shape)?;
        plan::<T, O>(self, x.as_device_ptr(), rows, columns, columns)
    }

    /// Loads the kernels over rows now, and the one that [finishes](Stream::finish_into) their results: see
    /// [`prepare`](Self::prepare).
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_rows<T: Element, O: RowsKernel<T>>(&self) -> Result<(), Error> {
        let entries = [
            O::BY_LANES.untyped(),
            O::BY_LANES_UNALIGNED.untyped(),
            O::BY_WARP.untyped(),
            O::BY_WARP_UNALIGNED.untyped(),
            O::BY_BLOCK.untyped(),
            O::PARTIALS.untyped(),
            O::FINISH.untyped(),
        ];
        entries.into_iter().try_for_each(|entry| self.kernels().prepare(entry))
    }
}

impl Stream {
    /// Enqueues a reduction of each row of a row-major matrix `[rows, columns]` whose results go to `out`, which has as many,
    /// and returns without waiting for them: [`Cuda::reduce_rows`] as [`reduce_into`](Self::reduce_into) does it.
    ///
    /// # Errors
    /// [`Error::Shape`] if rows times columns is not the number of elements; [`Error::Lengths`] if `out` is not for as many
    /// rows; and those of [`reduce_into`](Self::reduce_into). Rows of more than 64 GiB in all take several launches: after an
    /// error between them some of `out` is overwritten.
    pub fn reduce_rows_into<T: Element, O: RowsKernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        self.rows_into(O::default(), None, x, shape, out)
    }

    /// [`reduce_rows_into`](Self::reduce_rows_into) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_rows_into`](Self::reduce_rows_into).
    pub fn reduce_rows_into_by<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        self.rows_into(op, None, x, shape, out)
    }

    /// [`reduce_rows_into`](Self::reduce_rows_into) by a plan of the caller's, which changes the time it takes and no bit of
    /// a result.
    ///
    /// # Errors
    /// As [`reduce_rows_into`](Self::reduce_rows_into), and [`Error::Plan`] if the plan is not for such rows.
    pub fn reduce_rows_into_with_plan<T: Element, O: RowsKernel<T> + Default>(
        &self,
        plan: RowsPlan,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        self.rows_into(O::default(), Some(plan), x, shape, out)
    }

    fn rows_into<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        plan: Option<RowsPlan>,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        let [rows, columns] = checked(x.len(), shape)?;
        crate::error::check_lengths(rows, out.len())?;
        let (input, cell) = (x.input()?, out.cell());
        let enqueue = || self.lane().enqueue_rows(op, self.cuda(), plan, input, shape, cell);
        self.write(cell, columns as u64, enqueue)
    }
}

impl Lane {
    /// Enqueues the launches that fold the rows to `cell`: none for no elements.
    fn enqueue_rows<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        plan: Option<RowsPlan>,
        input: Input<'_, T>,
        [rows, columns]: [usize; 2],
        cell: &Cell,
    ) -> Result<(), Error> {
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        let plan = match plan {
            Some(plan) => plan,
            None => self::plan::<T, O>(cuda, input.address(), rows, columns, columns)?,
        };
        let (rows, len) = (rows as u64, columns as u64);
        self.enqueue_fold_rows(op, cuda.kernels(), plan, input, (rows, len, len), cell.region())
    }
}

/// The plan for rows that begin at `address` and every `pitch` elements from there, by what the kernel's registers leave room
/// for.
pub(super) fn plan<T: Element, O: RowsKernel<T>>(
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
            Kind::Lanes if are_vectors => O::BY_LANES.untyped(),
            Kind::Lanes => O::BY_LANES_UNALIGNED.untyped(),
            Kind::Warp if are_vectors => O::BY_WARP.untyped(),
            Kind::Warp => O::BY_WARP_UNALIGNED.untyped(),
            Kind::Block => O::BY_BLOCK.untyped(),
        })
    };
    RowsPlan::for_residents::<T, O>(rows, len, are_vectors, cuda.multiprocessors(), resident)
}

/// The shape, if it has as many elements as are given.
pub(super) fn checked(given: usize, shape: [usize; 2]) -> Result<[usize; 2], Error> {
    let [rows, columns] = shape;
    if rows.checked_mul(columns) == Some(given) {
        return Ok(shape);
    }
    Err(Error::Shape { shape: shape.into(), given: given as u64 })
}
