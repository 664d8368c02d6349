//! Histograms on the CPU: the counts of the obvious loop, with any number of threads.

use std::fmt::Debug;
use std::sync::LazyLock;

use proptest::prelude::*;
use warpfold::elements::BinNumber;
use warpfold::{Bins, Cpu, Elements, Error, Histogram, NanGreatest, bf16, chunks, f16, rows, segments};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Sample, in_quarter, samples, sizes};

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 2, 5]));
    &CPUS
}

/// Compares each element with the edges, from the first on.
fn obvious<T: BinNumber>(bins: &Bins<T>, x: &[T]) -> Histogram {
    let edges = bins.edges();
    let (low, high, last) = (edges[0], edges[bins.len()], bins.len() - 1);
    let mut found = Histogram { counts: vec![0; bins.len()], below: 0, above: 0, nan: 0 };
    for &x in x {
        if x < low {
            found.below += 1;
        } else if x > high {
            found.above += 1;
        } else if x.partial_cmp(&x).is_none() {
            found.nan += 1;
        } else {
            let behind = edges.iter().position(|&edge| x < edge);
            found.counts[behind.map_or(last, |behind| behind - 1)] += 1;
        }
    }
    found
}

fn check<T: BinNumber + Debug>(cpus: &[Cpu], bins: &Bins<T>, x: &[T]) {
    let expected = obvious(bins, x);
    let sum = expected.counts.iter().sum::<u64>() + expected.below + expected.above + expected.nan;
    assert_eq!(sum, x.len() as u64);
    for cpu in cpus {
        assert_eq!(cpu.histogram(bins, x).unwrap(), expected, "{} in {} bins, {cpu:?}", x.len(), bins.len());
    }
}

/// Even bins and given edges in the middle of some numbers, of which some are on edges and some are beyond.
fn bins_of<T: BinNumber + Sample + Debug>(numbers: &[usize]) -> (Vec<Bins<T>>, Vec<T>) {
    let [least, greatest] = T::numbers();
    let mut finite = samples::<T>(Ordinary, 7, 1000);
    finite.retain(|&x| least < x && x < greatest);
    finite.sort_by_key(|x| x.rank());
    let (low, high) = (finite[finite.len() / 10], finite[finite.len() * 9 / 10]);
    let even = numbers.iter().map(|&bins| Bins::even(low..=high, bins).unwrap());
    let mut all: Vec<_> = even.collect();
    let some: Vec<T> = finite.iter().copied().step_by(9).collect();
    all.push(Bins::from_edges(&some).unwrap());
    // The least and the greatest sample, and an empty bin; zeros of both signs, below every sample of an unsigned type.
    let [zero, other] = T::zeros();
    let mut wide = [finite[0], zero, other, other, finite[finite.len() - 1]];
    wide.sort_by(|a, b| a.partial_cmp(b).unwrap());
    all.push(Bins::from_edges(&wide).unwrap());
    let edges = all.iter().flat_map(|bins| bins.edges().to_vec()).collect();
    (all, edges)
}

/// Every size with a few bins; more bins, and elements on every edge, for inputs of several threads.
fn every_size<T: BinNumber + Sample + Debug>() {
    let (bins, edges) = bins_of::<T>(&[1, 7, 256]);
    let mut x = edges;
    x.extend(samples::<T>(Special, 1, 20_000));
    for n in sizes::up_to::<T>(20_000) {
        for bins in &bins {
            check(&cpus()[..1], bins, &x[..n as usize]);
        }
    }
    let (bins, edges) = bins_of::<T>(&[2, 5000]);
    let mut x = samples::<T>(Special, 2, (3 << 20) as u64 / size_of::<T>() as u64 + 77);
    x.extend(edges);
    x.truncate(400_000);
    check(&cpus()[1..2], &bins[0], &x);
    check(&cpus()[2..], &bins[1], &x[x.len() - 20_000..]);
}

#[test]
fn f32_elements() {
    every_size::<f32>();
}

#[test]
fn others_in_turn() {
    in_quarter!(0 => every_size::<f64>());
    in_quarter!(1 => every_size::<u8>());
    in_quarter!(2 => every_size::<i16>());
    in_quarter!(3 => every_size::<f16>());
    in_quarter!(0 => every_size::<bf16>());
    in_quarter!(1 => every_size::<i64>());
    in_quarter!(2 => every_size::<u32>());
    in_quarter!(3 => every_size::<i32>());
    in_quarter!(0 => every_size::<i8>());
    in_quarter!(1 => every_size::<u16>());
    in_quarter!(2 => every_size::<u64>());
}

/// The neighbours of every edge, where a rounded product may be on the wrong side.
#[test]
fn floats_beside_the_edges() {
    for (low, high) in
        [(0.0, 1.0), (-1.0, 1.0), (1e3, 1e3 + 0.25), (-3e-39, 7e-39), (-3e38, 3e38), (5.0, 5.000_001)]
    {
        for n in [1, 3, 10, 100, 1000] {
            let bins = Bins::even(low..=high, n).unwrap();
            let x: Vec<f32> = bins
                .edges()
                .iter()
                .flat_map(|&edge: &f32| [edge.next_down(), edge, edge.next_up()])
                .collect();
            check(&cpus()[..1], &bins, &x);
            let bins = Bins::even(f64::from(low)..=f64::from(high), n).unwrap();
            let x: Vec<f64> =
                bins.edges().iter().flat_map(|&edge| [edge.next_down(), edge, edge.next_up()]).collect();
            check(&cpus()[..1], &bins, &x);
        }
    }
}

/// Many bins, so that positions have few bits left for fractions.
#[test]
fn floats_beside_many_edges() {
    let bins = Bins::even(0.0..=1.0_f32, 1 << 20).unwrap();
    let edges = &bins.edges()[(1 << 20) - 1000..];
    let x: Vec<f32> = edges.iter().flat_map(|&edge| [edge.next_down(), edge, edge.next_up()]).collect();
    let found = cpus()[0].histogram(&bins, &x).unwrap();
    let expected = obvious(&bins, &x[..300]);
    let of_first = cpus()[0].histogram(&bins, &x[..300]).unwrap();
    assert!(of_first == expected && found.counts.iter().sum::<u64>() == 3002 && found.above == 1);
}

#[test]
fn a_bin_for_each_integer() {
    let x: Vec<i32> = samples::<u8>(Ordinary, 3, 30_000).into_iter().map(|x| i32::from(x) - 100).collect();
    for (low, high) in [(-100, 155), (0, 0), (-20, 20), (-1000, 1000)] {
        check(cpus(), &Bins::integers(low..=high).unwrap(), &x);
    }
    check(cpus(), &Bins::integers(i8::MIN..=i8::MAX).unwrap(), &samples::<i8>(Special, 4, 3000));
    check(
        cpus(),
        &Bins::integers(u64::MAX - 3..=u64::MAX).unwrap(),
        &[u64::MAX, u64::MAX - 3, 0, u64::MAX - 4],
    );
    check(cpus(), &Bins::integers(isize::MIN..=isize::MIN + 3).unwrap(), &[isize::MIN, 0, isize::MIN + 3]);
}

#[test]
fn of_nothing_nothing() {
    let bins = Bins::even(0.0..=1.0, 3).unwrap();
    let nothing = Histogram { counts: vec![0; 3], below: 0, above: 0, nan: 0 };
    assert_eq!(Cpu::new().histogram(&bins, &[0.0; 0]).unwrap(), nothing);
    assert!(Cpu::new().histogram(&bins, rows(&[0.0; 0], [0, 3])).unwrap().is_empty());
}

#[test]
fn nan_greatest_is_counted_as_the_float() {
    let x = samples::<f32>(Special, 5, 10_000);
    let (ends, edges) = (-4.0..=4.0_f32, [-4.0, 0.0, 0.5, 4.0]);
    let found = Cpu::new().histogram(&Bins::even(ends, 100).unwrap(), &x).unwrap();
    let wrapped = NanGreatest::wrap_slice(&x);
    let bins = Bins::even(NanGreatest(-4.0)..=NanGreatest(4.0), 100).unwrap();
    assert_eq!(Cpu::new().histogram(&bins, wrapped).unwrap(), found);
    let found = Cpu::new().histogram(&Bins::from_edges(&edges).unwrap(), &x).unwrap();
    let bins = Bins::from_edges(NanGreatest::wrap_slice(&edges)).unwrap();
    assert_eq!(Cpu::new().histogram(&bins, wrapped).unwrap(), found);
    assert!(found.nan > 0);
}

#[test]
fn each_part_as_that_part_alone() {
    let x = samples::<f32>(Special, 6, 6000);
    let bins = Bins::even(-2.0..=2.0, 9).unwrap();
    for cpu in cpus() {
        let of = |parts: Vec<&[f32]>| parts.iter().map(|part| obvious(&bins, part)).collect::<Vec<_>>();
        assert_eq!(cpu.histogram(&bins, rows(&x, [60, 100])).unwrap(), of(x.chunks(100).collect()));
        assert_eq!(cpu.histogram(&bins, chunks(&x, 700)).unwrap(), of(x.chunks(700).collect()));
        let found = cpu.histogram(&bins, segments(&x, &[0, 0, 17, 5000])).unwrap();
        assert_eq!(found, of(vec![&x[..0], &x[..17], &x[17..5000]]));
        let error = cpu.histogram(&bins, rows(&x, [7, 100])).unwrap_err();
        assert!(matches!(error, Error::Shape { given: 6000, .. }), "{error:?}");
    }
}

#[test]
fn missing_elements_are_not_counted() {
    let x: Elements<'_, f64> = [Some(0.5), None, Some(1.5), None].into_iter().collect();
    let bins = Bins::even(0.0..=2.0, 2).unwrap();
    assert_eq!(Cpu::new().histogram(&bins, &x).unwrap().counts, [1, 1]);
    let of_rows = Cpu::new().histogram(&bins, rows(&x, [2, 2])).unwrap();
    assert_eq!(of_rows.iter().map(|row| &row.counts[..]).collect::<Vec<_>>(), [[1, 0], [0, 1]]);
}

proptest! {
    #[test]
    fn any_floats_in_any_even_bins(bits: Vec<u32>, ends: [f32; 2], n in 1_usize..300) {
        let [low, high] = ends;
        prop_assume!(low < high);
        let x: Vec<f32> = bits.into_iter().map(f32::from_bits).chain(ends).collect();
        check(&cpus()[..1], &Bins::even(low..=high, n).unwrap(), &x);
    }

    #[test]
    fn any_integers_in_any_even_bins(x: Vec<i64>, ends: [i64; 2], n in 1_usize..300) {
        let [low, high] = ends;
        prop_assume!(low < high);
        check(&cpus()[..1], &Bins::even(low..=high, n).unwrap(), &x);
    }
}
