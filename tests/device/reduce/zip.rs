//! Folds over two arrays on the device, against the CPU.

use bytemuck::Pod;
use warpfold::kernels::Kernel;
use warpfold::{Cpu, Dot, Element, Error, Op, addresses::Two, zip};
use warpfold_tests::data::Family::Special;
use warpfold_tests::{Bits, Sample, cuda, each_pair, is_emulated, on_gpu_or_emulated, samples, sizes, turn};

/// Every size, where both arrays, one of them or neither is aligned for vectors.
fn check<T: Element + Pod + Sample, O: Kernel<[T; 2], Two<T>> + Default + Op<[T; 2], Out: Bits>>() {
    let limit = on_gpu_or_emulated((1 << 20) + 100, 40_000);
    let (x, y) = (samples::<T>(Special, 1, limit), samples::<T>(Special, 2, limit));
    let (there_x, there_y) = (cuda().upload(&x).unwrap(), cuda().upload(&y).unwrap());
    let stream = cuda().stream().unwrap();
    for (i, n) in (0..).zip(sizes::up_to::<[T; 2]>(limit - 4)) {
        for (case, (skip_x, skip_y)) in (0..).zip([(0, 0), (1, 0), (3, 1)]) {
            if is_emulated() && !turn::is_in_quarter(i + case) {
                continue;
            }
            let (end_x, end_y) = (skip_x + n as usize, skip_y + n as usize);
            let expected =
                Cpu::new().reduce(O::default(), zip(&x[skip_x..end_x], &y[skip_y..end_y])).unwrap().bits();
            let (x, y) = (there_x.slice(skip_x..end_x).unwrap(), there_y.slice(skip_y..end_y).unwrap());
            assert_eq!(
                stream.reduce(O::default(), zip(&x, &y)).unwrap().bits(),
                expected,
                "{n}, {skip_x}, {skip_y}"
            );
        }
    }
    let stream = cuda().stream().unwrap();
    let mut scalar = cuda().scalar::<[T; 2], O>().unwrap();
    stream.reduce_into(O::default(), zip(&there_x, &there_y), &mut scalar).unwrap();
    let all = Cpu::new().reduce(O::default(), zip(&x, &y)).unwrap().bits();
    assert_eq!(cuda().reduce(O::default(), zip(&there_x, &there_y)).unwrap().bits(), all);
    assert_eq!(scalar.get().unwrap().bits(), all);
}

each_pair! {
    check of gpu_kernels::for_each_zip_kernel, or is_quarter_of of gpu_kernels::for_each_zip_kernel
}

#[test]
fn arrays_of_two_lengths_are_refused() {
    let (x, y) = (cuda().upload(&[1.0f32, 2.0]).unwrap(), cuda().upload(&[1.0f32]).unwrap());
    let refused = cuda().reduce(Dot, zip(&x, &y));
    assert!(matches!(refused, Err(Error::Lengths { left: 2, right: 1 })), "{refused:?}");
}
