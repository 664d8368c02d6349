//! Many threads as ranks: they take little memory before they send, and more than there can be are an error at once.
#![allow(missing_docs)]

use std::fs;
use std::time::{Duration, Instant};

use warpfold::{Error, RankFault, Sum, World};

/// The bytes of this process that are in memory.
fn resident() -> usize {
    let pages = fs::read_to_string("/proc/self/statm").unwrap();
    pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// Both in one test: another one's memory would count.
#[test]
fn many_ranks_take_little_memory_and_too_many_are_an_error() {
    let before = resident();
    let ranks = World::threads(3000);
    let bytes = resident() - before;
    assert_eq!((ranks.len(), ranks[2999].size()), (3000, 3000));
    assert!(bytes < 16 << 20, "{bytes} bytes for 3000 ranks");
    drop(ranks);

    let begun = Instant::now();
    for most in [(1 << 15) + 1, usize::MAX] {
        let ranks = World::threads(most);
        assert_eq!((ranks.len(), ranks[0].size()), (1, most));
        let refused = ranks[0].reduce(Sum, &[1.0f32]);
        let Err(Error::Rank { rank: 32_768, fault: RankFault::Failed { why } }) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(*why, *format!("{most} ranks were asked for, and at most 32768 can be threads"));
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
}
