//! The contenders, and the rounds in which they take turns.

use std::{hint::black_box, time::Instant};

use super::answer::Answer;
use crate::Outcome;

/// The least elements of a trial, so that the clock's resolution does not matter.
const TRIAL: usize = 1 << 22;

/// Makes the given number of calls one after another and returns the microseconds per call.
pub(super) type Trial<'a> = Box<dyn FnMut(usize) -> Outcome<f64> + 'a>;

/// One contender over one array.
pub(super) struct Contender<'a> {
    pub(super) name: String,
    pub(super) threads: usize,
    pub(super) answer: Answer,
    pub(super) trial: Trial<'a>,
}

impl<'a> Contender<'a> {
    /// `call` on one thread; `answer` converts its result.
    pub(super) fn new<R>(
        name: impl Into<String>,
        mut call: impl FnMut() -> R + 'a,
        answer: impl FnOnce(R) -> Option<Answer>,
    ) -> Outcome<Self> {
        let name = name.into();
        let answer = answer(call()).ok_or_else(|| format!("{name} found nothing"))?;
        Ok(Self { name, threads: 1, answer, trial: Box::new(move |reps| Ok(timed(reps, &mut call))) })
    }
}

/// Microseconds per call of `reps` calls one after another. If there are several calls, an untimed one goes
/// first, since the previous contender has left its own data in the caches.
pub(super) fn timed<R>(reps: usize, mut call: impl FnMut() -> R) -> f64 {
    if reps > 1 {
        black_box(call());
    }
    let start = Instant::now();
    for _ in 0..reps {
        black_box(call());
    }
    start.elapsed().as_secs_f64() * 1e6 / reps as f64
}

/// Runs one trial of each contender over `n` elements in each of `trials` rounds, so that other load affects
/// all of them. Returns one list of microseconds per contender.
pub(super) fn rounds(contenders: &mut [Contender<'_>], n: usize, trials: usize) -> Outcome<Vec<Vec<f64>>> {
    let reps = (TRIAL / n.max(1)).max(1);
    let mut samples = vec![Vec::new(); contenders.len()];
    for round in 0..=trials {
        for (contender, samples) in contenders.iter_mut().zip(&mut samples) {
            let us = (contender.trial)(reps)?;
            // The first round warms caches, threads and page tables.
            if round > 0 {
                samples.push(us);
            }
        }
    }
    Ok(samples)
}
