//! Threads as ranks (`host/src/world/threads.rs`): each gets what others send in their order, and nobody waits for ever, also
//! for one that has gone.

#![allow(dead_code, reason = "a model uses part of the library's file")]

use warpfold_models::sync;

mod error {
    pub(crate) use warpfold::{Error, RankFault};
}

#[path = "."]
mod world {
    pub(crate) use warpfold::Communicator;

    #[path = "../../../host/src/world/threads.rs"]
    pub(crate) mod threads;
}

use loom::thread;
use warpfold::{Error, RankFault};
use warpfold_models::{Part, check, fails_without};
use world::Communicator;
use world::threads::Threads;

/// Every rank gathers twice, and sends a byte round.
fn rank(rank: Threads) {
    let (own, size) = (rank.rank(), rank.size());
    let all = |first: u8| (0..size as u8).map(|rank| vec![first + rank]).collect::<Vec<_>>();
    assert_eq!(rank.all_gather(&[10 + own as u8]).expect("all ranks are there"), all(10));
    rank.send((own + 1) % size, &[20 + own as u8]).expect("the next rank is there");
    let before = (own + size - 1) % size;
    let mut byte = [0];
    rank.recv(before, &mut byte).expect("the rank before is there");
    assert_eq!(byte, [20 + before as u8]);
}

fn ranks(count: usize) {
    let mut ranks = Threads::new(count).into_iter();
    let own = ranks.next().expect("a rank");
    let others: Vec<_> = ranks.map(|other| thread::spawn(move || rank(other))).collect();
    rank(own);
    others.into_iter().for_each(|other| other.join().expect("a rank"));
}

/// A rank sends, and is gone.
fn gone() {
    let mut ranks = Threads::new(2).into_iter();
    let (own, other) = (ranks.next().expect("a rank"), ranks.next().expect("a rank"));
    let other = thread::spawn(move || other.send(0, &[7]).expect("the other rank is there"));
    let mut byte = [0];
    own.recv(1, &mut byte).expect("what was sent before");
    assert_eq!(byte, [7]);
    let fault = own.recv(1, &mut byte).expect_err("nothing more is sent");
    assert!(matches!(fault, Error::Rank { rank: 1, fault: RankFault::Gone }), "{fault}");
    other.join().expect("a rank");
}

#[test]
fn what_is_sent_arrives() {
    check(|| ranks(2));
}

#[test]
fn one_that_is_gone_is_waited_for_no_longer() {
    check(gone);
}

#[test]
fn without_notices_ranks_wait_for_ever() {
    fails_without(Part::Notices, "deadlock", || ranks(2));
    fails_without(Part::Notices, "deadlock", gone);
}

#[test]
fn without_locks_ranks_meet_in_an_inbox() {
    fails_without(Part::Locks, "Causality violation", || ranks(2));
}
