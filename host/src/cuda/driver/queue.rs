//! Work for the device, in order, and what it uses for as long as it does.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::Arc;

use super::arrivals::Arrivals;
use super::module::Function;
use super::reply::{Page, Reply};
use super::{Context, Handle, Kernels, raw};
use crate::error::Error;
use crate::{Accumulator, Entry};

/// Something that work on the device uses.
pub(super) type Kept = Arc<dyn Any + Send + Sync>;

/// At most so many things are kept before the queue waits of itself, so that a program which never waits holds on
/// to a bounded number of dropped arrays.
const MOST_KEPT: usize = 64;

/// Work for the device, in order. Used by one thread at a time (it is not `Sync`), so that a reduction's several
/// launches are not torn apart and need no lock.
///
/// What unfinished work uses is in one of four places, all let go only after the work has ended, and all leaked if that
/// cannot be learnt:
/// - `kept`: what some of the work uses, until a wait;
/// - `resident`: what most of it uses (the lane's scratch memory), as long as the queue;
/// - `functions`: the kernels it has launched, as long as the queue;
/// - `pages`: where results arrive, each with its input: see [`reply`](super::reply).
#[derive(Debug)]
pub(in crate::cuda) struct Queue {
    handle: Arc<Handle>,
    kept: RefCell<Vec<Kept>>,
    resident: RefCell<Vec<Kept>>,
    functions: RefCell<Vec<(Entry, Arc<Function>)>>,
    pages: RefCell<Vec<Arc<Page>>>,
    /// Where many results arrive, once there were many. Nothing is copied there but while one call waits for it.
    arrivals: RefCell<Option<Arrivals>>,
    /// Whether work may be unfinished.
    busy: Cell<bool>,
}

impl Queue {
    /// Creates a stream that does not wait for the legacy stream.
    pub(in crate::cuda) fn new(context: &Arc<Context>) -> Result<Self, Error> {
        Ok(Self::of(Handle::new(context)?))
    }

    /// Work on another library's stream, which is not destroyed when this is dropped.
    ///
    /// # Safety
    /// `stream` is a stream, or one of the driver's special handles, until this was dropped.
    pub(in crate::cuda) unsafe fn borrow(context: &Arc<Context>, stream: raw::Handle) -> Result<Self, Error> {
        // SAFETY: the caller's promise; dropping the queue gives the stream back.
        Ok(Self::of(unsafe { Handle::borrow(context, stream) }?))
    }

    fn of(handle: Handle) -> Self {
        Self {
            handle: Arc::new(handle),
            kept: RefCell::new(Vec::with_capacity(MOST_KEPT)),
            resident: RefCell::default(),
            functions: RefCell::default(),
            pages: RefCell::default(),
            arrivals: RefCell::default(),
            busy: Cell::new(false),
        }
    }

    /// Whose it is.
    pub(in crate::cuda) fn context(&self) -> &Arc<Context> {
        self.handle.context()
    }

    /// The stream itself.
    pub(in crate::cuda) fn handle(&self) -> &Arc<Handle> {
        &self.handle
    }

    /// Whether calls are recorded to a graph.
    pub(in crate::cuda) fn is_recording(&self) -> bool {
        self.handle.is_recording()
    }

    /// Says whether calls are recorded, and exchanges what is kept.
    pub(super) fn set_recording(&self, recording: bool, kept: Vec<Kept>) -> Vec<Kept> {
        self.handle.set_recording(recording);
        self.kept.replace(kept)
    }

    /// Waits if very much is kept. To be called between reductions.
    pub(in crate::cuda) fn make_room(&self) -> Result<(), Error> {
        let full = self.kept.borrow().len() >= MOST_KEPT;
        if full && !self.is_recording() { self.wait() } else { Ok(()) }
    }

    /// Keeps something until a wait succeeds, or for a graph's lifetime while one is recorded.
    pub(super) fn keep<K: Any + Send + Sync>(&self, used: &Arc<K>) {
        let is_it = |kept: &Kept| ptr::addr_eq(Arc::as_ptr(kept), Arc::as_ptr(used));
        if !self.is_recording() && self.resident.borrow().iter().any(is_it) {
            return;
        }
        let mut kept = self.kept.borrow_mut();
        if !kept.iter().rev().any(is_it) {
            kept.push(used.clone());
        }
    }

    /// Keeps something as long as the queue, so that keeping it again costs nothing.
    pub(super) fn reside<K: Any + Send + Sync>(&self, used: &Arc<K>) {
        self.resident.borrow_mut().push(used.clone());
    }

    /// Does something with an entry's function, which stays loaded as long as the queue. The one asked for last is
    /// found first, without a lock or a count that threads share.
    pub(super) fn with_function<R>(
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
                functions.push((entry, kernels.get(entry)?));
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
        if let Some(reply) = pages.iter().rev().find_map(|page| page.claim(&self.handle)) {
            return Ok(reply);
        }
        let page = Page::new(self.context())?;
        let reply = page.claim(&self.handle);
        pages.push(page);
        reply.ok_or(Error::Plan { why: "a new page has room for a result" })
    }

    /// Where many results arrive.
    pub(super) fn arrivals(&self) -> &RefCell<Option<Arrivals>> {
        &self.arrivals
    }

    /// Makes a call that enqueues work. What the work uses must have been kept before.
    pub(super) fn enqueue(
        &self,
        during: &'static str,
        call: impl FnOnce(raw::Handle) -> u32,
    ) -> Result<(), Error> {
        self.mark(during, true)?;
        let context = self.context();
        let _bound = context.bind()?;
        self.handle.takes_work(during)?;
        self.busy.set(true);
        context.check(call(self.handle.raw()), during)?;
        self.mark(during, false)
    }

    /// Makes a call that enqueues work on `used`, and waits for it: first the wait, then the report.
    pub(super) fn run<K: Any + Send + Sync>(
        &self,
        during: &'static str,
        used: &Arc<K>,
        call: impl FnOnce(raw::Handle) -> u32,
    ) -> Result<(), Error> {
        if self.is_recording() {
            return Err(Error::Capturing { during });
        }
        self.keep(used);
        let enqueued = self.enqueue(during, call);
        let waited = self.wait();
        enqueued.and(waited)
    }

    /// Waits until all work has ended, and lets go what was kept.
    pub(in crate::cuda) fn wait(&self) -> Result<(), Error> {
        self.handle.wait()?;
        self.busy.set(false);
        self.kept.borrow_mut().clear();
        self.pages.borrow().iter().for_each(|page| page.let_go());
        Ok(())
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
        // What was kept is used by work before that launch, which waited for its end before it touched memory, whether or
        // not the two may overlap (`gpu_kernels::entry::raw`). The launch itself may still be leaving the device: the
        // queue stays busy, and what that launch uses is resident, or the reply's affair.
        self.kept.borrow_mut().clear();
        Ok(acc)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.handle.give_back(self.busy.get()).is_err() {
            // Work may still use all of it.
            let (kept, resident) = (self.kept.take(), self.resident.take());
            let (functions, pages) = (self.functions.take(), self.pages.take());
            self.context().leaked(kept.len() + resident.len() + functions.len() + pages.len());
            std::mem::forget((kept, resident, functions, pages));
        }
    }
}
