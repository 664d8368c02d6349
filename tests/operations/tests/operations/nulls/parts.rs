//! Pairs and parts.

use arrow_array::{BooleanArray, Int32Array};
use warpfold::{
    ArgMin, Auto, Cpu, Dot, Error, Max, Mean, Op, Scan, Sum, WeightedMean, after_element, after_fold, chunks,
    columns, groups, reference, rows, runs, segments, zip,
};
use warpfold_tests::Bits;

use super::{all_bits, alone, elements, for_every_array, mix};

/// Offsets that ascend from any place within `n` elements.
fn offsets(n: usize, seed: u64) -> Vec<u32> {
    let mut offsets: Vec<u32> = (0..12).map(|i| (mix(seed ^ i) % (n as u64 + 1)) as u32).collect();
    offsets.sort_unstable();
    offsets
}

/// The most parts of an array.
const MOST: usize = 250;

/// The shapes of a matrix of `n` elements, with few rows and columns.
fn shapes(n: usize) -> Vec<[usize; 2]> {
    let is_shape = |&c: &usize| c > 0 && n.is_multiple_of(c) && c <= MOST && n / c <= MOST;
    let columns = [1, 2, 3, 5, 8, 10, 100, n].into_iter().filter(is_shape);
    columns.map(|c| [n / c, c]).collect()
}

/// Every way to divide an array.
fn parts_agree<O: Op<f32, Out: Bits>>(op: O) {
    let (cpu, auto) = (Cpu::new(), Auto::new());
    for_every_array::<f32>(7, |what, x| {
        let (array, n) = (elements(x), x.len());
        for shape @ [_, c] in shapes(n) {
            let expected: Vec<_> = x.chunks(c).map(|row| alone(op, row.to_vec())).collect();
            assert_eq!(
                all_bits(&cpu.reduce(op, rows(&array, shape)).unwrap()),
                expected,
                "{what}, rows of {c}"
            );
            let column = |at: usize| alone(op, x.iter().skip(at).step_by(c).copied());
            let expected: Vec<_> = (0..c).map(column).collect();
            assert_eq!(
                all_bits(&auto.reduce(op, columns(&array, shape)).unwrap()),
                expected,
                "{what}, {c} columns"
            );
        }
        for len in [1, 2, 7, 100, n + 1].into_iter().filter(|len| n / len <= MOST) {
            let expected: Vec<_> = x.chunks(len).map(|chunk| alone(op, chunk.to_vec())).collect();
            assert_eq!(
                all_bits(&cpu.reduce(op, chunks(&array, len)).unwrap()),
                expected,
                "{what}, chunks of {len}"
            );
        }
        let offsets = offsets(n, 3);
        let segment = |at: &[u32]| alone(op, x[at[0] as usize..at[1] as usize].to_vec());
        let expected: Vec<_> = offsets.windows(2).map(segment).collect();
        assert_eq!(
            all_bits(&cpu.reduce(op, segments(&array, &offsets)).unwrap()),
            expected,
            "{what}, {offsets:?}"
        );
        let keys: Vec<u64> = (0..n as u64).map(|i| mix(i / 5) % 3).collect();
        let (found_keys, found) = cpu.reduce(op, runs(&keys, &array)).unwrap();
        let (mut rest, mut expected) = (x, Vec::new());
        for run in keys.chunk_by(|a, b| a == b) {
            expected.push(alone(op, rest.split_off(..run.len()).unwrap().to_vec()));
        }
        assert!(found_keys.into_iter().eq(keys.chunk_by(|a, b| a == b).map(|run| run[0])));
        assert_eq!(all_bits(&found), expected, "{what}, runs");
    });
}

#[test]
fn a_part_has_the_elements_in_its_range() {
    parts_agree(Sum);
    parts_agree(ArgMin);
    parts_agree((Max, Mean));
}

#[test]
fn an_element_without_an_id_is_in_no_group() {
    let cpu = Cpu::new();
    for_every_array::<f32>(8, |what, x| {
        let array = elements(x);
        for groups_of in [1, 3, 500] {
            for_ids(x.len(), groups_of, |ids| {
                let of_ids = elements(ids);
                let group = |group| {
                    let pairs = ids.iter().zip(x).filter(|&(&id, _)| id == Some(group));
                    pairs.map(|(_, &x)| x).collect::<Vec<_>>()
                };
                let expected: Vec<_> = (0..groups_of).map(|at| alone(Sum, group(at))).collect();
                let found = cpu.reduce(Sum, groups(&of_ids, &array, groups_of as usize)).unwrap();
                assert_eq!(all_bits(&found), expected, "{what}, {groups_of} groups");
            });
        }
    });
}

/// Ids, of which none or a quarter are missing.
fn for_ids(n: usize, groups: u32, mut check: impl FnMut(&[Option<u32>])) {
    for missing in [0, 4] {
        let id = |i: u64| {
            (mix(i) % 4 >= missing / 4 || missing == 0).then(|| (mix(i ^ 9) % u64::from(groups)) as u32)
        };
        check(&(0..n as u64).map(id).collect::<Vec<_>>());
    }
}

#[test]
fn an_id_out_of_range_is_named_by_its_position() {
    let (ids, x) = (elements(&[None, Some(1u32), Some(7)]), elements(&[Some(1i32), None, Some(2)]));
    let error = Cpu::new().reduce(Sum, groups(&ids, &x, 2)).unwrap_err();
    assert!(matches!(error, Error::Group { at: 2, group: 7, groups: 2 }), "{error:?}");
}

#[test]
fn pairs_are_of_one_position() {
    let cpu = Cpu::new();
    for_every_array::<f32>(9, |what, x| {
        for_every_array::<f32>(10, |of_other, y| {
            if y.len() != x.len() {
                return;
            }
            let both = |(x, y): (&Option<f32>, &Option<f32>)| Some([(*x)?, (*y)?]);
            let pairs: Vec<_> = x.iter().zip(y).map(both).collect();
            let (x, y) = (elements(x), elements(y));
            let found = cpu.reduce(Dot, zip(&x, &y)).unwrap().bits();
            assert_eq!(found, alone(Dot, pairs.clone()), "{what} with {of_other}");
            let found = cpu.reduce(WeightedMean, zip(&x, &y)).unwrap().bits();
            assert_eq!(found, alone(WeightedMean, pairs), "{what} with {of_other}");
        });
    });
}

#[test]
fn elements_after_others_are_those_that_are_there() {
    let cpu = Cpu::new();
    for_every_array::<f64>(11, |what, x| {
        let array = elements(x);
        let there: Vec<f64> = x.iter().copied().flatten().collect();
        let acc = <Mean as Op<f64>>::combine(Mean.lift(2.5, 0), reference::fold(Mean, &there));
        let expected = <Mean as Op<f64>>::finish(acc, there.len() as u64 + 1).bits();
        assert_eq!(cpu.reduce(Mean, after_element(2.5, &array)).unwrap().bits(), expected, "{what}");
        let (acc, there) = (cpu.fold(Mean, &array).unwrap(), there.len() as u64);
        let found = cpu.reduce(Mean, after_fold(acc, there, &elements::<f64>(&[None, None]))).unwrap();
        assert_eq!(found.bits(), alone(Mean, x.to_vec()), "{what}");
    });
}

#[test]
fn shapes_and_offsets_are_those_of_the_array() {
    let (cpu, x) = (Cpu::new(), elements(&[Some(1i32), None, Some(3), None]));
    assert_eq!(cpu.reduce(Sum, rows(&x, [2, 2])).unwrap(), [1, 3]);
    for error in [cpu.reduce(Sum, rows(&x, [1, 2])), cpu.reduce(Sum, columns(&x, [2, 1]))] {
        assert!(matches!(error, Err(Error::Shape { given: 4, .. })), "{error:?}");
    }
    assert_eq!(cpu.reduce(Sum, segments(&x, &[1u32, 4])).unwrap(), [3]);
    let error = cpu.reduce(Sum, segments(&x, &[1u32, 5])).unwrap_err();
    assert!(matches!(error, Error::Offset { at: 1, len: 4, .. }), "{error:?}");
    assert!(matches!(cpu.reduce(Sum, chunks(&x, 0)), Err(Error::ChunkLength)));
    let error = cpu.reduce(Sum, runs(&[1, 1], &x)).unwrap_err();
    assert!(matches!(error, Error::Lengths { left: 2, right: 4 }), "{error:?}");
}

#[test]
fn an_index_in_a_part_is_converted_from_the_start_of_the_part() {
    for_every_array::<f32>(12, |what, x| {
        let array = elements(x);
        let found = Cpu::new().reduce(ArgMin, chunks(&array, 7)).unwrap();
        for ((chunk, start), found) in x.chunks(7).zip((0..).step_by(7)).zip(found) {
            let Some(found) = found else { continue };
            let place = array.position_from(start, found.index).unwrap();
            let there: Vec<(usize, f32)> =
                chunk.iter().copied().enumerate().filter_map(|(i, x)| Some((i, x?))).collect();
            assert_eq!(place, start + there[found.index as usize].0 as u64, "{what}");
        }
    });
}

#[test]
fn a_missing_offset_is_named() {
    let (cpu, x) = (Cpu::new(), elements(&[Some(1i32), None, Some(3)]));
    let offsets = elements(&[Some(0u32), Some(1), None]);
    let refused = |error| matches!(error, Error::Missing { missing: 1, first: 2, .. });
    assert!(refused(cpu.reduce(Sum, segments(&x, &offsets)).unwrap_err()));
    assert!(refused(cpu.reduce(Sum, segments(&[1i32], &offsets)).unwrap_err()));
    assert!(refused(cpu.scan(Sum, segments(&x, &offsets), Scan::inclusive()).unwrap_err()));
    let error = cpu.scan(Sum, segments(&mut [1i64; 3], &offsets), Scan::inclusive()).unwrap_err();
    assert!(error.to_string().contains("pass offsets without nulls"), "{error}");
    assert!(refused(error));
}

#[test]
fn a_flag_belongs_to_the_element_at_its_position() {
    let flags = BooleanArray::from(vec![Some(true), None, Some(true), Some(false), Some(true)]);
    let x = Int32Array::from(vec![None, Some(2), Some(3), Some(4), Some(5)]);
    let cpu = Cpu::new();
    assert_eq!(cpu.compact_by_flags(&flags, &x).unwrap(), [3, 5]);
    let mut out = [0; 3];
    assert_eq!(cpu.compact_by_flags_into(&flags, &x, &mut out).unwrap(), 2);
    assert_eq!(out, [3, 5, 0]);
    let error = cpu.compact_by_flags(&flags, &x.slice(1, 4)).unwrap_err();
    assert!(matches!(error, Error::Lengths { left: 5, right: 4 }), "{error:?}");
}
