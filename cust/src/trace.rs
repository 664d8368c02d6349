//! The time of each launch of a call on the device, for your own measurements. An event after each launch keeps
//! launches from overlapping.

use std::cell::RefCell;

use crate::error::{CudaError, CudaResult};
use crate::event::Event;
use crate::stream::Stream;

thread_local! {
    /// Everything that this thread has enqueued since it began to trace, each with an event at its end.
    static MARKS: RefCell<Option<Vec<(&'static str, Event)>>> = const { RefCell::new(None) };
}

/// Enqueued operations in order, with their milliseconds.
pub type Times = Vec<(&'static str, f64)>;

/// Calls `call`, and also returns the operations that this thread enqueued meanwhile: each with a kernel's name or a
/// description, and the milliseconds from the end of the operation before.
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
    /// Records an event after all work enqueued so far, if this thread traces. The first event precedes the first
    /// operation, and has no time of its own.
    pub(crate) fn mark(&self, name: &'static str, is_in_front: bool) -> CudaResult<()> {
        // Taken out meanwhile, because recording an event enqueues an operation too.
        let Some(mut marks) = MARKS.take() else { return Ok(()) };
        let recorded = match is_in_front && !marks.is_empty() {
            true => Ok(()),
            false => Event::record(self).map(|event| marks.push((name, event))),
        };
        MARKS.set(Some(marks));
        recorded
    }

    /// Names the last enqueued operation, such as by a kernel's name, if this thread [traces](trace).
    pub fn label(&self, name: &'static str) {
        MARKS.with_borrow_mut(|marks| {
            if let Some(last) = marks.as_mut().and_then(|marks| marks.last_mut()) {
                last.0 = name;
            }
        });
    }
}
