//! The kernels that select, under the emulator: against a sort of the pairs of rank and index.
#![allow(missing_docs)]

use bytemuck::Pod;
use cuda_std::emulator::{Launch, Order};
use gpu_kernels::arguments::{self, Digits, Filter, Pick};
use gpu_kernels::select::shapes::{
    DIGITS, DIGITS_THREADS, FILTER_THREADS, LEAST_SAMPLED, MOST_SORTED, PICK_THREADS, SAMPLE_THREADS, Sample,
};
use gpu_kernels::word::entry;
use gpu_kernels::{NanGreatest, TotalOrder, bf16, f16};
use test_kernels::mix;

const NONE: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// Elements, their ranks, and the kernels for their words.
#[derive(Clone, Copy)]
struct Case<'a, W: Copy> {
    x: &'a [W],
    signed: u64,
    all: u64,
    less: u64,
    rank: fn(W) -> u64,
    filter: unsafe fn(Filter<W>),
    digits: unsafe fn(Digits<W>),
}

/// A range of the order: from a rank to a pair.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    least: u64,
    most: u64,
    limit: u64,
}

impl Stretch {
    fn has(self, (rank, index): (u64, u64)) -> bool {
        rank >= self.least && (rank, index) <= (self.most, self.limit)
    }
}

impl<W: Pod> Case<'_, W> {
    /// All pairs, by index.
    fn pairs(&self) -> Vec<(u64, u64)> {
        (0..).zip(self.x).map(|(index, &word)| ((self.rank)(word), index)).collect()
    }

    /// Returns the candidates of one launch with that much room, as sorted pairs, and their number.
    fn candidates(
        &self,
        order: Order,
        stretch: Stretch,
        by_bounds: bool,
        room: usize,
    ) -> (Vec<(u64, u64)>, u64) {
        let (mut ranks, mut indices, mut count) = (vec![NONE; room], vec![NONE; room], [0_u64]);
        let bounds = [stretch.least, stretch.most, stretch.limit];
        // Values that are passed twice must be read from the bounds.
        let Stretch { least, most, limit } =
            if by_bounds { Stretch { least: 1, most: 1, limit: 0 } } else { stretch };
        let arguments = Filter {
            input: self.x.as_ptr(),
            len: self.x.len() as u64,
            signed: self.signed,
            all: self.all,
            less: self.less,
            least,
            most,
            limit,
            bounds: if by_bounds { bounds.as_ptr() } else { std::ptr::null() },
            ranks: ranks.as_mut_ptr(),
            indices: indices.as_mut_ptr(),
            room: room as u64,
            count: count.as_mut_ptr(),
        };
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        let ran = Launch::new(3, FILTER_THREADS).order(order).run(|| unsafe { (self.filter)(arguments) });
        ran.unwrap_or_else(|misuse| panic!("{stretch:?}: {misuse}"));
        let found = (count[0] as usize).min(room);
        assert!(ranks[found..].iter().chain(&indices[found..]).all(|&word| word == NONE), "{stretch:?}");
        let mut pairs: Vec<(u64, u64)> = ranks.into_iter().zip(indices).take(found).collect();
        pairs.sort_unstable();
        (pairs, count[0])
    }

    /// The number of elements with each digit.
    fn counts(&self, order: Order, (least, most): (u64, u64), shift: u32, by_index: bool) -> Vec<u64> {
        let mut sums = vec![0_u64; DIGITS];
        let arguments = Digits {
            input: self.x.as_ptr(),
            len: self.x.len() as u64,
            signed: self.signed,
            all: self.all,
            less: self.less,
            least,
            most,
            shift,
            by_index: by_index.into(),
            sums: sums.as_mut_ptr(),
        };
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        let ran = Launch::new(2, DIGITS_THREADS).order(order).run(|| unsafe { (self.digits)(arguments) });
        ran.unwrap_or_else(|misuse| panic!("{order:?}: {misuse}"));
        sums
    }
}

/// The pick kernel: its output to the bounds, and to the sorted pairs with their head.
fn pick(pairs: &[(u64, u64)], found: Option<u64>, k: u32, bits: u32) -> ([u64; 4], Vec<u64>) {
    let (ranks, indices): (Vec<u64>, Vec<u64>) = pairs.iter().copied().unzip();
    let (mut bounds, mut sorted) = ([NONE; 4], vec![NONE; 2 + 2 * k as usize]);
    let room = pairs.len() as u64;
    let arguments = Pick {
        ranks: ranks.as_ptr(),
        indices: indices.as_ptr(),
        found: found.as_ref().map_or(std::ptr::null(), std::ptr::from_ref),
        room,
        k,
        bits,
        index_bits: 40,
        bounds: bounds.as_mut_ptr(),
        sorted: sorted.as_mut_ptr(),
    };
    // SAFETY: all arrays live as long as the launch and have the lengths given.
    let ran = Launch::new(1, PICK_THREADS).order(Order::Shuffled(k.into())).run(|| unsafe {
        entry::select_pick(arguments);
    });
    ran.unwrap_or_else(|misuse| panic!("the first {k} of {room}: {misuse}"));
    (bounds, sorted)
}

fn words<W: Pod>(n: usize, few: u64) -> Vec<W> {
    let mut words = vec![W::zeroed(); n];
    for (word, i) in words.iter_mut().zip(0..) {
        let bits = if few > 0 { mix(mix(i) % few) } else { mix(i) };
        *word = bytemuck::pod_read_unaligned(&bits.to_le_bytes()[..size_of::<W>()]);
    }
    words
}

/// Elements at any address, in ranges whose last rank occurs often or rarely, with limits before, within and
/// after tiles.
fn filters<W: Pod + Ord>(case: Case<'_, W>, orders: &[Order]) {
    let all = case.x;
    for (skip, &order) in [0, 1, 3].into_iter().zip(orders.iter().cycle()) {
        let case = Case { x: &all[skip..], ..case };
        let pairs = case.pairs();
        let mut by_rank = pairs.clone();
        by_rank.sort_unstable();
        let (n, at) = (pairs.len(), |share: usize| by_rank[share * (by_rank.len() - 1) / 8]);
        let last = pairs.last().unwrap().1;
        for stretch in [
            Stretch { least: 0, most: at(0).0, limit: last },
            Stretch { least: 0, most: at(1).0, limit: at(1).1 },
            Stretch { least: at(2).0, most: at(5).0, limit: 100 },
            Stretch { least: at(4).0, most: at(4).0, limit: at(4).1 },
            Stretch { least: 0, most: at(8).0, limit: u64::MAX },
        ] {
            let mut expected = by_rank.clone();
            expected.retain(|&pair| stretch.has(pair));
            let what = format!("{n} of {} bytes, {stretch:?}, {order:?}", size_of::<W>());
            let found = case.candidates(order, stretch, skip == 1, n);
            assert!(found == (expected.clone(), expected.len() as u64), "{what}");
            let room = expected.len() / 2;
            let (found, count) = case.candidates(order, stretch, skip == 0, room);
            assert_eq!((found.len(), count), (room, expected.len() as u64), "{what}");
            assert!(found.iter().all(|pair| expected.binary_search(pair).is_ok()), "{what}");
        }
    }
}

/// Digits of ranks and of indices, for elements within a range.
fn counts<W: Pod + Ord>(case: Case<'_, W>, order: Order) {
    let pairs = case.pairs();
    let mut by_rank = pairs.clone();
    by_rank.sort_unstable();
    let bits = 8 * size_of::<W>() as u32;
    let quarter = by_rank[by_rank.len() / 4].0;
    let ranges = [(0, u64::MAX >> (64 - bits), bits.saturating_sub(11)), (quarter, quarter, 0)];
    for ((least, most, shift), by_index) in ranges.into_iter().zip([false, true]) {
        let shift = if by_index { 4 } else { shift };
        let mut expected = vec![0_u64; DIGITS];
        for &(rank, index) in pairs.iter().filter(|pair| (least..=most).contains(&pair.0)) {
            expected[if by_index { index >> shift } else { (rank - least) >> shift } as usize] += 1;
        }
        assert!(case.counts(order, (least, most), shift, by_index) == expected, "{bits} bits by {by_index}");
    }
}

#[test]
fn floats_descending() {
    for few in [0, 5] {
        let mut x = words::<u32>(12_345, few);
        for (at, special) in [(77, f32::NAN), (9_000, -f32::NAN), (3, -0.0), (12_300, 0.0)] {
            x[at] = special.to_bits();
        }
        let sign = 1_u64 << 31;
        let rank = |word| u64::from(!f32::from_bits(word).rank());
        let (filter, digits) = (entry::select_4::filter, entry::select_4::digits);
        let case = Case { x: &x, signed: sign - 1, all: sign ^ 0xffff_ffff, less: 0, rank, filter, digits };
        filters(case, &[Order::InOrder, Order::Interleaved(4), Order::Shuffled(7)]);
        counts(case, Order::Reversed);
    }
}

#[test]
fn short_floats_ascending() {
    let x = words::<u16>(9_001, 0);
    let rank = |word| u64::from(f16::from_bits(word).rank());
    let (filter, digits) = (entry::select_2::filter, entry::select_2::digits);
    let case = Case { x: &x, signed: 0x7fff, all: 0x8000, less: 0, rank, filter, digits };
    filters(case, &[Order::Reversed, Order::Interleaved(5)]);
    counts(case, Order::Interleaved(5));
}

/// Half of all values of 16 bits, both ways; and floats of 4 bytes.
#[test]
fn floats_whose_nans_are_greatest() {
    let x: Vec<u16> = (0..32_000_u16).map(|i| i.wrapping_mul(40_503)).collect();
    let (filter, digits) = (entry::select_2::filter, entry::select_2::digits);
    let ascending = |word: u16| u64::from(NanGreatest(bf16::from_bits(word)).rank());
    let up = Case { x: &x, signed: 0x7fff, all: 0x8000, less: 0x7f, rank: ascending, filter, digits };
    let descending = |word: u16| u64::from(!NanGreatest(bf16::from_bits(word)).rank());
    let down = Case { all: 0x7fff, less: 0x1_0000 - 0x7f, rank: descending, ..up };
    for case in [up, down] {
        filters(case, &[Order::InOrder, Order::Interleaved(3)]);
        counts(case, Order::Reversed);
    }
    let mut x = words::<u32>(12_345, 0);
    for (at, special) in [(77, f32::NAN), (9_000, -f32::NAN), (3, f32::INFINITY), (12_300, f32::NEG_INFINITY)]
    {
        x[at] = special.to_bits();
    }
    let rank = |word| u64::from(!NanGreatest(f32::from_bits(word)).rank());
    let (filter, digits) = (entry::select_4::filter, entry::select_4::digits);
    let less = (1 << 32) - ((1 << 23) - 1);
    let case = Case { x: &x, signed: 0x7fff_ffff, all: 0x7fff_ffff, less, rank, filter, digits };
    filters(case, &[Order::Shuffled(5)]);
    counts(case, Order::InOrder);
}

#[test]
fn signed_bytes_and_long_integers() {
    let x = words::<u8>(17_003, 0);
    let rank = |word: u8| u64::from((word as i8).rank());
    let (filter, digits) = (entry::select_1::filter, entry::select_1::digits);
    let case = Case { x: &x, signed: 0, all: 0x80, less: 0, rank, filter, digits };
    filters(case, &[Order::Shuffled(3), Order::InOrder]);
    counts(case, Order::Shuffled(3));

    let x = words::<u64>(5_001, 0);
    let (filter, digits) = (entry::select_8::filter, entry::select_8::digits);
    let case = Case { x: &x, signed: 0, all: u64::MAX, less: 0, rank: |word| !word, filter, digits };
    filters(case, &[Order::Interleaved(2)]);
    counts(case, Order::InOrder);
}

/// Few and many pairs, all different or with equal ranks, in any order.
#[test]
fn the_first_of_pairs_are_sorted() {
    for (n, few, k) in
        [(1, 0, 1), (33, 0, 32), (5_000, 0, 100), (9_001, 3, MOST_SORTED), (20_000, 1, 1), (4_000, 900, 999)]
    {
        let pairs: Vec<(u64, u64)> = (0..n as u64)
            .map(|i| (if few > 0 { mix(i) % few } else { mix(i) }, ((mix(i ^ 5) % (1 << 20)) << 20) | i))
            .collect();
        let mut expected = pairs.clone();
        expected.sort_unstable();
        let last = expected[k - 1];
        // All pairs of its rank, unless it is found as the first.
        let is_last = k > 1 && expected.get(k).is_none_or(|next| next.0 != last.0);
        let (bounds, sorted) = pick(&pairs, Some(n as u64), k as u32, 64);
        assert_eq!(bounds, [0, last.0, if is_last { u64::MAX } else { last.1 }, 0], "the first {k} of {n}");
        let expected: Vec<u64> = [n as u64, 0]
            .into_iter()
            .chain(expected[..k].iter().flat_map(|&(rank, index)| [rank, index]))
            .collect();
        assert_eq!(sorted, expected, "the first {k} of {n}");
    }
    // Too many for the room, and too few.
    for found in [11, 2] {
        let (bounds, sorted) = pick(&[(3, 1), (2, 5), (9, 4), (1, 1), (3, 0)], Some(found), 3, 8);
        assert_eq!((bounds, &sorted[..2]), ([NONE; 4], &[found, 0][..]));
        assert!(sorted[2..].iter().all(|&word| word == NONE));
    }
}

/// The first of each group is as defined, and their `k`-th bounds the first `k` for all kinds of input.
#[test]
fn samples_bound_the_first() {
    let (n, k) = (LEAST_SAMPLED + 12_345, 10);
    let of = Sample::new(n, 2, k);
    type Ranking = ([u64; 3], fn(u16) -> u64);
    let descending: Ranking = ([0, 0xffff, 0], |word: u16| u64::from(!word));
    let nan_greatest: Ranking =
        ([0x7fff, 0x8000, 0x7f], |word: u16| u64::from(NanGreatest(bf16::from_bits(word)).rank()));
    let inputs: [(fn(u64) -> u16, Ranking); 5] = [
        (|i| mix(i) as u16, descending),
        (|i| (i >> 2) as u16, descending),
        (|_| 7, descending),
        (|i| (mix(i) % 3) as u16, descending),
        // Nearly all are NaN, with and without a sign.
        (|i| mix(i) as u16 | if i % 5000 > 0 { 0x7f80 } else { 0 }, nan_greatest),
    ];
    for (at, ([signed, all, less], rank)) in inputs {
        let x: Vec<u16> = (0..n).map(at).collect();
        let mut expected = vec![(u64::MAX, u64::MAX); of.groups as usize];
        for piece in 0..of.pieces {
            let first = &mut expected[(piece % of.groups) as usize];
            for index in piece * of.distance..piece * of.distance + 16 {
                *first = (*first).min((rank(x[index as usize]), index));
            }
        }
        let (mut ranks, mut indices) = (vec![NONE; of.groups as usize], vec![NONE; of.groups as usize]);
        let arguments = arguments::Sample {
            input: x.as_ptr().cast(),
            bytes: 2,
            len: n,
            signed,
            all,
            less,
            pieces: of.pieces,
            distance: of.distance,
            groups: of.groups,
            ranks: ranks.as_mut_ptr(),
            indices: indices.as_mut_ptr(),
        };
        let blocks = (of.groups / u64::from(SAMPLE_THREADS / 32)) as u32;
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        let ran = Launch::new(blocks, SAMPLE_THREADS).run(|| unsafe { entry::select_sample(arguments) });
        ran.unwrap_or_else(|misuse| panic!("{misuse}"));
        let found: Vec<(u64, u64)> = ranks.into_iter().zip(indices).collect();
        assert!(found == expected);
        let ([_, most, limit, _], _) = pick(&found, None, k as u32, 16);
        let bounded = (0..n).filter(|&i| (rank(x[i as usize]), i) <= (most, limit)).count() as u64;
        assert!((k as u64..=of.room).contains(&bounded), "{bounded} of {n}, room for {}", of.room);
    }
}
