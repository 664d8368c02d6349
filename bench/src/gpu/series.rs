//! One operator over one element type, at every selected size.

use std::error::Error;

use warpfold::{Cpu, DeviceArray, DeviceSlice, Stream, zip};

use super::{
    Arena,
    answer::{Contest, Pairing, agrees, value},
    contenders::{Answers, Contender, Memory, Ours, Theirs},
    contest::{self, Effort, Times},
    jobs::Job,
    peer::{RESULT, Reduction},
    report,
    request::{Answer, Measured, Missing, Reply, Request},
};
use crate::{
    Outcome,
    datum::Datum,
    figures::record::{OURS, Record, TYPES},
    spread::Spread,
    table, with_causes,
};

/// The most slices that calls rotate over.
const SLOTS: usize = 64;

/// What the contests over one buffer share.
pub(super) struct Series<'a, T: Datum> {
    pub arena: &'a Arena<'a>,
    pub job: &'a Job,
    pub stream: &'a Stream,
    /// The data on the host.
    pub data: &'a [T],
    /// The same data on the device.
    pub array: &'a DeviceArray<T>,
}

impl<T: Datum> Series<'_, T> {
    /// Measures `O` at every size and prints the tables.
    pub(super) fn run<O: Contest<T>>(&self, record: &mut Record) -> Outcome<()> {
        let first = record.rows.len();
        for &n in &self.job.sizes {
            self.size::<O>(usize::try_from(n)?, record)?;
        }
        let rows = record.rows.get(first..).unwrap_or_default();
        // Types have one size each, and share a table at the end.
        if self.job.set != TYPES {
            report::peers(rows);
        }
        Ok(())
    }

    /// Measures `O` over two arrays at every size; the size is the size of both together.
    pub(super) fn run_pairs<O: Pairing<T>>(&self, record: &mut Record) -> Outcome<()> {
        for &both in &self.job.sizes {
            let n = usize::try_from(both / 2)?;
            let effort = self.effort(2 * n);
            let slices = self.slices(n, 2 * effort.slots)?;
            let answers = Answers::new(|slot| {
                let (x, y) = (part(self.data, n, 2 * slot)?, part(self.data, n, 2 * slot + 1)?);
                Ok(Cpu::new().reduce(O::default(), zip(x, y))?)
            });
            let pair = |slot: usize| zip(&slices[2 * slot], &slices[2 * slot + 1]);
            let mut ours = Ours {
                scalar: self.arena.cuda.scalar::<[T; 2], O>()?,
                enqueue: Box::new(|stream, slot, out| stream.reduce_into(O::default(), pair(slot), out)),
                to_host: Box::new(|stream, slot| stream.reduce(O::default(), pair(slot))),
                answers: &answers,
                landed: None,
            };
            self.contest(O::NAME, 2 * n, effort, vec![&mut ours], record)?;
        }
        Ok(())
    }

    fn effort(&self, n: usize) -> Effort {
        let Job { trials, latency, budget, .. } = *self.job;
        let slots = (self.data.len() / n.max(1)).clamp(1, SLOTS);
        Effort::new((n * size_of::<T>()) as u64, slots, trials, latency, budget)
    }

    /// The first `count` slices of `n` elements.
    fn slices(&self, n: usize, count: usize) -> Outcome<Vec<DeviceSlice<'_, T>>> {
        (0..count).map(|slot| Ok(self.array.slice(slot * n..(slot + 1) * n)?)).collect()
    }

    fn size<O: Contest<T>>(&self, n: usize, record: &mut Record) -> Outcome<()> {
        let effort = self.effort(n);
        let answers = Answers::new(|slot| Ok(Cpu::new().reduce(O::default(), part(self.data, n, slot)?)?));
        let slices = self.slices(n, effort.slots)?;

        let mut ours = Ours {
            scalar: self.arena.cuda.scalar::<T, O>()?,
            enqueue: Box::new(|stream, slot, out| stream.reduce_into(O::default(), slices[slot], out)),
            to_host: Box::new(|stream, slot| stream.reduce(O::default(), slices[slot])),
            answers: &answers,
            landed: None,
        };
        let reductions = self.reductions::<O>(record)?;
        let scratch = reductions.iter().map(|rival| rival.scratch(n as u64)).collect::<Outcome<Vec<_>>>()?;
        let scratch = self.arena.cuda.zeroed::<u8>(scratch.into_iter().max().unwrap_or(1))?;
        let output = self.arena.cuda.upload(&[0xA5_u8; RESULT])?;
        let memory = Memory { input: self.array, output: &output, scratch: &scratch };
        let theirs = reductions.into_iter();
        let theirs = theirs.map(|reduction| Theirs::<T, O> {
            reduction,
            memory,
            n,
            answers: &answers,
            landed: [0; RESULT],
        });
        let mut theirs: Vec<_> = theirs.collect();

        let mut contenders: Vec<&mut dyn Contender> = vec![&mut ours];
        contenders.extend(theirs.iter_mut().map(|theirs| theirs as &mut dyn Contender));
        self.contest(O::NAME, n, effort, contenders, record)?;
        if self.job.outsiders {
            self.outsiders::<O>(n, effort, &answers, record);
        }
        Ok(())
    }

    /// Runs a contest, and records the times and what is missing.
    fn contest(
        &self,
        op: &str,
        n: usize,
        effort: Effort,
        contenders: Vec<&mut dyn Contender>,
        record: &mut Record,
    ) -> Outcome<()> {
        let names: Vec<String> = contenders.iter().map(|contender| contender.name().to_owned()).collect();
        let verdicts = contest::run(self.stream, effort, contenders);
        // Enqueued work must not outlive the contenders' memory.
        self.stream.synchronize()?;
        for (name, verdict) in names.into_iter().zip(verdicts) {
            match verdict {
                Ok(times) => record.add::<T>(self.job.set, op, n as u64, &name, times),
                Err(reason) if name == OURS => {
                    return Err(Self::sentence(op, n, &name, reason.as_ref()).into());
                }
                Err(reason) => record.miss(Self::sentence(op, n, &name, reason.as_ref())),
            }
        }
        Ok(())
    }

    fn sentence(op: &str, n: usize, name: &str, reason: &dyn Error) -> String {
        format!("{} {op} of {}: {name}: {}", T::NAME, table::elements(n as u64), with_causes(reason))
    }

    /// Runs the same contest in the peers that are separate programs. A peer that fails is dropped.
    fn outsiders<O: Contest<T>>(
        &self,
        n: usize,
        effort: Effort,
        answers: &Answers<'_, O::Out>,
        record: &mut Record,
    ) {
        let request = Request {
            op: O::NAME,
            element: T::NAME,
            n,
            buffer: self.data.len(),
            slots: effort.slots,
            trials: effort.trials,
            stream: effort.stream,
            graph: effort.graph,
            end_to_end: effort.end_to_end,
            seconds: effort.budget.as_secs_f64(),
        };
        self.arena.outsiders.borrow_mut().retain_mut(|outsider| {
            let reply: Reply = match outsider.ask(&request, request.seconds) {
                Ok(reply) => reply,
                Err(reason) => {
                    record.miss(format!("from {} {} of {n} on: {reason}", T::NAME, O::NAME));
                    return false;
                }
            };
            for Missing { peer, reason } in reply.missing {
                record.miss(Self::sentence(O::NAME, n, &peer, Box::<dyn Error>::from(reason).as_ref()));
            }
            for measured in reply.results {
                let name = measured.peer.clone();
                match checked::<T, O>(measured, effort.slots, answers) {
                    Ok(times) => record.add::<T>(self.job.set, O::NAME, n as u64, &name, times),
                    Err(reason) => record.miss(Self::sentence(O::NAME, n, &name, reason.as_ref())),
                }
            }
            true
        });
    }

    /// Every wanted variant of every peer that has `O` over `T`; a peer without any is reported as missing.
    fn reductions<O: Contest<T>>(&self, record: &mut Record) -> Outcome<Vec<Reduction<'_>>> {
        let mut found = Vec::new();
        for peer in self.arena.peers {
            let mut wanted = peer.reductions(O::NAME, T::NAME)?;
            wanted.retain(|reduction| self.arena.wants(&reduction.name));
            if wanted.is_empty() {
                record.miss(format!("{}: has no {} of {}", peer.name, O::NAME, T::NAME));
            }
            found.extend(wanted);
        }
        Ok(found)
    }
}

/// Slice `slot` of `n` elements.
fn part<T>(data: &[T], n: usize, slot: usize) -> Outcome<&[T]> {
    data.get(slot * n..(slot + 1) * n).ok_or_else(|| "there is no such slice".into())
}

/// The times of a contender in another process, if its results are right. Checks at least the results of the first and
/// the last slice, and one result of its graph, if it has one.
fn checked<T: Datum, O: Contest<T>>(
    measured: Measured,
    slots: usize,
    answers: &Answers<'_, O::Out>,
) -> Outcome<Times> {
    let Measured { answers: theirs, stream, graph, no_graph, end_to_end, .. } = measured;
    for Answer { slot, bytes } in &theirs {
        let result = Answer { slot: *slot, bytes: bytes.clone() }.result()?;
        if !answers.of(*slot, |ours| agrees::<T, O>(ours, &result))? {
            return Err(format!("its answer for slice {slot} is wrong: {:?}", value::<T>(&result)).into());
        }
    }
    let checked = |slot| theirs.iter().any(|answer| answer.slot == slot);
    if !checked(0) || !checked(slots - 1) || theirs.len() < 2 + usize::from(!graph.is_empty()) {
        return Err("it does not say what its reductions gave".into());
    }
    let stream = Spread::of(&stream).ok_or("it gives no times")?;
    Ok(Times { stream, graph: Spread::of(&graph), no_graph, end_to_end: Spread::of(&end_to_end) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpfold::Sum;

    fn measured(slots: &[usize], value: f32) -> Measured {
        let bytes: String =
            value.to_le_bytes().iter().chain(&[0; 12]).map(|byte| format!("{byte:02x}")).collect();
        let answers = slots.iter().map(|&slot| Answer { slot, bytes: bytes.clone() }).collect();
        let (stream, graph) = (vec![3.0, 2.0, 4.0], vec![1.0]);
        Measured { peer: "PyTorch".into(), answers, stream, graph, no_graph: None, end_to_end: vec![] }
    }

    #[test]
    fn another_processs_times_count_only_with_right_answers_for_enough_slices() {
        let data = [1.0_f32; 4096];
        let answers = Answers::new(|slot| Ok(Cpu::new().reduce(Sum, part(&data, 1024, slot)?)?));
        let judge = |slots: &[usize], value| checked::<f32, Sum>(measured(slots, value), 4, &answers);
        let times = judge(&[0, 3, 1], 1024.0).unwrap();
        assert_eq!((times.stream.median, times.graph.map(|us| us.median)), (3.0, Some(1.0)));
        assert!(times.end_to_end.is_none());
        let wrong = judge(&[0, 3, 1], 1023.0).err().unwrap().to_string();
        assert!(wrong.contains("slice 0 is wrong: Some(1023.0)"), "{wrong}");
        assert!(judge(&[0, 1, 1], 1024.0).is_err(), "the last slice was not checked");
        assert!(judge(&[0, 3], 1024.0).is_err(), "the graph was not checked");
        assert!(judge(&[0, 3, 4], 1024.0).is_err(), "there is no slice 4");
    }
}
