//! Contenders that take turns.

use std::time::{Duration, Instant};

use crate::{Outcome, spread::Spread};

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
