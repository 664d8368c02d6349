//! Pushing, merging and taking back form one commutative group: a state depends on how often each element is in it, and on
//! nothing else.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;
use warpfold_exact::{Comoments, Dot, Moments, Sum};

use crate::reference::Known;

/// What all states can do.
trait State<E>: Copy + PartialEq + std::fmt::Debug + Default {
    fn push(&mut self, element: E);
    fn retract(&mut self, element: E);
    fn weighted(&mut self, element: E, weight: i64);
    fn merge(&mut self, other: &Self);
    fn unmerge(&mut self, other: &Self);
    fn bytes(&self) -> Vec<u8>;
    fn of_bytes(bytes: &[u8]) -> Self;
}

macro_rules! states {
    ($($State:ident, $element:ty, |$arguments:pat_param| $($argument:ident),*;)*) => { $(
        impl<T: Known> State<$element> for $State<T> {
            fn push(&mut self, $arguments: $element) {
                self.push($($argument),*);
            }
            fn retract(&mut self, $arguments: $element) {
                self.retract($($argument),*);
            }
            fn weighted(&mut self, $arguments: $element, weight: i64) {
                self.push_weighted($($argument),*, weight);
            }
            fn merge(&mut self, other: &Self) {
                *self += other;
            }
            fn unmerge(&mut self, other: &Self) {
                *self -= other;
            }
            fn bytes(&self) -> Vec<u8> {
                self.encode(&mut vec![0; Self::MAX_BYTES]).unwrap().to_vec()
            }
            fn of_bytes(bytes: &[u8]) -> Self {
                Self::decode(bytes).unwrap()
            }
        }
    )* };
}
states! {
    Sum, T, |x| x;
    Moments, T, |x| x;
    Dot, (T, T), |(x, y)| x, y;
    Comoments, (T, T), |(x, y)| x, y;
}

/// A step of a way: on one of three states, with an element, or another of the states.
type Step<E> = (u8, usize, E, i64, usize);

/// Walks any way, and compares each state with the elements counted and pushed by their weights.
fn only_the_elements_matter<E: Copy, S: State<E>>(steps: &[Step<E>], key: impl Fn(E) -> Vec<u8>) {
    let mut states = [S::default(); 3];
    let mut counted: [BTreeMap<Vec<u8>, (E, i64)>; 3] = Default::default();
    let count = |map: &mut BTreeMap<_, (E, i64)>, element: E, weight: i64| {
        map.entry(key(element)).or_insert((element, 0)).1 += weight;
    };
    for &(what, at, element, weight, from) in steps {
        match what {
            0..3 => {
                states[at].push(element);
                count(&mut counted[at], element, 1);
            }
            3..5 => {
                states[at].retract(element);
                count(&mut counted[at], element, -1);
            }
            5 => {
                states[at].weighted(element, weight);
                count(&mut counted[at], element, weight);
            }
            6 | 7 => {
                let (other, sign) = (states[from], if what == 6 { 1 } else { -1 });
                if what == 6 {
                    states[at].merge(&other)
                } else {
                    states[at].unmerge(&other)
                }
                for (element, weight) in counted[from].clone().into_values() {
                    count(&mut counted[at], element, sign * weight);
                }
            }
            _ => states[at] = S::of_bytes(&states[at].bytes()),
        }
    }
    for (state, counted) in states.iter().zip(&counted) {
        let mut expected = S::default();
        counted.values().rev().for_each(|&(element, weight)| expected.weighted(element, weight));
        assert_eq!(state.bytes(), expected.bytes());
        assert_eq!(*state, expected);
        assert_eq!(S::of_bytes(&state.bytes()), expected);
        // Taken back, nothing is left.
        let mut rest = *state;
        rest.unmerge(&expected);
        assert_eq!(rest.bytes(), S::default().bytes());
    }
}

fn steps<E: Copy + std::fmt::Debug>(
    element: impl Strategy<Value = E>,
) -> impl Strategy<Value = Vec<Step<E>>> {
    // Few elements, so that many are met again.
    vec(element, 1..6).prop_flat_map(|elements| {
        let element = (0..elements.len()).prop_map(move |at| elements[at]);
        vec((0u8..9, 0usize..3, element, -1000i64..1000, 0usize..3), 0..24)
    })
}

fn of_element<T: Known>() -> impl Strategy<Value = Vec<Step<(T, T)>>> {
    steps((T::any_kind(), T::any_kind()))
}

fn every_state<T: Known>(steps: &[Step<(T, T)>], key: impl Fn(T) -> Vec<u8> + Copy) {
    let singles: Vec<_> =
        steps.iter().map(|&(what, at, (x, _), weight, from)| (what, at, x, weight, from)).collect();
    only_the_elements_matter::<T, Sum<T>>(&singles, key);
    only_the_elements_matter::<T, Moments<T>>(&singles, key);
    let of_pairs = |(x, y): (T, T)| [key(x), key(y)].concat();
    only_the_elements_matter::<(T, T), Dot<T>>(steps, of_pairs);
    only_the_elements_matter::<(T, T), Comoments<T>>(steps, of_pairs);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn only_the_elements_matter_of_floats(a in of_element::<f32>(), b in of_element::<f64>()) {
        every_state(&a, |x| x.to_le_bytes().to_vec());
        every_state(&b, |x| x.to_le_bytes().to_vec());
    }

    #[test]
    fn only_the_elements_matter_of_integers(a in of_element::<i64>(), b in of_element::<u128>()) {
        every_state(&a, |x| x.to_le_bytes().to_vec());
        every_state(&b, |x| x.to_le_bytes().to_vec());
    }

    /// Slices, cut and merged in any way, with some elements taken back in slices.
    #[test]
    fn a_cut_of_a_slice_does_not_matter(
        x in vec(f64::any_kind(), 0..1500),
        cut in 0usize..1500,
        more in vec(f64::any_kind(), 0..600),
    ) {
        let (left, right) = x.split_at(cut.min(x.len()));
        let mut parts = [left, right, &more].map(|part| {
            let mut state = Moments::<f64>::new();
            state.extend_from_slice(part);
            state
        });
        parts[1].extend_from_slice(&more);
        let mut all: Moments<f64> = [parts[1], parts[0]].into_iter().sum();
        all.retract_slice(&more);
        let each: Moments<f64> = x.iter().rev().collect();
        prop_assert_eq!(all, each);
        prop_assert_eq!(all.mean().map(f64::to_bits), each.mean().map(f64::to_bits));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Products of slices are added in batches, one by one they are not.
    #[test]
    fn slices_of_pairs_are_their_pairs(
        x in vec((f32::any_kind(), f32::any_kind()), 0..1200),
        y in vec((f64::any_kind(), f64::any_kind()), 0..300),
        scale in 0u32..2,
    ) {
        // Of every second case all are finite, and none is zero.
        let x = x.into_iter().map(|(a, b)| if scale == 0 { (a, b) } else { (1.0 + a.abs().min(1e9), b.min(-1e-9)) });
        are_their_pairs::<f32>(&x.collect::<Vec<_>>());
        are_their_pairs::<f64>(&y);
    }
}

fn are_their_pairs<T: Known>(pairs: &[(T, T)]) {
    let (x, y): (Vec<T>, Vec<T>) = pairs.iter().copied().unzip();
    let (mut dot, mut comoments) = (Dot::<T>::new(), Comoments::<T>::new());
    dot.extend_from_slices(&x, &y);
    comoments.extend_from_slices(&x, &y);
    assert_eq!(dot, pairs.iter().collect());
    assert_eq!(comoments, pairs.iter().collect());
    let rest = pairs.len() / 3;
    dot.retract_slices(&x[rest..], &y[rest..]);
    comoments.retract_slices(&x[rest..], &y[rest..]);
    assert_eq!(dot, pairs[..rest].iter().collect());
    assert_eq!(comoments, pairs[..rest].iter().collect());
}

/// Lengths around those from which a rest fills a batch.
#[test]
fn slices_of_any_length_are_their_pairs() {
    let special = [f32::NAN, -0.0, f32::INFINITY, f32::MAX, 0.0, f32::from_bits(1), f32::NEG_INFINITY];
    for n in [0, 1, 31, 32, 33, 255, 256, 257, 287, 288, 289, 512, 1024, 1055, 1056] {
        for every in [usize::MAX, 29] {
            let at = |i: usize| if i % every == 7 { special[i / 7 % 7] } else { 3.0 - i as f32 };
            let pairs: Vec<(f32, f32)> = (0..n).map(|i| (at(i), at(2 * i + 1))).collect();
            are_their_pairs(&pairs);
            are_their_pairs(&pairs.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).collect::<Vec<_>>());
        }
    }
}

/// Some 10^6 steps: `cargo test --release -p warpfold-exact -- --ignored`.
#[test]
#[ignore = "a minute"]
fn many_ways() {
    use proptest::test_runner::{Config, TestRunner};
    let mut runner = TestRunner::new(Config { cases: 250_000, ..Config::default() });
    let ways = (of_element::<f32>(), of_element::<f64>());
    let walked = runner.run(&ways, |(a, b)| {
        every_state(&a, |x| x.to_le_bytes().to_vec());
        every_state(&b, |x| x.to_le_bytes().to_vec());
        Ok(())
    });
    walked.unwrap();
}

/// Every way of up to four steps over elements of every kind.
#[test]
fn every_short_way_leads_to_the_same_state() {
    const ELEMENTS: [f32; 9] =
        [0.0, -0.0, 1.0, -3.0, f32::MAX, f32::from_bits(1), f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let step = |at: usize| (ELEMENTS[at / 2], if at.is_multiple_of(2) { 1 } else { -1 });
    let walk = |path: &[usize]| {
        let mut state = Moments::<f32>::new();
        for &at in path {
            let (x, weight) = step(at);
            if weight > 0 { state.push(x) } else { state.retract(x) }
        }
        state
    };
    let counted = |path: &[usize]| {
        let mut weights = [0; ELEMENTS.len()];
        path.iter().for_each(|&at| weights[at / 2] += step(at).1);
        let mut state = Moments::<f32>::new();
        ELEMENTS.iter().zip(weights).for_each(|(&x, weight)| state.push_weighted(x, weight));
        state
    };
    let steps = 2 * ELEMENTS.len();
    for number in 0..steps.pow(4) {
        let path: [usize; 4] = std::array::from_fn(|i| number / steps.pow(i as u32) % steps);
        let whole = walk(&path);
        assert!(whole == counted(&path), "{path:?}");
        let (mut merged, right) = (walk(&path[..2]), walk(&path[2..]));
        let left = merged;
        merged += right;
        assert!(merged == whole, "{path:?}");
        let mut other = right;
        other += left;
        assert!(other == whole, "{path:?}");
        merged -= right;
        assert!(merged == left, "{path:?}");
    }
}
