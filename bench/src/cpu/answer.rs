//! The result of a contender, and whether it is right.

use super::operator::{Measured, Operator};
use crate::{Outcome, figures::record::OURS};

/// A contender's result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer {
    /// A number of an integer type.
    Integer(i128),
    /// A number of a float type.
    Float(f64),
    /// The index of an element.
    At(usize),
}

macro_rules! from {
    ($($number:ty => $kind:ident $wide:ty),*) => { $(
        impl From<$number> for Answer {
            fn from(number: $number) -> Self {
                Self::$kind(<$wide>::from(number))
            }
        }
    )* };
}
from!(f32 => Float f64, f64 => Float f64, i32 => Integer i128, u32 => Integer i128, i64 => Integer i128,
      u64 => Integer i128, usize => At usize);

impl Answer {
    /// Parses a result of Python.
    pub(super) fn parse(text: &str, operator: Operator) -> Outcome<Self> {
        Ok(match (operator, text.parse()) {
            (Operator::Argmax, _) => Self::At(text.parse()?),
            (_, Ok(integer)) => Self::Integer(integer),
            (_, Err(_)) => Self::Float(text.parse()?),
        })
    }
}

/// The right result for some data, by loops without rounding errors.
pub(super) struct Truth<'a, T> {
    x: &'a [T],
    operator: Operator,
    answer: Answer,
}

impl<'a, T: Measured> Truth<'a, T> {
    /// For `operator` over `x`; `None` for empty input.
    pub(super) fn of(x: &'a [T], operator: Operator) -> Option<Self> {
        let (mut integer, mut float) = (0_i128, 0.0);
        let (mut at, mut greatest) = (0, *x.first()?);
        for (i, &x) in x.iter().enumerate() {
            match x.into() {
                Answer::Integer(x) => integer += x,
                Answer::Float(x) => float += x,
                Answer::At(_) => {}
            }
            if x > greatest {
                (at, greatest) = (i, x);
            }
        }
        let answer = match (operator, greatest.into()) {
            (Operator::Argmax, _) => Answer::At(at),
            (Operator::Max, greatest) => greatest,
            (Operator::Sum, Answer::Float(_)) => Answer::Float(float),
            (Operator::Sum, _) => Answer::Integer(integer),
        };
        Some(Self { x, operator, answer })
    }

    /// Fails unless `answer` is as right as an answer of `who` must be. Ours must have all 64 bits of an integer sum
    /// and the first of equal elements. Others' float sums may have the error of a plain loop, their integer sums may
    /// wrap at the element's width, and their index may be the index of any equal element.
    pub(super) fn check(&self, who: &str, answer: Answer) -> Outcome<()> {
        let (x, is_sum) = (self.x, self.operator == Operator::Sum);
        let unit = if size_of::<T>() == 4 { f32::EPSILON.into() } else { f64::EPSILON } / 2.0;
        let (tolerance, bytes) =
            if who == OURS { (1e-6, 8) } else { (1e-6_f64.max(unit * x.len() as f64), size_of::<T>()) };
        let tolerance = if is_sum { tolerance } else { 0.0 };
        let right = match (answer, self.answer) {
            (Answer::Integer(theirs), Answer::Integer(right)) if is_sum => {
                (theirs - right) % (1 << (8 * bytes)) == 0
            }
            (Answer::Float(theirs), Answer::Float(right)) => {
                (theirs - right).abs() <= tolerance * right.abs()
            }
            (Answer::At(theirs), Answer::At(right)) if who != OURS => x.get(theirs) == x.get(right),
            (theirs, right) => theirs == right,
        };
        let (operator, n, right_answer) = (self.operator.name(), x.len(), self.answer);
        right.then_some(()).ok_or_else(|| {
            format!("{who}: {operator} of {n} {} is {answer:?}, not {right_answer:?}", T::NAME).into()
        })
    }

    /// The relative error of a float; 0 for other results.
    pub(super) fn off_by(&self, answer: Answer) -> f64 {
        match (answer, self.answer) {
            (Answer::Float(theirs), Answer::Float(right)) => (theirs / right - 1.0).abs(),
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged<T: Measured>(x: &[T], operator: Operator, answer: impl Into<Answer>) -> (bool, bool) {
        let truth = Truth::of(x, operator).unwrap();
        let answer = answer.into();
        (truth.check(OURS, answer).is_ok(), truth.check("peer", answer).is_ok())
    }

    #[test]
    fn wrong_answers_are_refused() {
        assert_eq!(judged(&[4.0f32, 6.0], Operator::Sum, 10.0f32), (true, true));
        assert_eq!(judged(&[4.0f32; 100], Operator::Sum, 400.0f32 * (1.0 + 3e-6)), (false, true));
        assert_eq!(judged(&[4.0f32, 6.0], Operator::Sum, 10.1f32), (false, false));
        assert_eq!(judged(&[4.0f32, 6.0], Operator::Sum, f32::NAN), (false, false));
        assert_eq!(judged(&[4.0f32, 6.0], Operator::Max, 6.0f32.next_up()), (false, false));
        assert_eq!(judged(&[i32::MAX, 1], Operator::Sum, 1_i64 << 31), (true, true));
        assert_eq!(judged(&[i32::MAX, 1], Operator::Sum, i32::MIN), (false, true));
        assert_eq!(judged(&[i64::MAX, 1], Operator::Sum, i64::MIN), (true, true));
        assert_eq!(judged(&[3u64, 9, 9], Operator::Argmax, 1_usize), (true, true));
        assert_eq!(judged(&[3u64, 9, 9], Operator::Argmax, 2_usize), (false, true));
        assert_eq!(judged(&[3u64, 9, 9], Operator::Argmax, 0_usize), (false, false));
        assert_eq!(judged(&[3u64, 9], Operator::Max, 8_u64), (false, false));
    }

    #[test]
    fn python_prints_what_it_means() {
        assert_eq!(Answer::parse("12", Operator::Argmax).unwrap(), Answer::At(12));
        assert_eq!(Answer::parse("-12", Operator::Max).unwrap(), Answer::Integer(-12));
        assert_eq!(Answer::parse("12.5", Operator::Sum).unwrap(), Answer::Float(12.5));
        assert!(Answer::parse("None", Operator::Sum).is_err());
    }
}
