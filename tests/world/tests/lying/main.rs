//! Communicators that lie: about the number of this rank and the number of ranks, and about what other ranks sent. No
//! call panics, waits for ever, or asks for as much memory as a lie says.
#![allow(missing_docs)]

mod liar;
mod memory;
mod places;
#[path = "../world/verbs.rs"]
mod verbs;

use std::thread;
use std::time::Duration;

use liar::{Liar, Lie, When};
use warpfold::{Error, Threads, World};
use warpfold_tests::turn;

const RANKS: usize = 4;

/// How long an honest rank waits for a message that a lie has swallowed.
const LIMIT: Duration = Duration::from_millis(100);

/// How long it waits if nobody lies.
const LONG: Duration = Duration::from_secs(60);

/// What each rank returns, if one lies; the liar's number of movements comes with its own.
fn results(
    liar: usize,
    when: When,
    call: verbs::Verb<Liar>,
) -> Vec<thread::Result<(Result<String, Error>, usize)>> {
    let limit = if matches!(when, When::Never) { LONG } else { LIMIT };
    thread::scope(|scope| {
        let of = move |rank: Threads, when| Liar::new(rank.with_time_limit(limit), when);
        let ranks = Threads::new(RANKS).into_iter().enumerate();
        let ranks: Vec<_> = ranks
            .map(|(number, rank)| {
                scope.spawn(move || {
                    let movements = Default::default();
                    let when = if number == liar { when } else { When::Never };
                    let world = World::new(of(rank, when).counting(&movements));
                    (call(&world), movements.get())
                })
            })
            .collect();
        ranks.into_iter().map(|rank| rank.join()).collect()
    })
}

/// Returns the first lie of a verb with which a rank panics.
fn first_panic(lies: impl Iterator<Item = (usize, When)>, call: verbs::Verb<Liar>) -> Option<(usize, When)> {
    lies.into_iter().find(|&(liar, when)| results(liar, when, call).iter().any(Result::is_err))
}

/// Requires of all verbs that no rank panics with these lies.
fn survives<L: Iterator<Item = (usize, When)>>(lies: impl Fn(verbs::Verb<Liar>) -> L) {
    memory::watch(|| {
        let panics = verbs::verbs().into_iter().map(|(verb, call)| (verb, first_panic(lies(call), call)));
        let panics: Vec<_> = panics.filter(|(_, panic)| panic.is_some()).collect();
        assert!(panics.is_empty(), "a rank panics, if one hears: {panics:#?}");
    });
}

#[test]
fn one_lie_at_any_movement_of_any_verb() {
    survives(|call| {
        let whole = results(0, When::Never, call);
        let movements = whole[1].as_ref().unwrap().1;
        let lies = (0..movements).flat_map(|at| Lie::ALL.into_iter().map(move |lie| (1, When::At(at, lie))));
        // A quarter in each turn.
        lies.zip(0..).filter(|&(_, case)| turn::is_in_quarter(case)).map(|(lie, _)| lie)
    });
}

#[test]
fn many_lies_in_any_verb() {
    survives(|_| (0..60).map(|seed| (seed as usize % RANKS, When::Often(seed))));
}

/// A rank that states its own length wrongly is not believed by the one rank that can know it: itself.
#[test]
fn a_wrong_answer_for_the_own_rank_is_an_error_that_names_it() {
    for (verb, call) in verbs::verbs() {
        let found = results(1, When::At(0, Lie::LongerPart { own: true }), call);
        let (found, _) = found[1].as_ref().unwrap();
        assert!(matches!(found, Err(Error::Rank { rank: 1, .. })), "{verb}: {found:?}");
    }
}
