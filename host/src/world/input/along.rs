//! Axes of an array of several dimensions, which is divided along axis 0.

use gpu_kernels::{Element, Op};

use crate::cpu::in_order;
use crate::error::Error;
use crate::input::Along;
use crate::memory;
use crate::unfinished::Unfinished;
use crate::verb::{Backend, Reduce};
use crate::view::View;
use crate::world::agree::call;
use crate::world::cut::Cut;
use crate::world::fold::finish_each;
use crate::world::part::Matrix;
use crate::world::{Communicator, World};

impl<C: Communicator, T: Element, O: Op<T>> Backend<Reduce<O, Along<'_, View<&[T]>>>> for World<C> {
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Along<'_, View<&[T]>>>) -> Result<Vec<O::Out>, Error> {
        let (view, results) = (input.view, input.view.reduced_shape(input.axes, false));
        if !input.axes.contains(&0) {
            return reduce_inner_axes::<T, O, C>(self, input.axes, view.shape(), results, || {
                self.cpu.axes(Unfinished { op, first: 0 }, &view, input.axes)
            });
        }
        let ([rows, columns], cut) = agree_on_axes::<T, O, C>(self, input.axes, view.shape(), results)?;
        self.together(|| {
            let mut reduced = input.axes.to_vec();
            reduced.sort_unstable();
            let kept = (0..view.dimensions()).filter(|axis| !reduced.contains(axis));
            let order: Vec<usize> = reduced.iter().copied().chain(kept).collect();
            let (permuted, mut buffer) = (view.permuted(&order)?, Vec::new());
            let x = in_order(&permuted, &mut buffer)?;
            self.fold_all(op, &Matrix { x, rows, columns }, &cut)
        })
    }
}

/// Reduces axes of a part of this shape by `fold`, and gathers the results of all ranks. Axis 0 is not reduced.
pub(crate) fn reduce_inner_axes<T: Element, O: Op<T>, C: Communicator>(
    world: &World<C>,
    axes: &[usize],
    shape: &[usize],
    results: Result<Vec<usize>, Error>,
    fold: impl FnOnce() -> Result<Vec<O::Acc>, Error>,
) -> Result<Vec<O::Out>, Error> {
    let ([rows, _], cut) = agree_on_axes::<T, O, C>(world, axes, shape, results)?;
    let kept = shape.iter().enumerate().skip(1).filter(|(axis, _)| !axes.contains(axis));
    let of_index = kept.map(|(_, &length)| length).fold(1_usize, usize::saturating_mul);
    world.together(|| {
        let all = world.gather::<O::Acc>(&fold()?, |rank| cut.len(rank).saturating_mul(of_index))?;
        finish_each::<T, O>(&memory::joined(&all)?, |_| rows as u64)
    })
}

/// Agrees on a reduction along axes of a part of this shape. The other axes are `results`. Returns the number of
/// elements of each result, the number of results, and the cut. The cut is along axis 0. If axis 0 is reduced, it is
/// along the rows of the matrix whose columns are the results.
fn agree_on_axes<T: Element, O: Op<T>, C: Communicator>(
    world: &World<C>,
    axes: &[usize],
    shape: &[usize],
    results: Result<Vec<usize>, Error>,
) -> Result<([usize; 2], Cut), Error> {
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    let input = format!("axes {sorted:?} of arrays of shape [_, {:?}]", shape.get(1..).unwrap_or_default());
    let lengths = lengths(axes, shape, results);
    let is_cut = axes.contains(&0);
    let own = lengths.as_ref().map_err(Error::clone).map(|&[rows, _]| match shape {
        _ if is_cut => rows as u64,
        shape => shape.first().map_or(0, |&length| length as u64),
    });
    let cut = world.agree(&call::<T, O>("reduce", &input), own)?;
    Ok((lengths?, cut))
}

/// Returns the number of elements of each result, and the number of results, of a part.
fn lengths(axes: &[usize], shape: &[usize], results: Result<Vec<usize>, Error>) -> Result<[usize; 2], Error> {
    if shape.is_empty() {
        let why = "an array that ranks have parts of has an axis 0, along which it is cut";
        return Err(Error::Axes { axes: axes.into(), dimensions: 0, why });
    }
    let columns = crate::layout::len_of(&results?).ok_or(Error::TooManyResults { results: usize::MAX })?;
    let is_reduced = |(axis, _): &(usize, &usize)| axes.contains(axis);
    let rows = shape.iter().enumerate().filter(is_reduced).map(|(_, &length)| length);
    // The product of a view's shape fits usize. The product of some lengths does, too, unless another length is 0.
    Ok([rows.fold(1_usize, usize::saturating_mul), columns])
}
