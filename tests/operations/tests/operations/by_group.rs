//! Selections from groups, and reductions by bin: the results of each group alone.

use std::fmt::Debug;

use warpfold::elements::BinNumber;
use warpfold::{
    ArgMax, At, Bins, Cpu, Elements, Error, Interpolation, Mean, Op, Sum, binned, groups, reference,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Bits, Sample, samples};

/// The elements of each group, in order.
fn divided<T: Copy>(ids: impl Iterator<Item = Option<usize>>, x: &[T], count: usize) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new(); count];
    ids.zip(x).for_each(|(id, &x)| id.into_iter().for_each(|id| all[id].push(x)));
    all
}

#[test]
fn each_group_as_that_group_alone() {
    for (n, count) in [(10_u64, 3), (5000, 40), (300_000, 7)] {
        let x = samples::<f32>(Special, n, n);
        let ids: Vec<u32> = (0..n).map(|i| (i.wrapping_mul(0x9E37_79B9) >> 7) as u32 % count).collect();
        let each = divided(ids.iter().map(|&id| Some(id as usize)), &x, count as usize);
        for cpu in with_threads(&[1, 3]) {
            let of = || groups(&ids, &x, count as usize);
            let medians: Vec<u32> = cpu.median(of()).unwrap().into_iter().map(f32::to_bits).collect();
            let expected: Vec<u32> = each.iter().map(|x| cpu.median(x).unwrap().to_bits()).collect();
            assert_eq!(medians, expected, "{n}");
            let qs = [0.1, 0.9];
            let found = cpu.quantiles(of(), &qs, Interpolation::Nearest).unwrap();
            let found: Vec<u32> = found.into_iter().map(f32::to_bits).collect();
            let expected = each.iter().flat_map(|x| cpu.quantiles(x, &qs, Interpolation::Nearest).unwrap());
            assert_eq!(found, expected.map(f32::to_bits).collect::<Vec<_>>(), "{n}");
            let bits = |at: Vec<At<f32>>| {
                at.into_iter().map(|at| (at.index, at.value.to_bits())).collect::<Vec<_>>()
            };
            let expected = each.iter().flat_map(|x| bits(cpu.top_k(x, 2).unwrap()));
            assert_eq!(bits(cpu.top_k(of(), 2).unwrap()), expected.collect::<Vec<_>>(), "{n}");
        }
    }
}

#[test]
fn missing_elements_and_ids_are_in_no_group() {
    let x: Elements<f64> = [Some(1.0), None, Some(5.0), Some(2.0), Some(9.0)].into_iter().collect();
    let ids: Elements<u32> = [Some(1), Some(1), Some(0), Some(1), None].into_iter().collect();
    assert_eq!(Cpu::new().median(groups(&ids, &x, 2)).unwrap(), [5.0, 1.5]);
}

#[test]
fn wrong_groups_are_refused() {
    let cpu = Cpu::new();
    assert!(matches!(cpu.median(groups(&[0, 2], &[1, 2], 2)), Err(Error::Group { at: 1, .. })));
    assert!(matches!(cpu.median(groups(&[0], &[1, 2], 2)), Err(Error::Lengths { .. })));
    assert!(matches!(cpu.median(groups(&[0, 0], &[1, 2], 2)), Err(Error::PartTooShort { .. })));
    assert!(matches!(cpu.top_k(groups(&[0], &[1], usize::MAX), 1), Err(Error::TooManyResults { .. })));
    assert_eq!(cpu.median(groups(&[0_u32; 0], &[0_i32; 0], 0)).unwrap(), [0.0; 0]);
}

fn by_bin<K: BinNumber + Sample + Debug, O: Op<f32, Out: Bits>>(op: O, bins: &Bins<K>, n: u64) {
    let (keys, x) = (samples::<K>(Special, 5, n), samples::<f32>(Ordinary, 6, n));
    let last = bins.len() - 1;
    let bin = |key: &K| {
        let edges = bins.edges();
        let is_inside = *key >= edges[0] && *key <= edges[last + 1];
        is_inside.then(|| edges.iter().rposition(|edge| edge <= key).unwrap_or(0).min(last))
    };
    let each = divided(keys.iter().map(bin), &x, bins.len());
    let expected: Vec<String> =
        each.iter().map(|x| O::finish(reference::fold(op, x), x.len() as u64).bits()).collect();
    for cpu in with_threads(&[1, 3]) {
        let found = cpu.reduce(op, binned(bins, &keys, &x)).unwrap();
        assert_eq!(found.iter().map(Bits::bits).collect::<Vec<_>>(), expected, "{n} in {bins:?}");
    }
}

#[test]
fn each_bin_as_its_elements_alone() {
    for n in [0, 1, 1000, 700_000] {
        by_bin(Sum, &Bins::even(-2.0_f64..=2.0, 10).unwrap(), n);
        by_bin(ArgMax, &Bins::integers(3_u8..=90).unwrap(), n);
        by_bin(Mean, &Bins::from_edges(&[-7_i16, -1, 50, 51, 9000]).unwrap(), n);
    }
    let refused = Cpu::new().reduce(Sum, binned(&Bins::integers(0..=3).unwrap(), &[1, 2], &[1.0f32]));
    assert!(matches!(refused, Err(Error::Lengths { .. })), "{refused:?}");
}
