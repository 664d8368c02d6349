//! Compares the plans of one row: heats that eliminate most plans, then rounds in which the fastest plans and
//! the default plan take turns. Only the rounds count: a lead after few trials may be chance.

use std::time::{Duration, Instant};

use warpfold::Cuda;
use warpfold::plans::{LaunchConfig, Plan};

use crate::arena::{Arena, calls};
use crate::candidates;
use crate::catalogue::{Folds, Operator};
use crate::clock::Clock;
use crate::datum::Datum;
use crate::entrant::{Course, Entrant};
use crate::failure::Failure;
use crate::verdict::{Times, is_better};

/// Replays in the first heat, and the number of plans that stay for the second.
const FIRST_HEAT: (usize, usize) = (2, 9);
/// Replays in the second heat, and the number of plans that stay for the rounds.
const SECOND_HEAT: (usize, usize) = (4, 3);
/// The most rounds, and the fewest that allow a decision.
const ROUNDS: usize = 41;
const FEWEST_ROUNDS: usize = 9;

/// The result of a contest.
pub(crate) struct Outcome {
    pub(crate) usual: (Plan, Times),
    /// The fastest other plan; a better one, if there is one.
    pub(crate) other: Option<(LaunchConfig, Plan, Times)>,
    /// Whether it is better.
    pub(crate) is_better: bool,
}

/// The device and inputs of a contest.
pub(crate) struct Field<'a, T: Datum> {
    /// A handle with the default plans.
    pub(crate) usual: &'a Cuda,
    pub(crate) arena: &'a Arena<T>,
    pub(crate) operator: Operator,
    pub(crate) class: u32,
}

/// Runs the contest in about `part` of time; `None` if that was too short for a decision.
pub(crate) fn hold<T: Datum, O: Folds<T>>(
    field: &Field<'_, T>,
    clock: &mut Clock,
    part: Duration,
) -> Result<Option<Outcome>, Failure> {
    let start = Instant::now();
    let n = ((1_u64 << field.class) / size_of::<T>() as u64).max(1);
    let usual = field.usual.plan::<T, O>(n)?;
    let course = Course::<T, O>::new(field.operator, field.arena, n as usize, calls(field.class))?;
    let Some(mut host) = Entrant::admit(&course, clock, None, usual)? else { return Ok(None) };

    let mut others = Vec::new();
    for (config, plan) in candidates::plans::<T>(n, field.usual.properties().multiprocessors, &usual) {
        if start.elapsed() > part / 2 {
            break;
        }
        if let Some(mut other) = Entrant::admit(&course, clock, Some(config), plan)? {
            (0..FIRST_HEAT.0).try_for_each(|_| other.replay(clock))?;
            others.push(other);
        }
    }
    keep_fastest(&mut others, FIRST_HEAT.1);
    for other in &mut others {
        if start.elapsed() > part / 4 * 3 {
            break;
        }
        (0..SECOND_HEAT.0).try_for_each(|_| other.replay(clock))?;
    }
    keep_fastest(&mut others, SECOND_HEAT.1);

    others.iter_mut().for_each(Entrant::start_over);
    let mut rounds = 0;
    while rounds < ROUNDS && start.elapsed() < part {
        // The first contender changes, so that the order is not always the same.
        let count = others.len() + 1;
        for turn in 0..count {
            let entrant = others.get_mut((rounds + turn) % count).unwrap_or(&mut host);
            entrant.replay(clock)?;
            entrant.launch(clock)?;
        }
        rounds += 1;
    }
    if rounds < FEWEST_ROUNDS {
        return Ok(None);
    }
    let usual_times = host.times()?;
    host.check_last()?;
    let mut best: Option<(LaunchConfig, Plan, Times, bool)> = None;
    for other in &others {
        other.check_last()?;
        let (Some(config), times) = (other.config, other.times()?) else { continue };
        let better = is_better(times, usual_times);
        // Better plans come first, then faster ones.
        let leads = best.is_none_or(|(.., leader, is_better)| {
            (!better, times.graph.median) < (!is_better, leader.graph.median)
        });
        if leads {
            best = Some((config, other.plan, times, better));
        }
    }
    Ok(Some(Outcome {
        usual: (usual, usual_times),
        is_better: best.is_some_and(|(.., better)| better),
        other: best.map(|(config, plan, times, _)| (config, plan, times)),
    }))
}

fn keep_fastest<T: Datum, O: Folds<T>>(entrants: &mut Vec<Entrant<'_, T, O>>, most: usize) {
    entrants.sort_by(|one, other| one.shortest().total_cmp(&other.shortest()));
    entrants.truncate(most);
}
