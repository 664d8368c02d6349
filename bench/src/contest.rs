//! Contenders that take turns.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use crate::{Outcome, spread::Spread};

/// The least time of a trial of calls that were counted by time, so that the clock's resolution does not matter.
const TRIAL: Duration = Duration::from_micros(300);

/// The least rounds for a median.
const LEAST_ROUNDS: usize = 5;

/// Rounds. Every contender has one trial in each round.
#[derive(Clone, Copy)]
pub(crate) struct Rounds {
    /// Rounds that are not counted: caches and page tables fill, clocks rise.
    pub warm_up: usize,
    /// The most rounds that are counted.
    pub trials: usize,
    /// Rounds stop after this time, but not before [`LEAST_ROUNDS`].
    pub budget: Duration,
}

impl Rounds {
    /// This many, even if they take long.
    pub(crate) const fn all(warm_up: usize, trials: usize) -> Self {
        Self { warm_up, trials, budget: Duration::MAX }
    }
}

/// Runs one `trial` of each contender per round, so that other load affects all of them. Returns the samples of each
/// contender; its first error ends its trials alone.
pub(crate) fn take_turns<C, S>(
    contenders: &mut [C],
    rounds: Rounds,
    mut trial: impl FnMut(&mut C, usize) -> Outcome<S>,
) -> Vec<Outcome<Vec<S>>> {
    let mut samples: Vec<Outcome<Vec<S>>> = contenders.iter().map(|_| Ok(Vec::new())).collect();
    let mut begun = Instant::now();
    for round in 0..rounds.warm_up + rounds.trials {
        if round == rounds.warm_up {
            begun = Instant::now();
        }
        if round >= rounds.warm_up + LEAST_ROUNDS && begun.elapsed() > rounds.budget {
            break;
        }
        // The first contender changes, so that the order is not always the same.
        let first = round % contenders.len().max(1);
        let mut turns: Vec<_> = contenders.iter_mut().zip(&mut samples).collect();
        turns.rotate_left(first);
        for (contender, samples) in turns {
            let Ok(sofar) = samples else { continue };
            match trial(contender, round) {
                Ok(sample) if round >= rounds.warm_up => sofar.push(sample),
                Ok(_) => {}
                Err(reason) => *samples = Err(reason),
            }
        }
    }
    samples
}

/// The spread of samples.
pub(crate) fn spread(samples: &[f64]) -> Outcome<Spread> {
    Spread::of(samples).ok_or_else(|| "no trials: --trials must be at least 1".into())
}

/// The microseconds of one contender alone, by `trial`.
#[cfg(feature = "cuda")]
pub(crate) fn alone(rounds: Rounds, mut trial: impl FnMut() -> Outcome<f64>) -> Outcome<Spread> {
    let samples = take_turns(&mut [()], rounds, |(), _| trial());
    spread(&samples.into_iter().collect::<Outcome<Vec<_>>>()?.concat())
}

/// Makes the given number of calls one after another and returns the microseconds per call.
pub(crate) type Calls<'a> = Box<dyn FnMut(u32) -> Outcome<f64> + 'a>;

/// A contender on the CPU. Its results were checked when it was made.
pub(crate) struct Contender<'a> {
    pub(crate) name: String,
    pub(crate) threads: usize,
    calls: Calls<'a>,
    /// Calls in a trial.
    reps: u32,
}

impl<'a> Contender<'a> {
    /// With `reps` calls in a trial.
    pub(crate) fn new(name: impl Into<String>, threads: usize, reps: u32, calls: Calls<'a>) -> Self {
        Self { name: name.into(), threads, calls, reps }
    }

    /// Finds the number of calls in a trial. A first call fills caches.
    pub(crate) fn calibrated(name: &str, threads: usize, mut calls: Calls<'a>) -> Outcome<Self> {
        calls(1)?;
        let mut reps = 1;
        while calls(reps)? * f64::from(reps) < TRIAL.as_secs_f64() * 1e6 / 2.0 && reps < 1 << 20 {
            reps *= 2;
        }
        Ok(Self::new(name, threads, reps, calls))
    }
}

/// Microseconds per call of `reps` calls one after another. If there are several calls, an untimed one goes first,
/// since the previous contender has left its own data in the caches.
pub(crate) fn timed<R>(reps: u32, mut call: impl FnMut() -> R) -> f64 {
    if reps > 1 {
        black_box(call());
    }
    let start = Instant::now();
    for _ in 0..reps {
        black_box(call());
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(reps)
}

/// The microseconds per call of each contender in each round.
pub(crate) fn measure(contenders: &mut [Contender<'_>], trials: usize) -> Outcome<Vec<Vec<f64>>> {
    let trial = |contender: &mut Contender<'_>, _| (contender.calls)(contender.reps);
    take_turns(contenders, Rounds::all(1, trials), trial).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contenders_take_turns_and_a_failure_is_its_contenders_alone() {
        let mut order = Vec::new();
        let samples = take_turns(&mut ['a', 'b', 'c'], Rounds::all(1, 2), |who, round| {
            order.push((*who, round));
            if (*who, round) == ('b', 1) { Err("fails".into()) } else { Ok(round) }
        });
        let turns: String = order.iter().map(|turn| turn.0).collect();
        assert_eq!(turns, "abcbcaca");
        let samples: Vec<_> = samples.into_iter().map(Result::ok).collect();
        assert_eq!(samples, [Some(vec![1, 2]), None, Some(vec![1, 2])]);
    }

    #[test]
    fn rounds_end_with_their_budget_but_give_a_median() {
        let rounds = Rounds { warm_up: 3, trials: 100, budget: Duration::ZERO };
        let samples = take_turns(&mut [()], rounds, |(), round| Ok(round));
        assert_eq!(samples.into_iter().next().and_then(Result::ok), Some(vec![3, 4, 5, 6, 7]));
    }
}
