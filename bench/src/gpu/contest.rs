//! One contest: all contenders at one size.

use std::time::Duration;

use warpfold::{Graph, Stream};

use super::{clock, contenders::Contender};
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

/// Calls end to end over all rounds, for small inputs: a hundred of them are above the 99th percentile.
const TAIL: usize = 10_000;

impl Effort {
    /// For inputs of `bytes` bytes: few calls of large inputs, many of small ones, so that a trial takes at
    /// least a millisecond. Then the cost of its first call alone (from the host's event to the device, or a
    /// graph's own launch, some 5 us) is at most a hundredth of it.
    pub(super) fn new(bytes: u64, slots: usize, trials: usize, latency: bool, budget: Duration) -> Self {
        let (stream, graph, end_to_end) = match bytes {
            0..0x40_0000 => (100, 256, 20),
            0x40_0000..0x400_0000 => (100, 64, 20),
            0x400_0000..0x4000_0000 => (20, 16, 5),
            _ => (16, 16, 3),
        };
        let end_to_end = match latency {
            false => 0,
            true if bytes <= 0x80_0000 => TAIL.div_ceil(trials.max(1)),
            true => end_to_end,
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
    /// Its calls, or why they cannot be in a graph.
    graph: Outcome<Graph>,
}

/// Microseconds per call of one trial by each clock; end to end of each call.
type Sample = (f64, Option<f64>, Vec<f64>);

/// Checks the results of every contender, then measures those that are right. Returns a verdict for each
/// contender, in order; a wrong result or an error is the verdict of that contender alone.
pub(super) fn run(stream: &Stream, effort: Effort, contenders: Vec<&mut dyn Contender>) -> Vec<Verdict> {
    let admit = |contender| Entrant::admit(stream, effort, contender);
    let mut entrants: Vec<Outcome<Entrant<'_>>> = contenders.into_iter().map(admit).collect();
    let rounds = Rounds { warm_up: 3, trials: effort.trials, budget: effort.budget };
    let samples = take_turns(&mut entrants, rounds, |entrant, round| match entrant {
        Ok(entrant) => entrant.round(stream, effort, round),
        Err(_) => Err("is not admitted".into()),
    });
    entrants.into_iter().zip(samples).map(|(entrant, samples)| entrant?.verdict(stream, &samples?)).collect()
}

impl<'c> Entrant<'c> {
    /// Captures the contender's graph and checks its results by every clock.
    fn admit(stream: &Stream, effort: Effort, contender: &'c mut dyn Contender) -> Outcome<Self> {
        for slot in [0, effort.slots - 1] {
            contender.enqueue(stream, slot)?;
            stream.synchronize()?;
            contender.check_on_device(stream, slot)?;
            if effort.end_to_end > 0 {
                contender.to_host(stream, slot)?;
                contender.check_on_host(slot)?;
            }
        }
        let mut graph = clock::captured(stream, |stream| {
            (0..effort.graph).try_for_each(|call| contender.enqueue(stream, call % effort.slots))
        });
        if let Ok(graph) = &mut graph {
            // First the result of another slice, so that a replay that does nothing is detected.
            contender.enqueue(stream, 0)?;
            graph.launch(stream)?;
            stream.synchronize()?;
            contender.check_on_device(stream, (effort.graph - 1) % effort.slots)?;
        }
        Ok(Self { contender, graph })
    }

    /// Runs one trial by each clock. Slices continue where the last round stopped.
    fn round(&mut self, stream: &Stream, effort: Effort, round: usize) -> Outcome<Sample> {
        stream.synchronize()?;
        let slot = |calls, call| (round * calls + call) % effort.slots;
        let contender = &mut *self.contender;
        let by_stream = clock::on_device(stream, || {
            (0..effort.stream).try_for_each(|call| contender.enqueue(stream, slot(effort.stream, call)))
        })?;
        let by_graph = match &mut self.graph {
            Ok(graph) => Some(clock::on_device(stream, || Ok(graph.launch(stream)?))? / effort.graph as f64),
            Err(_) => None,
        };
        let to_host = |call| clock::on_host(|| contender.to_host(stream, slot(effort.end_to_end, call)));
        let end_to_end = (0..effort.end_to_end).map(to_host).collect::<Outcome<_>>()?;
        Ok((by_stream / effort.stream as f64, by_graph, end_to_end))
    }

    /// Checks once more, then summarises.
    fn verdict(self, stream: &Stream, samples: &[Sample]) -> Verdict {
        let by_stream = spread(&samples.iter().map(|sample| sample.0).collect::<Vec<_>>())?;
        self.contender.enqueue(stream, 0)?;
        self.contender.check_on_device(stream, 0)?;
        let graph = Spread::of(&samples.iter().filter_map(|sample| sample.1).collect::<Vec<_>>());
        let end_to_end =
            Spread::of(&samples.iter().flat_map(|sample| &sample.2).copied().collect::<Vec<_>>());
        let no_graph = self.graph.err().map(|reason| with_causes(reason.as_ref()));
        Ok(Times { stream: by_stream, graph, no_graph, end_to_end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(bytes: u64, latency: bool) -> (usize, usize, usize) {
        let effort = Effort::new(bytes, 64, 31, latency, Duration::ZERO);
        (effort.stream, effort.graph, effort.end_to_end)
    }

    #[test]
    fn calls_grow_fewer_with_the_input_and_small_ones_have_a_tail() {
        for (bytes, stream, graph, end_to_end) in [
            (1 << 12, 100, 256, 323),
            (1 << 22, 100, 64, 323),
            (1 << 23, 100, 64, 323),
            ((1 << 26) - 1, 100, 64, 20),
            (1 << 26, 20, 16, 5),
            (1 << 30, 16, 16, 3),
            (1 << 34, 16, 16, 3),
        ] {
            assert_eq!(calls(bytes, true), (stream, graph, end_to_end), "{bytes}");
            assert_eq!(calls(bytes, false), (stream, graph, 0), "{bytes}");
        }
        assert!(31 * calls(1 << 12, true).2 >= TAIL);
    }
}
