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
}

fuzz_target!(|input: Input| {
    let Input { elements, offset, axes_of_view, far, reduced } = input;
    let mut shape: Vec<usize> = axes_of_view.iter().take(6).map(|&(length, _)| length.into()).collect();
    let mut strides: Vec<isize> = axes_of_view.iter().take(6).map(|&(_, stride)| stride.into()).collect();
    if let Some((length, stride)) = far {
        shape.push(length);
        strides.push(stride);
    }
    let axes: Vec<usize> = reduced.iter().take(6).map(|&axis| axis.into()).collect();
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

/// All indices of a shape, the last axis fastest.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |indices, &length| {
        let longer = |index: Vec<usize>| (0..length).map(move |at| [&index[..], &[at]].concat());
        indices.into_iter().flat_map(longer).collect()
    })
}
