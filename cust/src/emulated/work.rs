//! What is enqueued, and how it is done.

use std::ptr;
use std::sync::Arc;

use super::launch::Call;
use super::memory::digest;
use super::state::{Answer, Driver, Id, repeat};
use crate::sys;

/// Whether what other ranks do has ended.
pub(super) type Others = dyn Fn(&mut Driver) -> Result<bool, u32> + Send + Sync;

/// A piece of work.
#[derive(Clone)]
pub(super) enum Work {
    /// Copies bytes. Bytes of the host's memory have this digest.
    Copy { to: usize, from: usize, bytes: usize, digest: Option<u64> },
    /// Sets bytes.
    Fill { to: usize, value: u8, bytes: usize },
    /// Runs a kernel.
    Kernel(Call),
    /// An event happens.
    Event(Id),
    /// Waits until another stream has done as many pieces of work.
    Await { stream: Id, done: u64 },
    /// Runs a graph. `done` of its pieces are done.
    Graph { graph: Id, done: usize },
    /// Goes on when the closure says so: what other ranks do.
    Others(Arc<Others>),
}

/// How a piece of work went.
#[derive(PartialEq)]
pub(super) enum Step {
    Done,
    /// It cannot go on yet.
    Blocked,
}

impl Driver {
    /// Enqueues work on a stream, or records it.
    pub(super) fn push(&mut self, stream: Id, work: Work) -> Answer {
        let takes =
            match &work {
                Work::Event(_) => 0.0,
                Work::Kernel(call) if self.settings.counts_launches && call.threads() == 512 => 0.5,
                Work::Graph { graph, .. } if self.settings.counts_launches => {
                    let all = self.graphs.get(graph).into_iter().flatten();
                    all.map(|work| {
                        if matches!(work, Work::Kernel(call) if call.threads() == 512) { 0.5 } else { 1.0 }
                    })
                    .sum()
                }
                _ => 1.0,
            };
        let into = self.stream(stream)?.into.unwrap_or(stream);
        let stream = self.stream(into)?;
        match &mut stream.recorded {
            Some(recorded) => recorded.push(work),
            None => {
                stream.work.push_back(work);
                (stream.pushed, stream.time) = (stream.pushed + 1, stream.time + takes);
            }
        }
        Ok(())
    }

    /// Does the next piece of a stream's work: a kernel that is about to leave, or one that has not begun.
    pub(super) fn step(&mut self, id: Id) -> Result<Step, u32> {
        let stream = self.stream(id)?;
        let Some(first) = stream.work.front().cloned() else { return Ok(Step::Done) };
        match stream.leaving.take() {
            Some(call) => self.leaves(&call)?,
            None => {
                if self.run(id, &first)? == Step::Blocked {
                    return Ok(Step::Blocked);
                }
                if let Work::Kernel(call) = first {
                    self.stream(id)?.leaving = Some(call);
                    return Ok(Step::Done);
                }
            }
        }
        let stream = self.stream(id)?;
        stream.work.pop_front();
        stream.done += 1;
        Ok(Step::Done)
    }

    /// Does a piece of work, the first of a stream.
    fn run(&mut self, stream: Id, work: &Work) -> Result<Step, u32> {
        match work {
            &Work::Copy { to, from, bytes, digest: expected } => {
                if expected.is_some_and(|expected| expected != digest(from, bytes)) {
                    return Err(self.fault("host memory was written before it was copied"));
                }
                self.reads(from, bytes)?;
                self.wrote(to, bytes);
                let (to, from) =
                    (ptr::with_exposed_provenance_mut::<u8>(to), ptr::with_exposed_provenance(from));
                // SAFETY: whoever enqueued the copy promises that both are valid until it has ended. Addresses on
                // devices were checked.
                unsafe { ptr::copy(from, to, bytes) };
            }
            &Work::Fill { to, value, bytes } => {
                self.touch(to, bytes)?;
                self.wrote(to, bytes);
                // SAFETY: just checked.
                unsafe { ptr::with_exposed_provenance_mut::<u8>(to).write_bytes(value, bytes) };
            }
            Work::Kernel(call) => self.executes(call)?,
            Work::Event(event) => {
                if let Some(found) = self.events.get_mut(event) {
                    found.pending = found.pending.saturating_sub(1);
                    if found.pending == 0 && found.is_destroyed {
                        self.events.remove(event);
                    }
                }
            }
            &Work::Await { stream: other, done } => {
                while self
                    .streams
                    .get(&other)
                    .is_some_and(|other| other.done < done && !other.work.is_empty())
                {
                    if self.step(other)? == Step::Blocked {
                        return Ok(Step::Blocked);
                    }
                }
            }
            &Work::Graph { graph, done } => {
                let all = self.graphs.get(&graph).cloned().unwrap_or_default();
                for (at, work) in all.iter().enumerate().skip(done) {
                    if self.run(stream, work)? == Step::Blocked {
                        if let Some(first) = self.stream(stream)?.work.front_mut() {
                            *first = Work::Graph { graph, done: at };
                        }
                        return Ok(Step::Blocked);
                    }
                }
            }
            Work::Others(is_done) => {
                if !is_done(self)? {
                    return Ok(Step::Blocked);
                }
            }
        }
        Ok(Step::Done)
    }

    /// Does work as a device that is quicker than the host: all but that the last kernel leaves.
    pub(super) fn hurry(&mut self, stream: Id) -> Answer {
        while self.eager {
            let queue = self.stream(stream)?;
            let is_last = queue.work.len() == 1 && queue.leaving.is_some();
            if queue.is_capturing() || queue.work.is_empty() || is_last || self.step(stream)? == Step::Blocked
            {
                break;
            }
        }
        Ok(())
    }
}

/// Does all work of a stream.
pub(super) fn finish(stream: Id) -> Answer {
    finish_while(stream, |driver| driver.streams.get(&stream).is_some_and(|stream| !stream.work.is_empty()))
}

/// Does work of a stream as long as `goes_on`.
pub(super) fn finish_while(stream: Id, goes_on: impl Fn(&Driver) -> bool) -> Answer {
    repeat(|driver| {
        while goes_on(driver) {
            match driver.step(stream) {
                Ok(Step::Done) => {}
                Ok(Step::Blocked) => return None,
                Err(code) => return Some(Err(driver.dies(code))),
            }
        }
        Some(Ok(()))
    })
}

/// Does a piece of a stream's work at every third question.
pub(super) fn ask(driver: &mut Driver, id: Id) -> Answer {
    let stream = driver.stream(id)?;
    if stream.work.is_empty() {
        return Ok(());
    }
    stream.asked += 1;
    if stream.asked.is_multiple_of(3) {
        driver.step(id).map_err(|code| driver.dies(code))?;
    }
    if driver.stream(id)?.work.is_empty() { Ok(()) } else { Err(sys::NOT_READY) }
}
