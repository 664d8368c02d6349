//! Scans along axes of a view: the CPU's bits, wherever the elements of a line are.

use warpfold::kernels::{ScanKernel, StoredOf};
use warpfold::{Cpu, Error, Max, Mean, Scan, Sum, View, along};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, Sample, cuda, samples, stored_bits};

use gpu_kernels::{Element, Op, Storable};

fn check<T, O>(shape: &[usize], offset: usize, strides: &[isize], axes: &[usize], scan: Scan<O::Acc>)
where
    T: Element + Sample,
    O: ScanKernel<T> + Default + Op<T, Out: Bits + Storable<Stored: Bits>>,
{
    let x = samples::<T>(Ordinary, 71, 30_000);
    let on_host = View::strided(&x, offset, shape, strides).unwrap();
    let expected = Cpu::new().scan(O::default(), along(on_host, axes), scan).unwrap();
    let expected: Vec<String> = expected.into_iter().map(stored_bits).collect();
    let device = cuda().upload(&x).unwrap();
    let view = View::strided(&device, offset, shape, strides).unwrap();
    let found = cuda().scan(O::default(), along(view, axes), scan).unwrap().to_vec().unwrap();
    let found: Vec<String> = found.iter().map(Bits::bits).collect();
    assert_eq!(found, expected, "axes {axes:?} of {shape:?}, {strides:?} apart");
    let (stream, mut values) =
        (cuda().stream().unwrap(), cuda().values::<StoredOf<T, O>>(expected.len()).unwrap());
    stream.scan_into(O::default(), along(view, axes), &mut values, scan).unwrap();
    let found: Vec<String> = values.to_vec().unwrap().iter().map(Bits::bits).collect();
    assert_eq!(found, expected, "axes {axes:?} of {shape:?}, {strides:?} apart, on a stream");
}

#[test]
fn every_choice_of_axes_has_the_bits_of_the_cpu() {
    for (shape, strides) in
        [([7, 5, 33], [165, 33, 1]), ([3, 1100, 2], [1, 3, 3300]), ([2, 3, 40], [1000, 7, 2])]
    {
        for axes in [&[][..], &[0], &[1], &[2], &[0, 1], &[2, 0], &[0, 1, 2]] {
            check::<f32, Sum>(&shape, 3, &strides, axes, Scan::inclusive());
        }
    }
    check::<f64, Mean>(&[40, 30], 1499, &[-30, -1], &[0], Scan::inclusive());
    check::<f32, Max>(&[300, 20], 0, &[20, 1], &[0], Scan::exclusive().from(Max.lift(0.5_f32, 0), 1));
    check::<u8, Sum>(&[300, 20], 1, &[20, 1], &[0], Scan::inclusive());
    check::<f32, Sum>(&[0, 20], 1, &[20, 1], &[0], Scan::inclusive());
    check::<f32, Sum>(&[], 5, &[], &[], Scan::inclusive());
}

#[test]
fn graphs_scan_along_axes() {
    let x = samples::<f32>(Ordinary, 72, 6000);
    let (device, stream) = (cuda().upload(&x).unwrap(), cuda().stream().unwrap());
    let mut values = cuda().values::<f32>(x.len()).unwrap();
    let view = View::new(&device, &[60, 100]).unwrap();
    let mut graph = stream
        .capture(|stream| stream.scan_into(Sum, along(view, &[0]), &mut values, Scan::inclusive()))
        .unwrap();
    let expected =
        Cpu::new().scan(Sum, along(View::new(&x, &[60, 100]).unwrap(), &[0]), Scan::inclusive()).unwrap();
    for _ in 0..2 {
        graph.launch(&stream).unwrap();
        let found = values.to_vec().unwrap();
        assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

#[test]
fn wrong_axes_are_refused() {
    let device = cuda().upload(&[1.0f32; 6]).unwrap();
    let view = View::new(&device, &[2, 3]).unwrap();
    let refused = cuda().scan(Sum, along(view, &[2]), Scan::inclusive());
    assert!(matches!(refused, Err(Error::Axes { .. })), "{refused:?}");
}
