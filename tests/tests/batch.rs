//! Many rows at once: each has the bits of the reference of that row alone, whatever its neighbours.
#![cfg(first_half)]
#![allow(missing_docs)]

use std::sync::LazyLock;

use test_kernels::{Ordered, Strided};
use warpfold::{ArgMin, Cpu, Element, Mean, Op, Sum, chunks, columns, reference, rows, tree};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Bits, Sample, in_quarter, samples, sizes};

/// Backends with several numbers of threads, started once.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> = LazyLock::new(|| with_threads(&[1, 2, 5]));
    &CPUS
}

fn all_bits<O: Bits>(outs: &[O]) -> Vec<String> {
    outs.iter().map(Bits::bits).collect()
}

/// The result of each row alone.
fn alone<'x, T: Element, O: Op<T, Out: Bits> + Default>(
    rows: impl IntoIterator<Item = &'x [T]>,
) -> Vec<String> {
    rows.into_iter().map(|row| reference::reduce::<T, O>(row).bits()).collect()
}

fn assert_same(found: &[String], expected: &[String], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let at = found.iter().zip(expected).position(|(found, expected)| found != expected);
    assert_eq!(at.map(|at| (at, &found[at], &expected[at])), None, "{what}: (result, found, expected)");
}

/// Row-major rows as row-major columns.
fn transposed<T: Copy>(x: &[T], [rows, columns]: [usize; 2]) -> Vec<T> {
    (0..columns).flat_map(|column| (0..rows).map(move |row| x[row * columns + column])).collect()
}

/// Checks rows of `x`, with the first one repeated at the end, and the same data as columns. Few rows are
/// folded by the reference, which is slow.
fn check<T: Element + Sample, O: Op<T, Out: Bits + Send> + Default>(
    cpus: &[Cpu],
    x: &[T],
    shape: [usize; 2],
) {
    let [count, len] = shape;
    let distinct = count.min(37).min(x.len() / len.max(1));
    let x = &x[..distinct * len];
    let expected = alone::<T, O>((0..distinct).map(|row| &x[row * len..][..len]));
    let expected: Vec<_> = expected.into_iter().cycle().take(count).collect();
    let x: Vec<T> = x.iter().copied().cycle().take(count * len).collect();
    let turned = transposed(&x, shape);
    for cpu in cpus {
        let found = cpu.reduce(O::default(), rows(&x, shape)).unwrap();
        assert_same(&all_bits(&found), &expected, &format!("rows of {shape:?}, {cpu:?}"));
        let found = cpu.reduce(O::default(), columns(&turned, [len, count])).unwrap();
        assert_same(&all_bits(&found), &expected, &format!("columns of {shape:?}, turned, {cpu:?}"));
        if len > 0 {
            let found = cpu.reduce(O::default(), chunks(&x, len)).unwrap();
            assert_same(&all_bits(&found), &expected, &format!("chunks of {len}, {cpu:?}"));
        }
    }
}

/// Few rows of every length at which something changes, and batches folded by all threads.
fn every_shape<T: Element + Sample, O: Op<T, Out: Bits + Send> + Default>() {
    let one = &cpus()[..1];
    let x = samples::<T>(Special, 1, 3 << 20);
    for len in sizes::up_to::<T>(40_000) {
        check::<T, O>(one, &x, [3, len as usize]);
    }
    for len in 0..70 {
        check::<T, O>(one, &x, [37, len]);
    }
    let room = (3 << 20) / size_of::<T>();
    for len in [1, 3, 8, 32, 100, 256, 1000, 4096, 20_000, room / 3] {
        check::<T, O>(&cpus()[1..], &x, [(room / len).min(40_000), len]);
    }
}

/// All numbers of neighbouring columns, with more rows than a tile.
#[test]
fn every_number_of_columns() {
    let x = samples::<u32>(Ordinary, 8, 37 * 1500);
    for columns in (1..70).chain([127, 128, 129, 1000, 1023, 1024, 1025, 1056, 2049]) {
        check::<u32, Strided>(&cpus()[..1], &x, [columns, 1500]);
        check::<u32, Ordered>(&cpus()[..1], &x, [columns, 77]);
    }
    // Each row is a lane.
    for rows in 1..20 {
        for columns in [1, 31, 32, 40, 1025, 2049] {
            check::<u32, Strided>(&cpus()[..1], &x, [columns, rows]);
            check::<u32, Ordered>(&cpus()[..1], &x, [columns, rows]);
        }
    }
    let x = samples::<u32>(Ordinary, 9, 37 * 5000);
    for columns in [5, 31, 40, 300] {
        check::<u32, Strided>(&cpus()[1..2], &x, [columns, 5000]);
    }
}

#[test]
fn rows_and_columns_of_f32_sum() {
    every_shape::<f32, Sum>();
}

#[test]
fn rows_and_columns_of_others_in_turn() {
    in_quarter!(0 => every_shape::<f32, ArgMin>());
    in_quarter!(1 => every_shape::<i32, Sum>());
    in_quarter!(2 => every_shape::<f64, Mean>());
    in_quarter!(3 => every_shape::<u8, Sum>());
}

#[test]
fn rows_and_columns_keep_to_the_tree() {
    every_shape::<u32, Strided>();
}

#[test]
fn rows_and_columns_keep_to_the_tree_that_keeps_the_order() {
    every_shape::<u32, Ordered>();
}

/// Matrices around the most elements and the most rows and columns that are folded on the stack.
fn few_rows<T: Element + Sample, O: Op<T, Out: Bits + Send> + Default>() {
    let x = samples::<T>(Special, 5, 34 * 130);
    for count in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33] {
        for len in (0..=20).chain([31, 32, 33, 42, 43, 63, 64, 65, 127, 128, 129]) {
            check::<T, O>(&cpus()[..1], &x, [count, len]);
        }
    }
}

#[test]
fn few_rows_and_columns_of_few_elements() {
    few_rows::<f32, Sum>();
    few_rows::<i32, Sum>();
    few_rows::<f64, Mean>();
    few_rows::<f32, ArgMin>();
    few_rows::<u32, Strided>();
    few_rows::<u32, Ordered>();
}

/// Every length up to 5000; the results show the tree.
#[test]
fn every_small_length() {
    let x = samples::<u32>(Ordinary, 3, 15_000);
    for len in 0..=5000 {
        let cpu = &cpus()[0];
        let x = &x[..2 * len];
        let expected = alone::<u32, Strided>([&x[..len], &x[len..]]);
        let found = cpu.reduce(Strided::default(), rows(x, [2, len])).unwrap();
        assert_same(&all_bits(&found), &expected, &format!("strided rows of {len}"));
        let turned = transposed(x, [2, len]);
        let found = cpu.reduce(Strided::default(), columns(&turned, [len, 2])).unwrap();
        assert_same(&all_bits(&found), &expected, &format!("strided columns of {len}"));
        let expected = alone::<u32, Ordered>([&x[..len], &x[len..]]);
        let found = cpu.reduce(Ordered::default(), rows(x, [2, len])).unwrap();
        assert_same(&all_bits(&found), &expected, &format!("ordered rows of {len}"));
    }
}

/// Rows of many tiles, folded by all threads together, and columns as long.
#[test]
fn few_long_rows() {
    let x = samples::<f32>(Ordinary, 4, 2 * (1 << 22) + 2);
    for len in [(1 << 18) - 1, (1 << 20) + 1, (1 << 22) - 1, (1 << 22) + 1] {
        check::<f32, Sum>(&cpus()[1..2], &x, [2, len]);
    }
    // Beyond 2^23 elements tiles grow.
    let growth = (tree::MAX_TILES / 2 * tree::tile_len::<u32>(0)) as usize;
    let x = samples::<u32>(Ordinary, 5, growth as u64 + 5000);
    check::<u32, Strided>(&cpus()[1..2], &x, [1, growth + 5000]);
}

#[test]
fn rows_of_one_element_and_of_none() {
    let values = samples::<f32>(Special, 6, 1 << 10);
    let x = values.repeat(1 << 10);
    let each: Vec<_> = alone::<f32, Sum>(values.chunks(1)).into_iter().cycle().take(x.len()).collect();
    for cpu in cpus() {
        assert_same(&all_bits(&cpu.reduce(Sum, rows(&x, [1 << 20, 1])).unwrap()), &each, "rows of one");
        assert_same(&all_bits(&cpu.reduce(Sum, columns(&x, [1, 1 << 20])).unwrap()), &each, "columns of one");
        assert_eq!(cpu.reduce(ArgMin, rows(&[0.0_f32; 0], [100_000, 0])).unwrap(), vec![None; 100_000]);
        assert_eq!(cpu.reduce(ArgMin, columns(&[0.0_f32; 0], [0, 100_000])).unwrap(), vec![None; 100_000]);
        assert_eq!(cpu.reduce(Sum, rows(&[0.0_f32; 0], [0, 7])).unwrap(), [0.0_f32; 0]);
        assert_eq!(cpu.reduce(Sum, columns(&[0.0_f32; 0], [7, 0])).unwrap(), [0.0_f32; 0]);
        assert_eq!(cpu.reduce(Sum, chunks(&[0.0_f32; 0], 7)).unwrap(), [0.0_f32; 0]);
    }
}

#[test]
fn the_last_chunk_may_be_shorter() {
    let x = samples::<u32>(Ordinary, 7, 50_003);
    for len in [2, 7, 100, 1024, 4097, 49_999, 50_003, 200_000, usize::MAX] {
        for cpu in cpus() {
            let found = cpu.reduce(Strided::default(), chunks(&x, len)).unwrap();
            assert_same(
                &all_bits(&found),
                &alone::<u32, Strided>(x.chunks(len)),
                &format!("chunks of {len}"),
            );
        }
    }
}

#[test]
fn wrong_shapes_are_refused() {
    let cpu = Cpu::new();
    let x = [1.0_f32; 12];
    for shape in [[3, 5], [0, 4], [12, 0], [usize::MAX, 2], [1 << 33, 1 << 33]] {
        let errors = [cpu.reduce(Sum, rows(&x, shape)), cpu.reduce(Sum, columns(&x, shape))];
        for error in errors.map(Result::unwrap_err) {
            let text = error.to_string();
            assert!(text.contains(&format!("{shape:?} does not have 12 elements")), "{text}");
        }
    }
    let text = cpu.reduce(Sum, chunks(&x, 0)).unwrap_err().to_string();
    assert!(text.contains("at least 1"), "{text}");
    let text = cpu.reduce(Sum, rows(&[0.0_f32; 0], [usize::MAX, 0])).unwrap_err().to_string();
    assert!(text.contains("not enough memory") && text.contains("fewer rows"), "{text}");
}
