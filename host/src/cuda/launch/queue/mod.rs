//! A stream with what launches and results need: the kernels it has launched, and the memory where results arrive.

pub(in crate::cuda::launch) mod arrivals;
pub(in crate::cuda::launch) mod reply;
pub(in crate::cuda::launch) mod watch;

use std::cell::RefCell;
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::Arc;

use cust::stream::Stream;

use gpu_kernels::Accumulator;

use crate::cuda::launch::kernels::function::Function;
use crate::cuda::launch::queue::arrivals::Arrivals;
use crate::cuda::launch::queue::reply::{Page, Reply};
use crate::cuda::launch::{Context, Kernels};
use crate::error::Error;
use crate::kernel::entry::Entry;

/// Results of a page: they fill two of the 4 KiB pages that are the least the driver pins.
const RESULTS: usize = 64;

/// A stream, and what its launches and their results need. It keeps everything that they use, as the stream does.
#[derive(Debug)]
pub(crate) struct Queue {
    stream: Stream,
    /// The kernels that it has launched. The one used last comes first.
    functions: RefCell<Vec<(Entry, Arc<Function>)>>,
    /// Pages where results arrive, each with its inputs: see [`reply`](crate::cuda::launch::queue::reply).
    pages: RefCell<Vec<Arc<Page>>>,
    /// Buffers where many results arrive, once they were needed. Copies to them are under way only while a call waits
    /// for them.
    arrivals: RefCell<Option<Arrivals>>,
}

impl Deref for Queue {
    type Target = Stream;
    fn deref(&self) -> &Stream {
        &self.stream
    }
}

impl Queue {
    /// Creates a stream that does not wait for the legacy stream.
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        Ok(Self::of(Stream::new(context)?))
    }

    /// Uses another library's stream, which is not destroyed when the queue is dropped.
    ///
    /// # Safety
    /// `stream` must be a valid stream, or one of the driver's special handles, until the queue is dropped.
    pub(crate) unsafe fn borrow(context: &Arc<Context>, stream: *mut c_void) -> Result<Self, Error> {
        // SAFETY: guaranteed by the caller. Dropping the queue drops the `Stream`, which gives the handle back.
        Ok(Self::of(unsafe { Stream::borrow(context, stream) }?))
    }

    /// Uses the legacy default stream, which exists even if the device has no memory for another
    /// stream.
    pub(crate) fn legacy(context: &Arc<Context>) -> Result<Self, Error> {
        Ok(Self::of(Stream::legacy(context)?))
    }

    fn of(stream: Stream) -> Self {
        Self {
            stream,
            functions: RefCell::default(),
            pages: RefCell::default(),
            arrivals: RefCell::default(),
        }
    }

    /// Calls `call` with an entry's function, which stays loaded as long as the queue. Finds the function used last
    /// first, without a lock or a shared counter.
    pub(in crate::cuda::launch) fn with_function<R>(
        &self,
        kernels: &Kernels,
        entry: Entry,
        call: impl FnOnce(&Arc<Function>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut functions = self.functions.borrow_mut();
        let known = functions.iter().position(|(known, _)| known.is_at(&entry));
        let at = match known {
            Some(at) => at,
            None => {
                let function = kernels.get(entry)?;
                self.stream.add_observer(function.loaded().clone());
                functions.push((entry, function));
                functions.len() - 1
            }
        };
        functions.swap(0, at);
        call(&functions[0].1)
    }

    /// Returns a reply for a result to arrive in.
    pub(crate) fn reply(&self) -> Result<Reply, Error> {
        if self.is_recording() {
            return Err(Error::Capturing { during: "a reduction whose result goes to the host" });
        }
        let mut pages = self.pages.borrow_mut();
        if let Some(reply) = pages.iter().rev().find_map(|page| page.claim(self.handle())) {
            return Ok(reply);
        }
        let page = Page::new(self.context())?;
        self.stream.add_observer(page.clone());
        let reply = page.claim(self.handle());
        pages.push(page);
        reply.ok_or(Error::Plan { why: "a new page has room for a result" })
    }

    /// Returns the buffers where many results arrive.
    pub(in crate::cuda::launch) fn arrivals(&self) -> &RefCell<Option<Arrivals>> {
        &self.arrivals
    }

    /// Has `launch` enqueue work whose last launch writes an accumulator to the given reply, and waits for it, at first
    /// by polling it.
    pub(crate) fn answer<A: Accumulator>(
        &self,
        launch: impl FnOnce(&Reply) -> Result<(), Error>,
    ) -> Result<A, Error> {
        let reply = self.reply()?;
        if let Err(error) = launch(&reply) {
            // Waits before it reports the error: some launches may run although a later one failed.
            let _waited = self.wait();
            return Err(error);
        }
        let acc = reply.wait()?;
        // SAFETY: what the stream kept is used by work before the last launch. That launch waited for the end of this
        // work before it touched memory, whether or not the two may overlap (`gpu_kernels::entry::raw`). The launch
        // itself may still be leaving the device, but the stream stays busy, and what the launch uses resides with the
        // stream or is kept by the reply.
        unsafe { self.stream.let_go() };
        Ok(acc)
    }
}
