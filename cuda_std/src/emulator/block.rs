//! State that the threads of a block share: which are ready, which wait where, and the barrier.

use core::cell::{Cell, RefCell};

use super::counts::Counts;
use super::grid::Grid;
use super::hand_over::Known;
use super::launch::Dim;
use super::misuse::{Misuse, Site};
use super::order::{Call, Moment, lanes, same_call};
use super::shared::SharedMemory;
use super::warp::{Operands, Refusal, Warp};

/// The state of a resident block.
pub(crate) struct Block {
    pub(crate) index: [u32; 3],
    pub(crate) dim: Dim,
    pub(super) linear: u32,
    /// Barriers passed.
    pub(super) epoch: Cell<u32>,
    pub(super) warps: Vec<RefCell<Warp>>,
    pub(super) shared: RefCell<SharedMemory>,
    pub(super) known: RefCell<Known>,
    /// Ready lanes, per warp.
    ready: Vec<Cell<u32>>,
    /// Sleeping lanes, per warp.
    asleep: Vec<Cell<u32>>,
    /// Each thread's last call.
    last: Vec<Cell<Option<Call>>>,
    ended: Cell<Option<u32>>,
    barrier: RefCell<Barrier>,
}

/// The barrier and the threads that have arrived at it.
struct Barrier {
    arrived: u32,
    first: u32,
    call: Option<Call>,
    /// Number of arrived threads in which the predicate holds.
    holds: u32,
    /// `holds` of the last completed barrier, for its threads to read.
    result: u32,
}

impl Block {
    pub(super) fn new(linear: u32, grid: &Grid) -> Self {
        let dim = grid.block_dim;
        let threads = dim.count();
        let existing = |warp: u32| match threads - warp * 32 {
            rest @ 0..32 => (1 << rest) - 1,
            _ => u32::MAX,
        };
        let warps = threads.div_ceil(32);
        Self {
            index: grid.dim.index(linear),
            dim,
            linear,
            epoch: Cell::new(0),
            warps: (0..warps).map(|warp| RefCell::new(Warp::new(existing(warp)))).collect(),
            shared: RefCell::new(SharedMemory::default()),
            known: RefCell::new(Known::default()),
            ready: (0..warps).map(|warp| Cell::new(existing(warp))).collect(),
            asleep: vec![Cell::new(0); warps as usize],
            last: vec![Cell::new(None); threads as usize],
            ended: Cell::new(None),
            barrier: RefCell::new(Barrier { arrived: 0, first: 0, call: None, holds: 0, result: 0 }),
        }
    }

    /// Returns the mask of warps with ready lanes.
    pub(super) fn ready_warps(&self) -> u32 {
        self.ready.iter().rev().fold(0, |bits, ready| bits << 1 | u32::from(ready.get() != 0))
    }

    /// Takes the ready lanes of `warp`.
    pub(super) fn take_ready(&self, warp: u32) -> u32 {
        self.ready[warp as usize].take()
    }

    /// Makes sleeping lanes ready. Returns false if there are none.
    pub(super) fn wake(&self) -> bool {
        let mut any = false;
        for (ready, asleep) in self.ready.iter().zip(&self.asleep) {
            any |= asleep.get() != 0;
            ready.set(ready.get() | asleep.take());
        }
        any
    }

    pub(super) fn make_ready(&self, warp: u32, lanes: u32) {
        let ready = &self.ready[warp as usize];
        ready.set(ready.get() | lanes);
    }

    pub(super) fn put_to_sleep(&self, thread: u32) {
        let asleep = &self.asleep[thread as usize / 32];
        asleep.set(asleep.get() | 1 << (thread % 32));
    }

    pub(super) fn set_last(&self, thread: u32, call: Call) {
        self.last[thread as usize].set(Some(call));
    }

    /// Returns a thread at its last call.
    pub(super) fn site(&self, thread: u32) -> Site {
        let last = self.last[thread as usize].get();
        Site {
            block: self.index,
            thread: self.dim.index(thread),
            call: last.map_or("", |(call, _)| call),
            at: last.map(|(_, at)| at),
        }
    }

    /// Returns an access that `thread` makes now.
    pub(super) fn moment(&self, thread: u32, (call, at): Call) -> Moment {
        let warp = self.warps[thread as usize / 32].borrow();
        let (block, epoch, warp_epoch) = (self.linear, self.epoch.get(), warp.clocks.epoch);
        Moment { block, thread, epoch, warp_epoch, time: warp.clocks.time(thread % 32), call, at }
    }

    /// Returns whether barriers and `sync_warp` order an access of a thread of this block before `thread`'s next
    /// access.
    pub(super) fn comes_after(&self, thread: u32, earlier: &Moment) -> bool {
        if earlier.thread == thread || earlier.epoch < self.epoch.get() {
            return true;
        }
        if earlier.thread / 32 != thread / 32 {
            return false;
        }
        let clocks = &self.warps[thread as usize / 32].borrow().clocks;
        earlier.warp_epoch < clocks.epoch
            || earlier.time <= clocks.of(thread % 32)[earlier.thread as usize % 32]
    }

    /// Records the arrival of `thread` at a barrier. The last thread to arrive makes all ready.
    pub(super) fn arrive_at_barrier(
        &self,
        thread: u32,
        predicate: bool,
        call: Call,
        counts: &mut Counts,
    ) -> Result<(), Misuse> {
        self.set_last(thread, call);
        if let Some(ended) = self.ended.get() {
            return Err(Misuse::BarrierMissed { waiting: self.site(thread), ended: self.site(ended) });
        }
        {
            let mut warp = self.warps[thread as usize / 32].borrow_mut();
            if let Some(first) = warp.waits_for(thread % 32) {
                return Err(self.different(thread / 32 * 32 + first, thread));
            }
            warp.at_barrier |= 1 << (thread % 32);
        }
        let mut barrier = self.barrier.borrow_mut();
        match barrier.call {
            Some(first) if !same_call(first, call) => {
                return Err(self.different(barrier.first, thread));
            }
            Some(_) => (),
            None => (barrier.call, barrier.first) = (Some(call), thread),
        }
        barrier.arrived += 1;
        barrier.holds += u32::from(predicate);
        if barrier.arrived == self.dim.count() {
            *barrier = Barrier { arrived: 0, first: 0, call: None, holds: 0, result: barrier.holds };
            self.epoch.set(self.epoch.get() + 1);
            self.known.borrow_mut().at_barrier();
            counts.barriers += 1;
            for (warp, ready) in self.warps.iter().zip(&self.ready) {
                let mut warp = warp.borrow_mut();
                warp.at_barrier = 0;
                let existing = warp.existing;
                warp.steps.end_phase(existing, counts);
                ready.set(existing);
            }
        }
        Ok(())
    }

    /// Returns the number of threads in which the predicate of the last barrier held.
    pub(super) fn barrier_result(&self) -> u32 {
        self.barrier.borrow().result
    }

    /// Records the arrival of `thread` at a collective of its warp. The last lane to arrive makes all ready.
    pub(super) fn arrive_in_warp(
        &self,
        thread: u32,
        mask: u32,
        operands: Operands,
        call: Call,
        counts: &mut Counts,
    ) -> Result<(), Misuse> {
        self.set_last(thread, call);
        let first = thread / 32 * 32;
        let outcome =
            self.warps[thread as usize / 32].borrow_mut().arrive(thread % 32, mask, operands, call, counts);
        match outcome {
            Ok(0) => Ok(()),
            Ok(together) => {
                self.make_ready(thread / 32, together);
                if matches!(operands, Operands::SyncWarp) {
                    self.known.borrow_mut().in_warp(first, together);
                }
                Ok(())
            }
            Err(Refusal::NotInMask) => Err(Misuse::CallerNotInMask { at: self.site(thread), mask }),
            Err(Refusal::Absent(lane)) => Err(self.absent(thread, lane)),
            Err(Refusal::Different(lane)) => Err(self.different(first + lane, thread)),
            Err(Refusal::Outside { reader, source }) => {
                Err(Misuse::ShuffleFromOutside { at: self.site(first + reader), lane: source, mask })
            }
        }
    }

    /// Records the end of `thread`. Fails if another thread waits for it.
    pub(super) fn end(&self, thread: u32, counts: &mut Counts) -> Result<(), Misuse> {
        self.ended.set(Some(thread));
        {
            let mut warp = self.warps[thread as usize / 32].borrow_mut();
            warp.ended |= 1 << (thread % 32);
            if let Some(waiting) = warp.waits_for(thread % 32) {
                drop(warp);
                return Err(self.absent(thread / 32 * 32 + waiting, thread % 32));
            }
            if warp.ended == warp.existing {
                let existing = warp.existing;
                warp.steps.end_phase(existing, counts);
            }
        }
        let barrier = self.barrier.borrow();
        if barrier.arrived > 0 {
            let waiting = self.site(barrier.first);
            return Err(Misuse::BarrierMissed { waiting, ended: self.site(thread) });
        }
        Ok(())
    }

    /// Returns the report for a block in which no thread is ready and some wait: masks that wait for each other in a
    /// cycle.
    pub(super) fn stuck(&self) -> Misuse {
        let circle = self.warps.iter().zip(0..).find_map(|(warp, i)| {
            let (first, missing) = warp.borrow().stuck()?;
            Some(self.different(i * 32 + first, i * 32 + missing))
        });
        circle.unwrap_or_else(|| self.different(0, 0))
    }

    /// Returns a sleeping thread.
    pub(super) fn sleeper(&self) -> Option<Site> {
        let lane = |(asleep, warp): (&Cell<u32>, u32)| {
            lanes(asleep.get()).next().map(|lane| self.site(warp * 32 + lane))
        };
        self.asleep.iter().zip(0..).find_map(lane)
    }

    fn different(&self, first: u32, second: u32) -> Misuse {
        Misuse::DifferentCollectives { first: self.site(first), second: self.site(second) }
    }

    fn absent(&self, waiting: u32, lane: u32) -> Misuse {
        let thread = waiting / 32 * 32 + lane;
        let ended = (thread < self.dim.count()).then(|| self.site(thread));
        Misuse::LaneAbsent { waiting: self.site(waiting), lane, ended }
    }
}
