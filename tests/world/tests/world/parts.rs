//! Reductions of the parts of an array: rows, columns, axes, chunks, segments, runs, groups.

use std::fmt::Debug;

use test_kernels::{Ordered, Strided, mix};
use warpfold::{
    AccurateSum, ArgMin, Cpu, Error, Op, RankFault, Sum, View, along, chunks, columns, groups, rows, runs,
    segments, tree,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, samples};

use super::cuts::{assert_all, bits, cuts, ending, offsets, possible};
use super::ranks::on_each;

cases!(
    columns_over_all_ranks,
    rows_cut_between_rows,
    axes_of_an_array_that_is_cut_along_the_first,
    axes_of_strided_views,
    segments_cut_anywhere,
    chunks_cut_anywhere,
    runs_cut_anywhere,
    keys_are_compared_over_cuts_as_within_a_part,
    groups_on_any_ranks,
    wrong_parts_are_named
);

/// Few and many columns, in fewer rows than a tile has lanes and in many tiles.
const SHAPES: [[usize; 2]; 7] = [[0, 3], [5, 0], [1, 7], [300, 33], [5000, 3], [13_000, 2], [9001, 40]];

fn columns_agree<O: Op<u32, Out: Bits> + Debug>(op: O) {
    for [r, c] in SHAPES {
        let x = samples::<u32>(Ordinary, 5, (r * c) as u64);
        let expected = bits(&Cpu::new().reduce(op, columns(&x, [r, c])).unwrap());
        for cut in cuts::<u32>(r) {
            let found = on_each(&cut, |world, part| {
                let x = &x[part.start * c..part.end * c];
                bits(&world.reduce(op, columns(x, [part.len(), c])).unwrap())
            });
            assert_all(&found, &expected, &format!("{op:?} of {r} x {c} in {cut:?}"));
        }
    }
}

fn columns_over_all_ranks() {
    columns_agree(Strided::default());
    columns_agree(Ordered::default());
}

fn rows_cut_between_rows() {
    for [r, c] in SHAPES {
        let x = samples::<f32>(Special, 5, (r * c) as u64);
        let expected = bits(&Cpu::new().reduce(ArgMin, rows(&x, [r, c])).unwrap());
        for cut in cuts::<f32>(r) {
            let found = on_each(&cut, |world, part| {
                let x = &x[part.start * c..part.end * c];
                bits(&world.reduce(ArgMin, rows(x, [part.len(), c])).unwrap())
            });
            assert_all(&found, &expected, &format!("{r} x {c} in {cut:?}"));
        }
    }
}

fn axes_of_an_array_that_is_cut_along_the_first() {
    let shape = [700, 6, 5];
    let x = samples::<u32>(Ordinary, 9, 700 * 30);
    for axes in [&[][..], &[0], &[1], &[2], &[0, 1], &[2, 0], &[1, 2], &[1, 0, 2]] {
        let whole = View::new(&x, &shape).unwrap();
        let expected = bits(&Cpu::new().reduce(Strided::default(), along(whole, axes)).unwrap());
        for cut in cuts::<u32>(shape[0]) {
            let found = on_each(&cut, |world, part| {
                let view = View::new(&x[part.start * 30..part.end * 30], &[part.len(), 6, 5]).unwrap();
                bits(&world.reduce(Strided::default(), along(view, axes)).unwrap())
            });
            assert_all(&found, &expected, &format!("axes {axes:?} in {cut:?}"));
        }
    }
}

fn axes_of_strided_views() {
    let x = samples::<u32>(Ordinary, 9, 40 * 9);
    let view =
        |part: &std::ops::Range<usize>| View::strided(&x, part.start, &[part.len(), 9], &[1, 40]).unwrap();
    for axes in [&[0][..], &[1], &[0, 1]] {
        let expected = bits(&Cpu::new().reduce(Ordered::default(), along(view(&(0..40)), axes)).unwrap());
        let cut = ending(&[7, 7, 30], 40);
        let found = on_each(&cut, |world, part| {
            bits(&world.reduce(Ordered::default(), along(view(&part), axes)).unwrap())
        });
        assert_all(&found, &expected, &format!("axes {axes:?}"));
    }
}

fn segments_agree<O: Op<u32, Out: Bits> + Debug>(op: O) {
    let tile = tree::tile_len::<u32>(0) as usize;
    for n in [0, 1, 1000, tile + 1, 60_000] {
        let x = samples::<u32>(Ordinary, 7, n as u64);
        for offsets in [offsets(n, 1), offsets(n, 2), vec![0, n as u64], vec![n as u64], vec![]] {
            let expected = bits(&Cpu::new().reduce(op, segments(&x, &offsets)).unwrap());
            for cut in cuts::<u32>(n) {
                let found = on_each(&cut, |world, part| {
                    bits(&world.reduce(op, segments(&x[part], &offsets)).unwrap())
                });
                assert_all(&found, &expected, &format!("{op:?} of {offsets:?} in {cut:?}"));
            }
        }
    }
}

fn segments_cut_anywhere() {
    segments_agree(Strided::default());
    segments_agree(Ordered::default());
}

fn chunks_cut_anywhere() {
    let x = samples::<f32>(Ordinary, 7, 30_000);
    for len in [1, 7, 4096, 9000, 40_000] {
        let expected = bits(&Cpu::new().reduce(AccurateSum, chunks(&x, len)).unwrap());
        for cut in cuts::<f32>(x.len()) {
            let found =
                on_each(&cut, |world, part| bits(&world.reduce(AccurateSum, chunks(&x[part], len)).unwrap()));
            assert_all(&found, &expected, &format!("chunks of {len} in {cut:?}"));
        }
    }
}

fn runs_cut_anywhere() {
    for (n, longest) in [(0, 1), (1, 1), (500, 3), (30_000, 9000)] {
        let ends = (0..).scan(0, |end, run| {
            *end += 1 + mix(run) as usize % longest;
            Some(*end)
        });
        let ends: Vec<usize> = ends.take_while(|&end| end <= n).collect();
        let key = |i: usize| ends.partition_point(|&end| end <= i) as u16 % 3;
        let keys: Vec<u16> = (0..n).map(key).collect();
        let x = samples::<u32>(Ordinary, 7, n as u64);
        let (of_runs, outs) = Cpu::new().reduce(Strided::default(), runs(&keys, &x)).unwrap();
        let expected = bits(&of_runs) + "; " + &bits(&outs);
        for cut in cuts::<u32>(n) {
            let found = on_each(&cut, |world, part| {
                let input = runs(&keys[part.clone()], &x[part]);
                let (of_runs, outs) = world.reduce(Strided::default(), input).unwrap();
                bits(&of_runs) + "; " + &bits(&outs)
            });
            assert_all(&found, &expected, &format!("runs of {n} in {cut:?}"));
        }
    }
}

/// Each NaN is a separate run; zeros of both signs are one run, with the key of the first.
fn keys_are_compared_over_cuts_as_within_a_part() {
    let keys = [0.0f32, -0.0, -0.0, f32::NAN, f32::NAN, 1.0];
    let x = [1i32, 2, 4, 8, 16, 32];
    for cut in possible([ending(&[1, 3, 4], 6), ending(&[1, 2, 3, 4, 5], 6)]) {
        let found = on_each(&cut, |world, part| {
            let (keys, sums) = world.reduce(Sum, runs(&keys[part.clone()], &x[part])).unwrap();
            bits(&keys) + "; " + &bits(&sums)
        });
        let expected = bits(&[0.0f32, f32::NAN, f32::NAN, 1.0]) + "; " + &bits(&[7i64, 8, 16, 32]);
        assert_all(&found, &expected, &format!("{cut:?}"));
    }
}

fn groups_agree<O: Op<u32, Out: Bits> + Debug>(op: O) {
    for (n, count) in [(0, 4), (1, 1), (2000, 7), (30_000, 1), (30_000, 3), (30_000, 1000)] {
        // The first group has half of all elements, the last has none.
        let id = |i: usize| match mix(i as u64) as usize {
            random if random % 2 == 0 || count < 3 => 0,
            random => random / 2 % (count - 1),
        };
        let ids: Vec<u32> = (0..n).map(|i| id(i) as u32).collect();
        let x = samples::<u32>(Ordinary, 7, n as u64);
        let expected = bits(&Cpu::new().reduce(op, groups(&ids, &x, count)).unwrap());
        for cut in cuts::<u32>(n) {
            let found = on_each(&cut, |world, part| {
                bits(&world.reduce(op, groups(&ids[part.clone()], &x[part], count)).unwrap())
            });
            assert_all(&found, &expected, &format!("{op:?} of {count} groups of {n} in {cut:?}"));
        }
    }
}

fn groups_on_any_ranks() {
    groups_agree(Strided::default());
    groups_agree(Ordered::default());
    groups_agree(ArgMin);
}

/// A wrong argument on one rank is that rank's error, and names it on the others; all can continue.
fn wrong_parts_are_named() {
    let x = [1.0f32; 12];
    let cut = ending(&[12, 24], 36);
    let found = on_each(&cut, |world, _| {
        let wrong = world.rank() == 2;
        let shape = world.reduce(Sum, columns(&x, [3, if wrong { 5 } else { 4 }]));
        let groups = world.reduce(Sum, groups(&[if wrong { 9u32 } else { 0 }; 12], &x, 2));
        let chunks = world.reduce(Sum, chunks(&x, usize::from(!wrong)));
        let offsets = world.reduce(Sum, segments(&x, &[0, if wrong { 7 } else { 8 }]));
        let beyond = world.reduce(Sum, segments(&x, &[0, 37]));
        assert!(matches!(beyond, Err(Error::Offset { at: 1, offset: 37, len: 36, .. })), "{beyond:?}");
        assert_eq!(world.reduce(Sum, &x).unwrap(), 36.0);
        for refused in [shape, groups, chunks] {
            let is_named = match refused {
                Err(Error::Rank { rank: 2, fault: RankFault::Refused { .. } }) => !wrong,
                Err(Error::Shape { .. } | Error::Group { at: 0, .. } | Error::ChunkLength) => wrong,
                _ => false,
            };
            assert!(is_named, "{refused:?}");
        }
        matches!(offsets, Err(Error::Rank { rank: 2, fault: RankFault::Disagrees { .. } })).to_string()
    });
    assert_eq!(found, ["true"; 3]);
}
