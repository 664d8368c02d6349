//! Arrays of Arrow have the results of their valid values, bit for bit, and indices count the nulls.

use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type,
    TimestampMillisecondType, UInt32Type, UInt64Type,
};
use arrow_array::{Array, BooleanArray, Float32Array, Int32Array, PrimitiveArray};
use warpfold::elements::Ordered;
use warpfold::{
    ArgMax, ArgMin, AsElements, At, Cpu, Element, Elements, Error, Max, Op, Sum, reduce, reference,
};
use warpfold_tests::data::Family::{Ordinary, Special, SpecialOnly};
use warpfold_tests::{Bits, Sample, samples};

use crate::nulls::{Nulls, PATTERNS};

const SIZES: [u64; 8] = [0, 1, 2, 63, 65, 1000, 4097, 100_003];

/// An array with nulls; the values under the nulls would change every result.
fn array<P: ArrowPrimitiveType>(values: &[P::Native], nulls: Nulls) -> PrimitiveArray<P> {
    let n = values.len() as u64;
    let validity = (0..n).map(|i| !nulls(i, n)).collect::<Vec<_>>();
    PrimitiveArray::new(values.to_vec().into(), Some(validity.into()))
}

fn valid<P: ArrowPrimitiveType>(array: &PrimitiveArray<P>) -> Vec<P::Native> {
    array.iter().flatten().collect()
}

/// Every pattern of nulls, whole and in slices that begin within a byte of the bitmap.
fn for_every_array<P: ArrowPrimitiveType<Native: Sample>>(mut check: impl FnMut(&str, &PrimitiveArray<P>)) {
    for (seed, family) in [(1, Ordinary), (2, Special), (3, SpecialOnly)] {
        for n in SIZES {
            let values = samples::<P::Native>(family, seed, n);
            for (name, nulls) in PATTERNS {
                let whole = array::<P>(&values, nulls);
                check(&format!("{n} {family:?}, {name} null"), &whole);
                for (offset, length) in [(1, 1), (3, 61), (64, 130), (77, 900)] {
                    if offset + length <= whole.len() {
                        check(
                            &format!("{n} {family:?}, {name} null, from {offset}"),
                            &whole.slice(offset, length),
                        );
                    }
                }
            }
        }
    }
}

fn agrees<P: ArrowPrimitiveType<Native: Element + Sample>, O: Op<P::Native, Out: Bits> + Default>() {
    for_every_array::<P>(|name, array| {
        let x = array.elements();
        let expected = reference::reduce::<P::Native, O>(&valid(array)).bits();
        assert_eq!(Cpu::new().reduce(O::default(), &x).unwrap().bits(), expected, "{name}");
        assert_eq!(x.missing(), array.null_count() as u64, "{name}");
        assert_eq!(x.array_len(), array.len() as u64, "{name}");
        assert_eq!(x.is_borrowed(), array.null_count() == 0, "{name}");
        match array.elements_in_place() {
            Ok(x) => assert_eq!((x.as_ptr(), x.len()), (array.values().as_ptr(), array.len()), "{name}"),
            Err(error) => {
                assert!(array.null_count() > 0, "{name}");
                assert!(matches!(error, Error::NotInPlace { why: "the array has nulls" }), "{error:?}");
            }
        }
    });
}

#[test]
fn sums_skip_nulls() {
    agrees::<Int32Type, Sum>();
    agrees::<UInt32Type, Sum>();
    agrees::<Int64Type, Sum>();
    agrees::<UInt64Type, Sum>();
    agrees::<Float32Type, Sum>();
    agrees::<Float64Type, Sum>();
}

#[test]
fn extremes_skip_nulls() {
    agrees::<Int32Type, Max>();
    agrees::<Float32Type, Max>();
    agrees::<Float32Type, ArgMin>();
}

/// The slow way: element by element with the array's own iterator.
fn places<P: ArrowPrimitiveType<Native: Element + Sample + Ordered>, O>()
where
    O: Op<P::Native, Out = Option<At<P::Native>>> + Default,
{
    for_every_array::<P>(|name, array| {
        let x = array.elements();
        let at = Cpu::new().reduce(O::default(), &x).unwrap();
        let place = at.and_then(|at| x.position(at.index));
        // The index among the valid values, converted by counting them.
        let among_valid = reference::reduce::<P::Native, O>(&valid(array)).map(|at| at.index as usize);
        let stands = |nth: usize| (0..array.len()).filter(|&i| array.is_valid(i)).nth(nth);
        assert_eq!(place, among_valid.and_then(stands).map(|i| i as u64), "{name}");
        assert_eq!(place.is_none(), array.null_count() == array.len(), "{name}");
    });
}

#[test]
fn places_count_nulls() {
    places::<Float32Type, ArgMax>();
    places::<Float64Type, ArgMin>();
    places::<Int64Type, ArgMin>();
    places::<UInt32Type, ArgMax>();
}

#[test]
fn every_element_has_its_position_and_no_other_has() {
    for_every_array::<Int32Type>(|name, array| {
        if array.len() > 1000 {
            return;
        }
        let x = array.elements();
        for (index, &value) in (0..).zip(x.iter()) {
            let position = x.position(index).expect("an element stands somewhere") as usize;
            assert!(array.is_valid(position) && array.value(position) == value, "{name}, {index}");
        }
        assert_eq!(x.position(x.len() as u64), None, "{name}");
        assert_eq!(x.position(u64::MAX), None, "{name}");
    });
}

#[test]
fn a_null_never_wins() {
    let a = Int32Array::new(
        vec![i32::MIN, 5, i32::MAX, 5, 9].into(),
        Some(vec![false, true, false, true, true].into()),
    );
    let x = a.elements();
    let place = |at: Option<At<i32>>| at.and_then(|at| x.position(at.index));
    assert_eq!(place(reduce::<i32, ArgMin>(&x).unwrap()), Some(1));
    assert_eq!(place(reduce::<i32, ArgMax>(&x).unwrap()), Some(4));
}

#[test]
fn an_array_of_nulls_is_empty() {
    let x = Float32Array::new_null(100);
    let x = x.elements();
    assert_eq!(reduce::<f32, Sum>(&x).unwrap().to_bits(), (-0.0_f32).to_bits());
    assert_eq!(reduce::<f32, Max>(&x).unwrap(), None);
    assert_eq!((x.len(), x.missing(), x.position(0)), (0, 100, None));
}

#[test]
fn chunks_fold_as_one_array() {
    for (seed, family) in [(4, Ordinary), (5, Special)] {
        let values = samples::<f32>(family, seed, 50_021);
        for (name, nulls) in PATTERNS {
            let whole = array::<Float32Type>(&values, nulls);
            // Chunks that are empty, without nulls and with nulls only, among others.
            let mut chunks = vec![whole.slice(0, 0)];
            let mut from = 0;
            for length in [1, 63, 0, 64, 65, 1000, 30_000].into_iter().cycle() {
                let length = length.min(whole.len() - from);
                chunks.push(whole.slice(from, length));
                from += length;
                if from == whole.len() {
                    break;
                }
            }
            let (x, one) = (Elements::concat(&chunks), whole.elements());
            assert_eq!(x.missing(), one.missing(), "{name}");
            assert_eq!(x.array_len(), one.array_len(), "{name}");
            let bits = |x: &[f32]| reduce::<f32, Sum>(x).unwrap().bits();
            assert_eq!(bits(&x), bits(&one), "{name}");
            for index in (0..x.len() as u64).step_by(97) {
                assert_eq!(x.position(index), one.position(index), "{name}, {index}");
            }
        }
    }
}

#[test]
fn one_chunk_among_empty_ones_is_borrowed() {
    let a = Float32Array::from(samples::<f32>(Ordinary, 6, 1000));
    let empty = a.slice(0, 0);
    let x = Elements::concat([&empty, &a, &empty]);
    assert!(x.is_borrowed());
    assert_eq!(x.as_ptr(), a.values().as_ptr());
    assert!(Elements::<f32>::concat::<Float32Array>([]).is_empty());
}

#[test]
fn times_and_decimals_fold_as_their_integers() {
    fn sum<P: ArrowPrimitiveType<Native = i64>>(values: Vec<Option<i64>>) -> i64 {
        reduce::<i64, Sum>(&PrimitiveArray::<P>::from_iter(values).elements()).unwrap()
    }
    assert_eq!(
        sum::<TimestampMillisecondType>(vec![Some(1_700_000_000_000), None, Some(5)]),
        1_700_000_000_005
    );
    let dates = PrimitiveArray::<Date32Type>::from(vec![Some(20_000), None, Some(19_000)]);
    let x = dates.elements();
    let first = reduce::<i32, ArgMin>(&x).unwrap();
    assert_eq!(first.and_then(|at| x.position(at.index)), Some(2));
    let decimals = PrimitiveArray::<Decimal128Type>::from(vec![Some(1_i128 << 100), None]);
    assert_eq!(*decimals.elements(), [1 << 100]);
}

#[test]
fn truth_values_are_copied_without_nulls() {
    let a = BooleanArray::from(vec![None, Some(true), Some(false), None, Some(true)]);
    for (array, values, positions) in
        [(a.slice(0, 5), &[true, false, true][..], &[1, 2, 4][..]), (a.slice(2, 3), &[false, true], &[0, 2])]
    {
        let x = array.elements();
        assert_eq!(*x, *values);
        assert_eq!((0..).map_while(|i| x.position(i)).collect::<Vec<_>>(), positions);
        assert!(array.elements_in_place().unwrap_err().to_string().contains("eight truth values in a byte"));
    }
}

#[test]
fn what_was_skipped_and_appended_by_hand_counts() {
    let mut x = Elements::<u32>::default();
    x.skip(0);
    x.skip(3);
    x.append(&vec![7, 9].into());
    x.extend([None, Some(8)]);
    x.append(&[5].as_slice().into());
    assert_eq!(*x, [7, 9, 8, 5]);
    assert_eq!((x.missing(), x.array_len()), (4, 8));
    assert_eq!(
        (0..5).map(|i| x.position(i)).collect::<Vec<_>>(),
        [3, 4, 6, 7].map(Some).into_iter().chain([None]).collect::<Vec<_>>()
    );
}
