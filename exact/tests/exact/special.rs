//! NaN, infinities and zeros: what they give, and that they can be taken back.

use warpfold_exact::{Comoments, Dot, Moments, Sum};

#[test]
fn infinities_and_nans_give_what_a_sum_gives_in_any_order() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let value = |x: &[f64]| x.iter().collect::<Sum<f64>>().value();
    assert_eq!(value(&[1.0, inf, inf]), inf);
    assert_eq!(value(&[-inf, f64::MAX]), -inf);
    assert!(value(&[inf, -inf]).is_nan());
    assert_eq!(value(&[nan, -nan]).to_bits(), f64::NAN.to_bits());
    assert_eq!(value(&[f64::MAX, f64::MAX]), inf);
    assert_eq!(value(&[f64::MAX, f64::MAX, f64::MIN]), f64::MAX);
}

#[test]
fn what_is_no_number_is_taken_back() {
    let special = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::INFINITY];
    let mut moments: Moments<f32> = [1.0, 3.0].iter().chain(&special).collect();
    assert!(moments.mean().is_some_and(f32::is_nan) && moments.variance().is_some_and(f32::is_nan));
    moments.retract_slice(&special[1..3]);
    assert_eq!(moments.mean(), Some(f32::INFINITY));
    moments.retract(f32::INFINITY);
    moments.retract(f32::INFINITY);
    assert_eq!((moments.mean(), moments.variance(), moments.count()), (Some(2.0), Some(1.0), 2));
}

#[test]
fn signs_of_zero_come_back() {
    let bits = |sum: &Sum<f64>| sum.value().to_bits();
    let mut sum = Sum::new();
    assert_eq!(bits(&sum), (-0.0f64).to_bits());
    sum.extend_from_slice(&[-0.0; 300]);
    assert_eq!((bits(&sum), sum.mean().map(f64::to_bits)), ((-0.0f64).to_bits(), Some((-0.0f64).to_bits())));
    sum.push(0.0);
    assert_eq!((bits(&sum), sum.mean().map(f64::to_bits)), (0, Some(0)));
    sum.retract(0.0);
    assert_eq!(bits(&sum), (-0.0f64).to_bits());
    sum.extend([1.0, -1.0]);
    assert_eq!(bits(&sum), 0);
    let dot = |pairs: &[(f64, f64)]| pairs.iter().collect::<Dot<f64>>().value().to_bits();
    assert_eq!(dot(&[]), (-0.0f64).to_bits());
    assert_eq!(dot(&[(0.0, -1.0)]), (-0.0f64).to_bits());
    assert_eq!(dot(&[(0.0, -1.0), (-0.0, -1.0)]), 0);
    assert_eq!(Sum::<i64>::new().value(), 0);
    assert_eq!(Dot::<i64>::new().value().to_bits(), 0);
}

#[test]
fn pairs_without_correlation_have_positive_zeros() {
    for sign in [1.0, -1.0] {
        let pairs = [(0.0, 1.0), (0.0, 2.0), (1.0, 1.0), (1.0, 2.0)].map(|(x, y)| (x, sign * y));
        let line: Comoments<f64> = pairs.into_iter().collect();
        for found in [line.covariance(), line.sample_covariance(), line.slope(), line.correlation()] {
            assert_eq!(found.map(f64::to_bits), Some(0), "{pairs:?}");
        }
    }
}

#[test]
fn products_that_a_float_cannot_hold_are_exact() {
    let least = f64::from_bits(1);
    let dot = |pairs: &[(f64, f64)]| pairs.iter().collect::<Dot<f64>>().value();
    assert_eq!(dot(&[(least, 0.5), (least, 0.5)]), least);
    assert_eq!(dot(&[(f64::MAX, 4.0), (f64::MAX, -3.0)]), f64::MAX);
    assert_eq!(dot(&[(f64::MAX, f64::MAX)]), f64::INFINITY);
    assert!(dot(&[(0.0, f64::INFINITY)]).is_nan());
    assert_eq!(dot(&[(-1.0, f64::INFINITY)]), f64::NEG_INFINITY);
}

#[test]
fn more_taken_back_than_pushed() {
    let mut sum = Sum::<f64>::new();
    sum.retract(2.5);
    assert_eq!((sum.value(), sum.count(), sum.mean()), (-2.5, -1, None));
    sum.retract(f64::INFINITY);
    assert_eq!(sum.value(), f64::NEG_INFINITY);
    sum.push(2.5);
    sum.push(f64::INFINITY);
    assert_eq!(sum, Sum::EMPTY);
    let mut moments: Moments<f64> = [1.0, 1.0].into_iter().collect();
    moments.retract(5.0);
    assert_eq!(moments.variance(), Some(-32.0));
    assert!(moments.std_dev().is_some_and(f64::is_nan));
    for y in [[1.0, 2.0, 3.0], [1.0, -1.0, 0.0], [0.0; 3]] {
        let mut negative: Comoments<f64> = [(1.0, y[0]), (1.0, y[1])].into_iter().collect();
        negative.retract(5.0, y[2]);
        assert!(negative.x().std_dev().is_some_and(f64::is_nan));
        assert!(negative.correlation().is_some_and(f64::is_nan), "{y:?}");
    }
    let mut beyond: Comoments<f64> = [(2.0, 2.0), (-2.0, -2.0)].into_iter().collect();
    beyond.retract(1.0, -1.0);
    assert_eq!(beyond.correlation(), Some(5.0 / 3.0));
    let mut line = Comoments::<f64>::new();
    line.retract(1.0, 2.0);
    assert_eq!((line.covariance(), line.slope(), line.correlation()), (None, None, None));
}

#[test]
fn too_few_elements_have_no_variance_and_equal_ones_no_line() {
    let one: Moments<f64> = [7.0].into_iter().collect();
    assert_eq!((one.variance(), one.sample_variance(), one.std_dev()), (Some(0.0), None, Some(0.0)));
    assert_eq!(Moments::<f64>::new().mean(), None);
    let upright: Comoments<f64> = [(1.0, 2.0), (1.0, 3.0)].into_iter().collect();
    assert_eq!((upright.slope(), upright.intercept(), upright.correlation()), (None, None, None));
    assert_eq!(upright.covariance(), Some(0.0));
    let level: Comoments<f64> = [(1.0, 2.0), (3.0, 2.0)].into_iter().collect();
    assert_eq!((level.slope(), level.intercept(), level.correlation()), (Some(0.0), Some(2.0), None));
    let none: Comoments<f64> = [(1.0, f64::NAN), (3.0, 2.0)].into_iter().collect();
    assert!(none.slope().is_some_and(f64::is_nan) && none.correlation().is_some_and(f64::is_nan));
    assert_eq!(none.x().mean(), Some(2.0));
}
