//! Groups and runs of equal keys: each has the bits of the CPU backend's reduction of its elements alone.

use bytemuck::{CheckedBitPattern, NoUninit, Pod};
use test_kernels::{MatrixProduct, mix};
use warpfold::elements::{Accumulator, GroupKey, IndexType, SortKey};
use warpfold::input::{ByKey, Runs};
use warpfold::kernels::{Kernel, RowsKernel};
use warpfold::verb::{Backend, Reduce};
use warpfold::{
    ArgMin, Cpu, Cuda, DeviceArray, DeviceResults, Element, Error, Interpolation, Matrix2, Mean, Min, Op,
    Sum, Variance, by_key, groups, runs,
};
use warpfold_tests::data::Family::{self, Ordinary, Special};
use warpfold_tests::{Bits, Sample, cuda, in_quarter_or_catalogue, on_gpu_or_emulated, samples, takes_case};

/// Compares the groups of a device with the CPU's.
pub(crate) fn check_groups<T, O, I>(ids: &[I], x: &[T], groups: usize)
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>,
    I: IndexType,
{
    let expected = Cpu::new().reduce(O::default(), warpfold::groups(ids, x, groups)).unwrap();
    let (device_ids, device_x) = (cuda().upload(ids).unwrap(), cuda().upload(x).unwrap());
    let on_host = cuda()
        .reduce(O::default(), warpfold::groups(&device_ids, &device_x, groups))
        .unwrap()
        .to_vec()
        .unwrap();
    let mut on_device = cuda().results::<T, O>(groups).unwrap();
    cuda()
        .stream()
        .unwrap()
        .reduce_into(O::default(), warpfold::groups(&device_ids, &device_x, on_device.len()), &mut on_device)
        .unwrap();
    for found in [on_host, on_device.to_vec().unwrap()] {
        assert_eq!(found.len(), groups);
        for (group, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found.bits(), expected.bits(), "group {group} of {groups}, {} elements", x.len());
        }
    }
}

pub(crate) fn ids(n: usize, groups: u64) -> impl Iterator<Item = u64> {
    (0..n as u64).map(move |i| mix(i) % groups)
}

#[test]
fn groups_have_the_cpus_bits() {
    for groups in [1, 2, 10, 255, 256, 257, 1000] {
        for n in [1, 255, 4095, 4096, 4097, on_gpu_or_emulated(100_003, 9001)] {
            let ids: Vec<u32> = ids(n, groups).map(|id| id as u32).collect();
            check_groups::<f32, Sum, _>(&ids, &samples(Ordinary, 51, n as u64), groups as usize);
        }
    }
    let n = on_gpu_or_emulated(300_000, 9001);
    let ids: Vec<i64> = ids(n, 70_000).map(|id| id as i64).collect();
    check_groups::<f32, Sum, _>(&ids, &samples(Special, 52, n as u64), 70_000);
}

/// Thousands of tiles that look back over each other, for all kinds of ids, repeatedly.
#[test]
fn many_tiles_look_back() {
    let n = on_gpu_or_emulated(20_000_003, 40_003);
    let x = samples::<f32>(Ordinary, 59, n as u64);
    let any = |groups| ids(n, groups).map(|id| id as u32).collect::<Vec<_>>();
    for (groups, case) in [2, 200, 1000, 1_000_000].into_iter().zip(0..) {
        if !takes_case(case) {
            continue;
        }
        check_groups::<f32, Sum, _>(&any(groups), &x, groups as usize);
    }
    check_groups::<f32, Sum, _>(&vec![77u32; n], &x, 100);
    check_groups::<f32, Sum, _>(&any(3).iter().map(|&id| id * 30_000).collect::<Vec<_>>(), &x, 70_000);
    let mixed: Vec<i64> = (0..n).map(|i| (mix(i as u64 / 5000) % 5000) as i64).collect();
    check_groups::<f32, Sum, _>(&mixed, &x, 5000);
}

/// Elements of 1 to 16 bytes, and of other than word sizes; ids of every type; an operator whose index counts
/// within the group.
#[test]
fn groups_of_every_element_and_id() {
    let (n, groups) = (on_gpu_or_emulated(600_001, 17_001), 300);
    let long: Vec<u64> = ids(n, groups).collect();
    let word: Vec<i32> = long.iter().map(|&id| id as i32).collect();
    fn check<T: Element + Sample, O, I: IndexType>(ids: &[I], seed: u64, family: Family, groups: u64)
    where
        O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>,
    {
        // Long tiles, and short ones.
        for ids in [ids, &ids[..9001]] {
            check_groups::<T, O, I>(ids, &samples(family, seed, ids.len() as u64), groups as usize);
        }
    }
    check::<u8, Mean, _>(&word, 53, Ordinary, groups);
    in_quarter_or_catalogue!(0 => check::<warpfold::bf16, ArgMin, _>(&long, 54, Special, groups));
    in_quarter_or_catalogue!(1 => check::<f64, Variance, _>(&word, 55, Ordinary, groups));
    in_quarter_or_catalogue!(2 => check::<warpfold::Complex<f64>, Sum, _>(&long, 56, Ordinary, groups));
    check::<Matrix2<u64>, warpfold::MatrixProduct, _>(&long, 56, Ordinary, groups);
    check::<u32, MatrixProduct, _>(&word, 57, Ordinary, groups);
}

/// Ascending, descending, all in one group, and groups without elements; a slice that begins at any element.
#[test]
fn ids_in_any_order() {
    let n = on_gpu_or_emulated(200_000, 9001);
    let x = samples::<f32>(Ordinary, 58, n as u64);
    let groups = 5000;
    let at = |i: usize| (i * groups / n) as u32;
    check_groups::<f32, Sum, _>(&(0..n).map(at).collect::<Vec<_>>(), &x, groups);
    check_groups::<f32, Sum, _>(&(0..n).rev().map(at).collect::<Vec<_>>(), &x, groups);
    check_groups::<f32, Sum, _>(&vec![4321u32; n], &x, groups);
    check_groups::<f32, Sum, _>(&(0..n).map(|i| at(i) / 7 * 7).collect::<Vec<_>>(), &x, groups);

    let ids: Vec<u32> = ids(n, groups as u64).map(|id| id as u32).collect();
    let (device_ids, device_x) = (cuda().upload(&ids).unwrap(), cuda().upload(&x).unwrap());
    for (first, other) in [(1, 3), (2, 1), (777, 0)] {
        let len = n - 1000;
        let expected = Cpu::new()
            .reduce(Sum, warpfold::groups(&ids[first..first + len], &x[other..other + len], groups));
        let found = cuda().reduce(
            Sum,
            warpfold::groups(
                &device_ids.slice(first..first + len).unwrap(),
                &device_x.slice(other..other + len).unwrap(),
                groups,
            ),
        );
        let bits = |sums: Vec<f32>| sums.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        assert!(bits(found.unwrap().to_vec().unwrap()) == bits(expected.unwrap()), "{first}, {other}");
    }
}

#[test]
fn ids_of_no_group_are_refused_and_the_device_goes_on() {
    let n = on_gpu_or_emulated(20_000, 5003);
    let x = cuda().upload(&vec![1.0f32; n]).unwrap();
    for groups in [10usize, 1000, 70_000] {
        let good: Vec<i64> = ids(n, groups as u64).map(|id| id as i64).collect();
        for (at, id) in [(0, -1), (n - 1, groups as i64), (4096, i64::MIN), (77, 1 << 40)] {
            let mut ids = good.clone();
            ids[at] = id;
            ids[n - 1] = id;
            ids[at + (n - 1 - at) / 2] = -3;
            ids[at] = id;
            let ids = cuda().upload(&ids).unwrap();
            match cuda().reduce(Sum, warpfold::groups(&ids, &x, groups)) {
                Err(Error::Group { at: found, group, groups: of }) => {
                    assert_eq!((found, group, of), (at, i128::from(id), groups));
                }
                other => panic!("{other:?}"),
            }
        }
        let negative = cuda().upload(&vec![-7i32; n]).unwrap();
        let refused = cuda().reduce(Sum, warpfold::groups(&negative, &x, groups));
        assert!(matches!(refused, Err(Error::Group { at: 0, group: -7, .. })), "{refused:?}");
    }
    let ids = cuda().upload(&vec![0u32; n]).unwrap();
    let refused = cuda().reduce(Sum, warpfold::groups(&ids, &x, 0));
    assert!(matches!(refused, Err(Error::Group { at: 0, group: 0, groups: 0 })), "{refused:?}");
    let few = ids.slice(1..).unwrap();
    let refused = cuda().reduce(Sum, warpfold::groups(&few, &x, 1));
    assert!(matches!(refused, Err(Error::Lengths { .. })), "{refused:?}");
    assert_eq!(cuda().reduce(Sum, warpfold::groups(&ids, &x, 1)).unwrap().to_vec().unwrap(), [n as f32]);
}

#[test]
fn groups_of_no_elements() {
    let (ids, x) = (cuda().upload::<u32>(&[]).unwrap(), cuda().upload::<f32>(&[]).unwrap());
    let none = cuda().reduce(Min, warpfold::groups(&ids, &x, 3)).unwrap().to_vec().unwrap();
    assert_eq!(none, [None; 3]);
    assert_eq!(cuda().reduce(Min, warpfold::groups(&ids, &x, 0)).unwrap().to_vec().unwrap(), []);
    let (keys, sums) = cuda().reduce(Sum, runs(&ids, &x)).unwrap();
    assert!(keys.is_empty() && sums.is_empty());
}

/// A reduction of the runs of keys in device memory.
type KeyRuns<'a, O, K, T> = Reduce<O, Runs<&'a DeviceArray<K>, &'a DeviceArray<T>>>;

fn check_keys<T, O, K>(keys: &[K], x: &[T])
where
    T: Element + Sample,
    O: RowsKernel<T> + Kernel<T> + Default + Op<T, Out: Bits + Send>,
    K: Element + CheckedBitPattern<Bits: NoUninit> + PartialEq + std::fmt::Debug,
    Cuda: for<'a> Backend<KeyRuns<'a, O, K, T>, Results = (DeviceArray<K>, DeviceResults<T, O>)>,
{
    let (expected_keys, expected) = Cpu::new().reduce(O::default(), runs(keys, x)).unwrap();
    let (device_keys, device_x) = (cuda().upload(keys).unwrap(), cuda().upload(x).unwrap());
    let (found_keys, found) = cuda().reduce(O::default(), runs(&device_keys, &device_x)).unwrap();
    assert!(found_keys.to_vec().unwrap() == expected_keys, "{} keys", keys.len());
    let found = found.to_vec().unwrap();
    let bits = |out: &[O::Out]| out.iter().map(Bits::bits).collect::<Vec<_>>();
    assert!(bits(&found) == bits(&expected), "{} keys", keys.len());
}

/// Keys are returned in device memory, with their own type.
#[test]
fn keys_of_characters_and_truth_values() {
    check_keys::<f32, Sum, _>(&['a', 'a', '\u{10ffff}', 'a', 'b'], &samples(Ordinary, 63, 5));
    check_keys::<i64, Sum, _>(&[true, false, false, true, true, true], &samples(Ordinary, 64, 6));
}

#[test]
fn runs_have_the_cpus_bits() {
    for n in [1, 2, 33, 1025, 2047, 2048, 2049, on_gpu_or_emulated(300_007, 9007)] {
        for longest in [1u64, 3, 100, 50_000] {
            let keys: Vec<u64> = (0..n).map(|i| mix(i / longest) % 1000).collect();
            check_keys::<f32, Sum, _>(&keys, &samples(Ordinary, 61, n));
        }
    }
    let n = on_gpu_or_emulated(40_000, 5000);
    let key = |i: u64| mix(i / 17);
    let bytes: Vec<u8> = (0..n).map(|i| key(i) as u8).collect();
    in_quarter_or_catalogue!(0 => check_keys::<f32, ArgMin, _>(&bytes, &samples(Special, 62, n)));
    let short: Vec<i16> = (0..n).map(|i| key(i) as i16).collect();
    in_quarter_or_catalogue!(1 => check_keys::<f64, Variance, _>(&short, &samples(Ordinary, 63, n)));
    check_keys::<f32, Sum, _>(&bytes, &samples(Ordinary, 62, n));
    check_keys::<f32, Sum, _>(&short, &samples(Ordinary, 63, n));
    check_keys::<u8, Sum, _>(&(0..n).map(|i| key(i) % 2 == 1).collect::<Vec<_>>(), &samples(Ordinary, 64, n));
    let chars = (0..n).map(|i| char::from(key(i) as u8)).collect::<Vec<_>>();
    check_keys::<u32, MatrixProduct, _>(&chars, &samples(Ordinary, 65, n));
    let wide: Vec<i128> = (0..n).map(|i| i128::from(key(i) as i64) << (i / 17 % 64)).collect();
    check_keys::<f32, Sum, _>(&wide, &samples(Ordinary, 66, n));
    check_keys::<f32, Sum, _>(&vec![7i32; n as usize], &samples(Ordinary, 67, n));
}

/// Keys come sorted, each with its elements in the order of the array.
#[test]
fn groups_by_key_have_the_cpus_bits() {
    fn check<T, O, K>(keys: &[K], x: &[T])
    where
        T: Element + Sample,
        O: RowsKernel<T> + Default + Op<T, Out: Bits + Send>,
        K: SortKey + GroupKey + CheckedBitPattern<Bits: NoUninit> + std::fmt::Debug,
        Cuda: for<'a> Backend<
                Reduce<O, ByKey<&'a DeviceArray<K>, &'a DeviceArray<T>>>,
                Results = (DeviceArray<K>, DeviceResults<T, O>),
            >,
    {
        let (expected_keys, expected) = Cpu::new().reduce(O::default(), by_key(keys, x)).unwrap();
        let (device_keys, device_x) = (cuda().upload(keys).unwrap(), cuda().upload(x).unwrap());
        let (found_keys, found) = cuda().reduce(O::default(), by_key(&device_keys, &device_x)).unwrap();
        assert_eq!(found_keys.to_vec().unwrap(), expected_keys, "{} keys", keys.len());
        let bits = |out: &[O::Out]| out.iter().map(Bits::bits).collect::<Vec<_>>();
        assert_eq!(bits(&found.to_vec().unwrap()), bits(&expected), "{} keys", keys.len());
    }
    for n in [0, 1, 33, 2049, on_gpu_or_emulated(300_007, 4099)] {
        let keys: Vec<i32> = (0..n).map(|i| (mix(i) % 100) as i32 - 50).collect();
        check::<f32, Sum, _>(&keys, &samples(Ordinary, 61, n));
    }
    let truths: Vec<bool> = (0..999).map(|i| mix(i).is_multiple_of(3)).collect();
    check::<f32, Sum, _>(&truths, &samples(Special, 62, 999));
}

/// Keys that differ in any one byte are different.
#[test]
fn every_byte_of_a_key_counts() {
    fn check<K: Element + Pod + PartialEq>()
    where
        Cuda: for<'a> Backend<KeyRuns<'a, Sum, K, f32>, Results = (DeviceArray<K>, DeviceResults<f32, Sum>)>,
    {
        let mut keys = vec![K::zeroed(); 300];
        for (i, key) in keys.iter_mut().enumerate() {
            bytemuck::bytes_of_mut(key)[i / 3 % size_of::<K>()] = 1 + (i / 3 / size_of::<K>()) as u8;
        }
        let (found, sums) = cuda()
            .reduce(Sum, runs(&cuda().upload(&keys).unwrap(), &cuda().upload(&[1_f32; 300]).unwrap()))
            .unwrap();
        assert!(
            found.to_vec().unwrap().into_iter().eq(keys.iter().copied().step_by(3)),
            "{} bytes",
            size_of::<K>()
        );
        assert_eq!(sums.to_vec().unwrap(), [3.0; 100]);
    }
    check::<u8>();
    check::<u16>();
    check::<u32>();
    check::<u64>();
    check::<u128>();
}

/// Results are written again and again, outlive the ids and the elements, and stay as they are if ids are wrong. Groups are not
/// recorded.
/// Compares what is selected from groups by id and by key with what the CPU selects.
fn check_selected<T>(n: usize, count: u64)
where
    T: SortKey<Quantile: Bits> + Accumulator + Sample + Bits + CheckedBitPattern<Bits: NoUninit>,
{
    let ids: Vec<u32> = ids(n, count).map(|id| id as u32).collect();
    let x = samples::<T>(Special, 64, n as u64);
    let (of_ids, of_x) = (cuda().upload(&ids).unwrap(), cuda().upload(&x).unwrap());
    let (cpu, qs, how) = (Cpu::new(), [0.9, 0.1], Interpolation::Linear);
    let (on_cpu, on_device) = (groups(&ids, &x, count as usize), groups(&of_ids, &of_x, count as usize));
    let (of_keys, by_keys) = (by_key(&ids, &x), by_key(&of_ids, &of_x));

    assert_eq!(bits(&cuda().median(on_device).unwrap()), bits(&cpu.median(on_cpu).unwrap()), "{n}");
    let expected = bits(&cpu.quantiles(on_cpu, &qs, how).unwrap());
    assert_eq!(bits(&cuda().quantiles(on_device, &qs, how).unwrap()), expected, "{n}");
    let (keys, found) = cuda().quantiles(by_keys, &qs, how).unwrap();
    assert_eq!((keys.to_vec().unwrap(), bits(&found)), (cpu.median(of_keys).unwrap().0, expected), "{n}");
    assert_eq!(bits(&cuda().median(by_keys).unwrap().1), bits(&cpu.median(of_keys).unwrap().1), "{n}");

    let expected = cpu.bottom_k(on_cpu, 2).unwrap();
    let expected = (
        bits(&expected.iter().map(|at| at.value).collect::<Vec<_>>()),
        expected.iter().map(|at| at.index).collect::<Vec<_>>(),
    );
    let (mut values, mut indices) =
        (cuda().values(2 * count as usize).unwrap(), cuda().values(2 * count as usize).unwrap());
    let stream = cuda().stream().unwrap();
    stream.bottom_k_into(on_device, 2, &mut values, &mut indices).unwrap();
    assert_eq!((bits(&values.to_vec().unwrap()), indices.to_vec().unwrap()), expected, "{n}");
    for (values, indices) in [cuda().bottom_k(on_device, 2).unwrap(), cuda().bottom_k(by_keys, 2).unwrap().1]
    {
        assert_eq!((bits(&values.to_vec().unwrap()), indices.to_vec().unwrap()), expected, "{n}");
    }
}

/// Returns the bits of each.
fn bits<B: Bits>(all: &[B]) -> Vec<String> {
    all.iter().map(Bits::bits).collect()
}

/// The first of each group have their place in the group.
#[test]
fn medians_and_the_first_of_groups_are_the_cpus() {
    check_selected::<f32>(600, 1);
    check_selected::<f32>(on_gpu_or_emulated(3_000_000, 7000), 256);
    check_selected::<f64>(on_gpu_or_emulated(300_000, 9000), 300);
    check_selected::<i16>(5000, 7);
}

#[test]
fn groups_to_select_from_are_checked() {
    let x = cuda().upload(&[2.0f32, 1.0, 4.0]).unwrap();
    let [beyond, of_one, none] =
        [&[0, 3, 1], &[1, 1, 1], &[0; 0][..]].map(|ids| cuda().upload::<u32>(ids).unwrap());
    let refused = cuda().median(groups(&beyond, &x, 2));
    assert!(matches!(refused, Err(Error::Group { at: 1, group: 3, groups: 2 })), "{refused:?}");
    let refused = cuda().top_k(groups(&of_one, &x, 2), 1).map(drop);
    assert!(matches!(refused, Err(Error::PartTooShort { part: 0, .. })), "{refused:?}");
    let refused = cuda().median(groups(&none, &x, 2));
    assert!(matches!(refused, Err(Error::Lengths { .. })), "{refused:?}");
    let nothing = x.slice(..0).unwrap();
    assert_eq!(cuda().median(groups(&none, nothing, 0)).unwrap(), []);
    let refused = cuda().median(groups(&none, nothing, 1));
    assert!(matches!(refused, Err(Error::PartTooShort { part: 0, .. })), "{refused:?}");
    let (keys, medians) = cuda().median(by_key(&none, nothing)).unwrap();
    assert_eq!((keys.len(), medians), (0, vec![]));
}

#[test]
fn results_stay_on_the_device() {
    let stream = cuda().stream().unwrap();
    for groups in [1, 300, 9000] {
        let mut sums = cuda().results::<f32, Sum>(groups).unwrap();
        for n in on_gpu_or_emulated([200_000, 5000, 1, 0, 12_000], [5000, 300, 1, 0, 4097]) {
            let ids: Vec<u32> = ids(n, groups as u64).map(|id| id as u32).collect();
            let x = samples::<f32>(Ordinary, 68, n as u64);
            let (on_ids, on_x) = (cuda().upload(&ids).unwrap(), cuda().upload(&x).unwrap());
            stream.reduce_into(Sum, warpfold::groups(&on_ids, &on_x, groups), &mut sums).unwrap();
            drop((on_ids, on_x));
            let expected = Cpu::new().reduce(Sum, warpfold::groups(&ids, &x, groups)).unwrap();
            let same = |(found, expected): (&f32, &f32)| found.to_bits() == expected.to_bits();
            assert!(
                sums.to_vec().unwrap().iter().zip(&expected).all(same),
                "{n} elements in {groups} groups"
            );
        }
        let before = sums.to_vec().unwrap();
        let (ids, x) = (cuda().upload(&[groups as u64]).unwrap(), cuda().upload(&[1.0f32]).unwrap());
        let refused = stream.reduce_into(Sum, warpfold::groups(&ids, &x, groups), &mut sums);
        assert!(matches!(refused, Err(Error::Group { at: 0, .. })), "{refused:?}");
        assert!(sums.to_vec().unwrap() == before);
        let recorded =
            stream.capture(|stream| stream.reduce_into(Sum, warpfold::groups(&ids, &x, groups), &mut sums));
        assert!(matches!(recorded, Err(Error::Capturing { .. })), "{recorded:?}");
    }
}

/// Every kernel that sorts by group or finds runs: see `sanitize_reduce`.
#[test]
fn sanitize_groups() {
    let n = on_gpu_or_emulated(20_003, 5003);
    for groups in [3, 300, 5000] {
        let ids: Vec<u32> = ids(n, groups).map(|id| id as u32).collect();
        check_groups::<f32, Sum, _>(&ids, &samples(Ordinary, 60, n as u64), groups as usize);
        check_groups::<u8, Mean, _>(&ids, &samples(Ordinary, 61, n as u64), groups as usize);
        check_groups::<u32, MatrixProduct, _>(&ids, &samples(Ordinary, 62, n as u64), groups as usize);
    }
    let keys: Vec<u64> = (0..n as u64).map(|i| mix(i / 3)).collect();
    check_keys::<f32, Sum, _>(&keys, &samples(Ordinary, 63, n as u64));
    check_keys::<u8, Sum, _>(
        &keys.iter().map(|&key| key as u8).collect::<Vec<_>>(),
        &samples(Ordinary, 64, n as u64),
    );
}
