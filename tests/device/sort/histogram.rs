//! Histograms and reductions by bin: the counts and bits of the CPU backend, whatever the kernel.

use bytemuck::AnyBitPattern;
use warpfold::elements::BinNumber;
use warpfold::{Bins, Cpu, Error, Histogram, NanGreatest, Sum, bf16, binned, f16};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Sample, cuda, in_quarter_or_catalogue, on_gpu_or_emulated, samples};

/// Compares slices of a device with the CPU's counts: from any element, whole or in part.
fn check<T: BinNumber + AnyBitPattern>(bins: &Bins<T>, x: &[T]) {
    let (on_device, of_device) = (cuda().upload(x).unwrap(), cuda().bins(bins).unwrap());
    for first in [0, 1] {
        let Some(x) = x.get(first..) else { continue };
        let found = cuda().histogram(&of_device, on_device.slice(first..).unwrap()).unwrap();
        let Histogram { counts, below, above, nan } = found;
        let found = Histogram { counts: counts.to_vec().unwrap(), below, above, nan };
        let what = format!("{} elements of {} bytes in {} bins", x.len(), size_of::<T>(), bins.len());
        assert!(found == Cpu::new().histogram(bins, x).unwrap(), "{what}");
    }
}

/// Compares sums of values by the bin of `keys` with the CPU's bits, from any element.
fn check_binned<T: BinNumber + AnyBitPattern>(bins: &Bins<T>, keys: &[T]) {
    let values = samples::<f32>(Ordinary, 97, keys.len() as u64);
    let (of_keys, of_values) = (cuda().upload(keys).unwrap(), cuda().upload(&values).unwrap());
    let (of_device, stream) = (cuda().bins(bins).unwrap(), cuda().stream().unwrap());
    for first in [0, 1] {
        let Some(keys) = keys.get(first..) else { continue };
        let (of_keys, of_values) = (of_keys.slice(first..).unwrap(), of_values.slice(first..).unwrap());
        let expected = Cpu::new().reduce(Sum, binned(bins, keys, &values[first..])).unwrap();
        let found = cuda().reduce(Sum, binned(bins, of_keys, of_values)).unwrap();
        let mut by_stream = cuda().results::<f32, Sum>(bins.len()).unwrap();
        stream.reduce_into(Sum, binned(&of_device, of_keys, of_values), &mut by_stream).unwrap();
        for found in [found, by_stream] {
            let (found, what) = (found.to_vec().unwrap(), (keys.len(), size_of::<T>(), bins.len()));
            assert!(
                found.iter().map(|sum| sum.to_bits()).eq(expected.iter().map(|sum| sum.to_bits())),
                "{what:?}"
            );
        }
    }
}

/// Bins of every kind of kernel, and elements on their edges, between and beyond.
fn every_kind<T: BinNumber + AnyBitPattern + Sample>() {
    let [least, greatest] = T::numbers();
    let mut finite = samples::<T>(Ordinary, 87, 1000);
    finite.retain(|&x| least < x && x < greatest);
    finite.sort_by_key(|x| x.rank());
    let (low, high) = (finite[finite.len() / 10], finite[finite.len() * 9 / 10]);
    let len = on_gpu_or_emulated(1_000_000, 20_000);
    // Few, with 32 counters each or one; counters of two bytes; none.
    for bins in [1, 16, 256, 5000, 9000, 300_000] {
        let bins = Bins::even(low..=high, bins).unwrap();
        let mut x = samples::<T>(Special, 88, len);
        x.extend(bins.edges().iter().step_by(bins.len().div_ceil(3000)));
        check(&bins, &x);
        if bins.len() < 6000 {
            check_binned(&bins, &x[x.len() - 6000..]);
        }
    }
    let x = samples::<T>(Special, 89, len);
    let some: Vec<T> = finite.iter().copied().step_by(3).collect();
    check(&Bins::from_edges(&some).unwrap(), &x);
    check_binned(&Bins::from_edges(&some).unwrap(), &x[..9000]);
    let ([zero, other], [first, last]) = (T::zeros(), [finite[0], finite[finite.len() - 1]]);
    let edges = if first < zero { [first, zero, other, last] } else { [zero, other, first, last] };
    check(&Bins::from_edges(&edges).unwrap(), &x[..5000]);
    for n in [0, 1, 31, 33, 5000] {
        check(&Bins::even(low..=high, 7).unwrap(), &x[..n]);
        check_binned(&Bins::even(low..=high, 7).unwrap(), &x[..n]);
    }
}

#[test]
fn numbers_of_every_size() {
    every_kind::<f32>();
    in_quarter_or_catalogue!(0 => every_kind::<f64>());
    in_quarter_or_catalogue!(1 => every_kind::<f16>());
    in_quarter_or_catalogue!(2 => every_kind::<bf16>());
    in_quarter_or_catalogue!(3 => every_kind::<u8>());
    in_quarter_or_catalogue!(0 => every_kind::<i16>());
    in_quarter_or_catalogue!(1 => every_kind::<u32>());
    in_quarter_or_catalogue!(2 => every_kind::<i64>());
    in_quarter_or_catalogue!(3 => every_kind::<i32>());
}

#[test]
fn a_bin_for_each_integer() {
    let x = samples::<i8>(Special, 90, on_gpu_or_emulated(3_000_000, 20_003));
    check(&Bins::integers(i8::MIN..=i8::MAX).unwrap(), &x);
    check(&Bins::integers(-3..=100_i8).unwrap(), &x);
    check_binned(&Bins::integers(-3..=100_i8).unwrap(), &x[..5000]);
    let wide: Vec<u64> = x.iter().map(|&x| x as u64).collect();
    check(&Bins::integers(u64::MAX - 99..=u64::MAX).unwrap(), &wide);
    let x: Vec<i32> = x.iter().map(|&x| i32::from(x) * 70).collect();
    check(&Bins::integers(-8000..=8000).unwrap(), &x);
}

/// Equal elements fill a counter of two bytes many times over.
#[test]
fn a_counter_of_two_bytes_that_is_full_is_emptied() {
    let x = vec![0.7_f32; on_gpu_or_emulated(10_000_000, 60_000)];
    check(&Bins::even(0.0..=1.0, 10_000).unwrap(), &x);
    let out: Vec<f32> = x.iter().map(|x| x + 1.0).collect();
    check(&Bins::even(0.0..=1.0, 10_001).unwrap(), &out);
}

#[test]
fn nan_greatest_is_counted_as_the_float() {
    let x = samples::<f32>(Special, 91, 20_003);
    let x = NanGreatest::wrap_slice(&x);
    check(&Bins::even(NanGreatest(-4.0)..=NanGreatest(4.0), 100).unwrap(), x);
    check(&Bins::from_edges(&[-4.0, 0.5, 4.0].map(NanGreatest)).unwrap(), x);
}

/// The counts stay on the device, and a graph replays the launch.
#[test]
fn into_memory_of_the_stream() {
    let x = samples::<f32>(Special, 92, on_gpu_or_emulated(500_000, 20_000));
    let bins = Bins::even(-4.0..=4.0, 100).unwrap();
    let expected = Cpu::new().histogram(&bins, &x).unwrap();
    let (on_device, of_device) = (cuda().upload(&x).unwrap(), cuda().bins(&bins).unwrap());
    let stream = cuda().stream().unwrap();
    let (mut counts, mut outside) = (cuda().values::<u64>(100).unwrap(), cuda().values::<u64>(3).unwrap());
    stream.histogram_into(&of_device, &on_device, (&mut counts, &mut outside)).unwrap();
    let capture =
        stream.capture(|stream| stream.histogram_into(&of_device, &on_device, (&mut counts, &mut outside)));
    let mut graph = capture.unwrap();
    for _ in 0..3 {
        assert_eq!(counts.to_vec().unwrap(), expected.counts);
        assert_eq!(outside.to_vec().unwrap(), [expected.below, expected.above, expected.nan]);
        graph.launch(&stream).unwrap();
    }
    let mut short = cuda().values::<u64>(99).unwrap();
    let refused = stream.histogram_into(&of_device, &on_device, (&mut short, &mut outside));
    assert!(matches!(refused, Err(Error::Results { results: 100, room: 99 })), "{refused:?}");
    let none = on_device.slice(3..3).unwrap();
    stream.histogram_into(&of_device, none, (&mut counts, &mut outside)).unwrap();
    assert_eq!((counts.to_vec().unwrap(), outside.to_vec().unwrap()), (vec![0; 100], vec![0; 3]));
}

#[test]
fn keys_without_values_are_refused() {
    let bins = Bins::even(0.0..=1.0, 3).unwrap();
    let (keys, values) = (cuda().upload(&[0.5, 0.7]).unwrap(), cuda().upload(&[1_i32]).unwrap());
    let refused = cuda().reduce(Sum, binned(&bins, &keys, &values));
    assert!(matches!(refused, Err(Error::Lengths { .. })), "{refused:?}");
}

/// Every kernel that counts in bins or finds them, by element size: see `sanitize_reduce`.
#[test]
fn sanitize_histogram() {
    let x = samples::<f32>(Special, 93, 50_003);
    for bins in [16, 9000, 300_000] {
        check(&Bins::even(-4.0..=4.0, bins).unwrap(), &x);
    }
    check_binned(&Bins::even(-4.0..=4.0, 300).unwrap(), &x);
    let x = samples::<u8>(Ordinary, 94, 50_003);
    check(&Bins::integers(0..=u8::MAX).unwrap(), &x);
    check_binned(&Bins::integers(3..=u8::MAX).unwrap(), &x);
    let x = samples::<f16>(Special, 95, 50_003);
    check(&Bins::even(f16::NEG_ONE..=f16::ONE, 256).unwrap(), &x);
    let x = samples::<f64>(Special, 96, 50_003);
    check(&Bins::even(-4.0..=4.0, 256).unwrap(), &x);
}
