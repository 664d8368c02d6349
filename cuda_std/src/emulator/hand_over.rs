//! Tickets, which order the accesses of different blocks.
//!
//! Taking a ticket publishes all accesses before it: the accesses of its thread, and the accesses of its block that
//! barriers and `sync_warp` order before it. A thread that takes a later ticket of the same counter sees them, and so
//! does its whole block after the next barrier (PTX ISA 8, causality order: release and acquire patterns are
//! cumulative).

use std::collections::HashMap;

use super::order::{Clock, Moment, lanes};
use super::thread::Thread;

/// For each counter, the number of tickets that a thread has seen: what it knows of other blocks.
type Knowledge = Vec<u32>;

fn join(into: &mut Knowledge, other: &Knowledge) {
    if into.len() < other.len() {
        into.resize(other.len(), 0);
    }
    for (a, &b) in into.iter_mut().zip(other) {
        *a = (*a).max(b);
    }
}

/// A ticket taken, with the accesses of its block that it published.
struct Release {
    thread: u32,
    epoch: u32,
    warp_epoch: u32,
    clock: Clock,
}

impl Release {
    /// Returns whether an access of the same block comes before this ticket.
    fn covers(&self, moment: &Moment) -> bool {
        moment.epoch < self.epoch
            || moment.thread / 32 == self.thread / 32
                && (moment.warp_epoch < self.warp_epoch
                    || moment.time <= self.clock[moment.thread as usize % 32])
    }
}

/// The tickets of one counter, in order.
#[derive(Default)]
struct Counter {
    taken: u32,
    /// Releases by block, each with its number among the counter's tickets.
    releases: HashMap<u32, Vec<(u32, Release)>>,
    /// What the takers knew.
    knows: Knowledge,
}

/// The tickets of a launch.
#[derive(Default)]
pub(super) struct Tickets {
    /// Index into `counters` by address.
    index: HashMap<usize, usize>,
    counters: Vec<Counter>,
}

impl Tickets {
    fn publishes(&self, knowledge: &Knowledge, moment: &Moment) -> bool {
        self.counters.iter().zip(knowledge).any(|(counter, &before)| {
            let of_block = counter.releases.get(&moment.block).map_or(&[][..], Vec::as_slice);
            of_block
                .iter()
                .take_while(|&&(number, _)| number < before)
                .any(|(_, release)| release.covers(moment))
        })
    }
}

/// What the threads of a block know of other blocks.
#[derive(Default)]
pub(super) struct Known {
    by_all: Knowledge,
    /// By threads that took a ticket since the last barrier, or met one that did.
    by_some: Vec<(u32, Knowledge)>,
}

impl Known {
    /// Records that all threads of the block met: each now knows what any knows.
    pub(super) fn at_barrier(&mut self) {
        for (_, knowledge) in self.by_some.drain(..) {
            join(&mut self.by_all, &knowledge);
        }
    }

    /// Records that the lanes in `mask` met, of the warp that starts with thread `first`.
    pub(super) fn in_warp(&mut self, first: u32, mask: u32) {
        let met = |thread: u32| thread / 32 == first / 32 && mask >> (thread % 32) & 1 == 1;
        let mut joined = Knowledge::new();
        for (_, knowledge) in self.by_some.iter().filter(|(thread, _)| met(*thread)) {
            join(&mut joined, knowledge);
        }
        if !joined.is_empty() {
            self.by_some.retain(|&(thread, _)| !met(thread));
            self.by_some.extend(lanes(mask).map(|lane| (first + lane, joined.clone())));
        }
    }

    fn of(&self, thread: u32) -> Knowledge {
        let mut all = self.by_all.clone();
        if let Some((_, knowledge)) = self.by_some.iter().find(|(other, _)| *other == thread) {
            join(&mut all, knowledge);
        }
        all
    }

    fn learn(&mut self, thread: u32, knowledge: Knowledge) {
        match self.by_some.iter_mut().find(|(other, _)| *other == thread) {
            Some((_, known)) => *known = knowledge,
            None => self.by_some.push((thread, knowledge)),
        }
    }
}

impl Thread<'_> {
    /// Takes the next ticket of the counter at `address`: learns what earlier tickets published, and publishes.
    pub(super) fn hand_over(&self, address: usize) {
        let mut global = self.grid.global.borrow_mut();
        let tickets = &mut global.tickets;
        let next = tickets.counters.len();
        let number = *tickets.index.entry(address).or_insert(next);
        if number == next {
            tickets.counters.push(Counter::default());
        }
        let counter = &mut tickets.counters[number];

        let mut known = self.block.known.borrow_mut();
        let mut knowledge = known.of(self.linear);
        join(&mut knowledge, &counter.knows);
        if knowledge.len() <= number {
            knowledge.resize(number + 1, 0);
        }
        knowledge[number] = counter.taken;
        known.learn(self.linear, knowledge.clone());

        let clocks = &mut self.block.warps[self.linear as usize / 32].borrow_mut().clocks;
        let (thread, epoch, warp_epoch) = (self.linear, self.block.epoch.get(), clocks.epoch);
        let release = Release { thread, epoch, warp_epoch, clock: *clocks.of(self.lane()) };
        clocks.advance(self.lane());
        counter.releases.entry(self.block.linear).or_default().push((counter.taken, release));
        counter.taken += 1;
        counter.knows = knowledge;
    }

    /// Returns whether a ticket that this thread has seen published the access `earlier`, of any block.
    pub(super) fn was_handed_over(&self, earlier: &Moment) -> bool {
        let knowledge = self.block.known.borrow().of(self.linear);
        self.grid.global.borrow().tickets.publishes(&knowledge, earlier)
    }
}
