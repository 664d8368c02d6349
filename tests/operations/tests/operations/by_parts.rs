//! Sorts, selections and scans of rows, chunks and segments on the CPU: each part as the verb over that part alone.

use std::sync::LazyLock;

use warpfold::Order::{Ascending, Descending};
use warpfold::elements::SortKey;
use warpfold::{
    At, Auto, Cpu, Elements, Error, Interpolation, Max, NanGreatest, Scan, Sum, chunks, padded, rows,
    segments,
};
use warpfold_tests::data::Family::Special;
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Sample, in_turn, samples, sizes, turn};

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 3]));
    &CPUS
}

/// Offsets of parts of mixed lengths into `n` elements: empty ones, short ones and long ones, with a rest on either side.
fn mixed(n: usize) -> Vec<usize> {
    let mut offsets = vec![n.min(3)];
    for len in [0, 1, 2, 7, 33, 0, 500, 5000, 70_000, 300_000].into_iter().cycle() {
        let next = offsets[offsets.len() - 1] + len;
        if next + 5 > n {
            return offsets;
        }
        offsets.push(next);
    }
    unreachable!("an endless list")
}

/// The bytes of elements, for comparison bit by bit.
fn bits<T: bytemuck::NoUninit>(x: &[T]) -> &[u8] {
    bytemuck::cast_slice(x)
}

/// Compares all verbs over `segments` with the verbs over each part.
fn check<T: SortKey<Quantile: PartialEq + std::fmt::Debug>>(cpu: &Cpu, x: &[T], offsets: &[usize]) {
    let parts = || offsets.windows(2).map(|bounds| bounds[0]..bounds[1]);
    for order in [Ascending, Descending] {
        let (mut expected, mut values) = (x.to_vec(), (0..x.len()).collect::<Vec<_>>());
        let mut indices = vec![0; x.len()];
        for part in parts() {
            indices[part.clone()].copy_from_slice(&cpu.argsort(&x[part.clone()], order).unwrap());
            cpu.sort_pairs(&mut expected[part.clone()], &mut values[part], order).unwrap();
        }
        let mut found = x.to_vec();
        cpu.sort(segments(&mut found, offsets), order).unwrap();
        assert!(bits(&found) == bits(&expected), "sort, {cpu:?}");
        assert_eq!(cpu.argsort(segments(x, offsets), order).unwrap(), indices, "argsort, {cpu:?}");
        let (mut keys, mut moved) = (x.to_vec(), (0..x.len()).collect::<Vec<_>>());
        cpu.sort_pairs(segments(&mut keys, offsets), &mut moved, order).unwrap();
        assert!(bits(&keys) == bits(&expected) && moved == values, "pairs, {cpu:?}");
        for k in [0, 1, 3, 100] {
            let long: Vec<usize> =
                parts().filter(|part| part.len() >= k).flat_map(|part| [part.start, part.end]).collect();
            // Parts that are long enough, and between them parts of no result.
            for part in long.chunks(2) {
                let first = |x| match order {
                    Descending => cpu.top_k(x, k),
                    Ascending => cpu.bottom_k(x, k),
                };
                let expected = first(&x[part[0]..part[1]]).unwrap();
                let found = match order {
                    Descending => cpu.top_k(segments(x, part), k),
                    Ascending => cpu.bottom_k(segments(x, part), k),
                };
                assert_eq!(positions(&found.unwrap()), positions(&expected), "{k} first, {cpu:?}");
            }
        }
    }
    let full: Vec<_> = parts().filter(|part| !part.is_empty()).collect();
    let qs = [0.0, 0.1, 0.5, 0.99, 1.0];
    for part in full {
        let expected = cpu.quantiles(&x[part.clone()], &qs, Interpolation::Linear).unwrap();
        let found = cpu.quantiles(segments(x, &[part.start, part.end]), &qs, Interpolation::Linear).unwrap();
        assert!(found == expected || format!("{found:?}") == format!("{expected:?}"), "quantiles, {cpu:?}");
    }
}

fn positions<T>(found: &[At<T>]) -> Vec<u64> {
    found.iter().map(|at| at.index).collect()
}

fn every_size<T: Sample + SortKey<Quantile: PartialEq + std::fmt::Debug>>() {
    let x = samples::<T>(Special, 5, 800_000);
    for n in sizes::up_to::<T>(5000) {
        check(&cpus()[0], &x[..n as usize], &mixed(n as usize));
    }
    for cpu in cpus() {
        check(cpu, &x, &mixed(x.len()));
        // No part is long: these are compared in registers, equal elements among them.
        let short: Vec<usize> = (0..2000)
            .scan(1, |end, part| {
                *end += part % 33;
                Some(*end)
            })
            .collect();
        check(cpu, &x[..40_000], &short);
    }
}

#[test]
fn segments_of_any_lengths_are_sorted_and_selected_from_alone() {
    turn::check(&[
        ("f32", Some(every_size::<f32>)),
        ("u8", in_turn!(is_quarter_of, u8 => every_size::<u8>)),
        ("i64", in_turn!(is_quarter_of, i64 => every_size::<i64>)),
    ]);
}

#[test]
fn rows_and_chunks_are_segments_of_one_length() {
    let x = samples::<f32>(Special, 6, 1 << 20);
    for (cpu, len) in cpus().iter().flat_map(|cpu| [1, 10, 100, 5000, 1 << 18].map(|len| (cpu, len))) {
        let shape = [(x.len() / len).min(3000), len];
        let x = &x[..shape[0] * len];
        let offsets: Vec<usize> = (0..=shape[0]).map(|row| row * len).collect();
        let k = len.min(4);
        let first = cpu.top_k(segments(x, &offsets), k).unwrap();
        let of_each: Vec<u64> =
            x.chunks(len).flat_map(|row| positions(&cpu.top_k(row, k).unwrap())).collect();
        assert_eq!(positions(&first), of_each);
        assert_eq!(positions(&cpu.top_k(rows(x, shape), k).unwrap()), of_each);
        assert_eq!(positions(&Auto::new().top_k(chunks(x, len), k).unwrap()), of_each);
        let medians: Vec<u32> = x.chunks(len).map(|row| cpu.median(row).unwrap().to_bits()).collect();
        let found = cpu.median(rows(x, shape)).unwrap();
        assert_eq!(found.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), medians);
        let (mut by_rows, mut expected) = (x.to_vec(), x.to_vec());
        cpu.sort(rows(&mut by_rows, shape), Descending).unwrap();
        expected.chunks_mut(len).for_each(|row| cpu.sort(row, Descending).unwrap());
        assert!(bits(&by_rows) == bits(&expected));
        let running: Vec<f32> =
            x.chunks(len).flat_map(|row| cpu.scan(Sum, row, Scan::inclusive()).unwrap()).collect();
        let (mut into, mut in_place) = (vec![0.0; x.len()], x.to_vec());
        assert!(bits(&cpu.scan(Sum, rows(x, shape), Scan::inclusive()).unwrap()) == bits(&running));
        cpu.scan_into(Sum, chunks(x, len), &mut into, Scan::inclusive()).unwrap();
        cpu.scan(Sum, rows(&mut in_place, shape), Scan::inclusive()).unwrap();
        assert!(bits(&into) == bits(&running) && bits(&in_place) == bits(&running));
    }
}

/// Outputs of another type than elements, in memory that exists, and from either kind of scan: a quarter of the cases in each turn.
#[test]
fn short_rows_are_scanned_to_existing_outputs_and_in_place() {
    let all = cpus().iter().flat_map(|cpu| [1, 7, 200].map(|len| (cpu, len))).zip(0..);
    for ((cpu, len), _) in all.filter(|&(_, i)| turn::is_in_quarter(i)) {
        let shape = [280_000 / len, len];
        let x = samples::<f32>(Special, 8, (shape[0] * len) as u64);
        let each = |scan| x.chunks(len).flat_map(move |row| cpu.scan(Max, row, scan).unwrap());
        let expected: Vec<Option<u32>> = each(Scan::inclusive()).map(|x| x.map(f32::to_bits)).collect();
        let mut outs = vec![Some(7.0); x.len()];
        cpu.scan_into(Max, rows(&x, shape), &mut outs, Scan::inclusive()).unwrap();
        assert!(outs.iter().map(|x| x.map(f32::to_bits)).eq(expected), "{len}, {cpu:?}");
        let integers: Vec<i64> = x.iter().map(|x| i64::from(x.to_bits())).collect();
        let expected: Vec<i64> = integers
            .chunks(len)
            .flat_map(|row| row.iter().scan(0, |sum, x| Some(std::mem::replace(sum, *sum + x))))
            .collect();
        let mut in_place = integers;
        cpu.scan(Sum, chunks(&mut in_place, len), Scan::exclusive()).unwrap();
        assert_eq!(in_place, expected, "{len}, {cpu:?}");
        let refused = cpu.scan_into(Max, rows(&x, shape), &mut [None; 3], Scan::inclusive());
        assert!(matches!(refused, Err(Error::Results { room: 3, .. })), "{refused:?}");
    }
}

/// Each part has as many as it has, and then `None`.
#[test]
fn padded_parts_may_have_fewer_elements() {
    let x = samples::<f32>(Special, 9, 400_000);
    let short: Vec<usize> = (0..=900).map(|part| part * 7 + part % 5).collect();
    let bits = |at: At<f32>| (at.index, at.value.to_bits());
    for (cpu, offsets) in cpus().iter().flat_map(|cpu| [(cpu, mixed(x.len())), (cpu, short.clone())]) {
        for k in [0, 1, 20, 600] {
            let expected = offsets.windows(2).flat_map(|ends| {
                let part = &x[ends[0]..ends[1]];
                let mut first: Vec<_> =
                    cpu.top_k(part, k.min(part.len())).unwrap().into_iter().map(Some).collect();
                first.resize(k, None);
                first
            });
            let found = cpu.top_k(padded(segments(&x, &offsets)), k).unwrap();
            assert!(
                found.into_iter().map(|at| at.map(bits)).eq(expected.map(|at| at.map(bits))),
                "{k}, {cpu:?}"
            );
        }
    }
    let some: Elements<i32> = [None, Some(5), None, Some(7), Some(6)].into_iter().collect();
    let found = Auto::new().bottom_k(padded(chunks(&some, 3)), 2).unwrap();
    let at = |index, value| Some(At { index, value });
    assert_eq!(found, [at(1, 5), None, at(1, 6), at(0, 7)]);
    assert_eq!(Cpu::new().top_k(padded(rows(&[0_i32; 0], [2, 0])), 1).unwrap(), [None, None]);
    assert!(matches!(
        Cpu::new().top_k(padded(rows(&[1, 2], [2, 1])), usize::MAX),
        Err(Error::TooManyResults { .. })
    ));
}

/// The rest of chunks is a part, missing elements count in indices, and another order is a wrapper's.
#[test]
fn rests_missing_elements_and_wrappers() {
    let cpu = Cpu::new();
    assert_eq!(cpu.median(chunks(&[1.0f32, 3.0, 2.0, 9.0, 4.0], 2)).unwrap(), [2.0, 5.5, 4.0]);
    assert_eq!(cpu.argsort(chunks(&[2, 1, 5, 4, 3], 2), Ascending).unwrap(), [1, 0, 1, 0, 0]);
    let x: Elements<i32> = [None, Some(5), Some(7), Some(1), None, Some(2)].into_iter().collect();
    assert_eq!(positions(&cpu.top_k(rows(&x, [2, 3]), 2).unwrap()), [2, 1, 2, 0]);
    assert_eq!(cpu.argsort(rows(&x, [2, 3]), Descending).unwrap(), [2, 1, 2, 0]);
    assert_eq!(cpu.median(segments(&x, &[1, 3, 6])).unwrap(), [6.0, 1.5]);
    let running = cpu.scan(Max, rows(&x, [2, 3]), Scan::inclusive()).unwrap();
    assert_eq!(running, [None, Some(5), Some(7), Some(1), Some(1), Some(2)]);
    let x = [2.0, -f32::NAN, 1.0];
    assert_eq!(cpu.top_k(rows(NanGreatest::wrap_slice(&x), [1, 3]), 1).unwrap()[0].index, 1);
}

#[test]
fn what_cannot_be_is_an_error_that_names_the_part() {
    let (cpu, x) = (Cpu::new(), [1.0f32, 2.0, 3.0]);
    let short = Error::PartTooShort { part: 1, wanted: 2, len: 1 };
    assert_eq!(cpu.top_k(segments(&x, &[0, 2, 3]), 2).unwrap_err(), short);
    let empty = Error::PartTooShort { part: 1, wanted: 1, len: 0 };
    assert_eq!(cpu.median(segments(&x, &[0, 2, 2, 3])).unwrap_err(), empty);
    assert!(matches!(cpu.top_k(rows(&x, [2, 2]), 1), Err(Error::Shape { given: 3, .. })));
    assert!(matches!(cpu.sort(chunks(&mut [1, 2], 0), Ascending), Err(Error::ChunkLength)));
    assert!(matches!(cpu.argsort(segments(&x, &[2, 1]), Ascending), Err(Error::Offset { .. })));
    assert!(matches!(
        cpu.quantiles(rows(&x, [3, 1]), &[2.0], Interpolation::Linear),
        Err(Error::Quantile { .. })
    ));
    let lengths = cpu.sort_pairs(rows(&mut [1, 2], [1, 2]), &mut [0], Ascending);
    assert!(matches!(lengths, Err(Error::Lengths { .. })));
    for none in [[0, 0], [0, 5], [5, 0]] {
        assert!(cpu.top_k(rows(&[0f32; 0], none), 0).unwrap().is_empty());
        assert!(cpu.argsort(rows(&[0f32; 0], none), Ascending).unwrap().is_empty());
        assert!(cpu.scan(Sum, rows(&[0f32; 0], none), Scan::inclusive()).unwrap().is_empty());
    }
    assert!(cpu.median(rows(&[0f32; 0], [0, 5])).unwrap().is_empty());
    assert!(cpu.quantiles(rows(&x, [3, 1]), &[], Interpolation::Linear).unwrap().is_empty());
}
