//! The look back over the tiles before one (`gpu-kernels/src/groups/look_back.rs`, `compact/look_back.rs` and
//! `scan/look_back.rs` with `cuda_std/src/posts.rs`): every tile finds what stands before it, and every wait ends.
//!
//! Files as they are, over twins of `cuda_std`'s cells: `ld.relaxed.gpu` and `st.relaxed.gpu` are relaxed loads and
//! stores of C11, `nanosleep` yields, and a warp has one lane. What 32 lanes do with each other the emulator shows
//! (`tests/emulator`). Two blocks are resident, and take tile after tile; relaxed accesses of several words may be seen
//! in any order.
#![allow(dead_code, reason = "a model uses part of the library's file")]
#![allow(clippy::unnecessary_min_or_max, reason = "of one lane the last is the first")]

extern crate self as cuda_std;

#[path = "look_back/device.rs"]
mod device;

pub use device::{atomic, imp, thread};
use warpfold_models::{Part, check, fails_without};

#[path = "../../../cuda_std/src/posts.rs"]
pub mod posts;
#[path = "../../../gpu-kernels/src/unroll.rs"]
mod unroll;

mod op {
    pub(crate) use gpu_kernels::{Accumulator, Element, Op};
}

/// A warp of one lane.
pub mod warp {
    use gpu_kernels::{Element, Op};

    /// Lanes.
    pub const WARP_SIZE: u32 = 1;

    /// This one.
    pub fn lane_id() -> u32 {
        0
    }
    pub(crate) fn any(vote: bool) -> bool {
        vote
    }
    pub(crate) fn ballot(vote: bool) -> u32 {
        vote.into()
    }
    pub(crate) fn of_lane<A>(value: A, lane: u32) -> A {
        assert_eq!(lane, 0);
        value
    }
    pub(crate) fn sum_up_to_here(value: u64) -> u64 {
        value
    }
    pub(crate) fn inclusive_by_steps<T: Element, O: Op<T>>(value: O::Acc) -> O::Acc {
        value
    }
    pub(crate) fn exclusive<T: Element, O: Op<T>>(_: O::Acc) -> O::Acc {
        O::IDENTITY
    }
}

/// Counts of a digit.
#[path = "."]
mod groups {
    mod shapes {
        pub(super) const LOOK_BACK: usize = 2;
        pub(super) const MOST_SCATTERED: u64 = (1 << 30) - 1;
    }
    #[path = "../../../gpu-kernels/src/groups/look_back.rs"]
    mod look_back;

    use self::look_back::LookBack;
    use crate::device::{Device, resident};

    pub(super) fn tiles() {
        resident(3, |device: &Device, tile| {
            let look_back = LookBack { cells: device.cells(), digits: 1, digit: 0, tile };
            let own = 1 << tile;
            look_back.post_own(own);
            assert_eq!(look_back.before(own), own - 1);
        });
    }
}

/// Counts of what is selected.
#[path = "."]
mod compact {
    mod shapes {
        pub(super) const STATES_HEAD: u64 = 1;
    }
    #[path = "../../../gpu-kernels/src/compact/look_back.rs"]
    mod look_back;

    use self::look_back::States;
    use crate::device::{Device, resident};

    pub(super) fn tiles() {
        resident(3, |device: &Device, tile| {
            let (states, tile, own) = (States(device.cells()), u64::from(tile), 1 << tile);
            states.publish_own(tile, own);
            let before = states.before(tile);
            assert_eq!(before, own - 1);
            states.publish_all(tile, before + own);
        });
    }
}

/// Totals of a scan, of two words each, in groups of two tiles.
#[path = "."]
mod scan {
    mod tree {
        pub(super) const STRETCH_TILES: usize = 2;
        pub(super) const GROUP_TILES: usize = 2;
    }
    #[path = "../../../gpu-kernels/src/scan/look_back.rs"]
    mod look_back;

    use self::look_back::{Board, OfOneArray};
    use crate::device::{Device, resident};
    use crate::op::Op;

    /// Digits in a row: their number above, the digits below.
    #[derive(Clone, Copy)]
    struct Digits;

    impl Op<u8> for Digits {
        type Acc = u64;
        type Out = u64;
        const IDENTITY: u64 = 0;
        fn lift(self, digit: u8, _: u64) -> u64 {
            1 << 32 | u64::from(digit)
        }
        fn combine(left: u64, right: u64) -> u64 {
            let digits = |acc: u64| acc & u64::from(u32::MAX);
            ((left >> 32) + (right >> 32)) << 32 | digits(left) << (4 * (right >> 32)) | digits(right)
        }
        fn finish(acc: u64, _: u64) -> u64 {
            acc
        }
    }

    pub(super) fn tiles(count: u32) {
        resident(count, move |device: &Device, tile| {
            let board = Board {
                tiles: device.posts(0, 4),
                totals: device.posts(1, 4),
                groups: device.posts(2, 4),
                places: OfOneArray,
            };
            let lift = |tile: u32| Digits.lift(tile as u8 + 1, 0);
            board.post_tile(tile.into(), lift(tile));
            let before = board.before::<u8, Digits>(tile.into(), lift(tile), lift(14), tile + 1 < count);
            let expected = (0..tile).fold(lift(14), |acc, tile| Digits::combine(acc, lift(tile)));
            assert_eq!(before, expected, "tile {tile}");
        });
    }
}

#[test]
fn every_tile_finds_what_stands_before_it() {
    check(groups::tiles);
    check(compact::tiles);
    check(|| scan::tiles(4));
}

#[test]
fn a_word_in_two_stores_is_seen_in_half() {
    fails_without(Part::OneStore, "left == right", groups::tiles);
    fails_without(Part::OneStore, "left == right", compact::tiles);
    fails_without(Part::OneStore, "left == right", || scan::tiles(3));
}

#[test]
fn without_tickets_blocks_wait_for_tiles_that_nobody_begins() {
    let waits_for_ever = "maximum number of branches";
    fails_without(Part::Tickets, waits_for_ever, groups::tiles);
    fails_without(Part::Tickets, waits_for_ever, compact::tiles);
    fails_without(Part::Tickets, waits_for_ever, || scan::tiles(3));
}
