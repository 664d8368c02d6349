//! Axes of views of every layout: each result has the bits of the reference of its elements alone, in row-major order.
#![cfg(second_half)]
#![allow(missing_docs)]

use std::sync::LazyLock;

use test_kernels::{Ordered, Strided, mix};
use warpfold::{ArgMin, Cpu, Element, Error, Op, Sum, View, along, reference};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Bits, Sample, samples};

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 3]));
    &CPUS
}

/// Every index of this shape, with the last axis fastest.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |outer, &length| {
        outer.iter().flat_map(|index| (0..length).map(move |i| [&index[..], &[i]].concat())).collect()
    })
}

/// The elements of each result, read one index at a time.
fn rows<T: Copy>(view: View<&[T]>, axes: &[usize]) -> Vec<Vec<T>> {
    let shape = view.shape();
    let is_kept: Vec<bool> = (0..shape.len()).map(|axis| !axes.contains(&axis)).collect();
    let lengths = |kept: bool| {
        let all = shape.iter().zip(&is_kept);
        all.map(|(&length, &is)| if is == kept { length } else { 1 }).collect::<Vec<_>>()
    };
    let inner = indices(&lengths(false));
    let element = |outer: &[usize], inner: &[usize]| {
        let index: Vec<usize> = outer.iter().zip(inner).map(|(outer, inner)| outer + inner).collect();
        *view.get(&index).unwrap()
    };
    let row = |outer: Vec<usize>| inner.iter().map(|inner| element(&outer, inner)).collect();
    indices(&lengths(true)).into_iter().map(row).collect()
}

fn agrees<T: Element, O: Op<T, Out: Bits + Send> + Default>(view: View<&[T]>, axes: &[usize]) {
    let expected: Vec<_> = rows(view, axes).iter().map(|row| reference::reduce::<T, O>(row).bits()).collect();
    for cpu in cpus() {
        let outs = cpu.reduce(O::default(), along(view, axes)).unwrap();
        assert_eq!(outs.len(), view.reduced_shape(axes, true).unwrap().iter().product::<usize>());
        assert_eq!(outs.len(), expected.len(), "{view:?} over {axes:?}");
        let at = outs.iter().zip(&expected).position(|(out, expected)| out.bits() != *expected);
        assert_eq!(
            at.map(|at| (at, outs[at].bits(), &expected[at])),
            None,
            "{view:?} over {axes:?}, {cpu:?}"
        );
    }
}

/// All sets of axes, some of them in descending order.
fn every_set(dimensions: usize) -> Vec<Vec<usize>> {
    let set = |bits: usize| (0..dimensions).filter(move |axis| bits >> axis & 1 == 1);
    let turned = |bits: usize| if bits % 3 == 2 { set(bits).rev().collect() } else { set(bits).collect() };
    (0..1 << dimensions).map(turned).collect()
}

fn every_axis<T: Element + Sample, O: Op<T, Out: Bits + Send> + Default>(shapes: &[[usize; 4]]) {
    for shape in shapes {
        let x = samples::<T>(Special, 1, shape.iter().product::<usize>() as u64);
        let view = View::new(&x, shape).unwrap();
        for axes in every_set(4) {
            agrees::<T, O>(view, &axes);
            agrees::<T, O>(view.transposed(), &axes);
            agrees::<T, O>(view.permuted(&[2, 0, 3, 1]).unwrap(), &axes);
        }
    }
}

#[test]
fn every_set_of_axes() {
    // Miri takes a second for the reference of even a short row, since it has all lanes of a tile.
    if cfg!(miri) {
        every_axis::<u32, Strided>(&[[2, 2, 1, 2], [2, 0, 1, 2]]);
        return every_axis::<u32, Ordered>(&[[2, 1, 1, 2]]);
    }
    let empty =
        [[0, 3, 4, 5], [3, 0, 4, 5], [3, 4, 0, 5], [3, 4, 5, 0], [0, 3, 0, 3], [3, 3, 3, 3], [1, 3, 1, 3]];
    every_axis::<u32, Strided>(&empty);
    every_axis::<u32, Strided>(&[[2, 3, 4, 50], [70, 3, 2, 5], [2, 40, 3, 2]]);
    every_axis::<u32, Ordered>(&[[3, 0, 4, 5], [2, 3, 4, 50]]);
    every_axis::<f32, ArgMin>(&[[0, 3, 3, 3], [3, 3, 3, 40]]);
}

/// Rows of several tiles.
#[test]
fn large_axes() {
    for shape in [[3, 5000, 2, 3], [8, 5, 1100, 3], [2, 4, 8, 1500]] {
        let x = samples::<u32>(Ordinary, 2, shape.iter().product::<usize>() as u64);
        let view = View::new(&x, &shape).unwrap();
        for axes in [&[0][..], &[1], &[0, 2], &[1, 3], &[0, 1, 2, 3]] {
            agrees::<u32, Strided>(view, axes);
        }
        agrees::<u32, Ordered>(view.transposed(), &[0, 1]);
        agrees::<u32, Ordered>(view.transposed(), &[0, 1, 2, 3]);
    }
}

/// Views of any strides: reversed, broadcast, with gaps, overlapping.
#[test]
fn any_strides() {
    let x = samples::<u32>(Ordinary, 3, 40_000);
    for case in 0..150_u64 {
        let random = |what: u64, below: u64| (mix(case << 8 | what) % below) as usize;
        let dimensions = random(0, 5);
        let shape: Vec<usize> =
            (0..dimensions).map(|axis| [1, 2, 3, 4, 7, 40][random(1 + axis as u64, 6)]).collect();
        let strides: Vec<isize> = (0..dimensions)
            .map(|axis| [0, 1, -1, 2, -3, 40, -41, 160][random(11 + axis as u64, 8)])
            .collect();
        let view = View::strided(&x, 20_000, &shape, &strides).unwrap();
        for axes in every_set(dimensions) {
            if view.len() < 6000 {
                agrees::<u32, Strided>(view, &axes);
            }
        }
    }
}

/// A row whose elements are all the same memory, and such columns.
#[test]
fn broadcast_axes_have_an_element_for_each_index() {
    let x = samples::<f32>(Ordinary, 4, 1000);
    let rows = View::strided(&x, 0, &[600, 1000], &[0, 1]).unwrap();
    let columns = View::strided(&x, 0, &[1000, 600], &[1, 0]).unwrap();
    for view in [rows, columns, rows.transposed()] {
        for axes in [&[0][..], &[1], &[0, 1]] {
            agrees::<f32, Sum>(view, axes);
        }
    }
}

#[test]
fn no_axes_and_no_dimensions() {
    let x = samples::<f32>(Special, 5, 12);
    let view = View::new(&x, &[3, 4]).unwrap();
    agrees::<f32, ArgMin>(view, &[]);
    let scalar = View::new(&x[..1], &[]).unwrap();
    agrees::<f32, Sum>(scalar, &[]);
    assert_eq!((scalar.len(), scalar.dimensions(), scalar.get(&[])), (1, 0, Some(&x[0])));
    let empty = View::new(&[0.0_f32; 0], &[2, 0]).unwrap();
    assert_eq!(Cpu::new().reduce(ArgMin, along(empty, &[1])).unwrap(), [None; 2]);
}

/// As many dimensions as a view may have. No two that follow each other are contiguous.
#[test]
fn eight_dimensions() {
    let x = samples::<u32>(Ordinary, 6, 2 * 3 * 2 * 2 * 3 * 2 * 2 * 2);
    let view = View::new(&x, &[2, 3, 2, 2, 3, 2, 2, 2]).unwrap().permuted(&[6, 4, 2, 0, 7, 5, 3, 1]).unwrap();
    for axes in every_set(8) {
        agrees::<u32, Strided>(view, &axes);
    }
}

#[test]
fn shapes_that_are_left() {
    let x = [0_u8; 24];
    let view = View::new(&x, &[2, 3, 4]).unwrap();
    assert_eq!((view.dimensions(), view.transposed().dimensions()), (3, 3));
    for (axes, without, with) in [
        (&[][..], &[2, 3, 4][..], [2, 3, 4]),
        (&[1], &[2, 4], [2, 1, 4]),
        (&[2, 0], &[3], [1, 3, 1]),
        (&[0, 1, 2], &[], [1, 1, 1]),
    ] {
        assert_eq!(view.reduced_shape(axes, false).unwrap(), without);
        assert_eq!(view.reduced_shape(axes, true).unwrap(), with);
    }
    assert_eq!(view.transposed().shape(), [4, 3, 2]);
    assert_eq!(view.permuted(&[1, 2, 0]).unwrap().shape(), [3, 4, 2]);
    assert_eq!(view.permuted(&[1, 2, 0]).unwrap().strides(), [4, 1, 12]);
    for index in [&[2, 0, 0][..], &[0, 3, 0], &[1, 2, 4], &[1, 2]] {
        assert_eq!(view.get(index), None, "{index:?}");
    }
}

#[test]
fn wrong_axes_are_refused() {
    let x = [1.0_f32; 24];
    let view = View::new(&x, &[2, 3, 4]).unwrap();
    for (axes, part) in [(&[3][..], "counted from 0"), (&[0, 7, 0], "counted from 0"), (&[1, 0, 1], "twice")]
    {
        let errors = [
            Cpu::new().reduce(Sum, along(view, axes)).unwrap_err(),
            view.reduced_shape(axes, false).unwrap_err(),
            view.permuted(axes).unwrap_err(),
        ];
        for error in errors {
            assert!(matches!(error, Error::Axes { dimensions: 3, .. }), "{error:?}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
    assert!(view.permuted(&[0, 1]).unwrap_err().to_string().contains("each of them once"));
}

#[test]
fn wrong_views_are_refused() {
    let x = [0_u8; 10];
    let shape = |shape: &[usize]| View::new(&x, shape).unwrap_err().to_string();
    assert!(shape(&[3, 3]).contains("shape [3, 3] does not have 10 elements"));
    assert!(shape(&[0, 10]).contains("does not have 10 elements"));
    assert!(shape(&[usize::MAX, usize::MAX]).contains("does not have 10 elements"));
    assert!(shape(&[1; 9]).contains("9 dimensions") && shape(&[1; 9]).contains("at most 8"));
    let strided = |offset, shape: &[usize], strides: &[isize]| View::strided(&x, offset, shape, strides);
    for (offset, shape, strides, part) in [
        (0, &[2, 3][..], &[5, 3][..], "from 0 to 11"),
        (8, &[3], &[1], "from 8 to 10"),
        (1, &[3], &[-1], "from -1 to 1"),
        (10, &[1], &[1], "from 10 to 10"),
        (0, &[3], &[isize::MIN], "from -18446744073709551616 to 0"),
        (usize::MAX, &[2], &[isize::MAX], "has 10"),
        (0, &[2, 3], &[1], "2 dimensions and 1 strides"),
        (0, &[usize::MAX, 3], &[0, 0], "does not have 10 elements"),
    ] {
        let text = strided(offset, shape, strides).unwrap_err().to_string();
        assert!(text.contains(part), "{text}");
    }
    // An empty view may have any strides.
    assert!(strided(99, &[0, usize::MAX], &[isize::MAX, 1]).unwrap().is_empty());
    assert_eq!(strided(9, &[10], &[-1]).unwrap().get(&[9]), Some(&0));
}
