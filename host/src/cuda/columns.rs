//! Reductions of the columns of matrices.

use gpu_kernels::Element;

use crate::cuda::Cuda;
use crate::cuda::array::results::DeviceResults;
use crate::cuda::executor::Executor;
use crate::cuda::input::{DeviceElements, Parts, Work, parts};
use crate::cuda::launch::{Input, Region, are_columns_vectors};
use crate::cuda::rows::checked;
use crate::error::Error;
use crate::input;
use crate::kernel::RowsKernel;
use crate::kernel::entry::Entry;
use crate::plan::columns::{Columns, ColumnsPlan};

impl<D: DeviceElements> input::Columns<D> {
    /// Returns the plan by which `cuda` reduces these columns with `op`, unless they have
    /// [another](input::Columns::with_plan). Loads the kernel.
    ///
    /// # Errors
    /// [`Error::Shape`], and [`Error::PtxTooNew`] and [`Error::Kernel`] from the first call of each operator.
    ///
    /// ```no_run
    /// use warpfold::{Cuda, Sum, columns};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let x = cuda.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let plan = columns(&x, [2, 3]).plan(Sum, &cuda)?;
    /// assert_eq!(cuda.reduce(Sum, columns(&x, [2, 3]).with_plan(plan))?.to_vec()?, [5.0, 7.0, 9.0]);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn plan<O: RowsKernel<D::Element>>(&self, _op: O, cuda: &Cuda) -> Result<ColumnsPlan, Error> {
        let x = self.x.device_slice();
        let [rows, columns] = checked(x.len(), self.shape)?;
        plan::<D::Element, O>(cuda, x.as_device_ptr(), Columns::of_matrix(rows as u64, columns as u64))
    }
}

impl<D: DeviceElements, O: RowsKernel<D::Element>> Parts<O> for input::Columns<D> {
    type Element = D::Element;

    fn count(&self) -> Result<usize, Error> {
        Ok(checked(self.x.device_slice().len(), self.shape)?[1])
    }

    fn enqueue(&self, work: Work<'_>, op: O, out: &DeviceResults<D::Element, O>) -> Result<(), Error> {
        let (x, [rows, columns], cell) = (self.x.device_slice(), self.shape, out.cell());
        let (input, matrix) = (x.input()?, Columns::of_matrix(rows as u64, columns as u64));
        let enqueue =
            || work.executor.enqueue_columns(op, work.cuda, self.plan, input, matrix, cell.region());
        work.write(cell, matrix.rows, enqueue)
    }

    #[expect(clippy::disallowed_methods, reason = "six entries")]
    fn kernels() -> Vec<Entry> {
        let columns = [O::ROWS.columns, O::ROWS.columns_unaligned].map(Entry::untyped);
        let of_few = [O::ROWS.columns_of_few, O::ROWS.columns_of_few_unaligned].map(Entry::untyped);
        [columns, of_few, [O::FOLD.partials.untyped(), O::ROWS.finish.untyped()]].concat()
    }
}
parts!([D: DeviceElements] D::Element, input::Columns<D>);

impl Executor {
    /// Enqueues the launches that fold the columns to `out`, matrix after matrix. Does nothing for empty input.
    pub(crate) fn enqueue_columns<T: Element, O: RowsKernel<T>>(
        &self,
        op: O,
        cuda: &Cuda,
        plan: Option<ColumnsPlan>,
        input: Input<'_, T>,
        shape: Columns,
        out: Region<'_>,
    ) -> Result<(), Error> {
        if shape.batches == 0 || shape.rows == 0 || shape.columns == 0 {
            return Ok(());
        }
        let plan = match plan {
            Some(plan) => plan,
            None => self::plan::<T, O>(cuda, input.address(), shape)?,
        };
        let scratch = self.ready()?;
        self.queue().fold_columns(op, cuda.kernels(), plan, input, shape, scratch.front()?, out)
    }
}

/// Returns the plan for columns of matrices that begin at `address`, by what the kernel's registers leave room for.
fn plan<T: Element, O: RowsKernel<T>>(
    cuda: &Cuda,
    address: u64,
    shape: Columns,
) -> Result<ColumnsPlan, Error> {
    let are_vectors = are_columns_vectors::<T, O>(address, shape);
    let kernel = if are_vectors { O::ROWS.columns } else { O::ROWS.columns_unaligned };
    let resident = cuda.kernels().resident(kernel.untyped())?;
    Ok(ColumnsPlan::for_residents::<T, O>(shape, are_vectors, cuda.multiprocessors(), resident))
}
