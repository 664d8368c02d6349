//! Bytes: short for common data, and refused if they are not those of a state.

use proptest::collection::vec;
use proptest::prelude::*;
use warpfold_exact::{BufferTooSmall, Comoments, DecodeError, Dot, Moments, Sum};

use crate::reference::Known;

fn encoded(sum: &Sum<f64>) -> Vec<u8> {
    sum.encode(&mut [0; Sum::<f64>::MAX_BYTES]).unwrap().to_vec()
}

proptest! {
    /// What is decoded is written the same; whatever else the bytes are, there is an error.
    #[test]
    fn any_bytes_are_a_states_or_refused(mut bytes in vec(any::<u8>(), 0..40), is_headed: bool, kind in 1u8..5, tag in 0u8..8) {
        if is_headed && bytes.len() >= 2 {
            bytes[..2].copy_from_slice(&[1, kind << 4 | tag]);
        }
        all_refuse_or_keep(&bytes);
    }

    #[test]
    fn a_changed_byte_is_another_state_or_refused(x in vec(f64::any_kind(), 0..5), at: prop::sample::Index, to: u8) {
        let mut bytes = encoded(&x.iter().collect());
        let at = at.index(bytes.len());
        bytes[at] = to;
        all_refuse_or_keep(&bytes);
    }

    #[test]
    fn cut_bytes_are_refused(x in vec(f64::any_kind(), 0..5), at: prop::sample::Index) {
        let bytes = encoded(&x.iter().collect());
        prop_assert_eq!(Sum::<f64>::decode(&bytes[..at.index(bytes.len())]), Err(DecodeError::TooShort));
    }
}

fn all_refuse_or_keep(bytes: &[u8]) {
    macro_rules! each {
        ($($State:ident<$($T:ty),*>;)*) => { $( $(
            if let Ok(state) = $State::<$T>::decode(bytes) {
                assert_eq!(state.encode(&mut [0; $State::<$T>::MAX_BYTES]), Ok(bytes));
            }
        )* )* };
    }
    each! {
        Sum<f32, f64, i64, u64, i128, u128>;
        Dot<f32, f64, i64, u64, i128, u128>;
        Moments<f32, f64, i64, u64, i128, u128>;
        Comoments<f32, f64, i64, u64, i128, u128>;
    }
}

#[test]
fn each_error_is_told() {
    let bytes = encoded(&[1.0].iter().collect());
    assert_eq!(bytes, [1, 0x11, 1, 2, 1, 134, 1, 4][..bytes.len()].to_vec().as_slice(), "{bytes:?}");
    let decode = Sum::<f64>::decode;
    assert_eq!(decode(&[]), Err(DecodeError::TooShort));
    assert_eq!(decode(&[2, 0x11, 0, 0]), Err(DecodeError::Version(2)));
    assert_eq!(decode(&[1, 0x10, 0, 0]), Err(DecodeError::OtherState(0x10)));
    assert_eq!(decode(&[&*bytes, &[0]].concat()), Err(DecodeError::TooLong(1)));
    assert_eq!(decode(&[1, 0x11, 0, 1, 0xff, 0x7f, 1]), Err(DecodeError::OutOfRange));
    // Zeros below, repeated signs, a long number, a count of zero, counts that nobody knows.
    for body in [
        &[0, 2, 0, 0, 1][..],
        &[0, 2, 0, 1, 0],
        &[0, 2, 0, 0xff, 0xff],
        &[0, 0x81, 0, 0, 1],
        &[1, 0, 0],
        &[32, 2, 0],
    ] {
        assert_eq!(decode(&[&[1, 0x11], body].concat()), Err(DecodeError::NotCanonical), "{body:?}");
    }
    assert_eq!(Sum::<i64>::decode(&[1, 0x14, 2, 2, 0]), Err(DecodeError::NotCanonical));
    // A pair is counted on both sides.
    assert_eq!(Comoments::<f64>::decode(&[1, 0x41, 1, 2, 0, 0, 0, 0, 0, 0]), Err(DecodeError::NotCanonical));
    assert_eq!(Sum::<f64>::new().encode(&mut [0; 3]), Err(BufferTooSmall));
}

#[test]
fn the_longest_states_fit_the_most_bytes() {
    let mut state = Comoments::<f64>::new();
    for x in [f64::MAX, f64::from_bits(1), f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
        for y in [f64::MIN, f64::from_bits(1), f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
            state.push_weighted(x, y, i64::MAX / 40);
        }
    }
    let bytes = state.encode(&mut [0; Comoments::<f64>::MAX_BYTES]).unwrap().len();
    assert!(bytes > 2000, "{bytes}");
}

/// As numbers of a few sizes are in tables.
#[test]
fn like_numbers_have_few_bytes() {
    let sum: Sum<f64> = (0..1_000_000).map(|i| f64::from(i) * 0.01).collect();
    assert!(encoded(&sum).len() <= 24, "{}", encoded(&sum).len());
    let moments: Moments<f64> = (0..1_000_000).map(|i| f64::from(i) * 0.01).collect();
    let bytes = moments.encode(&mut [0; Moments::<f64>::MAX_BYTES]).unwrap().len();
    assert!(bytes <= 48, "{bytes}");
}

#[cfg(feature = "serde")]
#[test]
fn serde_keeps_states() {
    let moments: Moments<f64> = [0.1, f64::NAN, -0.0].into_iter().collect();
    let text = serde_json::to_string(&moments).unwrap();
    assert_eq!(serde_json::from_str::<Moments<f64>>(&text).unwrap(), moments);
    assert!(serde_json::from_str::<Sum<f64>>(&text).unwrap_err().to_string().contains("another state"));
    assert!(serde_json::from_str::<Sum<f64>>("[1, 2").is_err());
    assert!(serde_json::from_str::<Sum<f64>>(&format!("{:?}", [0; 5000])).is_err());
}
