//! What the three sums of the same numbers show.

use crate::numbers::naive::Accurate;
use crate::numbers::value::{Exactly, Value, grouped};
use crate::statistics::Outcome;
use crate::statistics::loops::Loops;

/// The relative error of `value`.
pub(crate) fn off(value: Value, accurate: Accurate) -> String {
    match (value.exactly(), accurate) {
        (Exactly::Integer(sum), Accurate::Exact(exact)) if sum == exact => "0".into(),
        (Exactly::Integer(_), Accurate::Exact(_)) => "wrapped around".into(),
        (Exactly::Float(sum), Accurate::Compensated(accurate)) => relative(sum, accurate),
        // A sum and its accurate sum are of one kind.
        _ => String::new(),
    }
}

fn relative(sum: f64, accurate: f64) -> String {
    let error = ((sum - accurate) / accurate).abs();
    match error {
        _ if sum == accurate => "0".into(),
        e if !e.is_finite() => "-".into(),
        e if e >= 1e-3 => format!("{:.1} %", e * 100.0),
        e => format!("{e:.1e}"),
    }
}

/// The explanation, in one or two lines.
pub(crate) fn lines(outcome: &Outcome, loops: &Loops) -> Vec<String> {
    let naive = loops.naive.result;
    match (outcome.sum.exactly(), naive.exactly(), loops.accurate.result) {
        (Exactly::Integer(sum), Exactly::Integer(naive), Accurate::Exact(exact)) => {
            of_integers(outcome, sum, naive, exact)
        }
        (Exactly::Float(sum), Exactly::Float(by_loop), Accurate::Compensated(accurate)) => {
            of_floats(outcome, sum, (naive, by_loop), accurate)
        }
        _ => Vec::new(),
    }
}

fn of_integers(outcome: &Outcome, sum: i128, naive: i128, exact: i128) -> Vec<String> {
    let dtype = outcome.dtype.name();
    if sum != exact {
        vec![
            "The sum does not fit 64 bits: warpfold wraps there, on every machine alike.".into(),
            "The last line is what it should have been.".into(),
        ]
    } else if naive != exact {
        vec![format!(
            "The sum does not fit {dtype}, so the loop wraps around; warpfold sums integers in 64 bits."
        )]
    } else {
        vec!["Integer sums do not round: without a wrap-around every order gives the same.".into()]
    }
}

fn of_floats(outcome: &Outcome, sum: f64, (by_loop, naive): (Value, f64), accurate: f64) -> Vec<String> {
    let dtype = outcome.dtype.name();
    let error = |sum: f64| (sum - accurate).abs();
    if outcome.count == 0 {
        vec!["The sum of nothing is -0.0, the number that changes no other when added.".into()]
    } else if !accurate.is_finite() || !naive.is_finite() {
        vec!["A sum with an infinity, a NaN or an overflow in it has no rounding error to speak of.".into()]
    } else if let Some(gap) = standstill(by_loop, accurate / outcome.count as f64) {
        let naive = grouped(format!("{naive:?}").trim_end_matches(".0"));
        vec![
            format!(
                "The loop adds one element at a time to one {dtype}. At {naive} neighbouring {dtype} are {gap}"
            ),
            "apart, an average element is less than half of that, and adding it changes nothing.".into(),
            "The tree adds sums of like size.".into(),
        ]
    } else if error(naive) > error(sum) {
        let (steps, depth) = (grouped(outcome.count), grouped(outcome.depth));
        vec![
            format!(
                "In the loop an element passes through up to {steps} additions, each of which may round;"
            ),
            format!("in the tree through {depth} at most."),
        ]
    } else {
        vec!["This time the loop is as near: rounding errors may cancel, or there may be none.".into()]
    }
}

/// The distance between numbers next to `sum`, if adding a number as small as `element` leaves `sum` unchanged.
fn standstill(sum: Value, element: f64) -> Option<f64> {
    let gap = match sum {
        Value::F32(sum) if element != 0.0 && sum + element as f32 == sum => {
            f64::from(sum.abs().next_up() - sum.abs())
        }
        Value::F64(sum) if element != 0.0 && sum + element == sum => sum.abs().next_up() - sum.abs(),
        _ => return None,
    };
    Some(gap)
}
