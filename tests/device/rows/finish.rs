//! Results finished on the device: each has the bits of the host's `finish` of the same accumulators.

use gpu_kernels::Storable;
use warpfold::kernels::RowsKernel;
use warpfold::{ArgMin, At, Cpu, DeviceArray, Element, Error, Max, Mean, Op, Sum};
use warpfold_tests::data::Family::{self, Ordinary, Special, SpecialOnly};
use warpfold_tests::{Bits, Sample, cuda, each_pair, on_gpu_or_emulated, samples, stored_bits};

/// Rows of every length at which there may be no result, and longer ones.
fn rows_of_some_lengths<T, O>()
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Storable<Stored: Bits>>,
{
    let stream = cuda().stream().unwrap();
    for (family, seed, rows, len) in [
        (SpecialOnly, 51, 5000, 0),
        (SpecialOnly, 52, 5000, 1),
        (Special, 53, 777, 2),
        (SpecialOnly, 54, 3000, 3),
        (Ordinary, 55, 500, 100),
        (Special, 56, 2, 20_000),
    ] {
        let rows = rows.min(on_gpu_or_emulated(usize::MAX, 300));
        let x = cuda().upload(&samples::<T>(family, seed, (rows * len) as u64)).unwrap();
        let mut results = cuda().results::<T, O>(rows).unwrap();
        stream.reduce_into(O::default(), warpfold::rows(&x, [rows, len]), &mut results).unwrap();
        let mut values = cuda().values(rows).unwrap();
        stream.finish_into(&results, &mut values).unwrap();
        let expected: Vec<String> = results.to_vec().unwrap().into_iter().map(stored_bits).collect();
        let array = results.finished().unwrap();
        for found in [array.to_vec().unwrap(), values.to_vec().unwrap()] {
            let found: Vec<String> = found.iter().map(Bits::bits).collect();
            assert!(found == expected, "{rows} x {len}: {found:?} and not {expected:?}");
        }
    }
}

each_pair! {
    rows_of_some_lengths of gpu_kernels::for_each_rows_kernel, or takes_of_many_kernels of warpfold_tests::for_each_sampled_rows_kernel
}

macro_rules! every_row {
    ($($row:ident: $op:ty, $element:ty;)*) => { $(
        #[test]
        fn $row() {
            rows_of_some_lengths::<$element, $op>();
        }
    )* };
}

/// Users' operators. One of them has an array as its result.
mod of_a_user {
    use super::*;
    test_kernels::for_each_test_kernel!(every_row);
}

/// Many results, so that each thread finishes several.
#[test]
fn more_results_than_threads() {
    let count = on_gpu_or_emulated(1 << 22, 1 << 14);
    let x = samples::<f32>(Ordinary, 57, 2 * count as u64);
    let device = cuda().upload(&x).unwrap();
    let stream = cuda().stream().unwrap();
    let mut results = cuda().results::<f32, Mean>(count).unwrap();
    stream.reduce_into(Mean, warpfold::rows(&device, [count, 2]), &mut results).unwrap();
    let means = results.finished().unwrap().to_vec().unwrap();
    for (pair, mean) in x.chunks(2).zip(means) {
        assert_eq!(mean.to_bits(), Cpu::new().reduce(Mean, pair).unwrap().unwrap().to_bits());
    }
}

/// Finished results are an array: the greatest of the rows' means, and sums of sums, on the device alone.
#[test]
fn results_are_reduced_again() {
    let len = on_gpu_or_emulated(300, 30);
    let x = samples::<f32>(Ordinary, 58, 1000 * len as u64);
    let device = cuda().upload(&x).unwrap();
    let stream = cuda().stream().unwrap();
    let mut results = cuda().results::<f32, Mean>(1000).unwrap();
    stream.reduce_into(Mean, warpfold::rows(&device, [1000, len]), &mut results).unwrap();
    let means: DeviceArray<f32> = results.finished().unwrap();
    let expected: Vec<f32> =
        x.chunks(len).map(|row| Cpu::new().reduce(Mean, row).unwrap().unwrap()).collect();
    assert_eq!(cuda().reduce(Max, &means).unwrap().bits(), Cpu::new().reduce(Max, &expected).unwrap().bits());
    assert_eq!(
        cuda()
            .reduce(Sum, warpfold::rows(&means, [10, 100]))
            .unwrap()
            .to_vec()
            .unwrap()
            .iter()
            .map(Bits::bits)
            .collect::<Vec<_>>(),
        expected.chunks(100).map(|row| Cpu::new().reduce(Sum, row).unwrap().bits()).collect::<Vec<_>>()
    );
}

/// A graph of a reduction and its finish, launched again after another stream reduced later elements to the
/// same results.
#[test]
fn graphs_replay_both() {
    let (stream, other) = (cuda().stream().unwrap(), cuda().stream().unwrap());
    let x = samples::<f32>(Family::Special, 59, 64_000);
    let device = cuda().upload(&x).unwrap();
    let (mut results, mut values) =
        (cuda().results::<f32, ArgMin>(640).unwrap(), cuda().values(640).unwrap());
    let mut scalar = cuda().scalar::<f32, ArgMin>().unwrap();
    let mut least = cuda().values(1).unwrap();
    cuda().prepare(ArgMin, warpfold::rows(&device, [640, 100])).unwrap();
    cuda().prepare(ArgMin, &device).unwrap();
    let refused = stream.capture(|stream| stream.finish_into(&results, &mut values));
    assert!(matches!(refused, Err(Error::Capturing { .. })), "{refused:?}");
    let mut graph = stream
        .capture(|stream| {
            stream.reduce_into(ArgMin, warpfold::rows(&device, [640, 100]), &mut results)?;
            stream.finish_into(&results, &mut values)?;
            stream.reduce_into(ArgMin, &device, &mut scalar)?;
            stream.finish_into(&scalar, &mut least)
        })
        .unwrap();
    let expected = |x: &[f32]| stored_bits(Cpu::new().reduce(ArgMin, x).unwrap());
    for _ in 0..3 {
        let rest = device.slice(0..640 * 7).unwrap();
        other.reduce_into(ArgMin, warpfold::rows(&rest, [640, 7]), &mut results).unwrap();
        other.finish_into(&results, &mut values).unwrap();
        graph.launch(&stream).unwrap();
        let found: Vec<String> = values.to_vec().unwrap().iter().map(Bits::bits).collect();
        assert!(found == x.chunks(100).map(expected).collect::<Vec<_>>());
        assert_eq!(least.to_vec().unwrap()[0].bits(), expected(&x));
    }
    let at: Option<At<f32>> = scalar.get().unwrap();
    assert_eq!(scalar.finished().unwrap().to_vec().unwrap()[0].index, at.unwrap().index);
}

#[test]
fn what_does_not_fit_is_refused() {
    let stream = cuda().stream().unwrap();
    let results = cuda().results::<f32, Sum>(3).unwrap();
    let mut values = cuda().values(4).unwrap();
    let refused = stream.finish_into(&results, &mut values);
    assert!(matches!(refused, Err(Error::Results { results: 3, room: 4 })), "{refused:?}");
    assert_eq!(values.to_vec().unwrap(), [0.0; 4]);
    assert_eq!(results.finished().unwrap().to_vec().unwrap(), [-0.0; 3]);
    assert!(cuda().results::<f32, Sum>(0).unwrap().finished().unwrap().is_empty());
}
