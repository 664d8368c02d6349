//! Arrays of ndarray have the results of their elements in logical order, bit for bit.

use ndarray::{
    Array1, Array2, Array3, ArrayBase, ArrayD, Data, Dimension, Ix0, IxDyn, ShapeBuilder, arr0, s,
};
use warpfold::{
    ArgMax, ArgMin, AsElements, Cpu, Element, Elements, Error, Op, Sum, View, along, reduce, reference,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

/// Shapes whose rows are shorter and longer than a warp and than a tile.
const SHAPES: [(usize, usize, usize); 5] = [(1, 1, 1), (2, 3, 5), (17, 31, 33), (3, 4099, 7), (1, 2, 70_001)];

fn agrees<O, S, D>(array: &ArrayBase<S, D>, borrowed: bool)
where
    S: Data<Elem: Element + Sample>,
    D: Dimension,
    O: Op<S::Elem, Out: Bits> + Default,
{
    let logical: Vec<_> = array.iter().copied().collect();
    let x = array.elements();
    assert_eq!(x.is_borrowed(), borrowed, "{:?} by {:?}", array.shape(), array.strides());
    assert_eq!((x.missing(), x.array_len()), (0, logical.len() as u64));
    let expected = reference::reduce::<S::Elem, O>(&logical).bits();
    assert_eq!(Cpu::new().reduce(O::default(), &x).unwrap().bits(), expected, "{:?}", array.shape());
    match array.elements_in_place() {
        Ok(x) => {
            assert!(borrowed, "{:?} by {:?}", array.shape(), array.strides());
            assert_eq!(Cpu::new().reduce(O::default(), x).unwrap().bits(), expected);
        }
        Err(error) => {
            assert!(!borrowed, "{error}");
            assert!(matches!(error, Error::NotInPlace { .. }), "{error:?}");
        }
    }
}

/// Whether the elements of an array with this shape have the same order for any order of its axes.
fn is_a_line(shape: &[usize]) -> bool {
    shape.iter().filter(|&&length| length > 1).count() < 2
}

fn every_view<T: Element + Sample, O: Op<T, Out: Bits> + Default>() {
    for (seed, family) in [(1, Ordinary), (2, Special)] {
        for (a, b, c) in SHAPES {
            let values = samples::<T>(family, seed, (a * b * c) as u64);
            let cube = Array3::from_shape_vec((a, b, c), values.clone()).unwrap();
            agrees::<O, _, _>(&cube, true);
            agrees::<O, _, _>(&cube.view(), true);
            agrees::<O, _, _>(&cube.to_shared(), true);
            agrees::<O, _, _>(&cube.view().into_dyn(), true);
            agrees::<O, _, _>(&cube.t(), is_a_line(cube.shape()));
            agrees::<O, _, _>(&cube.slice(s![..;-1, ..;-1, ..;-1]), cube.len() == 1);
            let every_other = cube.slice(s![.., .., ..;2]);
            agrees::<O, _, _>(&every_other, c < 3 && (c == 1 || a * b == 1));
            let row = cube.slice(s![a - 1, b - 1, ..]);
            agrees::<O, _, _>(&row, true);
            agrees::<O, _, _>(&cube.slice(s![.., b / 2.., ..]), a == 1);
            let fortran = Array3::from_shape_vec((a, b, c).f(), values).unwrap();
            agrees::<O, _, _>(&fortran, is_a_line(fortran.shape()));
        }
    }
}

#[test]
fn every_view_sums_in_logical_order() {
    every_view::<f32, Sum>();
    every_view::<f64, Sum>();
    every_view::<i32, Sum>();
}

#[test]
fn every_view_is_searched_in_logical_order() {
    every_view::<f32, ArgMin>();
    every_view::<u64, ArgMax>();
}

#[test]
fn the_first_in_logical_order_wins() {
    // | 5  9  1 |
    // | 4  1  9 |
    let rows = ndarray::array![[5, 9, 1], [4, 1, 9]];
    let columns = Array2::from_shape_vec((2, 3).f(), vec![5, 4, 9, 1, 1, 9]).unwrap();
    assert_eq!(rows, columns);
    for array in [rows, columns] {
        let x = array.elements();
        assert_eq!(reduce::<i32, ArgMin>(&x).unwrap().unwrap().index, 2);
        assert_eq!(reduce::<i32, ArgMax>(&x).unwrap().unwrap().index, 1);
        let x = array.t();
        assert_eq!(reduce::<i32, ArgMin>(&x.elements()).unwrap().unwrap().index, 3);
    }
}

#[test]
fn no_axes_hold_one_element() {
    agrees::<Sum, _, _>(&arr0(2.5_f32), true);
    agrees::<ArgMax, _, Ix0>(&arr0(f64::NAN), true);
    agrees::<ArgMax, _, IxDyn>(&ArrayD::from_elem(IxDyn(&[]), 7_u32), true);
}

#[test]
fn an_empty_axis_holds_none() {
    for shape in [(0, 0, 0), (0, 5, 3), (5, 0, 3), (5, 3, 0)] {
        let empty = Array3::<f32>::zeros(shape);
        agrees::<Sum, _, _>(&empty, true);
        agrees::<ArgMin, _, _>(&empty.t(), true);
        agrees::<ArgMin, _, _>(&empty.slice(s![..;-1, .., ..]), true);
    }
}

#[test]
fn a_broadcast_view_has_an_element_for_each_index() {
    let row = Array1::from_vec(samples::<f32>(Ordinary, 3, 1000));
    let matrix = row.broadcast((50, 1000)).unwrap();
    agrees::<Sum, _, _>(&matrix, false);
    assert_eq!(matrix.elements().len(), 50_000);
}

#[test]
fn a_reference_to_an_array_folds_too() {
    fn sum(array: &ndarray::ArrayRef1<f32>) -> f32 {
        reduce::<f32, Sum>(&array.elements()).unwrap()
    }
    let row = Array1::from_vec(vec![1.0, 2.0, 4.5]);
    assert_eq!(sum(&row), 7.5);
    assert_eq!(sum(&row.slice(s![..;2])), 5.5);
}

#[test]
fn several_arrays_are_one() {
    let values = samples::<f32>(Ordinary, 4, 6 * 1001);
    let matrix = Array2::from_shape_vec((6, 1001), values.clone()).unwrap();
    let parts = [matrix.slice(s![..2, ..]), matrix.slice(s![2..3, ..]), matrix.slice(s![3.., ..])];
    let x = Elements::concat(&parts);
    let expected = reference::reduce::<f32, Sum>(&values).bits();
    assert_eq!(reduce::<f32, Sum>(&x).unwrap().bits(), expected);
    assert!(!x.is_borrowed());
}

#[test]
fn a_refusal_says_why_and_what_copies() {
    let matrix = Array2::<f32>::zeros((2, 2));
    let error = matrix.t().elements_in_place().unwrap_err().to_string();
    assert!(error.contains("transposed") && error.contains("AsElements::elements copies"), "{error}");
}

/// Each element of the result equals the reduction of the elements along the reduced axes, read by index;
/// `in_place` says whether the array is contiguous.
fn axes_agree<O, S, D>(array: &ArrayBase<S, D>, in_place: bool)
where
    S: Data<Elem: Element + Sample>,
    D: Dimension,
    O: Op<S::Elem, Out: Bits + Send> + Default,
{
    assert_eq!(View::try_from(array).is_ok(), in_place, "{:?} by {:?}", array.shape(), array.strides());
    let array = array.view().into_dyn();
    for set in 0..1 << array.ndim() {
        let (reduced, kept): (Vec<_>, Vec<_>) = (0..array.ndim()).partition(|axis| set >> axis & 1 == 1);
        // The kept axes first, so that the elements of each result are contiguous.
        let turned = array.view().permuted_axes([&kept[..], &reduced[..]].concat());
        let logical: Vec<_> = turned.iter().copied().collect();
        let results: usize = kept.iter().map(|&axis| array.shape()[axis]).product();
        let len = logical.len().checked_div(results).unwrap_or(0);
        let rows = (0..results).map(|row| &logical[row * len..][..len]);
        let expected: Vec<_> = rows.map(|row| reference::reduce::<S::Elem, O>(row).bits()).collect();
        for keep_dims in [false, true] {
            let input = along(&array, &reduced);
            let input = if keep_dims { input.keep_dims() } else { input };
            let outs = Cpu::new().reduce(O::default(), input).unwrap();
            let shape = View::try_from(&array).map(|view| view.reduced_shape(&reduced, keep_dims).unwrap());
            assert!(shape.is_err() || shape.is_ok_and(|shape| shape == outs.shape()));
            assert_eq!(outs.ndim(), if keep_dims { array.ndim() } else { kept.len() });
            assert!(
                outs.iter().map(Bits::bits).eq(expected.iter().cloned()),
                "{:?} over {reduced:?}",
                array.shape()
            );
        }
    }
}

#[test]
fn axes_of_every_layout() {
    let values = samples::<f32>(Special, 5, 5 * 40 * 33);
    let cube = Array3::from_shape_vec((5, 40, 33), values.clone()).unwrap();
    axes_agree::<ArgMin, _, _>(&cube, true);
    axes_agree::<Sum, _, _>(&cube.t(), true);
    axes_agree::<Sum, _, _>(&cube.slice(s![..;-1, .., ..;-1]), true);
    axes_agree::<Sum, _, _>(&cube.slice(s![1..3, .., ..]), true);
    axes_agree::<Sum, _, _>(&cube.slice(s![.., .., ..;2]), false);
    axes_agree::<Sum, _, _>(&cube.slice(s![.., 3..7, ..;-3]), false);
    axes_agree::<Sum, _, _>(&Array3::from_shape_vec((5, 40, 33).f(), values).unwrap(), true);
    let plane = cube.slice(s![2, .., ..;-1]);
    axes_agree::<ArgMin, _, _>(&plane.broadcast((4, 40, 33)).unwrap(), true);
    axes_agree::<Sum, _, _>(&arr0(2.5_f32), true);
    axes_agree::<ArgMin, _, _>(&Array3::<f32>::zeros((3, 0, 2)), true);
    axes_agree::<ArgMin, _, _>(&Array3::<f32>::zeros((0, 3, 2)).t(), true);
}

#[test]
fn wrong_axes_of_an_array_are_refused() {
    let cube = Array3::<f32>::zeros((2, 3, 4));
    let error = Cpu::new().reduce(Sum, along(&cube, &[3])).unwrap_err();
    assert!(matches!(error, Error::Axes { dimensions: 3, .. }), "{error:?}");
    let deep = ArrayD::<f32>::zeros(IxDyn(&[1; 9]));
    let error = Cpu::new().reduce(Sum, along(&deep, &[0])).unwrap_err();
    assert!(error.to_string().contains("9 dimensions"), "{error}");
}
