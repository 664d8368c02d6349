//! What each launch of a call takes on the device, for measurements of one's own: an event behind each, which keeps launches
//! from overlapping.

use std::cell::RefCell;

use crate::error::{CudaError, CudaResult};
use crate::event::Event;
use crate::stream::Stream;

thread_local! {
    /// What this thread has enqueued since it began to trace, each with the moment when it has ended.
    static MARKS: RefCell<Option<Vec<(&'static str, Event)>>> = const { RefCell::new(None) };
}

/// What was enqueued, in order, and the milliseconds that each took.
pub type Times = Vec<(&'static str, f64)>;

/// Calls `call`, and gives what this thread has enqueued meanwhile, as a kernel's name or what else was done, with the
/// milliseconds from the end of what came before.
///
/// # Errors
/// [`CudaError::Driver`] if an event cannot be read.
pub fn trace<R>(call: impl FnOnce() -> R) -> CudaResult<(R, Times)> {
    MARKS.set(Some(Vec::new()));
    let answer = call();
    let marks = MARKS.take().unwrap_or_default();
    let pairs = marks.windows(2).filter_map(|pair| pair.first().zip(pair.last()));
    let times = pairs.map(|((_, start), (name, end))| Ok((*name, start.elapsed_ms(end)?)));
    Ok((answer, times.collect::<Result<_, CudaError>>()?))
}

impl Stream {
    /// Marks the moment when all that is enqueued so far has ended, if this thread traces; the first mark stands in front of
    /// what is enqueued next, and has no time.
    pub(crate) fn mark(&self, name: &'static str, is_in_front: bool) -> CudaResult<()> {
        // Taken out meanwhile: recording enqueues something too.
        let Some(mut marks) = MARKS.take() else { return Ok(()) };
        let recorded = match is_in_front && !marks.is_empty() {
            true => Ok(()),
            false => Event::record(self).map(|event| marks.push((name, event))),
        };
        MARKS.set(Some(marks));
        recorded
    }

    /// Says what the last thing enqueued was, such as a kernel's name, for a thread that [traces](trace).
    pub fn label(&self, name: &'static str) {
        MARKS.with_borrow_mut(|marks| {
            if let Some(last) = marks.as_mut().and_then(|marks| marks.last_mut()) {
                last.0 = name;
            }
        });
    }
}
