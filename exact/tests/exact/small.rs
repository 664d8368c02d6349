//! The small sum is the sum, as long as it fits.

use proptest::collection::vec;
use proptest::prelude::*;
use warpfold_exact::{DoesNotFit, Small, Sum};

use crate::reference::Known;

/// Walks a way with both, and leaves the elements out that do not fit.
fn is_the_sum<T: Known>(steps: &[(bool, T)], cut: usize) {
    let walk = |steps: &[(bool, T)]| {
        let (mut small, mut sum) = (Small::new(), Sum::new());
        for &(is_pushed, x) in steps {
            let before = Sum::from(small);
            match if is_pushed { small.push(x) } else { small.retract(x) } {
                Ok(()) if is_pushed => sum.push(x),
                Ok(()) => sum.retract(x),
                Err(DoesNotFit) => assert_eq!(Sum::from(small), before),
            }
            assert_eq!(Sum::from(small), sum, "{steps:?}");
        }
        assert_eq!(small.value(), sum.value());
        assert_eq!(Small::try_from(sum).map(Sum::from), Ok(sum));
        (small, sum)
    };
    let (left, right) = steps.split_at(cut.min(steps.len()));
    let ((mut small, mut sum), (other, other_sum)) = (walk(left), walk(right));
    if small.merge(&other).is_ok() {
        sum.merge(&other_sum);
    }
    assert_eq!(Sum::from(small), sum);
    if small.unmerge(&other).is_ok() {
        sum.unmerge(&other_sum);
    }
    assert_eq!(Sum::from(small), sum);
}

proptest! {
    #[test]
    fn of_any_elements(x in vec((any::<bool>(), f64::any_finite()), 0..20), y in vec((any::<bool>(), i64::any_finite()), 0..20), cut in 0usize..20) {
        is_the_sum(&x, cut);
        is_the_sum(&y, cut);
    }

    /// Mantissas of any bits over 50 binades, in any order.
    #[test]
    fn like_numbers_fit(x in vec((any::<u64>(), 0u64..50, any::<bool>()), 1..300), exponent in 1u64..1990) {
        let x = x.into_iter().map(|(bits, more, sign)| {
            f64::from_bits(bits >> 12 | (exponent + more) << 52 | u64::from(sign) << 63)
        });
        let (mut small, mut sum) = (Small::new(), Sum::new());
        for x in x {
            small.push(x).unwrap();
            sum.push(x);
        }
        prop_assert_eq!(Sum::from(small), sum);
        let mut buffer = [0; Sum::<f64>::MAX_BYTES];
        prop_assert!(sum.encode(&mut buffer).unwrap().len() <= 24);
    }
}

#[test]
fn a_million_like_numbers_fit_and_take_40_bytes() {
    let mut small = Small::new();
    for i in 0..1 << 20 {
        // The greatest possible, of one sign, and the least, at first.
        small.push(if i == 0 { 1.0 + f64::EPSILON } else { (2.0 - f64::EPSILON) * 2f64.powi(50) }).unwrap();
    }
    assert_eq!(small.count(), 1 << 20);
    assert_eq!(size_of::<Small<f64>>(), 40);
    assert_eq!(small.push(f64::NAN), Err(DoesNotFit));
    assert_eq!(small.push(1e300), Err(DoesNotFit));
    assert!(Small::try_from([f64::INFINITY].iter().collect::<Sum<f64>>()).is_err());
}
