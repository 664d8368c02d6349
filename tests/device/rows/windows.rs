//! Windows: rows that overlap, by every call, with the CPU's bits.

use gpu_kernels::Storable;
use warpfold::kernels::RowsKernel;
use warpfold::{ArgMin, Cpu, Element, Error, Max, Mean, Op, Sum, windows};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, Sample, cuda, samples};

fn check<T, O>(n: u64, len: usize, step: usize)
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Storable>,
{
    let (op, x) = (O::default(), samples::<T>(Ordinary, 61, n));
    let bits = |outs: Vec<O::Out>| outs.iter().map(Bits::bits).collect::<Vec<_>>();
    let expected = bits(Cpu::new().reduce(op, windows(&x, len).step(step)).unwrap());
    let (device, stream) = (cuda().upload(&x).unwrap(), cuda().stream().unwrap());
    let mut written = cuda().results::<T, O>(expected.len()).unwrap();
    stream.reduce_into(op, windows(&device, len).step(step), &mut written).unwrap();
    let waited = cuda().reduce(op, windows(device.as_slice(), len).step(step)).unwrap();
    let under_way = stream.reduce(op, windows(&device, len).step(step)).unwrap();
    for found in [waited, under_way, written] {
        assert_eq!(bits(found.to_vec().unwrap()), expected, "windows of {len} of {n} elements, {step} apart");
    }
}

#[test]
fn windows_have_the_bits_of_the_cpu() {
    for (len, step) in [(1, 1), (2, 1), (7, 3), (32, 1), (100, 40), (1000, 1000), (1025, 77), (4097, 500)] {
        check::<f32, Sum>(5000, len, step);
        check::<f32, ArgMin>(3001, len, step);
    }
    check::<f64, Mean>(3000, 300, 1);
    check::<i32, Max>(20_000, 9000, 1111);
    check::<u8, Sum>(3000, 33, 1);
}

#[test]
fn one_window_or_none_is_a_result_or_none() {
    check::<f32, Sum>(100, 100, usize::MAX);
    check::<f32, Sum>(100, 101, 1);
    check::<f32, Mean>(0, 1, 1);
    let device = cuda().upload(&[1.0f32, 2.0]).unwrap();
    for (len, step) in [(0, 1), (1, 0)] {
        let refused = cuda().reduce(Sum, windows(&device, len).step(step));
        assert!(matches!(refused, Err(Error::Window { .. })), "{refused:?}");
    }
}
