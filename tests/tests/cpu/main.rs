//! The CPU backend against the recursive reference, bit for bit.
#![allow(missing_docs)]

mod golden;
mod laws;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use test_kernels::{MatrixProduct, Ordered, Strided};
use warpfold::{
    ArgMax, ArgMin, Cpu, Element, Max, Maximum, Min, Minimum, Op, Product, Sum, finish, reference, tree,
};
use warpfold_tests::data::Family::{Ordinary, Special, SpecialOnly};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Bits, Sample, in_turn, samples, sizes, turn};

/// Backends with several numbers of threads, started once: the rows fold thousands of times.
fn cpus() -> &'static [Cpu] {
    static CPUS: LazyLock<Vec<Cpu>> =
        LazyLock::new(|| [vec![Cpu::new()], with_threads(&[1, 2, 3, 7])].concat());
    &CPUS
}

/// All sizes with all data, by every backend or, unless `whole`, by two of them: another two for other data, so that
/// each backend takes each size.
fn check<T: Element + Sample, O: Op<T, Out: Bits> + Default>(limit: u64, whole: bool) {
    for (seed, family) in [(1, Ordinary), (2, Special), (3, SpecialOnly)] {
        let cpus: Vec<&Cpu> = match whole {
            true => cpus().iter().collect(),
            false => cpus().iter().cycle().skip(2 * seed as usize).take(2).collect(),
        };
        let all = samples::<T>(family, seed, limit);
        for n in sizes::up_to::<T>(limit) {
            let x = &all[..n as usize];
            let expected = reference::reduce::<T, O>(x).bits();
            for cpu in &cpus {
                assert_eq!(
                    cpu.reduce(O::default(), x).unwrap().bits(),
                    expected,
                    "{n} elements, {family:?}, {cpu:?}"
                );
            }
        }
    }
}

/// The pairs of this turn.
#[test]
fn catalogue() {
    macro_rules! every_row {
        ($($row:ident: $op:ty, $element:ty;)*) => {
            turn::check(&[$( (stringify!($row), in_turn!($row => || {
                check::<$element, $op>(300_000, turn::is_turn_of(stringify!($row)));
            })) ),*]);
        };
    }
    gpu_kernels::for_each_kernel!(every_row);
}

/// Every operator and every element is in each turn.
#[test]
fn every_operator_and_every_element_is_taken() {
    macro_rules! rows {
        ($($row:ident: $op:ty, $element:ty;)*) => {
            [$( (stringify!($row), stringify!($op), stringify!($element)) ),*]
        };
    }
    let (mut all, mut taken) = (BTreeSet::new(), BTreeSet::new());
    for (row, op, element) in gpu_kernels::for_each_kernel!(rows) {
        // An operator with other parameters is the same operator; a tuple is an operator of its own.
        let op = if op.starts_with('(') { op } else { op.split('<').next().unwrap_or(op) };
        all.extend([op, element]);
        if turn::is_of_every_turn(row) {
            taken.extend([op, element]);
        }
    }
    assert_eq!(all.difference(&taken).collect::<Vec<_>>(), [&""; 0]);
}

/// The tree itself: at every size of up to a tile, at one in sixteen of up to 20,000, and where tiles begin to grow.
#[test]
fn fingerprints_equal_the_reference() {
    let all = samples::<u32>(Ordinary, 4, (1 << 23) + 5000);
    let (cpu, tile) = (Cpu::new(), tree::tile_len::<u32>(0) as usize);
    let check = |n: usize| {
        let x = &all[..n];
        assert_eq!(
            cpu.reduce(Strided::default(), x).unwrap(),
            reference::reduce::<u32, Strided>(x),
            "{n} strided"
        );
        assert_eq!(
            cpu.reduce(Ordered::default(), x).unwrap(),
            reference::reduce::<u32, Ordered>(x),
            "{n} ordered"
        );
    };
    // Of 16 sizes in a row one, of all remainders in turn.
    let takes = |&n: &usize| n <= tile || turn::is_in_sixteenth((n + n / 16) as u64);
    (0..=20_000).filter(takes).for_each(check);
    sizes::up_to::<u32>(all.len() as u64).into_iter().for_each(|n| check(n as usize));
}

/// Two orders of the same elements have different fingerprints, and so have two lengths: the test above can
/// fail.
#[test]
fn fingerprints_differ() {
    let x = samples::<u32>(Ordinary, 5, 10_000);
    let mut swapped = x.clone();
    swapped.swap(17, 9_000);
    let print = reference::reduce::<u32, Strided>;
    assert_ne!(print(&x), print(&swapped));
    assert_ne!(print(&x), print(&x[1..]));
    assert_ne!(print(&x), reference::reduce::<u32, Ordered>(&x));
}

/// An associative operator that does not commute gives the plain left-to-right product.
#[test]
fn order_is_kept() {
    for n in sizes::up_to::<u32>(100_000) {
        let x = samples::<u32>(Ordinary, 6, n);
        let expected = x.iter().zip(0..).fold(<MatrixProduct as Op<u32>>::IDENTITY, |left, (&x, i)| {
            MatrixProduct::combine(left, MatrixProduct.lift(x, i))
        });
        assert_eq!(Cpu::new().reduce(MatrixProduct, &x).unwrap(), expected, "{n}");
    }
}

/// A slice that starts at any element gives the bits of its copy.
#[test]
fn alignment_does_not_matter() {
    let all = samples::<f32>(Ordinary, 7, 50_032);
    for offset in 0..32 {
        let x = &all[offset..offset + 50_000];
        let copy = x.to_vec();
        let cpu = Cpu::new();
        assert_eq!(cpu.reduce(Sum, x).unwrap().bits(), cpu.reduce(Sum, &copy).unwrap().bits());
    }
}

/// Tiles folded in portions and finished have the bits of a single call.
#[test]
fn halves_equal_the_whole() {
    let x = samples::<f64>(Ordinary, 8, 1_000_003);
    let n = x.len() as u64;
    let (tile, tiles) = (tree::tile_len::<f64>(n), tree::tiles::<f64>(n));
    let cpu = Cpu::new();
    for portion in [1, 2, 7, 100, tiles] {
        let mut accs = Vec::new();
        let mut first = 0;
        while first < tiles {
            let end = (first + portion).min(tiles);
            let range = (first * tile) as usize..((end * tile).min(n)) as usize;
            accs.extend(cpu.fold_tiles(Sum, &x[range], n, first..end).unwrap());
            first = end;
        }
        assert_eq!(finish::<f64, Sum>(&accs, n).unwrap().bits(), cpu.reduce(Sum, &x).unwrap().bits());
    }
}

#[test]
fn wrong_portions_are_refused() {
    let x = vec![1.0f32; 5000];
    let cpu = Cpu::new();
    for (given, of, tiles) in [(5000, 5000, 0..1), (4096, 5000, 1..2), (0, 5000, 2..3), (5000, 5000, 0..3)] {
        let error = cpu.fold_tiles(Sum, &x[..given], of, tiles.clone()).unwrap_err();
        assert!(error.to_string().contains("tile_len"), "{error}");
    }
    #[allow(clippy::reversed_empty_ranges)]
    let reversed =
        [cpu.fold_tiles(Sum, &[0.0_f32; 0], 5000, 1..0), cpu.fold_tiles(Sum, &[0.0_f32; 0], 5000, 5..2)];
    assert!(reversed.iter().all(Result::is_err));
}

/// The README's table of edge cases.
#[test]
fn edges() {
    let cpu = Cpu::new();
    let nan = f32::NAN;
    assert_eq!(cpu.reduce(Sum, &[0.0_f32; 0]).unwrap().bits(), (-0.0f32).bits());
    assert_eq!(cpu.reduce(Sum, &[-0.0_f32]).unwrap().bits(), (-0.0f32).bits());
    assert_eq!(cpu.reduce(Sum, &[-0.0_f32, 0.0]).unwrap().bits(), 0.0f32.bits());
    assert_eq!(cpu.reduce(Sum, &[i32::MAX, i32::MAX]).unwrap(), 2 * i64::from(i32::MAX));
    assert_eq!(cpu.reduce(Sum, &[i64::MAX, 1]).unwrap(), i64::MIN);
    assert_eq!(cpu.reduce(Product, &[0_u32; 0]).unwrap(), 1);
    assert_eq!(cpu.reduce(Sum, &[f32::INFINITY, f32::NEG_INFINITY]).unwrap().to_bits(), 0x7fc0_0000);
    assert_eq!(cpu.reduce(Sum, &[-f64::NAN]).unwrap().to_bits(), 0x7ff8_0000_0000_0000);

    assert_eq!(cpu.reduce(Min, &[0.0_f32; 0]).unwrap(), None);
    assert_eq!(cpu.reduce(Min, &[nan, 3.0, nan, -2.0]).unwrap(), Some(-2.0));
    assert_eq!(cpu.reduce(Max, &[nan, -3.0, nan]).unwrap(), Some(-3.0));
    assert_eq!(cpu.reduce(Min, &[-nan, nan]).unwrap().unwrap().to_bits(), 0x7fc0_0000);
    assert_eq!(cpu.reduce(Minimum, &[1.0, nan]).unwrap().unwrap().to_bits(), 0x7fc0_0000);
    assert_eq!(cpu.reduce(Maximum, &[-nan, 1.0]).unwrap().unwrap().to_bits(), 0x7fc0_0000);
    assert_eq!(cpu.reduce(Min, &[f32::INFINITY; 3]).unwrap(), Some(f32::INFINITY));
    assert_eq!(cpu.reduce(Min, &[0.0_f32, -0.0]).unwrap().bits(), Some(-0.0f32).bits());
    assert_eq!(cpu.reduce(Max, &[-0.0_f32, 0.0]).unwrap().bits(), Some(0.0f32).bits());

    let at = |x: &[f32]| cpu.reduce(ArgMin, x).unwrap().unwrap().index;
    assert_eq!(at(&[2.0, 1.0, 1.0]), 1);
    assert_eq!(at(&[nan, 1.0]), 1);
    assert_eq!(at(&[nan, nan]), 0);
    assert_eq!(at(&[0.0, -0.0]), 1);
    assert_eq!(cpu.reduce(ArgMax, &[1, u64::MAX, u64::MAX]).unwrap().unwrap().index, 1);
    assert_eq!(cpu.reduce(ArgMin, &[0_i64; 0]).unwrap(), None);
}
