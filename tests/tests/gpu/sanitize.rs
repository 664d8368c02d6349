//! Short runs over every kernel that folds or packs, and those that select, for compute-sanitizer: each launch takes it
//! many times as long.

use super::{axes, cuda, select, shapes};
use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::{
    ArgMin, Complex, Cpu, Element, Interpolate, Kernel, Op, RankedNumber, RowsKernel, Sum, bf16, tree,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

fn check<T: Element + Sample, O: Kernel<T> + Default + Op<T, Out: Bits>>() {
    let tile = tree::tile_len::<T>(0);
    let all = samples::<T>(Special, 31, 33 * tile + 6);
    let device = cuda().upload(&all).unwrap();
    let stream = cuda().stream().unwrap();
    for (offset, n) in [(0, 1), (1, 1000), (0, 5 * tile + 3), (1, 33 * tile + 5)] {
        let range = offset..offset + n as usize;
        let expected = Cpu::new().reduce::<T, O>(&all[range.clone()]).unwrap().bits();
        let slice = device.slice(range).unwrap();
        assert_eq!(stream.reduce::<T, O>(&slice).unwrap().bits(), expected, "{n} elements");
        for plan in shapes::plans::<T>(n) {
            let found = shapes::fold::<T, O>(&stream, &plan, &slice);
            assert_eq!(found.as_ref().unwrap_or(&expected), &expected, "{plan}");
        }
    }
}

/// Rows for every kernel over rows: aligned and not, short and of two tiles.
fn check_rows<T: Element + Sample, O: RowsKernel<T> + Default + Op<T, Out: Bits>>() {
    let tile = tree::tile_len::<T>(0) as usize;
    let all = samples::<T>(Special, 32, 6 * tile as u64 + 1);
    let device = cuda().upload(&all).unwrap();
    for (offset, rows, len) in [(0, 40, 16), (1, 9, 33), (0, 3, 1040), (1, 3, 1500), (0, 3, 2 * tile)] {
        let range = offset..offset + rows * len;
        let expected: Vec<String> = all[range.clone()]
            .chunks(len)
            .map(|row| Cpu::new().reduce::<T, O>(row).unwrap().bits())
            .collect();
        let found = cuda().reduce_rows::<T, O>(&device.slice(range).unwrap(), [rows, len]).unwrap();
        let found: Vec<String> = found.into_iter().map(|found| found.bits()).collect();
        assert_eq!(found, expected, "{rows} rows of {len}");
    }
}

macro_rules! rows {
    ($($row:ident: $op:ty, $element:ty;)*) => { $( check::<$element, $op>(); )* };
}

macro_rules! many_rows {
    ($($row:ident: $op:ty, $element:ty;)*) => { $( check_rows::<$element, $op>(); )* };
}

#[test]
fn sanitize_every_kernel_over_rows() {
    gpu_kernels::for_each_rows_kernel!(many_rows);
}

#[test]
fn sanitize_every_kernel() {
    gpu_kernels::for_each_kernel!(rows);
    rows! {
        reduce_strided_u32: Strided, u32;
        reduce_ordered_u32: Ordered, u32;
        reduce_matrix_u32: MatrixProduct, u32;
    }
}

/// Every kernel that packs, by the size of a word.
#[test]
fn sanitize_packing() {
    let shapes = [[3, 5, 3, 40]];
    axes::every_axis::<u8, Sum>(&shapes);
    axes::every_axis::<bf16, ArgMin>(&shapes);
    axes::every_axis::<f32, Sum>(&shapes);
    axes::every_axis::<f64, Sum>(&shapes);
    axes::every_axis::<Complex<f32>, Sum>(&shapes);
}

/// Every kernel that selects, by the size of a word: the first few, many, and elements at places.
#[test]
fn sanitize_selection() {
    fn check<T: RankedNumber + Interpolate<Out: Bits> + Sample + Bits>() {
        let x = samples::<T>(Special, 33, 70_001);
        select::first_agree(&x, &[1, 100, 3000]);
        select::quantiles_agree(&samples::<T>(Ordinary, 34, 70_001));
    }
    check::<u8>();
    check::<bf16>();
    check::<f32>();
    check::<f64>();
}
