//! Ranks that disagree, end, panic or are late: the others get an error that names the rank, and never hang.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use warpfold::{Communicator, Dot, Error, Max, Op, RankFault, Sum, Threads, World, columns, groups, zip};

/// The error of each rank, as text.
fn errors(
    ranks: usize,
    limit: Duration,
    call: impl Fn(&World<Threads>) -> Result<(), Error> + Sync,
) -> Vec<String> {
    thread::scope(|scope| {
        let call = &call;
        let ranks = Threads::new(ranks).into_iter().map(|rank| World::new(rank.with_time_limit(limit)));
        let ranks: Vec<_> = ranks.map(|world| scope.spawn(move || call(&world))).collect();
        let text = |result: thread::Result<Result<(), Error>>| match result {
            Ok(Ok(())) => "no error".to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "a panic".to_owned(),
        };
        ranks.into_iter().map(|rank| text(rank.join())).collect()
    })
}

const LONG: Duration = Duration::from_secs(60);

#[test]
fn ranks_that_call_different_things_are_named_and_may_go_on() {
    let x = vec![1.0f32; 10_000];
    let found = errors(4, LONG, |world| {
        let disagrees = match world.rank() {
            2 => world.reduce(Max, &x).map(drop),
            _ => world.reduce(Sum, &x).map(drop),
        };
        assert_eq!(world.reduce(Sum, &x)?, 40_000.0);
        disagrees
    });
    for found in found {
        for part in ["rank 2 calls reduce(", "::Max, an array of f32)", "but rank 0 calls reduce(", "::Sum,"]
        {
            assert!(found.contains(part), "{found}");
        }
    }
}

#[test]
fn a_rank_whose_arguments_are_wrong_is_named_and_all_may_go_on() {
    let x = [1.0f32; 100];
    let found = errors(3, LONG, |world| {
        let longer = usize::from(world.rank() == 1);
        let refused = world.reduce(Dot, zip(&x[..], &x[longer..])).map(drop);
        assert_eq!(world.reduce(Dot, zip(&x, &x))?, 300.0);
        refused
    });
    assert!(found[1].starts_with("elements are paired by their index"), "{}", found[1]);
    for found in [&found[0], &found[2]] {
        assert!(found.starts_with("rank 1 refused the call: elements are paired"), "{found}");
    }
}

#[test]
fn more_results_than_memory_are_an_error_on_every_rank() {
    let (x, ids) = ([0f32; 0], [0u32; 0]);
    let many = usize::MAX;
    let too_many = |result| match result {
        Err(Error::TooManyResults { results }) if results == many => Ok(()),
        other => panic!("{other:?}"),
    };
    let found = errors(2, LONG, |world| {
        too_many(world.reduce(Sum, groups(&ids, &x, many)))?;
        assert_eq!(world.reduce(Sum, &[1.0f32])?, 2.0);
        too_many(world.reduce(Sum, columns(&x, [0, many])))
    });
    assert_eq!(found, ["no error"; 2]);
}

#[test]
fn any_time_limit_can_be_set() {
    assert_eq!(errors(2, Duration::MAX, World::barrier), ["no error"; 2]);
}

#[test]
fn messages_to_and_from_no_rank_are_errors() {
    let ranks = Threads::new(2);
    let sent = ranks[0].send(2, &[1]);
    assert!(matches!(sent, Err(Error::Rank { rank: 2, fault: RankFault::Gone })), "{sent:?}");
    let received = ranks[0].recv(2, &mut [0]);
    assert!(matches!(received, Err(Error::Rank { rank: 2, fault: RankFault::Gone })), "{received:?}");
}

/// A sum during which a rank panics, when it meets this number.
#[derive(Clone, Copy)]
struct Fragile;

impl Op<f32> for Fragile {
    type Acc = f32;
    type Out = f32;
    const IDENTITY: f32 = -0.0;
    const COMMUTATIVE: bool = true;
    fn lift(self, x: f32, _: u64) -> f32 {
        assert!(x != 13.0, "the test's own panic");
        x
    }
    fn combine(left: f32, right: f32) -> f32 {
        left + right
    }
    fn finish(acc: f32, _: u64) -> f32 {
        acc
    }
}

#[test]
fn a_rank_that_panics_in_the_middle_is_an_error_on_the_others() {
    let begun = Instant::now();
    let found = errors(4, LONG, |world| {
        let x = vec![if world.rank() == 1 { 13.0 } else { 1.0 }; 10_000];
        let first = world.reduce(Fragile, &x).map(drop);
        // No rank can continue.
        let second = world.reduce(Sum, &x).map(drop);
        assert!(matches!(second, Err(Error::WorldClosed { .. })), "{second:?}");
        first
    });
    assert_eq!(found[1], "a panic");
    for found in [&found[0], &found[2], &found[3]] {
        assert!(found.starts_with("rank 1 is gone"), "{found}");
    }
    assert!(begun.elapsed() < LONG / 2);
}

#[test]
fn a_panic_that_is_caught_closes_the_world() {
    let found = errors(2, LONG, |world| {
        let x = vec![if world.rank() == 0 { 13.0 } else { 1.0 }; 10];
        match catch_unwind(AssertUnwindSafe(|| world.reduce(Fragile, &x))) {
            Ok(result) => result.map(drop),
            Err(_) => world.barrier(),
        }
    });
    assert!(found[0].contains("cannot be used again") && found[0].contains("rank 0 is gone"), "{}", found[0]);
    assert!(found[1].starts_with("rank 0 is gone"), "{}", found[1]);
}

#[test]
fn a_rank_that_ends_is_an_error_on_the_others() {
    let found = errors(3, LONG, |world| if world.rank() == 2 { Ok(()) } else { world.barrier() });
    assert_eq!(found[2], "no error");
    assert!(found[..2].iter().all(|found| found.starts_with("rank 2 is gone")), "{found:?}");
}

#[test]
fn a_rank_that_is_late_is_an_error_on_all() {
    let limit = Duration::from_millis(200);
    let found = errors(3, limit, |world| {
        if world.rank() == 1 {
            thread::sleep(5 * limit);
        }
        let late = world.reduce(Sum, &[1.0f32; 10]).map(drop);
        if world.rank() != 1 {
            let expected = matches!(late, Err(Error::Rank { rank: 1, fault: RankFault::Late { .. } }));
            assert!(expected, "{late:?}");
            let again = world.reduce(Sum, &[1.0f32; 10]);
            assert!(matches!(again, Err(Error::WorldClosed { .. })), "{again:?}");
        }
        late
    });
    for found in found {
        assert!(found.starts_with("rank 1 sent nothing within 200ms"), "{found}");
    }
}
