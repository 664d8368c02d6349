//! Views of any shape, strides and offset, along any axes: refused, or equal to a loop over indices.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use warpfold::{Cpu, PolynomialHash, View, along, reference};

#[derive(Arbitrary, Debug)]
struct Input {
    elements: Vec<u8>,
    offset: usize,
    axes_of_view: Vec<(u8, i8)>,
    /// A length or a stride far out of range.
    far: Option<(usize, isize)>,
    reduced: Vec<u8>,
    /// If there is one, the strides are those of an array whose axes were put in this order, or reversed.
    array: Option<[(u8, bool); 4]>,
}

fuzz_target!(|input: Input| {
    let Input { mut elements, mut offset, axes_of_view, far, reduced, array } = input;
    let mut shape: Vec<usize> = axes_of_view.iter().take(6).map(|&(length, _)| length.into()).collect();
    let mut strides: Vec<isize> = axes_of_view.iter().take(6).map(|&(_, stride)| stride.into()).collect();
    if let Some(array) = array.filter(|_| far.is_none() && !elements.is_empty()) {
        // Whole, so that it is seldom refused.
        shape.truncate(array.len());
        // At most 2^13 elements, so that an input takes a millisecond.
        let mut len = 1;
        for length in &mut shape {
            *length = *length % MOST + 1;
            *length = if len * *length > 1 << 13 { 1 } else { *length };
            len *= *length;
        }
        let order = ordered(&array[..shape.len()]);
        let mut apart = 1;
        offset = 0;
        for axis in order {
            let is_reversed = array[axis].1;
            strides[axis] = if is_reversed { -apart } else { apart };
            apart *= shape[axis] as isize;
            offset += if is_reversed { (apart - apart / shape[axis] as isize) as usize } else { 0 };
        }
        strides.truncate(shape.len());
        elements = elements.iter().copied().cycle().take(apart.unsigned_abs()).collect();
    }
    if let Some((length, stride)) = far {
        shape.push(length);
        strides.push(stride);
    }
    let mut axes: Vec<usize> = reduced.iter().take(6).map(|&axis| axis.into()).collect();
    if array.is_some() {
        axes.iter_mut().for_each(|axis| *axis %= shape.len().max(1));
        axes.sort_unstable();
        axes.dedup();
    }
    let Ok(view) = View::strided(&elements, offset, &shape, &strides) else { return };
    // One element may be at any number of indices, and an axis of length 0 allows any lengths of others.
    if shape.iter().fold(1_usize, |len, &length| len.saturating_mul(length.max(1))) > 1 << 16 {
        return;
    }
    let Ok(found) = Cpu::new().reduce(PolynomialHash, along(view, &axes)) else { return };
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let lengths = |axes: &[usize]| axes.iter().map(|&axis| shape[axis]).collect::<Vec<_>>();
    let mut reduced = axes.clone();
    reduced.sort_unstable();
    let (outer, inner) = (indices(&lengths(&kept)), indices(&lengths(&reduced)));
    let expected: Vec<_> = outer
        .iter()
        .map(|outer| {
            let mut index = vec![0; shape.len()];
            kept.iter().zip(outer).for_each(|(&axis, &at)| index[axis] = at);
            let row: Vec<u8> = inner
                .iter()
                .map(|inner| {
                    reduced.iter().zip(inner).for_each(|(&axis, &at)| index[axis] = at);
                    *view.get(&index).expect("an index within the shape")
                })
                .collect();
            reference::reduce::<u8, PolynomialHash>(&row)
        })
        .collect();
    assert_eq!(found, expected);
});

/// Greatest length of an axis of a whole array.
const MOST: usize = 80;

/// The axes from the one with the least number on.
fn ordered(numbers: &[(u8, bool)]) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..numbers.len()).collect();
    axes.sort_by_key(|&axis| numbers[axis].0);
    axes
}

/// All indices of a shape, the last axis fastest.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |indices, &length| {
        let longer = |index: Vec<usize>| (0..length).map(move |at| [&index[..], &[at]].concat());
        indices.into_iter().flat_map(longer).collect()
    })
}
