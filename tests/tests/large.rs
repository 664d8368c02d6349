//! Operators with large accumulators, on a thread with a stack of 2 MiB, the default of threads: each word of
//! the accumulator against the reference of that word alone.
#![cfg(second_half)]
#![allow(missing_docs)]

use test_kernels::mix;
use warpfold::{
    Auto, Cpu, Op, Scan, View, along, chunks, columns, finish, groups, reference, rows, scan_tree, segments,
    tree, zip,
};
use warpfold_tests::{in_quarter, sizes};

/// The properties that the operator claims, which select the tree.
const ORDERED: u8 = 0;
const STRIDED: u8 = 1;
const FREE: u8 = 2;

/// `WORDS` hashes side by side; each lifts elements differently by its place. They hash the tree itself, unless
/// the operator claims that every order is equal.
#[derive(Clone, Copy)]
struct Hashes<const WORDS: usize, const KIND: u8>;

/// The word at this place alone.
#[derive(Clone, Copy)]
struct Word<const KIND: u8>(usize);

fn lifted(x: u64, index: u64, place: usize) -> u64 {
    mix(x ^ mix(index ^ mix(place as u64))) | 1
}

const fn combined<const KIND: u8>(left: u64, right: u64) -> u64 {
    match (left, right) {
        _ if KIND == FREE => left.wrapping_add(right),
        (0, only) | (only, 0) => only,
        _ => mix(left.wrapping_mul(3) ^ mix(right).rotate_left(17)) | 1,
    }
}

/// The places to check: first, last, and one in the middle.
const fn places(words: usize) -> [usize; 3] {
    [0, words / 3, words - 1]
}

macro_rules! over {
    ($element:ty, $value:expr) => {
        impl<const WORDS: usize, const KIND: u8> Op<$element> for Hashes<WORDS, KIND> {
            type Acc = [u64; WORDS];
            type Out = ([u64; 3], u64);
            const IDENTITY: [u64; WORDS] = [0; WORDS];
            const COMMUTATIVE: bool = KIND != ORDERED;
            const ASSOCIATIVE: bool = KIND == FREE;
            fn lift(self, x: $element, index: u64) -> [u64; WORDS] {
                let mut acc = [0; WORDS];
                acc.iter_mut().enumerate().for_each(|(place, word)| *word = lifted($value(x), index, place));
                acc
            }
            fn combine(mut left: [u64; WORDS], right: [u64; WORDS]) -> [u64; WORDS] {
                left.iter_mut().zip(&right).for_each(|(left, &right)| *left = combined::<KIND>(*left, right));
                left
            }
            fn finish(acc: [u64; WORDS], len: u64) -> ([u64; 3], u64) {
                (places(WORDS).map(|place| acc[place]), len)
            }
        }

        impl<const KIND: u8> Op<$element> for Word<KIND> {
            type Acc = u64;
            type Out = u64;
            const IDENTITY: u64 = 0;
            const COMMUTATIVE: bool = KIND != ORDERED;
            const ASSOCIATIVE: bool = KIND == FREE;
            fn lift(self, x: $element, index: u64) -> u64 {
                lifted($value(x), index, self.0)
            }
            fn combine(left: u64, right: u64) -> u64 {
                combined::<KIND>(left, right)
            }
            fn finish(acc: u64, _len: u64) -> u64 {
                acc
            }
        }
    };
}
over!(u32, u64::from);
over!([u32; 2], |[x, y]: [u32; 2]| u64::from(x) << 32 | u64::from(y));

fn elements(n: usize) -> Vec<u32> {
    (0..n as u64).map(|i| mix(i) as u32).collect()
}

/// The expected reduction of these elements.
fn expected<const WORDS: usize, const KIND: u8>(x: &[u32]) -> ([u64; 3], u64) {
    (places(WORDS).map(|place| reference::reduce_by(Word::<KIND>(place), x)), x.len() as u64)
}

/// Runs `test` on a thread with the stack that threads have by default.
fn on_2_mib(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

fn check_flat<const WORDS: usize, const KIND: u8>(cpus: &[Cpu], sizes: &[usize]) {
    let all = elements(sizes.iter().copied().max().unwrap_or(0));
    for &n in sizes {
        let x = &all[..n];
        let expected = expected::<WORDS, KIND>(x);
        for cpu in cpus {
            assert_eq!(
                cpu.reduce(Hashes::<WORDS, KIND>, x).unwrap(),
                expected,
                "{WORDS} words, {n}, {cpu:?}"
            );
        }
        assert_eq!(Auto::new().reduce(Hashes::<WORDS, KIND>, x).unwrap(), expected, "{WORDS} words, {n}");
    }
}

/// Checks the parts of an array.
fn check_parts<const WORDS: usize, const KIND: u8>(cpus: &[Cpu], count: usize, len: usize) {
    let x = elements(count * len);
    let op = Hashes::<WORDS, KIND>;
    let of_rows: Vec<_> = x.chunks(len).map(expected::<WORDS, KIND>).collect();
    let column = |first| x.iter().copied().skip(first).step_by(len).collect::<Vec<_>>();
    let of_columns: Vec<_> = (0..len).map(|first| expected::<WORDS, KIND>(&column(first))).collect();
    let offsets: Vec<usize> = (0..=count).map(|row| row * len).collect();
    let ids: Vec<u32> = (0..x.len()).map(|i| (i / len) as u32).collect();
    for cpu in cpus {
        assert_eq!(cpu.reduce(op, rows(&x, [count, len])).unwrap(), of_rows);
        assert_eq!(cpu.reduce(op, columns(&x, [count, len])).unwrap(), of_columns);
        assert_eq!(cpu.reduce(op, along(View::new(&x, &[count, len]).unwrap(), &[0])).unwrap(), of_columns);
        assert_eq!(cpu.reduce(op, chunks(&x, len)).unwrap(), of_rows);
        assert_eq!(cpu.reduce(op, segments(&x, &offsets)).unwrap(), of_rows);
        assert_eq!(cpu.reduce(op, groups(&ids, &x, count)).unwrap(), of_rows);
        let (left, right) = x.split_at(x.len() / 2);
        let pairs: Vec<[u32; 2]> = left.iter().zip(right).map(|(&left, &right)| [left, right]).collect();
        let of_pairs = places(WORDS).map(|place| reference::reduce_by(Word::<KIND>(place), &pairs));
        let right = &right[..left.len()];
        assert_eq!(cpu.reduce(op, zip(left, right)).unwrap(), (of_pairs, left.len() as u64));
        let n = x.len() as u64;
        let tiles = cpu.fold_tiles(op, &x, n, 0..tree::tiles::<u32>(n)).unwrap();
        assert_eq!(finish::<u32, Hashes<WORDS, KIND>>(&tiles, n).unwrap(), expected::<WORDS, KIND>(&x));
    }
}

fn check_scan<const WORDS: usize, const KIND: u8>(cpus: &[Cpu], sizes: &[usize]) {
    let all = elements(sizes.iter().copied().max().unwrap_or(0));
    let op = Hashes::<WORDS, KIND>;
    for &n in sizes {
        let x = &all[..n];
        let of_place = places(WORDS).map(|place| {
            scan_tree::reference::scan_by(Word::<KIND>(place), x, scan_tree::Kind::Inclusive, (0, 0))
        });
        let expected: Vec<_> =
            (0..n).map(|i| (of_place.each_ref().map(|outs| outs[i]), i as u64 + 1)).collect();
        for cpu in cpus {
            assert_eq!(cpu.scan(op, x, Scan::inclusive()).unwrap(), expected, "{WORDS} words, {n}, {cpu:?}");
            let found = cpu.scan(op, segments(x, &[0, n]), Scan::inclusive()).unwrap();
            assert_eq!(found, expected, "{WORDS} words, a segment of {n}, {cpu:?}");
        }
    }
}

fn cpus() -> Vec<Cpu> {
    warpfold_tests::threads::with_threads(&[1, 3])
}

/// Just above the largest accumulators that are folded many side by side.
#[test]
fn accumulators_of_some_kib_follow_the_tree_at_every_size() {
    on_2_mib(|| {
        let small: Vec<usize> = sizes::up_to::<u32>(20_000).into_iter().map(|n| n as usize).collect();
        check_flat::<129, ORDERED>(&cpus(), &small);
        check_flat::<129, STRIDED>(&cpus(), &small);
        check_flat::<129, FREE>(&cpus(), &small);
    });
}

#[test]
fn accumulators_of_16_kib_fold_on_a_thread_of_2_mib() {
    on_2_mib(|| {
        let sizes = [0, 1, 2, 5, 1023, 1024, 1025, 4100, 9000];
        in_quarter!(0 => check_flat::<2048, ORDERED>(&cpus(), &sizes));
        in_quarter!(1 => check_flat::<2048, STRIDED>(&cpus(), &sizes));
        in_quarter!(2 => check_flat::<2048, FREE>(&cpus(), &sizes));
    });
}

#[test]
fn accumulators_of_1_mib_fold_on_a_thread_of_2_mib() {
    on_2_mib(|| {
        in_quarter!(1 => check_flat::<{ 1 << 17 }, ORDERED>(&cpus(), &[0, 1, 7, 70]));
        in_quarter!(0 => check_flat::<{ 1 << 17 }, STRIDED>(&cpus(), &[0, 1, 7, 70]));
        in_quarter!(3 => check_flat::<{ 1 << 17 }, FREE>(&cpus(), &[0, 1, 7, 70]));
        in_quarter!(2 => check_parts::<{ 1 << 17 }, STRIDED>(&cpus(), 3, 5));
    });
}

/// Counts of elements by value, so little code that the compiler inlines it wherever it is called.
#[derive(Clone, Copy)]
struct Counts;

macro_rules! counts {
    ($element:ty, $value:expr) => {
        impl Op<$element> for Counts {
            type Acc = [u64; 1 << 17];
            type Out = u64;
            const IDENTITY: [u64; 1 << 17] = [0; 1 << 17];
            const COMMUTATIVE: bool = true;
            fn lift(self, x: $element, _index: u64) -> [u64; 1 << 17] {
                let mut acc = [0; 1 << 17];
                acc[$value(x) as usize] = 1;
                acc
            }
            fn combine(mut left: [u64; 1 << 17], right: [u64; 1 << 17]) -> [u64; 1 << 17] {
                left.iter_mut().zip(&right).for_each(|(left, right)| *left += right);
                left
            }
            fn finish(acc: [u64; 1 << 17], _len: u64) -> u64 {
                acc.iter().sum()
            }
        }
    };
}
counts!(u32, |x| x);
counts!([u32; 2], |[x, y]: [u32; 2]| x + y);
// Few elements are several tasks.
counts!([u32; 1 << 13], |x: [u32; 1 << 13]| x[0]);

#[test]
fn accumulators_of_1_mib_are_in_no_frame_of_the_caller() {
    let x: Vec<u32> = (0..60).collect();
    let tasks = vec![[1; 1 << 13]; 100];
    for cpu in cpus() {
        let (x, tasks) = (x.clone(), tasks.clone());
        on_2_mib(move || {
            assert_eq!(cpu.reduce(Counts, &x).unwrap(), 60, "{cpu:?}");
            assert_eq!(cpu.reduce(Counts, rows(&x, [6, 10])).unwrap(), [10; 6], "{cpu:?}");
            assert_eq!(cpu.reduce(Counts, zip(&x, &x)).unwrap(), 60, "{cpu:?}");
            assert_eq!(cpu.reduce(Counts, &tasks).unwrap(), 100, "{cpu:?}");
            let tiles = cpu.fold_tiles(Counts, &x, 60, 0..tree::tiles::<u32>(60)).unwrap();
            assert_eq!(finish::<u32, Counts>(&tiles, 60).unwrap(), 60);
        });
    }
    on_2_mib(move || assert_eq!(Auto::new().reduce(Counts, &x).unwrap(), 60));
}

/// A result that callers hold, on a thread with the stack of a program's first one.
#[test]
fn a_fold_of_1_mib_needs_no_more_than_8_mib() {
    let fold = || {
        let acc = Cpu::new().fold(Counts, &[3u32; 60]).unwrap();
        assert_eq!((acc[3], acc.iter().sum::<u64>()), (60, 60));
    };
    std::thread::Builder::new().stack_size(8 << 20).spawn(fold).unwrap().join().unwrap();
}

#[test]
fn inputs_of_several_tasks_are_folded_by_all_threads() {
    // 2 MiB of elements are two tasks.
    on_2_mib(|| check_flat::<129, STRIDED>(&cpus(), &[(2 << 20) / size_of::<u32>()]));
}

#[test]
fn parts_are_folded_as_if_alone() {
    on_2_mib(|| {
        in_quarter!(3 => check_parts::<2048, ORDERED>(&cpus(), 9, 12));
        in_quarter!(2 => check_parts::<2048, STRIDED>(&cpus(), 9, 12));
        in_quarter!(1 => check_parts::<2048, FREE>(&cpus(), 9, 12));
        in_quarter!(0 => check_parts::<129, STRIDED>(&cpus(), 2, 5000));
    });
}

/// An accumulator that callers hold.
#[test]
fn a_fold_gives_the_accumulator() {
    on_2_mib(|| {
        let x = elements(5000);
        let acc = Cpu::new().fold(Hashes::<2048, STRIDED>, &x).unwrap();
        assert_eq!(<Hashes<2048, STRIDED> as Op<u32>>::finish(acc, 5000).0, expected::<2048, STRIDED>(&x).0);
    });
}

#[test]
fn scans_take_accumulators_of_up_to_64_kib() {
    on_2_mib(|| {
        check_scan::<129, ORDERED>(&cpus(), &[0, 1, 511, 513, 4097, 20_000]);
        in_quarter!(0 => check_scan::<512, ORDERED>(&cpus(), &[0, 1, 511, 513, 4097]));
        in_quarter!(1 => check_scan::<8192, ORDERED>(&cpus(), &[0, 1, 70]));
        in_quarter!(2 => check_scan::<8192, FREE>(&cpus(), &[0, 1, 70]));
    });
}
