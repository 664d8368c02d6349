//! One contest: all contenders at one size.

use std::time::Duration;

use super::{clock::Clock, contender::Contender};
use crate::{
    Outcome,
    contest::{Rounds, spread, take_turns},
    spread::Spread,
    with_causes,
};

/// The numbers of trials and calls.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Rounds. Every contender has one trial by each clock in each round.
    pub trials: usize,
    /// Calls of a trial by stream launches.
    pub stream: usize,
    /// Calls in a graph.
    pub graph: usize,
    /// Calls timed end to end in a round; 0 for none.
    pub end_to_end: usize,
    /// Slices that calls rotate over.
    pub slots: usize,
    /// The time limit of the rounds.
    pub budget: Duration,
}

/// The calls timed end to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Latency {
    /// Nothing.
    None,
    /// Some calls in each round.
    Some,
    /// For small inputs, enough calls for a hundred of them to be above the 99th percentile.
    Tail,
}

/// Calls of [`Latency::Tail`] over all rounds.
const TAIL: usize = 10_000;

impl Effort {
    /// For inputs of `bytes` bytes: few calls of large inputs, many of small ones, so that a trial takes at
    /// least a millisecond. Then the cost of its first call alone (from the host's event to the device, or a
    /// graph's own launch, some 5 us) is at most a hundredth of it.
    pub(super) fn new(bytes: u64, slots: usize, trials: usize, latency: Latency, budget: Duration) -> Self {
        let (stream, graph, end_to_end) = match bytes {
            0..0x40_0000 => (100, 256, 20),
            0x40_0000..0x400_0000 => (100, 64, 20),
            0x400_0000..0x4000_0000 => (20, 16, 5),
            _ => (16, 16, 3),
        };
        let end_to_end = match latency {
            Latency::None => 0,
            Latency::Tail if bytes <= 0x80_0000 => TAIL.div_ceil(trials.max(1)),
            _ => end_to_end,
        };
        Self { trials, stream, graph, end_to_end, slots, budget }
    }
}

/// One contender's times, in microseconds per call; `None` if the clock does not apply to it.
pub(super) struct Times {
    /// By stream launches.
    pub stream: Spread,
    /// By graph replay.
    pub graph: Option<Spread>,
    /// Why there is no graph.
    pub no_graph: Option<String>,
    /// From the call to the scalar on the host.
    pub end_to_end: Option<Spread>,
}

/// The result of a contender.
pub(super) type Verdict = Outcome<Times>;

/// A contender whose results are right.
struct Entrant<'c> {
    contender: &'c mut dyn Contender,
    /// Whether its calls are in a graph.
    captured: Outcome<()>,
}

/// Microseconds per call of one trial by each clock; end to end of each call.
type Sample = (f64, Option<f64>, Vec<f64>);

/// Checks the results of every contender, then measures those that are right. Returns a verdict for each
/// contender, in order; a wrong result or an error is the verdict of that contender alone.
pub(super) fn run(clock: &Clock<'_>, effort: Effort, contenders: Vec<&mut dyn Contender>) -> Vec<Verdict> {
    let admit = |contender| Entrant::admit(clock, effort, contender);
    let mut entrants: Vec<Outcome<Entrant<'_>>> = contenders.into_iter().map(admit).collect();
    let rounds = Rounds { warm_up: 3, trials: effort.trials, budget: effort.budget };
    let samples = take_turns(&mut entrants, rounds, |entrant, round| match entrant {
        Ok(entrant) => entrant.round(clock, effort, round),
        Err(_) => Err("is not admitted".into()),
    });
    entrants.into_iter().zip(samples).map(|(entrant, samples)| entrant?.verdict(&samples?)).collect()
}

impl<'c> Entrant<'c> {
    /// Captures the contender's graph and checks its results by every clock.
    fn admit(clock: &Clock<'_>, effort: Effort, contender: &'c mut dyn Contender) -> Outcome<Self> {
        for slot in [0, effort.slots - 1] {
            contender.enqueue(slot)?;
            clock.settle()?;
            contender.check_on_device(slot)?;
            if effort.end_to_end > 0 {
                contender.to_host(slot)?;
                contender.check_on_host(slot)?;
            }
        }
        let slots: Vec<usize> = (0..effort.graph).map(|call| call % effort.slots).collect();
        let captured = contender.capture(&slots);
        if captured.is_ok() {
            // First the result of another slice, so that a replay that does nothing is detected.
            contender.enqueue(0)?;
            contender.replay()?;
            clock.settle()?;
            contender.check_on_device((effort.graph - 1) % effort.slots)?;
        }
        Ok(Self { contender, captured })
    }

    /// Runs one trial by each clock. Slices continue where the last round stopped.
    fn round(&mut self, clock: &Clock<'_>, effort: Effort, round: usize) -> Outcome<Sample> {
        clock.settle()?;
        let slot = |calls, call| (round * calls + call) % effort.slots;
        let contender = &mut *self.contender;
        let mut calls = 0..effort.stream;
        let stream = clock
            .on_device(&mut || calls.try_for_each(|call| contender.enqueue(slot(effort.stream, call))))?;
        let graph = match self.captured {
            Ok(()) => Some(clock.on_device(&mut || contender.replay())? / effort.graph as f64),
            Err(_) => None,
        };
        let to_host = |call| clock.on_host(&mut || contender.to_host(slot(effort.end_to_end, call)));
        let end_to_end = (0..effort.end_to_end).map(to_host).collect::<Outcome<_>>()?;
        Ok((stream / effort.stream as f64, graph, end_to_end))
    }

    /// Checks once more, then summarises.
    fn verdict(self, samples: &[Sample]) -> Verdict {
        let stream = spread(&samples.iter().map(|sample| sample.0).collect::<Vec<_>>())?;
        self.contender.enqueue(0)?;
        self.contender.check_on_device(0)?;
        let graph = Spread::of(&samples.iter().filter_map(|sample| sample.1).collect::<Vec<_>>());
        let end_to_end =
            Spread::of(&samples.iter().flat_map(|sample| &sample.2).copied().collect::<Vec<_>>());
        let no_graph = self.captured.err().map(|reason| with_causes(reason.as_ref()));
        Ok(Times { stream, graph, no_graph, end_to_end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_grow_fewer_with_the_input() {
        let calls = |bytes| {
            let effort = Effort::new(bytes, 64, 31, Latency::Some, Duration::ZERO);
            (effort.stream, effort.graph, effort.end_to_end)
        };
        assert_eq!(calls(1 << 12), (100, 256, 20));
        assert_eq!(calls(1 << 22), (100, 64, 20));
        assert_eq!(calls((1 << 26) - 1), (100, 64, 20));
        assert_eq!(calls(1 << 26), (20, 16, 5));
        assert_eq!(calls(1 << 30), (16, 16, 3));
        assert_eq!(calls(1 << 34), (16, 16, 3));
    }

    #[test]
    fn a_tail_has_ten_thousand_calls_of_small_inputs() {
        let calls = |bytes, latency| Effort::new(bytes, 64, 31, latency, Duration::ZERO).end_to_end;
        assert!(31 * calls(1 << 12, Latency::Tail) >= 10_000);
        assert!(31 * calls(1 << 23, Latency::Tail) >= 10_000);
        assert_eq!(calls(1 << 24, Latency::Tail), calls(1 << 24, Latency::Some));
        assert_eq!(calls(1 << 12, Latency::None), 0);
    }
}
