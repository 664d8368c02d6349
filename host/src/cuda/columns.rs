//! The columns of matrices on a device.

use super::lane::Lane;
use super::launch::{Input, are_columns_vectors};
use super::results::{DeviceResults, of_none};
use super::rows::checked;
use super::scalar::Cell;
use super::{Cuda, DeviceSlice, Stream};
use crate::columns_plan::{Columns, ColumnsPlan};
use crate::error::Error;
use crate::{Element, RowsKernel};

impl Cuda {
    /// Reduces each column of a row-major matrix `[rows, columns]`, and waits for the results. Each has the bits of
    /// [`reduce`](Self::reduce) of that column alone, from the first row to the last; an index counts rows.
    ///
    /// Matrices that begin at a multiple of 16 bytes and have rows of one are read fastest.
    ///
    /// # Errors
    /// As [`reduce_rows`](Self::reduce_rows).
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 4.0, 0.5, 0.25, 0.125])?;
    /// assert_eq!(cuda.reduce_columns::<f32, Sum>(&x.as_slice(), [2, 3])?, [1.5, 2.25, 4.125]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn reduce_columns<T: Element, O: RowsKernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        self.reduce_columns_by(O::default(), x, shape)
    }

    /// [`reduce_columns`](Self::reduce_columns) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_columns`](Self::reduce_columns).
    pub fn reduce_columns_by<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
    ) -> Result<Vec<O::Out>, Error> {
        let [rows, columns] = checked(x.len(), shape)?;
        if rows == 0 || columns == 0 {
            return of_none::<T, O>(columns);
        }
        self.lease(|lane| {
            let cell = Cell::new::<O::Acc>(lane, columns)?;
            let matrix = Columns::of_matrix(rows as u64, columns as u64);
            let input = x.input()?;
            let enqueue = || lane.enqueue_columns(op, self, None, input, matrix, &cell);
            cell.write(lane.queue().handle(), matrix.rows, enqueue)?;
            cell.results::<T, O>(self, columns)
        })
    }

    /// The plan by which this device reduces the columns of `x`. Loads the kernel.
    ///
    /// # Errors
    /// [`Error::Shape`], and [`Error::PtxTooNew`] and [`Error::Kernel`] from the first call of each operator.
    pub fn columns_plan<T: Element, O: RowsKernel<T>>(
        &self,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
    ) -> Result<ColumnsPlan, Error> {
        let [rows, columns] = checked(x.len(), shape)?;
        plan::<T, O>(self, x.as_device_ptr(), Columns::of_matrix(rows as u64, columns as u64))
    }

    /// Loads the kernels over columns now, and the one that [finishes](Stream::finish_into) their results: see
    /// [`prepare`](Self::prepare).
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_columns<T: Element, O: RowsKernel<T>>(&self) -> Result<(), Error> {
        [O::COLUMNS.untyped(), O::COLUMNS_OF_FEW.untyped(), O::PARTIALS.untyped(), O::FINISH.untyped()]
            .into_iter()
            .try_for_each(|entry| self.kernels().prepare(entry))
    }
}

impl Stream {
    /// Enqueues a reduction of each column of a row-major matrix `[rows, columns]` whose results go to `out`, which has as
    /// many, and returns without waiting for them: [`Cuda::reduce_columns`] as [`reduce_into`](Self::reduce_into) does it.
    ///
    /// # Errors
    /// As [`reduce_rows_into`](Self::reduce_rows_into), of columns.
    pub fn reduce_columns_into<T: Element, O: RowsKernel<T> + Default>(
        &self,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        self.columns_into(O::default(), None, x, shape, out)
    }

    /// [`reduce_columns_into`](Self::reduce_columns_into) with an operator that is a value, such as one with parameters.
    ///
    /// # Errors
    /// As [`reduce_columns_into`](Self::reduce_columns_into).
    pub fn reduce_columns_into_by<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        self.columns_into(op, None, x, shape, out)
    }

    /// [`reduce_columns_into`](Self::reduce_columns_into) by a plan of the caller's, which changes the time it takes and no
    /// bit of a result.
    ///
    /// # Errors
    /// As [`reduce_columns_into`](Self::reduce_columns_into), and [`Error::Plan`] if the plan is not for such columns.
    pub fn reduce_columns_into_with_plan<T: Element, O: RowsKernel<T> + Default>(
        &self,
        plan: ColumnsPlan,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        self.columns_into(O::default(), Some(plan), x, shape, out)
    }

    fn columns_into<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        plan: Option<ColumnsPlan>,
        x: &DeviceSlice<'_, T>,
        shape: [usize; 2],
        out: &mut DeviceResults<T, O>,
    ) -> Result<(), Error> {
        let [rows, columns] = checked(x.len(), shape)?;
        crate::error::check_lengths(columns, out.len())?;
        let (input, cell) = (x.input()?, out.cell());
        let matrix = Columns::of_matrix(rows as u64, columns as u64);
        let enqueue = || self.lane().enqueue_columns(op, self.cuda(), plan, input, matrix, cell);
        self.write(cell, matrix.rows, enqueue)
    }
}

impl Lane {
    /// Enqueues the launches that fold the columns to `cell`, matrix after matrix: none for no elements.
    fn enqueue_columns<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        plan: Option<ColumnsPlan>,
        input: Input<'_, T>,
        shape: Columns,
        cell: &Cell,
    ) -> Result<(), Error> {
        if shape.batches == 0 || shape.rows == 0 || shape.columns == 0 {
            return Ok(());
        }
        let plan = match plan {
            Some(plan) => plan,
            None => self::plan::<T, O>(cuda, input.address(), shape)?,
        };
        self.enqueue_fold_columns(op, cuda.kernels(), plan, input, shape, cell.region())
    }
}

/// The plan for columns of matrices that begin at `address`, by what the kernel's registers leave room for.
pub(super) fn plan<T: Element, O: RowsKernel<T>>(
    cuda: &Cuda,
    address: u64,
    shape: Columns,
) -> Result<ColumnsPlan, Error> {
    let are_vectors = are_columns_vectors::<T, O>(address, shape);
    let resident = cuda.kernels().resident(O::COLUMNS.untyped())?;
    Ok(ColumnsPlan::for_residents::<T, O>(shape, are_vectors, cuda.multiprocessors(), resident))
}
