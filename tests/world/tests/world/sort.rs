//! Sorts over all ranks: the concatenated results are the CPU's sort of the whole.

use std::ops::Range;

use test_kernels::mix;
use warpfold::elements::TotalOrder;
use warpfold::{Cpu, Error, NanGreatest, Order, RankFault};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

use super::cuts::{assert_parts, assert_whole, bits, cuts, ending};
use super::ranks::on_each;

cases!(
    elements,
    pairs_and_places,
    divided_anew,
    pairs_and_places_divided_anew,
    long_arrays,
    other_orders_are_refused,
    results_of_another_total_are_refused,
    nans_that_are_greatest
);

/// In no order, sorted, few values, one value.
fn inputs<T: TotalOrder + Sample>(n: u64) -> Vec<Vec<T>> {
    let some = samples::<T>(Special, 9, 50);
    let few = (0..n).map(|i| some[mix(i) as usize % 3]).collect();
    let mut sorted = samples::<T>(Ordinary, 4, n);
    Cpu::new().sort(&mut sorted, Order::Ascending).unwrap();
    vec![samples(Special, n, n), sorted, few, vec![some[7]; n as usize]]
}

fn agrees<T: TotalOrder + Sample + Bits>() {
    for (n, order) in [(0, Order::Ascending), (70, Order::Descending), (20_000, Order::Ascending)] {
        for (input, x) in inputs::<T>(n).iter().enumerate() {
            let mut expected = x.clone();
            Cpu::new().sort(&mut expected, order).unwrap();
            for cut in cuts::<T>(x.len()) {
                let found = on_each(&cut, |world, part| {
                    let mut x = x[part].to_vec();
                    world.sort(&mut x, order).unwrap();
                    bits(&x)
                });
                assert_whole(&found, &expected, &cut, &format!("input {input} of {n}, {order:?} in {cut:?}"));
            }
        }
    }
}

fn elements() {
    agrees::<f32>();
}

/// Values with equal keys keep their order across all ranks.
fn pairs_agree<K: TotalOrder + Sample + Bits>() {
    for (n, order) in [(70, Order::Ascending), (5000, Order::Descending)] {
        for (input, keys) in inputs::<K>(n).iter().enumerate() {
            let values: Vec<[u32; 3]> = (0..n as u32).map(|i| [i, i + 1, i + 2]).collect();
            let (mut sorted, mut of_keys) = (keys.clone(), values.clone());
            Cpu::new().sort_pairs(&mut sorted, &mut of_keys, order).unwrap();
            let places = Cpu::new().argsort(keys, order).unwrap();
            let places: Vec<u64> = places.iter().map(|&at| at as u64).collect();
            for cut in cuts::<K>(keys.len()) {
                let what = format!("input {input} of {n}, {order:?} in {cut:?}");
                let found = on_each(&cut, |world, part| {
                    let (mut keys, mut values) = (keys[part.clone()].to_vec(), values[part].to_vec());
                    let places = world.argsort(&keys, order).unwrap();
                    world.sort_pairs(&mut keys, &mut values, order).unwrap();
                    [bits(&keys), bits(&values), bits(&places)].join("; ")
                });
                let expected = |part: Range<usize>| {
                    let (keys, values) = (&sorted[part.clone()], &of_keys[part.clone()]);
                    [bits(keys), bits(values), bits(&places[part])].join("; ")
                };
                assert_parts(&found, &cut, expected, &what);
            }
        }
    }
}

fn pairs_and_places() {
    pairs_agree::<f32>();
    pairs_agree::<u8>();
}

/// Pairs of divisions among equally many ranks. The second is the division of the results.
fn divisions<T>(n: usize) -> Vec<[Vec<Range<usize>>; 2]> {
    let all = cuts::<T>(n);
    let others = |cut: &Vec<Range<usize>>| {
        let len = cut.len();
        let cut = cut.clone();
        all.iter().filter(move |other| other.len() == len).map(move |other| [cut.clone(), other.clone()])
    };
    all.iter().flat_map(others).collect()
}

fn divided_anew() {
    for (n, order) in [(0, Order::Ascending), (70, Order::Descending), (5000, Order::Ascending)] {
        for (input, x) in inputs::<f32>(n).iter().enumerate() {
            let mut expected = x.clone();
            Cpu::new().sort(&mut expected, order).unwrap();
            for [parts, outs] in divisions::<f32>(x.len()) {
                let found = on_each(&parts, |world, part| {
                    let mut out = vec![0.0f32; outs[world.rank()].len()];
                    world.sort_into(&x[part], &mut out, order).unwrap();
                    bits(&out)
                });
                let what = format!("input {input} of {n}, {order:?} from {parts:?} to {outs:?}");
                assert_whole(&found, &expected, &outs, &what);
            }
        }
    }
}

fn pairs_and_places_divided_anew() {
    let order = Order::Descending;
    for (input, keys) in inputs::<u8>(900).iter().enumerate() {
        let values: Vec<u64> = (0..900).collect();
        let (mut sorted, mut of_keys) = (keys.clone(), values.clone());
        Cpu::new().sort_pairs(&mut sorted, &mut of_keys, order).unwrap();
        for [parts, outs] in divisions::<u8>(keys.len()) {
            let found = on_each(&parts, |world, part| {
                let len = outs[world.rank()].len();
                let (mut keys_out, mut values_out, mut places) =
                    (vec![0_u8; len], vec![0_u64; len], vec![0; len]);
                let (keys, values) = (&keys[part.clone()], &values[part]);
                world.sort_pairs_into(keys, values, &mut keys_out, &mut values_out, order).unwrap();
                world.argsort_into(keys, &mut places, order).unwrap();
                assert_eq!(places, values_out);
                [bits(&keys_out), bits(&values_out)].join("; ")
            });
            let expected =
                |part: Range<usize>| [bits(&sorted[part.clone()]), bits(&of_keys[part])].join("; ");
            assert_parts(&found, &outs, expected, &format!("input {input} from {parts:?} to {outs:?}"));
        }
    }
}

/// Several threads on each rank.
fn long_arrays() {
    let x = samples::<f32>(Ordinary, 3, 700_000);
    let mut expected = x.clone();
    Cpu::new().sort(&mut expected, Order::Ascending).unwrap();
    let cut = ending(&[300_000, 300_001], x.len());
    let found = on_each(&cut, |world, part| {
        let mut x = x[part].to_vec();
        world.sort(&mut x, Order::Ascending).unwrap();
        bits(&x)
    });
    assert_whole(&found, &expected, &cut, "700,000");
}

fn other_orders_are_refused() {
    let found = on_each(&ending(&[2], 4), |world, _| {
        let mut x = [2u32, 1];
        let orders = [Order::Ascending, Order::Descending];
        let refused = world.sort(&mut x, orders[world.rank()]);
        assert!(
            matches!(refused, Err(Error::Rank { rank: 1, fault: RankFault::Disagrees { .. } })),
            "{refused:?}"
        );
        world.sort(&mut x, Order::Descending).unwrap();
        bits(&x)
    });
    assert_eq!(found, [[2_u32; 2], [1; 2]].map(|part| bits(&part)));
}

/// All ranks have the error, and all can continue.
fn results_of_another_total_are_refused() {
    let found = on_each(&ending(&[2], 4), |world, _| {
        let mut out = vec![7u32; 2 + world.rank()];
        let refused = world.sort_into(&[2, 1], &mut out, Order::Ascending);
        assert!(matches!(refused, Err(Error::Results { results: 4, room: 5 })), "{refused:?}");
        assert!(out.iter().all(|&x| x == 7));
        world.sort_into(&[2, 1], &mut out[..2], Order::Ascending).unwrap();
        bits(&out[..2])
    });
    assert_eq!(found, [[1_u32; 2], [2; 2]].map(|part| bits(&part)));
}

fn nans_that_are_greatest() {
    let x = samples::<f32>(Special, 8, 900);
    let mut expected = x.clone();
    Cpu::new().sort(NanGreatest::wrap_slice_mut(&mut expected), Order::Ascending).unwrap();
    assert!(expected.is_sorted_by_key(|x| x.is_nan()) && !expected[0].is_nan());
    let top = Cpu::new().top_k(NanGreatest::wrap_slice(&x), 9).unwrap();
    for cut in cuts::<f32>(x.len()) {
        let found = on_each(&cut, |world, part| {
            let mut x = x[part].to_vec();
            assert_eq!(bits(&world.top_k(NanGreatest::wrap_slice(&x), 9).unwrap()), bits(&top));
            let least = world.quantiles(NanGreatest::wrap_slice(&x), &[0.0], Default::default()).unwrap();
            assert_eq!(bits(&least), bits(&expected[..1]));
            world.sort(NanGreatest::wrap_slice_mut(&mut x), Order::Ascending).unwrap();
            bits(&x)
        });
        assert_whole(&found, &expected, &cut, &format!("in {cut:?}"));
    }
}
