//! Axes of an array of several dimensions, which is divided along axis 0.

use gpu_kernels::{Element, Op};

use super::WorldInput;
use crate::cpu::in_order;
use crate::world::agree::call;
use crate::world::fold::finish_each;
use crate::world::part::Matrix;
use crate::world::unfinished::Unfinished;
use crate::world::{Communicator, World};
use crate::{Along, Error, View};

impl<T: Element, O: Op<T>> WorldInput<O> for Along<'_, View<'_, T>> {
    type Results = Vec<O::Out>;

    fn reduce_in_world<C: Communicator>(self, world: &World<C>, op: O) -> Result<Vec<O::Out>, Error> {
        let (view, mut axes) = (self.view, self.axes.to_vec());
        axes.sort_unstable();
        let others = view.shape().get(1..).unwrap_or_default();
        let input = format!("axes {axes:?} of arrays of shape [_, {others:?}]");
        let lengths = parted(&view, self.axes);
        let is_cut = axes.first() == Some(&0);
        // Rows of the matrix whose columns are the results, or the length of axis 0.
        let own = lengths.as_ref().map_err(Error::clone).map(|&[rows, _]| match view.shape() {
            _ if is_cut => rows as u64,
            shape => shape.first().map_or(0, |&length| length as u64),
        });
        let cut = world.agree(&call::<T, O>("reduce", &input), own)?;
        let [rows, columns] = lengths?;
        world.together(|| {
            if !is_cut {
                let accs = world.cpu.axes(Unfinished { op, first: 0 }, &view, &axes)?;
                let all = world.gather_accs::<O::Acc>(&accs)?.concat();
                return finish_each::<T, O>(&all, |_| rows as u64);
            }
            let kept = (0..view.dimensions()).filter(|axis| !axes.contains(axis));
            let order: Vec<usize> = axes.iter().copied().chain(kept).collect();
            let (permuted, mut buffer) = (view.permuted(&order)?, Vec::new());
            let x = in_order(&permuted, &mut buffer)?;
            world.fold_all(op, &Matrix { x, rows, columns }, &cut)
        })
    }
}

/// Returns the number of elements of each result, and the number of results, of a part.
fn parted<T>(view: &View<'_, T>, axes: &[usize]) -> Result<[usize; 2], Error> {
    if view.dimensions() == 0 {
        let why = "an array that ranks have parts of has an axis 0, along which it is cut";
        return Err(Error::Axes { axes: axes.into(), dimensions: 0, why });
    }
    let results = view.reduced_shape(axes, false)?;
    let columns = crate::layout::len_of(&results).ok_or(Error::TooManyResults { results: usize::MAX })?;
    let is_reduced = |(axis, _): &(usize, &usize)| axes.contains(axis);
    let rows = view.shape().iter().enumerate().filter(is_reduced).map(|(_, &length)| length);
    // The product of a view's shape fits usize. The product of some lengths does, too, unless another length is 0.
    Ok([rows.fold(1_usize, usize::saturating_mul), columns])
}
