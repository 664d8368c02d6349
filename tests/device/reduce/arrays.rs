//! Arrays of other crates, uploaded or fed in place: the CPU's bits, and the array's indices.

use arrow_array::{Array, Float32Array};
use ndarray::Array2;
use warpfold::{ArgMax, AsElements, Cpu, Sum};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, cuda, on_gpu_or_emulated, samples};

#[test]
fn arrays_of_ndarray_give_the_bits_of_the_cpu() {
    let (rows, columns) = on_gpu_or_emulated((1003, 517), (203, 117));
    let x = samples::<f32>(Ordinary, 1, (rows * columns) as u64);
    let matrix = Array2::from_shape_vec((rows, columns), x).unwrap();
    for view in [matrix.view(), matrix.t()] {
        let x = view.elements();
        let expected = Cpu::new().reduce(Sum, &x).unwrap().bits();
        let uploaded = cuda().upload(&x).unwrap();
        assert_eq!(cuda().reduce(Sum, &uploaded).unwrap().bits(), expected);
        assert_eq!(cuda().reduce(Sum, &x).unwrap().bits(), expected);
    }
}

#[test]
fn arrays_of_arrow_give_the_bits_and_the_places_of_the_cpu() {
    let values = samples::<f32>(Ordinary, 2, on_gpu_or_emulated(300_007, 30_007));
    let array: Float32Array = (0..).zip(values).map(|(i, x)| (i % 7 != 3).then_some(x)).collect();
    let x = array.elements();
    assert_eq!(x.missing(), array.null_count() as u64);
    let uploaded = cuda().upload(&x).unwrap();
    let sum = cuda().reduce(Sum, &uploaded).unwrap();
    assert_eq!(sum.bits(), Cpu::new().reduce(Sum, &x).unwrap().bits());
    let at = cuda().reduce(ArgMax, &uploaded).unwrap().unwrap();
    let place = x.position(at.index).unwrap() as usize;
    assert!(array.is_valid(place));
    assert_eq!(array.value(place).bits(), at.value.bits());
}
