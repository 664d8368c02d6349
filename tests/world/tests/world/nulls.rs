//! Parts with missing elements: the results of the CPU over the whole array, whose positions count them.

use std::fmt::Debug;
use std::ops::Range;

use test_kernels::{Ordered, Strided, mix};
use warpfold::{
    ArgMin, Cpu, Dot, Elements, Error, Op, Order, RankFault, Scan, Sum, Threads, World, chunks, columns,
    groups, rows, runs, segments, zip,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, samples};

use super::cuts::{assert_all, assert_whole, bits, concat, cuts, ending};
use super::ranks::on_each;

fn elements<T: warpfold::Element>(x: &[Option<T>]) -> Elements<'static, T> {
    x.iter().copied().collect()
}

/// Arrays without missing elements at first, then with many, then of missing ones alone, so that ranks have one or the other.
fn arrays(n: usize) -> [Vec<Option<u32>>; 2] {
    let values = samples::<u32>(Ordinary, n as u64, n as u64);
    let missing = |i: usize| i > n / 4 && (mix(i as u64).is_multiple_of(3) || i > n / 2 && i < n / 2 + n / 5);
    let some = (0..n).map(|i| (!missing(i)).then(|| values[i])).collect();
    let most = (0..n).map(|i| (mix(i as u64) % 97 == 3).then(|| values[i])).collect();
    [some, most]
}

const LENS: [usize; 4] = [1, 70, 3000, 20_000];

/// A call on each rank has the results of the CPU, on all ranks.
fn agree<O: Op<u32, Out: Bits> + Debug>(
    op: O,
    found: impl Fn(&World<Threads>, O, Elements<'_, u32>, Range<usize>) -> String + Sync,
    expected: impl Fn(O, Elements<'_, u32>) -> String,
) {
    for n in LENS {
        for x in arrays(n) {
            let expected = expected(op, elements(&x));
            for cut in cuts::<u32>(n) {
                let found = on_each(&cut, |world, part| found(world, op, elements(&x[part.clone()]), part));
                assert_all(&found, &expected, &format!("{op:?} of {n} in {cut:?}"));
            }
        }
    }
}

fn parts_agree<O: Op<u32, Out: Bits> + Debug>(op: O) {
    let cpu = Cpu::new();
    for len in [1, 7, 5000] {
        agree(
            op,
            |world, op, x, _| bits(&world.reduce(op, chunks(&x, len)).unwrap()),
            |op, x| bits(&cpu.reduce(op, chunks(&x, len)).unwrap()),
        );
    }
    let offsets = |n: u64| {
        let mut offsets: Vec<u64> = (0..20).map(|i| mix(i) % (n + 1)).collect();
        offsets.sort_unstable();
        offsets
    };
    let n = |x: &Elements<'_, u32>| x.array_len();
    agree(
        op,
        |world, op, x, _| {
            let all = world.reduce(Sum, &[n(&x)]).unwrap();
            bits(&world.reduce(op, segments(&x, &offsets(all))).unwrap())
        },
        |op, x| bits(&cpu.reduce(op, segments(&x, &offsets(n(&x)))).unwrap()),
    );
    let keys = |part: Range<usize>| part.map(|i| mix(i as u64 / 50) as u32 % 3).collect::<Vec<_>>();
    agree(
        op,
        |world, op, x, part| {
            let (keys, outs) = world.reduce(op, runs(&keys(part), &x)).unwrap();
            bits(&keys) + &bits(&outs)
        },
        |op, x| {
            let (keys, outs) = cpu.reduce(op, runs(&keys(0..n(&x) as usize), &x)).unwrap();
            bits(&keys) + &bits(&outs)
        },
    );
}

#[test]
fn a_part_has_the_elements_in_its_range() {
    parts_agree(Strided::default());
    parts_agree(Ordered::default());
    parts_agree(ArgMin);
}

#[test]
fn rows_and_columns_have_the_elements_at_their_positions() {
    fn check<O: Op<u32, Out: Bits> + Debug>(op: O) {
        for [r, c] in [[3, 5], [300, 33], [13_000, 2]] {
            for x in arrays(r * c) {
                let whole = elements(&x);
                let of_rows = bits(&Cpu::new().reduce(op, rows(&whole, [r, c])).unwrap());
                let of_columns = bits(&Cpu::new().reduce(op, columns(&whole, [r, c])).unwrap());
                for cut in cuts::<u32>(r) {
                    let found = on_each(&cut, |world, part| {
                        let shape = [part.len(), c];
                        let x = elements(&x[part.start * c..part.end * c]);
                        let of_rows = bits(&world.reduce(op, rows(&x, shape)).unwrap());
                        of_rows + &bits(&world.reduce(op, columns(&x, shape)).unwrap())
                    });
                    assert_all(
                        &found,
                        &(of_rows.clone() + &of_columns),
                        &format!("{op:?}, {r} x {c} in {cut:?}"),
                    );
                }
            }
        }
    }
    check(Strided::default());
    check(Ordered::default());
    check(ArgMin);
}

#[test]
fn pairs_and_groups_are_of_one_position() {
    let n = 3000;
    let x = samples::<f32>(Special, 3, n as u64);
    let x: Vec<_> = (0..n).map(|i| (!mix(i as u64).is_multiple_of(3)).then(|| x[i])).collect();
    let y: Vec<_> =
        (0..n).map(|i| (!mix(i as u64 ^ 5).is_multiple_of(4)).then_some(i as f32 / 7.0)).collect();
    let ids: Vec<_> = (0..n)
        .map(|i| (!mix(i as u64 ^ 7).is_multiple_of(5)).then_some(mix(i as u64 ^ 9) as u32 % 9))
        .collect();
    let cpu = Cpu::new();
    let dot = cpu.reduce(Dot, zip(&elements(&x), &elements(&y))).unwrap().bits();
    let sums = bits(&cpu.reduce(Sum, groups(&elements(&ids), &elements(&x), 9)).unwrap());
    let flags: Vec<_> = ids.iter().map(|id| id.map(|id| id % 2 == 0)).collect();
    let kept = cpu.compact_by_flags(&elements(&flags), &elements(&x)).unwrap();
    for cut in cuts::<f32>(n) {
        let found = on_each(&cut, |world, part| {
            let [x, y] = [&x, &y].map(|of| elements(&of[part.clone()]));
            let dot = world.reduce(Dot, zip(&x, &y)).unwrap().bits();
            dot + &bits(&world.reduce(Sum, groups(&elements(&ids[part]), &x, 9)).unwrap())
        });
        assert_all(&found, &(dot.clone() + &sums), &format!("{cut:?}"));
        let found = on_each(&cut, |world, part| {
            bits(&world.compact_by_flags(&elements(&flags[part.clone()]), &elements(&x[part])).unwrap())
        });
        assert_eq!(concat(&found), bits(&kept), "{cut:?}");
    }
    let mut sorted: Vec<(u32, f32)> =
        ids.iter().zip(&x).filter_map(|(id, x)| Some(((*id)?, (*x)?))).collect();
    sorted.sort_by_key(|&(id, _)| id);
    for cut in [ending(&[], n), ending(&[900, 1000], n)] {
        let found = on_each(&cut, |world, part| {
            let out = if part.start == 0 { sorted.len() } else { 0 };
            let (mut of_ids, mut of_x) = (vec![0; out], vec![0.0; out]);
            let (ids, x) = (elements(&ids[part.clone()]), elements(&x[part]));
            world.sort_pairs_into(&ids, &x, &mut of_ids, &mut of_x, Order::Ascending).unwrap();
            bits(&of_ids) + &bits(&of_x)
        });
        let (ids, x): (Vec<u32>, Vec<f32>) = sorted.iter().copied().unzip();
        assert_eq!(found[0], bits(&ids) + &bits(&x), "{cut:?}");
    }
}

#[test]
fn there_is_an_output_for_each_position() {
    fn check<O: Op<u32, Out: Bits> + Debug>(op: O, scan: Scan<O::Acc>) {
        let cpu = Cpu::new();
        for n in LENS {
            for x in arrays(n) {
                let mut offsets: Vec<u64> = (0..12).map(|i| mix(i) % (n as u64 + 1)).collect();
                offsets.sort_unstable();
                let whole = cpu.scan(op, &elements(&x), scan).unwrap();
                let of_segments = cpu.scan(op, segments(&elements(&x), &offsets), scan).unwrap();
                for cut in cuts::<u32>(n) {
                    let found = on_each(&cut, |world, part| {
                        bits(&world.scan(op, &elements(&x[part]), scan).unwrap())
                    });
                    assert_whole(&found, &whole, &cut, &format!("{op:?} of {n} in {cut:?}"));
                    let found = on_each(&cut, |world, part| {
                        bits(&world.scan(op, segments(&elements(&x[part]), &offsets), scan).unwrap())
                    });
                    assert_whole(
                        &found,
                        &of_segments,
                        &cut,
                        &format!("{op:?} of {n} by {offsets:?} in {cut:?}"),
                    );
                }
            }
        }
    }
    check(Strided::default(), Scan::inclusive());
    check(Ordered::default(), Scan::inclusive());
    check(ArgMin, Scan::exclusive().from(ArgMin.lift(7u32, 5), 6));
}

#[test]
fn places_count_missing_elements() {
    for n in LENS {
        for x in arrays(n) {
            let mut sorted: Vec<u64> = (0..n as u64).filter(|&at| x[at as usize].is_some()).collect();
            sorted.sort_by_key(|&at| x[at as usize]);
            let k = sorted.len().min(5);
            for cut in cuts::<u32>(n) {
                let found = on_each(&cut, |world, part| {
                    bits(&world.argsort(&elements(&x[part]), Order::Ascending).unwrap())
                });
                assert_eq!(concat(&found), bits(&sorted), "{n} in {cut:?}");
                let found = on_each(&cut, |world, part| {
                    let first = world.bottom_k(&elements(&x[part]), k).unwrap();
                    bits(&first.iter().map(|at| at.index).collect::<Vec<_>>())
                });
                assert_all(&found, &bits(&sorted[..k]), &format!("{n} in {cut:?}"));
            }
            let found = on_each(&ending(&[], n), |world, part| {
                let mut out = vec![0; sorted.len()];
                world.argsort_into(&elements(&x[part]), &mut out, Order::Ascending).unwrap();
                bits(&out)
            });
            assert_eq!(concat(&found), bits(&sorted));
        }
    }
}

/// The rank with the wrong argument has its own error, and names itself to the others.
#[test]
fn what_cannot_be_missing_is_named() {
    let some = elements(&[Some(1u32), None]);
    let found = on_each(&ending(&[1], 2), |world, part| {
        let is_wrong = part.start == 1;
        let given = || if is_wrong { some.clone() } else { vec![0, 1].into() };
        let said = |error: Error| match error {
            Error::Missing { missing: 1, first: 1, .. } if is_wrong => String::new(),
            Error::Rank { rank: 1, fault: RankFault::Refused { .. } } if !is_wrong => String::new(),
            error => error.to_string(),
        };
        let of_segments = world.reduce(Sum, segments(&[1.0f32], &given()));
        let of_runs = world.reduce(Sum, runs(&given(), &[1.0f32, 2.0]));
        let of_scan = world.scan(Sum, segments(&[1i64], &given()), Scan::inclusive());
        let of_arrays = world.reduce_scatter(Sum, &given());
        let errors = [of_segments.err(), of_runs.err(), of_scan.err(), of_arrays.err()];
        errors.map(|error| error.map_or("no error".into(), said)).concat()
    });
    assert_eq!(found, ["", ""]);
}
