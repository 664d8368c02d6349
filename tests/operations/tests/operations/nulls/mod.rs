//! Arrays with missing elements: every input and verb against the obvious loop over `Option`s. Positions are counted in
//! the array, including missing elements.

mod elements;
mod parts;
mod scans;

use arrow_array::{Float32Array, Int32Array, UInt32Array};
use test_kernels::mix;
use warpfold::{Cpu, Dot, Element, Elements, Error, Op, Sum, WeightedMean, chunks, groups, reference, zip};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, Sample, samples};

/// Which elements are missing, by index and length.
pub(super) type Nulls = fn(u64, u64) -> bool;

pub(super) const PATTERNS: [(&str, Nulls); 9] = [
    ("none", |_, _| false),
    ("all", |_, _| true),
    ("the first", |i, _| i == 0),
    ("the last", |i, n| i + 1 == n),
    ("both ends", |i, n| i < 70 || i + 70 >= n),
    ("every other", |i, _| i % 2 == 0),
    ("most", |i, _| mix(i) % 16 != 3),
    ("a third at random", |i, _| mix(i ^ 0x51).is_multiple_of(3)),
    ("long runs", |i, _| i / 100 % 3 == 1),
];

const SIZES: [u64; 7] = [0, 1, 2, 6, 63, 65, 1000];

/// Arrays of every size with every pattern of missing elements, and one of several tiles.
fn for_every_array<T: Sample>(seed: u64, mut check: impl FnMut(&str, &[Option<T>])) {
    let mut check = |family, n, (name, nulls): (&str, Nulls)| {
        let values = samples::<T>(family, seed, n);
        let x: Vec<_> = (0..).zip(values).map(|(i, x)| (!nulls(i, n)).then_some(x)).collect();
        check(&format!("{n} {family:?}, {name} missing"), &x);
    };
    for (n, family) in SIZES.into_iter().zip([Special, Ordinary].into_iter().cycle()) {
        PATTERNS.into_iter().for_each(|pattern| check(family, n, pattern));
    }
    check(Ordinary, 20_000, PATTERNS[7]);
}

fn elements<T: Element>(x: &[Option<T>]) -> Elements<'static, T> {
    x.iter().copied().collect()
}

/// The result of the elements that are there, by the reference.
fn alone<T: Element, O: Op<T, Out: Bits>>(op: O, part: impl IntoIterator<Item = Option<T>>) -> String {
    reference::reduce_by(op, &part.into_iter().flatten().collect::<Vec<_>>()).bits()
}

fn all_bits<R: Bits>(found: &[R]) -> Vec<String> {
    found.iter().map(Bits::bits).collect()
}

#[test]
fn a_pair_with_a_null_on_either_side_is_absent() {
    let x = Float32Array::from(vec![Some(1.0), None, Some(3.0)]);
    let y = Float32Array::from(vec![None, Some(5.0), Some(6.0)]);
    assert_eq!(Cpu::new().reduce(Dot, zip(&x, &y)).unwrap(), 18.0);
}

#[test]
fn a_weight_belongs_to_the_value_at_its_position() {
    let values = Float32Array::from(vec![None, Some(1.0), Some(2.0)]);
    let weights = Float32Array::from(vec![Some(1.0), None, Some(1.0)]);
    assert_eq!(Cpu::new().reduce(WeightedMean, zip(&values, &weights)).unwrap(), Some(2.0));
}

#[test]
fn an_id_belongs_to_the_element_at_its_position() {
    let ids = UInt32Array::from(vec![Some(0), None, Some(1), Some(1)]);
    let x = Int32Array::from(vec![Some(1), Some(2), None, Some(4)]);
    assert_eq!(Cpu::new().reduce(Sum, groups(&ids, &x, 2)).unwrap(), [1, 4]);
}

#[test]
fn a_chunk_has_the_elements_in_its_range() {
    let x = Int32Array::from(vec![Some(1), None, Some(3), Some(4), Some(5), None]);
    assert_eq!(Cpu::new().reduce(Sum, chunks(&x, 2)).unwrap(), [1, 7, 5]);
}

#[test]
fn lengths_are_those_of_the_arrays() {
    let x = elements(&[Some(1.0f32), None, Some(3.0)]);
    let error = Cpu::new().reduce(Dot, zip(&x, &[1.0f32, 2.0])).unwrap_err();
    assert!(matches!(error, Error::Lengths { left: 3, right: 2 }), "{error:?}");
}
