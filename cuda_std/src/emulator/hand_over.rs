//! Tickets: what orders the accesses of different blocks.
//!
//! Taking a ticket publishes all that comes before it in its thread, and in its block by barriers and
//! `sync_warp`; whoever takes a later ticket of the same counter sees that, and after the next barrier its
//! whole block does (PTX ISA 8, causality order: release and acquire patterns are cumulative).

use std::collections::HashMap;

use super::order::{Clock, Moment, lanes};
use super::thread::Thread;

/// How many tickets of each counter come before: what a thread knows of other blocks.
type Knowledge = Vec<u32>;

fn join(into: &mut Knowledge, other: &Knowledge) {
    if into.len() < other.len() {
        into.resize(other.len(), 0);
    }
    for (a, &b) in into.iter_mut().zip(other) {
        *a = (*a).max(b);
    }
}

/// A ticket taken: which accesses of its block it published.
struct Release {
    thread: u32,
    epoch: u32,
    warp_epoch: u32,
    clock: Clock,
}

impl Release {
    /// Whether an access of the same block was before this ticket.
    fn covers(&self, moment: &Moment) -> bool {
        moment.epoch < self.epoch
            || moment.thread / 32 == self.thread / 32
                && (moment.warp_epoch < self.warp_epoch
                    || moment.time <= self.clock[moment.thread as usize % 32])
    }
}

/// One counter's tickets in order.
#[derive(Default)]
struct Counter {
    taken: u32,
    /// By block, each with its number among the counter's tickets.
    releases: HashMap<u32, Vec<(u32, Release)>>,
    /// What its takers knew.
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
    /// All threads of the block met: what one knows, all know.
    pub(super) fn at_barrier(&mut self) {
        for (_, knowledge) in self.by_some.drain(..) {
            join(&mut self.by_all, &knowledge);
        }
    }

    /// The lanes in `mask` of the warp that starts with thread `first` met.
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
    /// Takes the next ticket of the counter at `address`: learns what the earlier ones published, publishes.
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

    /// Whether an access of another block, or of this one, was published by a ticket this thread knows.
    pub(super) fn was_handed_over(&self, earlier: &Moment) -> bool {
        let knowledge = self.block.known.borrow().of(self.linear);
        self.grid.global.borrow().tickets.publishes(&knowledge, earlier)
    }
}
