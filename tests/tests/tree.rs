//! The canonical tree's numbers, by their definitions: elements per tile, tiles, and the depth.
#![allow(missing_docs)]

use warpfold::{Complex, Element, Op, reference, tree};
use warpfold_tests::sizes;

/// The shortest tile that the rule allows, by trial: a power of two of rows, at least 4; fewer than 128 rows make at most
/// 2048 tiles, more at most 4096.
fn shortest(lanes: u64, n: u64) -> u64 {
    let mut rows = 4;
    loop {
        let most_tiles = if rows < 128 { 2048 } else { 4096 };
        if u128::from(n) <= u128::from(rows * lanes) * most_tiles {
            return rows * lanes;
        }
        rows *= 2;
    }
}

fn tiles_are_the_shortest<T>(lanes: usize) {
    assert_eq!(tree::lanes::<T>(), lanes);
    for shift in 0..=62 {
        for n in (1_u64 << shift).saturating_sub(3)..(1 << shift) + 3 {
            let expected = shortest(lanes as u64, n);
            assert_eq!(tree::tile_len::<T>(n), expected, "{n} elements in rows of {lanes}");
            assert_eq!(tree::tiles::<T>(n), n.div_ceil(expected), "{n} elements in rows of {lanes}");
        }
    }
}

#[test]
fn tiles_are_the_shortest_that_the_rule_allows() {
    tiles_are_the_shortest::<u8>(4096);
    tiles_are_the_shortest::<[u8; 3]>(1024);
    tiles_are_the_shortest::<u16>(2048);
    tiles_are_the_shortest::<f32>(1024);
    tiles_are_the_shortest::<f64>(512);
    tiles_are_the_shortest::<Complex<f64>>(256);
    tiles_are_the_shortest::<[u64; 5]>(256);
}

/// The most `combine`s on the way of an element, plus one; 0 for none.
#[derive(Clone, Copy, Default)]
struct Deepest<const COMMUTATIVE: bool>;

impl<T: Element, const COMMUTATIVE: bool> Op<T> for Deepest<COMMUTATIVE> {
    type Acc = u32;
    type Out = u32;
    const COMMUTATIVE: bool = COMMUTATIVE;
    const IDENTITY: u32 = 0;
    fn lift(self, _: T, _: u64) -> u32 {
        1
    }
    fn combine(left: u32, right: u32) -> u32 {
        match (left, right) {
            (0, other) | (other, 0) => other,
            _ => left.max(right) + 1,
        }
    }
    fn finish(acc: u32, _: u64) -> u32 {
        acc.saturating_sub(1)
    }
}

fn depths<T: Element + bytemuck::Zeroable>() {
    let lanes = tree::lanes::<T>() as u64;
    let x: Vec<T> = std::iter::repeat_n(T::zeroed(), 200_000).collect();
    for n in sizes::up_to::<T>(x.len() as u64).into_iter().chain([3 * lanes, 3 * lanes + 1]) {
        let (x, depth) = (&x[..n as usize], tree::depth::<T>(n));
        let deepest = u64::from(reference::reduce::<T, Deepest<true>>(x));
        assert!(deepest <= depth, "{n}: {deepest} and not at most {depth}");
        // With an element in each lane the bound is met. Lanes without any are counted and not combined with.
        assert!(n < lanes || deepest == depth, "{n}: {deepest} and not {depth}");
        assert!(n == 0 || depth <= deepest + u64::from(lanes.ilog2()), "{n}: {deepest} and {depth}");
        // In order, a lane folds a whole run before the next lane has an element.
        let in_order = u64::from(reference::reduce::<T, Deepest<false>>(x));
        let one_run = tree::RUN as u64 - 1 + u64::from(lanes.ilog2());
        let most = if n > 3 * lanes { depth } else { one_run };
        assert!(in_order <= most, "{n}, in order: {in_order} and not at most {most}");
        assert!(n != 3 * lanes || (in_order == one_run && in_order > depth), "{n}, in order: {in_order}");
    }
}

#[test]
fn the_depth_is_that_of_the_deepest_element() {
    depths::<u8>();
    depths::<f32>();
    depths::<f64>();
}
