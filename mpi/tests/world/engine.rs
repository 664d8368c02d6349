//! Messages between processes, without a `World`.

use warpfold::{Communicator, Error, RankFault, Sum, World};
use warpfold_mpi::Mpi;
use warpfold_mpi::mpi::topology::SimpleCommunicator;

use super::ranks::{LIMIT, MOST};

cases!(
    worlds_come_and_go,
    what_nobody_received_is_met_by_nobody,
    long_messages,
    messages_of_another_length_are_errors,
    ranks_that_are_not_there,
);

fn all() -> Mpi {
    Mpi::new(&SimpleCommunicator::world()).unwrap().with_time_limit(LIMIT)
}

/// Bytes that depend on the rank and the index.
fn bytes(rank: usize, len: usize) -> Vec<u8> {
    (0..len).map(|at| (test_kernels::mix((rank * 1_000_003 + at) as u64) >> 17) as u8).collect()
}

fn worlds_come_and_go() {
    for round in 0..200 {
        let world = World::new(all());
        assert_eq!(world.reduce(Sum, &[round]).unwrap(), MOST as i64 * i64::from(round));
    }
}

/// A later communicator may have the number of an earlier one.
fn what_nobody_received_is_met_by_nobody() {
    for round in 0..20 {
        let first = all();
        let next = (first.rank() + 1) % MOST;
        first.send(next, &bytes(round, 100 + round)).unwrap();
        drop(first);
        let second = all();
        let own = bytes(second.rank(), 5);
        let expected: Vec<_> = (0..MOST).map(|rank| bytes(rank, 5)).collect();
        assert_eq!(second.all_gather(&own).unwrap(), expected);
    }
}

/// Lengths around a piece's, and of many pieces.
fn long_messages() {
    let ranks = all();
    let (rank, piece) = (ranks.rank(), 1 << 18);
    for len in [1, piece - 1, piece, piece + 1, 9 * piece + 7] {
        // Around a ring; the first rank sends first.
        let (next, before) = ((rank + 1) % MOST, (rank + MOST - 1) % MOST);
        let mut found = vec![0; len];
        if rank > 0 {
            ranks.recv(before, &mut found).unwrap();
        }
        ranks.send(next, &bytes(rank, len)).unwrap();
        if rank == 0 {
            ranks.recv(before, &mut found).unwrap();
        }
        assert_eq!(found, bytes(before, len), "{len} bytes");
        // A different length on each rank, and no bytes on the first.
        let expected: Vec<_> = (0..MOST).map(|rank| bytes(rank, rank * len)).collect();
        assert_eq!(ranks.all_gather(&expected[rank]).unwrap(), expected);
    }
}

fn messages_of_another_length_are_errors() {
    let ranks = all();
    match ranks.rank() {
        0 => ranks.send(1, &[1, 2, 3]).unwrap(),
        1 => {
            let longer = ranks.recv(0, &mut [0; 4]);
            let garbled = |result: &Result<(), Error>| {
                matches!(result, Err(Error::Rank { rank: 0, fault: RankFault::Garbled }))
            };
            assert!(garbled(&longer), "{longer:?}");
            // Each further call returns the error.
            let again = ranks.send(0, &[1]);
            assert!(garbled(&again), "{again:?}");
        }
        // Others are notified.
        2 => {
            let told = ranks.recv(1, &mut [0]);
            assert!(matches!(told, Err(Error::Rank { rank: 0, fault: RankFault::Garbled })), "{told:?}");
        }
        _ => {}
    }
}

fn ranks_that_are_not_there() {
    let ranks = all();
    for result in [ranks.send(MOST, &[1]), ranks.recv(MOST, &mut [0]), ranks.send(ranks.rank(), &[1])] {
        assert!(
            matches!(result, Err(Error::Rank { fault: RankFault::Unreachable { .. }, .. })),
            "{result:?}"
        );
    }
    ranks.barrier().unwrap();
}
