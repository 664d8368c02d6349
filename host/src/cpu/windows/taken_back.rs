//! Windows of exact operators: a state, to which elements are added when they enter a window, and from which they are taken back when
//! they leave it. Nothing is rounded, so the bits are those of each window alone.

use std::any::{Any, TypeId};
use std::mem::MaybeUninit;

use gpu_kernels::{
    Element, ExactDot, ExactMean, ExactSampleStdDev, ExactSampleVariance, ExactStdDev, ExactSum,
    ExactVariance, Op,
};
use warpfold_exact::{Comoments, Dot, Moments, Sum};

use crate::operator::{ExactCorrelation, ExactCovariance, ExactSampleCovariance};

/// Folds windows of a length, a step apart that is at most the length.
pub(super) type Slide<T, R> = fn(&[T], usize, usize, &mut [MaybeUninit<R>]);

/// Returns how windows of an operator are folded by a state, if there is a state for it.
pub(super) fn slide<T: Element, O: Op<T>>() -> Option<Slide<T, O::Out>> {
    slide_of(TypeId::of::<(O, T)>())?.downcast_ref().copied()
}

macro_rules! operators {
    ($($State:ident of $element:ty, $add:expr, $retract:expr, $($op:ident $result:expr),*;)*) => {
        /// Returns the [`Slide`] of a pair of operator and element. Compiled once, not for every operator.
        fn slide_of(pair: TypeId) -> Option<&'static dyn Any> {
            $( $(
                if pair == TypeId::of::<($op, $element)>() {
                    static SLIDE: Slide<$element, <$op as Op<$element>>::Out> =
                        |x, len, step, outs| fold::<_, $State<_>, _>(x, len, step, outs, $add, $retract, $result);
                    return Some(&SLIDE);
                }
            )* )*
            None
        }
    };
}

/// Folds windows by a state that the elements of a slice are added to, and taken back from.
fn fold<T, S: Default, R>(
    x: &[T],
    len: usize,
    step: usize,
    outs: &mut [MaybeUninit<R>],
    add: impl Fn(&mut S, &[T]),
    retract: impl Fn(&mut S, &[T]),
    result: impl Fn(&S) -> R,
) {
    let mut state = S::default();
    add(&mut state, &x[..len]);
    for (out, start) in outs.iter_mut().zip((0..).step_by(step)) {
        if let Some(before) = usize::checked_sub(start, step) {
            retract(&mut state, &x[before..start]);
            add(&mut state, &x[before + len..start + len]);
        }
        out.write(result(&state));
    }
}

macro_rules! of_floats {
    ($($float:ident),*) => {
        operators! { $(
            Sum of $float, Sum::extend_from_slice, Sum::retract_slice, ExactSum Sum::value, ExactMean Sum::mean;
            Moments of $float, Moments::extend_from_slice, Moments::retract_slice,
                ExactVariance Moments::variance, ExactSampleVariance Moments::sample_variance,
                ExactStdDev Moments::std_dev, ExactSampleStdDev Moments::sample_std_dev;
            Dot of [$float; 2], |dot, pairs| pairs.iter().for_each(|&[x, y]| dot.push(x, y)),
                |dot, pairs| pairs.iter().for_each(|&[x, y]| dot.retract(x, y)), ExactDot Dot::value;
            Comoments of [$float; 2], |state, pairs| pairs.iter().for_each(|&[x, y]| state.push(x, y)),
                |state, pairs| pairs.iter().for_each(|&[x, y]| state.retract(x, y)),
                ExactCovariance Comoments::covariance, ExactSampleCovariance Comoments::sample_covariance,
                ExactCorrelation Comoments::correlation;
        )* }
    };
}
of_floats!(f32, f64);
