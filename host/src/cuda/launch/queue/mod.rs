//! A stream with what launches and results need beside it: the kernels it has launched, and where results arrive.

pub(in crate::cuda::launch) mod arrivals;
pub(in crate::cuda::launch) mod reply;
pub(in crate::cuda::launch) mod watch;

use std::cell::RefCell;
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::Arc;

use cust::stream::Stream;

use crate::cuda::launch::kernels::function::Function;
use crate::cuda::launch::queue::arrivals::Arrivals;
use crate::cuda::launch::queue::reply::{Page, Reply};
use crate::cuda::launch::{Context, Kernels};
use crate::error::Error;
use crate::{Accumulator, Entry};

/// A stream, and what its launches and their results need. It keeps what they use as the stream does.
#[derive(Debug)]
pub(in crate::cuda) struct Queue {
    stream: Stream,
    /// The kernels that it has launched, the last one first.
    functions: RefCell<Vec<(Entry, Arc<Function>)>>,
    /// Where results arrive, each with its input: see [`reply`](crate::cuda::launch::queue::reply).
    pages: RefCell<Vec<Arc<Page>>>,
    /// Where many results arrive, once there were many. Nothing is copied there but while one call waits for it.
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
    pub(in crate::cuda) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        Ok(Self::of(Stream::new(context)?))
    }

    /// Work on another library's stream, which is not destroyed when this is dropped.
    ///
    /// # Safety
    /// `stream` is a stream, or one of the driver's special handles, until this was dropped.
    pub(in crate::cuda) unsafe fn borrow(context: &Arc<Context>, stream: *mut c_void) -> Result<Self, Error> {
        // SAFETY: the caller's promise; dropping the queue drops the stream, which gives it back.
        Ok(Self::of(unsafe { Stream::borrow(context, stream) }?))
    }

    fn of(stream: Stream) -> Self {
        Self {
            stream,
            functions: RefCell::default(),
            pages: RefCell::default(),
            arrivals: RefCell::default(),
        }
    }

    /// Does something with an entry's function, which stays loaded as long as the queue. The one asked for last is
    /// found first, without a lock or a count that threads share.
    pub(in crate::cuda::launch) fn with_function<R>(
        &self,
        kernels: &Kernels,
        entry: Entry,
        call: impl FnOnce(&Arc<Function>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut functions = self.functions.borrow_mut();
        let known = functions.iter().position(|(known, _)| known.is_at(&entry));
        let place = match known {
            Some(place) => place,
            None => {
                let function = kernels.get(entry)?;
                self.stream.add_observer(function.loaded().clone());
                functions.push((entry, function));
                functions.len() - 1
            }
        };
        functions.swap(0, place);
        call(&functions[0].1)
    }

    /// A place for a result to arrive at.
    pub(in crate::cuda) fn reply(&self) -> Result<Reply, Error> {
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

    /// Where many results arrive.
    pub(in crate::cuda::launch) fn arrivals(&self) -> &RefCell<Option<Arrivals>> {
        &self.arrivals
    }

    /// Has `launch` enqueue work whose last launch writes an accumulator to the place given, and waits for it, at first
    /// by watching the place.
    pub(in crate::cuda) fn answer<A: Accumulator>(
        &self,
        launch: impl FnOnce(&Reply) -> Result<(), Error>,
    ) -> Result<A, Error> {
        let reply = self.reply()?;
        if let Err(error) = launch(&reply) {
            // First the wait, then the report: some of the launches may run although a later one failed.
            let _waited = self.wait();
            return Err(error);
        }
        let acc = reply.wait()?;
        // SAFETY: what was kept is used by work before that launch, which waited for its end before it touched memory, whether
        // or not the two may overlap (`gpu_kernels::entry::raw`). The launch itself may still be leaving the device: the
        // stream stays busy, and what that launch uses resides there, or is the reply's affair.
        unsafe { self.stream.let_go() };
        Ok(acc)
    }
}
