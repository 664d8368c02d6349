//! State that all threads of a launch share.

use core::cell::{Cell, RefCell};

use super::counts::Counts;
use super::global::GlobalMemory;
use super::launch::{Dim, Launch};
use super::misuse::{Misuse, Site};
use super::order::Moment;
use super::shared::Variable;

/// The state of a launch.
pub(crate) struct Grid {
    pub(crate) dim: Dim,
    pub(super) block_dim: Dim,
    /// Bytes of dynamic shared memory of each block.
    pub(crate) dynamic_bytes: u32,
    pub(super) counts: RefCell<Counts>,
    /// The shared variables found so far. Each block has its own copy of each.
    pub(super) variables: RefCell<Vec<Variable>>,
    pub(super) global: RefCell<GlobalMemory>,
    /// Set whenever a thread makes progress; cleared when only sleeping threads are left.
    pub(super) moved: Cell<bool>,
    misuse: RefCell<Option<Misuse>>,
}

impl Grid {
    pub(super) fn new(launch: &Launch) -> Self {
        Self {
            dim: launch.blocks,
            block_dim: launch.threads,
            dynamic_bytes: launch.shared_bytes,
            counts: RefCell::new(Counts::default()),
            variables: RefCell::new(Vec::new()),
            global: RefCell::new(GlobalMemory::new(launch.memory.clone())),
            moved: Cell::new(true),
            misuse: RefCell::new(None),
        }
    }

    /// Keeps `misuse` unless there is one already: the first is the cause.
    pub(super) fn report(&self, misuse: Misuse) {
        self.misuse.borrow_mut().get_or_insert(misuse);
    }

    /// Returns the thread and the place of an access.
    pub(super) fn site_of(&self, moment: &Moment) -> Site {
        Site {
            block: self.dim.index(moment.block),
            thread: self.block_dim.index(moment.thread),
            call: moment.call,
            at: Some(moment.at),
        }
    }

    pub(super) fn take_misuse(&self) -> Option<Misuse> {
        self.misuse.take()
    }
}
