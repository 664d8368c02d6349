//! The look back over the tiles before one (`gpu-kernels/src/hand_over` with `cuda_std/src/posts.rs`): every tile finds what stands
//! before it, and every wait ends.
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

pub use device::{atomic, imp, shared, thread};
use warpfold_models::{Part, check, fails_without};

#[path = "../../../cuda_std/src/posts.rs"]
pub mod posts;

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

/// The kernels' files.
#[path = "."]
mod hand_over {
    #[path = "../../../gpu-kernels/src/hand_over/in_order.rs"]
    pub(crate) mod in_order;
    #[path = "../../../gpu-kernels/src/hand_over/look_back.rs"]
    mod look_back;
    #[path = "../../../gpu-kernels/src/hand_over/post.rs"]
    pub(crate) mod post;
    #[path = "../../../gpu-kernels/src/hand_over/ticket.rs"]
    pub(crate) mod ticket;
}

/// Counts of a digit, with two tiles under way at a time.
mod groups {
    use crate::device::{Device, resident};
    use crate::hand_over::post::States;

    pub(super) fn tiles() {
        resident(3, |device: &Device, tile| {
            let states = States::<u32> { cells: device.cells(), first: 0, step: 1 };
            let own = 1 << tile;
            states.post_own(tile.into(), own);
            let before = states.before_by_thread::<2>(tile);
            assert_eq!(before, own - 1);
            states.post_up_to_here(tile.into(), before + own);
        });
    }
}

/// Counts of what is selected.
mod compact {
    use crate::device::{Device, resident};
    use crate::hand_over::post::States;

    pub(super) fn tiles() {
        resident(3, |device: &Device, tile| {
            let states = States::<u64> { cells: device.cells(), first: 1, step: 1 };
            let (tile, own) = (u64::from(tile), 1 << tile);
            states.post_own(tile, own);
            let before = states.before_by_warp(tile);
            assert_eq!(before, own - 1);
            states.post_up_to_here(tile, before + own);
        });
    }
}

/// Totals of a scan, of two words each, in groups of two tiles.
mod scan {
    pub(crate) mod tree {
        pub(crate) const STRETCH_TILES: usize = 2;
        pub(crate) const GROUP_TILES: usize = 2;
    }

    use crate::device::{Device, resident};
    use crate::hand_over::in_order::{Board, OfOneArray};
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
