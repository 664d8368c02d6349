//! The driver's state, behind one lock.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use cuda_std::emulator::Entry;

use super::event::Event;
use super::failures::Failures;
use super::memory::Allocation;
use super::module::{Function, Module};
use super::settings::Settings;
use super::stream::Stream;
use super::work::Work;
use crate::sys::{self, Handle};

/// A driver object, by the number that is its handle. Numbers are not used again, so a handle of something that was destroyed is
/// found.
pub(super) type Id = usize;

/// Answers of calls: nothing, or a code.
pub(super) type Answer = Result<(), u32>;

/// The driver.
pub(super) struct Driver {
    pub(super) settings: Settings,
    failures: Failures,
    pub(super) offered: HashMap<String, Entry>,
    /// Memory by its address.
    pub(super) memory: BTreeMap<usize, Allocation>,
    pub(super) streams: BTreeMap<Id, Stream>,
    pub(super) events: BTreeMap<Id, Event>,
    pub(super) graphs: BTreeMap<Id, Vec<Work>>,
    pub(super) modules: BTreeMap<Id, Module>,
    pub(super) functions: BTreeMap<Id, Function>,
    pub(super) retained: usize,
    pub(super) calls: usize,
    pub(super) launches: u64,
    /// Kernels that were run: a graph's once for each launch of the graph.
    pub(super) runs: u64,
    pub(super) eager: bool,
    /// Whether a call answered that the device has stopped working. There are no calls after that.
    dead: bool,
    last: Id,
}

thread_local! {
    /// Whether this thread is in a call of the driver.
    pub(super) static IS_WORKING: Cell<bool> = const { Cell::new(false) };

    /// The contexts of this thread, the current one last.
    pub(super) static CONTEXTS: RefCell<Vec<Id>> = const { RefCell::new(Vec::new()) };
}

fn lock() -> MutexGuard<'static, Driver> {
    static DRIVER: OnceLock<Mutex<Driver>> = OnceLock::new();
    let driver = DRIVER.get_or_init(|| Mutex::new(Driver::new()));
    driver.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `call` with the driver.
pub(super) fn with<R>(call: impl FnOnce(&mut Driver) -> R) -> R {
    let outer = IS_WORKING.try_with(|working| working.replace(true)).unwrap_or(true);
    let answer = call(&mut lock());
    // A thread that is ending has no such mark.
    let _ = IS_WORKING.try_with(|working| working.set(outer));
    answer
}

/// Answers a call that needs a current context.
pub(super) fn answer(call: impl FnOnce(&mut Driver) -> Answer) -> u32 {
    with(|driver| {
        driver.calls += 1;
        code(driver.enter().and_then(|()| call(driver)))
    })
}

/// Answers a call that needs no context.
pub(super) fn answer_anywhere(call: impl FnOnce(&mut Driver) -> Answer) -> u32 {
    with(|driver| {
        driver.calls += 1;
        code(call(driver))
    })
}

fn code(answer: Answer) -> u32 {
    answer.err().unwrap_or(sys::SUCCESS)
}

/// Calls `call` until it has an answer, and lets other threads work in between.
pub(super) fn repeat(mut call: impl FnMut(&mut Driver) -> Option<Answer>) -> Answer {
    loop {
        if let Some(answer) = with(&mut call) {
            return answer;
        }
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Prints a line of the driver.
pub(super) fn say(text: &str) {
    eprintln!("emulated driver: {text}");
}

/// Returns the handle of an object.
pub(super) fn handle(id: Id) -> Handle {
    std::ptr::without_provenance_mut(id)
}

impl Driver {
    fn new() -> Self {
        Self {
            settings: Settings::from_environment(),
            failures: Failures::default(),
            offered: HashMap::new(),
            memory: BTreeMap::new(),
            streams: BTreeMap::new(),
            events: BTreeMap::new(),
            graphs: BTreeMap::new(),
            modules: BTreeMap::new(),
            functions: BTreeMap::new(),
            retained: 0,
            calls: 0,
            launches: 0,
            runs: 0,
            eager: false,
            dead: false,
            last: 0x10_0000,
        }
    }

    /// Returns a number that no object has had.
    pub(super) fn next(&mut self) -> Id {
        self.last += 1;
        self.last
    }

    /// Returns the code for a misuse of the driver, after printing it.
    pub(super) fn fault(&mut self, what: &str) -> u32 {
        say(&format!("fault: {what}"));
        self.dies(sys::LAUNCH_FAILED)
    }

    /// Remembers that the device has stopped working.
    pub(super) fn dies(&mut self, code: u32) -> u32 {
        self.dead = true;
        code
    }

    /// Fails without a context of this driver, and after the device has stopped working.
    fn enter(&mut self) -> Answer {
        let current = self.current();
        if super::context::device_of(current).is_none() {
            return Err(self.fault("a call without the context"));
        }
        if self.dead {
            return Err(self.fault("a call after the device has stopped working"));
        }
        Ok(())
    }

    /// Returns the current context, or 0.
    pub(super) fn current(&self) -> Id {
        // A thread that is ending has none.
        CONTEXTS.try_with(|contexts| contexts.borrow().last().copied()).ok().flatten().unwrap_or(0)
    }

    /// Fails unless the current context is `context`, of something that is used.
    pub(super) fn is_of(&mut self, context: Id) -> Answer {
        if context == self.current() { Ok(()) } else { Err(self.fault("a call in another device's context")) }
    }

    /// Fails if this call of `function` is to fail.
    pub(super) fn may_fail(&mut self, function: &str) -> Answer {
        match self.failures.next("WARPFOLD_EMULATED_FAILURE", function) {
            Some(code) => Err(code),
            None => Ok(()),
        }
    }

    /// Prints a line if the driver logs.
    pub(super) fn log(&self, text: impl FnOnce() -> String) {
        if self.settings.logs {
            say(&text());
        }
    }

    pub(super) fn report(&self) -> String {
        let current = match self.current() {
            0 => "none",
            context if super::context::device_of(context).is_some() => "ours",
            _ => "another's",
        };
        format!(
            "{} allocations, {} streams, {} events, {} graphs, {} modules, {} contexts left; current context {current}; {} launches",
            self.memory.len(),
            self.streams.values().filter(|stream| stream.is_created).count(),
            self.events.values().filter(|event| !event.is_destroyed).count(),
            self.graphs.len(),
            self.modules.len(),
            self.retained,
            self.launches,
        )
    }
}
