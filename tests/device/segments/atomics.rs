//! Groups of operators with an atomic instruction: each has the bits of the CPU backend's reduction of its elements alone.

use warpfold::elements::IndexType;
use warpfold::kernels::RowsKernel;
use warpfold::{
    All, Bins, BitAnd, BitOr, BitXor, Cpu, Element, Error, Max, Maximum, Min, Minimum, Op, Sum, SumIn,
    binned, groups,
};
use warpfold_tests::data::Family::{self, Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, in_quarter_or_catalogue, on_gpu_or_emulated, samples};

use crate::groups::{check_groups, ids};

/// Compares few elements and more, in groups that have several accumulators in shared memory, one, and none.
fn check<T, O, I>(family: Family, seed: u64, id: impl Fn(u64) -> I)
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>,
    I: IndexType,
{
    assert!(O::GROUPS.is_some());
    for (n, groups) in
        [(1, 1), (255, 3), (4097, 33), (on_gpu_or_emulated(300_001, 9001), 3000), (9001, 70_000)]
    {
        let ids: Vec<I> = ids(n, groups).map(&id).collect();
        check_groups::<T, O, I>(&ids, &samples(family, seed, n as u64), groups as usize);
    }
}

/// Each instruction, with accumulators of 4 and of 8 bytes.
#[test]
fn groups_by_atomics_have_the_cpus_bits() {
    check::<i32, Sum, u32>(Ordinary, 70, |id| id as u32);
    check::<f32, Max, i64>(Special, 71, |id| id as i64);
    in_quarter_or_catalogue!(0 => check::<i32, SumIn<i32>, i32>(Ordinary, 72, |id| id as i32));
    in_quarter_or_catalogue!(1 => check::<f64, Minimum, u32>(Special, 73, |id| id as u32));
    in_quarter_or_catalogue!(2 => check::<u64, BitXor, u64>(Ordinary, 74, |id| id));
    in_quarter_or_catalogue!(3 => check::<u64, BitAnd, u32>(Ordinary, 75, |id| id as u32));
    in_quarter_or_catalogue!(0 => check::<u32, BitXor, u32>(Ordinary, 76, |id| id as u32));
    in_quarter_or_catalogue!(1 => check::<u8, BitOr, u32>(Ordinary, 77, |id| id as u32));
    in_quarter_or_catalogue!(2 => check::<bool, All, u32>(Ordinary, 78, |id| id as u32));
    in_quarter_or_catalogue!(3 => check::<usize, Maximum, u32>(Ordinary, 79, |id| id as u32));
}

/// Most elements in few of many groups: blocks keep accumulators of those that they meet first, and other groups hash to their slots.
#[test]
fn crowded_groups_among_many_have_the_cpus_bits() {
    let (n, groups) = (on_gpu_or_emulated(2_000_003, 20_011), 300_000);
    let ids = |crowd: u64| {
        ids(n, groups)
            .zip(0..)
            .map(move |(id, i)| if i % 8 == 7 { id as u32 } else { (i / 8 % crowd) as u32 })
    };
    for crowd in [1, 3, 50] {
        let ids: Vec<u32> = ids(crowd).collect();
        check_groups::<i32, SumIn<i32>, _>(&ids, &samples(Ordinary, 84, n as u64), groups as usize);
        check_groups::<i32, Sum, _>(&ids, &samples(Ordinary, 85, n as u64), groups as usize);
        check_groups::<f64, Max, _>(&ids, &samples(Special, 86, n as u64), groups as usize);
    }
}

/// Elements that are the identity change no accumulator, but their group is not empty; a sum carries into its upper half, and back.
#[test]
fn elements_that_change_nothing_are_seen() {
    let n = 3001;
    let ids: Vec<u32> = (0..n).map(|i| i % 7 * 2).collect();
    check_groups::<u32, Max, _>(&ids, &vec![0; n as usize], 15);
    check_groups::<i64, Min, _>(&ids, &vec![i64::MAX; n as usize], 70_000);
    check_groups::<f32, Min, _>(&ids, &vec![f32::NAN; n as usize], 15);
    let x: Vec<i32> = (0..n).map(|i| if i % 3 == 0 { i32::MIN } else { i32::MAX - i as i32 }).collect();
    check_groups::<i32, Sum, _>(&ids, &x, 15);
    check_groups::<i32, Sum, _>(&ids, &x, 70_000);
}

/// What no bin takes changes no result, nor do bins without elements.
#[test]
fn bins_by_atomics_have_the_cpus_bits() {
    let n = on_gpu_or_emulated(100_003, 5003);
    let (keys, x) = (samples::<f32>(Special, 80, n as u64), samples::<i32>(Ordinary, 81, n as u64));
    let bins = Bins::even(-2.0..=2.0, 100).unwrap();
    let (on_keys, on_x) = (cuda().upload(&keys).unwrap(), cuda().upload(&x).unwrap());
    let expected = Cpu::new().reduce(Max, binned(&bins, &keys, &x)).unwrap();
    assert_eq!(cuda().reduce(Max, binned(&bins, &on_keys, &on_x)).unwrap().to_vec().unwrap(), expected);
    let expected = Cpu::new().reduce(Sum, binned(&bins, &keys, &x)).unwrap();
    assert_eq!(cuda().reduce(Sum, binned(&bins, &on_keys, &on_x)).unwrap().to_vec().unwrap(), expected);
}

/// Results are written again, with other numbers of elements, and finished on the device; refused ids change none.
#[test]
fn results_of_atomics_stay_on_the_device() {
    let stream = cuda().stream().unwrap();
    for count in [1, 300, 9000] {
        let mut greatest = cuda().results::<f32, Max>(count).unwrap();
        for n in on_gpu_or_emulated([200_000, 5000, 1, 0, 12_000], [5000, 300, 1, 0, 4097]) {
            let ids: Vec<u32> = ids(n, count as u64).map(|id| id as u32).collect();
            let x = samples::<f32>(Special, 83, n as u64);
            let (on_ids, on_x) = (cuda().upload(&ids).unwrap(), cuda().upload(&x).unwrap());
            stream.reduce_into(Max, groups(&on_ids, &on_x, count), &mut greatest).unwrap();
            drop((on_ids, on_x));
            let expected = Cpu::new().reduce(Max, groups(&ids, &x, count)).unwrap();
            let found = greatest.to_vec().unwrap();
            assert!(
                found.iter().zip(&expected).all(|(found, expected)| found.bits() == expected.bits()),
                "{n}, {count}"
            );
            let finished = greatest.finished().unwrap().to_vec().unwrap();
            let of_none = |x: &Option<f32>| x.unwrap_or(f32::NAN).bits();
            assert!(
                finished.iter().zip(&expected).all(|(x, expected)| x.bits() == of_none(expected)),
                "{n}, {count}"
            );
        }
        let before: Vec<_> = greatest.to_vec().unwrap().iter().map(Bits::bits).collect();
        let (ids, x) = (cuda().upload(&[count as u64]).unwrap(), cuda().upload(&[9.0f32]).unwrap());
        let refused = stream.reduce_into(Max, groups(&ids, &x, count), &mut greatest);
        assert!(matches!(refused, Err(Error::Group { at: 0, .. })), "{refused:?}");
        assert!(greatest.to_vec().unwrap().iter().map(Bits::bits).eq(before));
        let recorded =
            stream.capture(|stream| stream.reduce_into(Max, groups(&ids, &x, count), &mut greatest));
        assert!(matches!(recorded, Err(Error::Capturing { .. })), "{recorded:?}");
    }
}

/// Every kernel that folds groups by atomics, and results of groups that were written before: see `sanitize_reduce`.
#[test]
fn sanitize_atomics() {
    let n = on_gpu_or_emulated(20_003, 5003);
    for count in [3, 5000, 70_000] {
        let ids: Vec<u32> = ids(n, count).map(|id| id as u32).collect();
        let x = samples::<i32>(Ordinary, 82, n as u64);
        check_groups::<i32, Sum, _>(&ids, &x, count as usize);
        check_groups::<i32, Max, _>(&ids, &x, count as usize);
    }
    let (ids, x) = (cuda().upload(&[2u32, 0, 2]).unwrap(), cuda().upload(&[5i32, -1, 9]).unwrap());
    let stream = cuda().stream().unwrap();
    let mut out = cuda().results::<i32, Max>(3).unwrap();
    for _ in 0..2 {
        stream.reduce_into(Max, groups(&ids, &x, 3), &mut out).unwrap();
    }
    assert_eq!(out.to_vec().unwrap(), [Some(-1), None, Some(9)]);
}
