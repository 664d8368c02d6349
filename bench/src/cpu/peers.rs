//! The peers in Rust: the standard library's loops, ndarray and Arrow, all on one thread, over the same memory.

use std::hint::black_box;

use arrow_arith::aggregate;
use arrow_array::PrimitiveArray;
use ndarray::ArrayView1;
use ndarray_stats::QuantileExt;

use super::{
    contest::{Entrant, entrant},
    operator::{Measured, Operator},
};
use crate::Outcome;

/// `operator` by each peer that has it.
pub(super) fn entrants<T: Measured>(
    array: &PrimitiveArray<T::Arrow>,
    operator: Operator,
) -> Outcome<Vec<Entrant<'_>>> {
    let x: &[T] = array.values();
    let on = (x.len(), 1);
    let view = ArrayView1::from(x);
    let wrapping = ArrayView1::from(bytemuck::cast_slice::<T, T::Wrapping>(x));
    Ok(match operator {
        Operator::Sum => vec![
            entrant("iter().sum()", on, move || T::sum_by_loop(black_box(x)), |sum| Some(sum.into()))?,
            entrant("ndarray", on, move || black_box(wrapping).sum(), |sum| Some(T::unwrapped(sum).into()))?,
            entrant("arrow", on, move || aggregate::sum(black_box(array)), |sum| sum.map(Into::into))?,
        ],
        Operator::Max => vec![
            entrant("iter().max()", on, move || T::max_by_loop(black_box(x)), |max| max.map(Into::into))?,
            entrant("ndarray", on, move || black_box(view).max().ok().copied(), |max| max.map(Into::into))?,
            entrant("arrow", on, move || aggregate::max(black_box(array)), |max| max.map(Into::into))?,
        ],
        Operator::Argmax => vec![
            entrant("iter().reduce()", on, move || argmax(black_box(x)), |at| at.map(Into::into))?,
            entrant("ndarray", on, move || black_box(view).argmax().ok(), |at| at.map(Into::into))?,
        ],
    })
}

/// The first index of the greatest element, by a loop.
pub(crate) fn argmax<T: PartialOrd>(x: &[T]) -> Option<usize> {
    x.iter().enumerate().reduce(|best, at| if at.1 > best.1 { at } else { best }).map(|(at, _)| at)
}
