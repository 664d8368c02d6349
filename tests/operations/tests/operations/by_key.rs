//! Groups by keys of every type: the distinct keys, sorted, each with the result of its elements alone.

use std::collections::BTreeMap;
use std::fmt::Debug;

use warpfold::elements::GroupKey;
use warpfold::{
    ArgMax, At, Auto, Cpu, Elements, Error, Interpolation, NanGreatest, Op, Sum, bf16, by_key, reference,
};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::threads::with_threads;
use warpfold_tests::{Bits, samples};

fn mix(i: u64) -> u64 {
    let x = (i ^ (i >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 17
}

/// Compares groups by `keys` with the obvious: elements in a map that is ordered by `rank`.
fn agree<K: GroupKey + Clone + Debug, R: Ord, O: Op<f32, Out: Bits>>(
    op: O,
    keys: &[K],
    rank: impl Fn(&K) -> R,
) {
    let x = samples::<f32>(Special, 3, keys.len() as u64);
    let mut all = BTreeMap::<R, (&K, Vec<f32>)>::new();
    for (key, &x) in keys.iter().zip(&x) {
        all.entry(rank(key)).or_insert((key, Vec::new())).1.push(x);
    }
    let expected_keys: Vec<String> = all.values().map(|(key, _)| format!("{key:?}")).collect();
    let alone = |x: &Vec<f32>| O::finish(reference::fold(op, x), x.len() as u64).bits();
    let expected: Vec<String> = all.values().map(|(_, x)| alone(x)).collect();
    for cpu in with_threads(&[1, 2, 5]) {
        let (found_keys, found) = cpu.reduce(op, by_key(keys, &x)).unwrap();
        let found_keys: Vec<String> = found_keys.iter().map(|key| format!("{key:?}")).collect();
        assert_eq!(found_keys, expected_keys, "{cpu:?}");
        assert_eq!(found.iter().map(Bits::bits).collect::<Vec<_>>(), expected, "{cpu:?}");
    }
}

#[test]
fn each_key_as_its_elements_alone() {
    for n in [0, 1, 2, 1000] {
        for count in [1, 10, 300] {
            let keys: Vec<u64> = (0..n).map(|i| (mix(i) % count) << 40).collect();
            agree(Sum, &keys, |&key| key);
            agree(ArgMax, &keys, |&key| key);
        }
    }
}

/// 3 MB of keys, which several threads number. Some are in one thread's portion alone.
#[test]
fn threads_number_the_keys_of_a_portion_each() {
    let n = 12_000;
    let key = |number| {
        let mut key = [7_u64; 32];
        key[31] = number;
        key
    };
    let keys: Vec<[u64; 32]> = (0..n).map(|i| key(mix(i) % (1 + i * 2000 / n))).collect();
    agree(Sum, &keys, |&key| key);
    let keys: Vec<[u64; 32]> = (0..n).map(|i| key(mix(i))).collect();
    agree(ArgMax, &keys, |&key| key);
}

#[test]
fn keys_of_every_type() {
    let n = 3000;
    let at = move |most: u64| (0..n).map(move |i| mix(i / 3) % (1 + i * most / n));
    agree(Sum, &at(200).map(|k| k as u8).collect::<Vec<_>>(), |&key| key);
    agree(Sum, &at(5000).map(|k| k as i16 - 2500).collect::<Vec<_>>(), |&key| key);
    agree(Sum, &at(900).map(|k| i128::from(k) - 400).collect::<Vec<_>>(), |&key| key);
    agree(Sum, &at(900).map(|k| k as isize - 400).collect::<Vec<_>>(), |&key| key);
    agree(Sum, &at(2).map(|k| k == 1).collect::<Vec<_>>(), |&key| key);
    agree(Sum, &at(70).map(|k| char::from(k as u8 + 40)).collect::<Vec<_>>(), |&key| key);
    agree(Sum, &at(90).map(|k| (k > 7).then_some(k as u32)).collect::<Vec<_>>(), |&key| key);
    agree(Sum, &at(90).map(|k| (k as u8 % 3, -(k as i32))).collect::<Vec<_>>(), |&key| key);
    agree(Sum, &at(90).map(|k| (k % 2 == 0, [k as u8; 3], 'x')).collect::<Vec<_>>(), |&key| key);
    let names: Vec<String> = at(2000).map(|k| format!("{k:x}")).collect();
    agree(Sum, &names, |key| key.clone());
    agree(Sum, &names.iter().map(String::as_str).collect::<Vec<_>>(), |&key| key);
}

#[test]
fn floats_have_their_total_order() {
    let floats = samples::<f64>(Special, 8, 2000);
    let order = |x: &f64| x.to_bits() as i64 ^ ((x.to_bits() as i64 >> 63) as u64 >> 1) as i64;
    agree(Sum, &floats, order);
    let keys = [0.0f32, f32::NAN, -0.0, -f32::NAN, f32::NAN, 1.0, -0.0];
    let (found, sums) = Cpu::new().reduce(Sum, by_key(&keys, &[1_i64, 2, 3, 4, 5, 6, 7])).unwrap();
    let bits: Vec<u32> = found.iter().map(|key| key.to_bits()).collect();
    assert_eq!(bits, [-f32::NAN, -0.0, 0.0, 1.0, f32::NAN].map(f32::to_bits));
    assert_eq!(sums, [4, 10, 1, 6, 7]);
    let (found, sums) =
        Cpu::new().reduce(Sum, by_key(NanGreatest::wrap_slice(&keys), &[1_i64, 2, 3, 4, 5, 6, 7])).unwrap();
    assert!(found[0].0 == 0.0 && found[0].0.is_sign_negative() && found[3].0.is_nan(), "{found:?}");
    assert_eq!(sums[..3], [10, 1, 6]);
    let halves = [2.0, -1.0, 2.0].map(bf16::from_f32);
    assert_eq!(
        Cpu::new().reduce(Sum, by_key(&halves, &[1_i64, 2, 3])).unwrap(),
        (vec![halves[1], halves[0]], vec![2, 4])
    );
}

#[test]
fn medians_quantiles_and_the_first_few_by_key() {
    let (cpu, names, x) = (Cpu::new(), ["b", "a", "b", "b"], [3.0f32, 5.0, 1.0, 2.0]);
    assert_eq!(cpu.median(by_key(&names, &x)).unwrap(), (vec!["a", "b"], vec![5.0, 2.0]));
    let found = cpu.quantiles(by_key(&names, &x), &[0.0, 1.0], Interpolation::Linear).unwrap();
    assert_eq!(found, (vec!["a", "b"], vec![5.0, 5.0, 1.0, 3.0]));
    let first = [(0, 5.0), (0, 3.0)].map(|(index, value)| At { index, value });
    assert_eq!(cpu.top_k(by_key(&names, &x), 1).unwrap(), (vec!["a", "b"], first.to_vec()));
    assert_eq!(Auto::new().median(by_key(&names.to_vec(), &x)).unwrap().1, [5.0, 2.0]);
}

#[test]
fn missing_elements_have_keys_too() {
    let x: Elements<f64> = [Some(1.0), None, None, Some(2.0)].into_iter().collect();
    let found = Cpu::new().reduce(Sum, by_key(&["b", "b", "c", "a"], &x)).unwrap();
    assert_eq!(found, (vec!["a", "b", "c"], vec![2.0, 1.0, -0.0]));
    let x = samples::<f32>(Ordinary, 4, 900);
    let some: Elements<f32> = x.iter().enumerate().map(|(i, &x)| (i % 7 != 3).then_some(x)).collect();
    let keys: Vec<u64> = (0..900).map(|i| mix(i) % 5).collect();
    let ids: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
    let found = Cpu::new().reduce(Sum, by_key(&keys, &some)).unwrap();
    assert_eq!(found.1, Cpu::new().reduce(Sum, warpfold::groups(&ids, &some, 5)).unwrap());
}

#[test]
fn each_element_has_a_key() {
    let refused = Cpu::new().reduce(Sum, by_key(&["a"], &[1, 2]));
    assert!(matches!(refused, Err(Error::Lengths { left: 1, right: 2 })), "{refused:?}");
}
