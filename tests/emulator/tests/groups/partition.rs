//! Elements sorted by group: against a stable sort.

use bytemuck::Pod;
use cuda_std::emulator::Order;
use gpu_kernels::arguments::{Gather, Places};
use gpu_kernels::groups::shapes::{GATHER_THREADS, scatter_tile};
use gpu_kernels::word::Sixteen;
use gpu_kernels::word::entry::group_places;
use test_kernels::mix;

use warpfold_tests::poison;

use super::kernels::{Moved, ORDERS, Shape, bytes};

/// The elements by group in their order, the start of each group, and the end of the last.
fn expected<W: Copy>(ids: &[u64], x: &[W], groups: u64) -> (Vec<W>, Vec<u64>) {
    let mut both: Vec<(u64, W)> = ids.iter().copied().zip(x.iter().copied()).collect();
    both.sort_by_key(|&(id, _)| id);
    let offsets = (0..=groups).map(|group| both.partition_point(|&(id, _)| id < group) as u64).collect();
    (both.into_iter().map(|(_, x)| x).collect(), offsets)
}

/// Ids of several kinds: any, ascending, descending, all equal, and in runs.
fn ids(kind: usize, n: usize, groups: u64) -> Vec<u64> {
    let at = |i: usize| i as u64 * groups / n as u64;
    (0..n)
        .map(|i| match kind % 5 {
            0 => mix(i as u64) % groups,
            1 => at(i),
            2 => at(n - 1 - i),
            3 => groups - 1,
            _ => mix(i as u64 / 23) % groups,
        })
        .collect()
}

fn check<W: Moved>(shape: Shape, kind: usize, n: usize, groups: u64, tiles: usize) {
    let ids = ids(kind, n, groups);
    let x: Vec<W> = (0..n as u64).map(|i| W::of(mix(i))).collect();
    let found = match kind % 4 {
        0 => shape.partition(&ids.iter().map(|&id| id as u32).collect::<Vec<_>>(), &x, groups, tiles),
        1 => shape.partition(&ids, &x, groups, tiles),
        2 => shape.partition(&ids.iter().map(|&id| id as i64).collect::<Vec<_>>(), &x, groups, tiles),
        _ => shape.partition(&ids.iter().map(|&id| id as i32).collect::<Vec<_>>(), &x, groups, tiles),
    };
    let (sorted, offsets) = expected(&ids, &x, groups);
    let what =
        format!("{shape:?}, ids of kind {kind}, {n} elements of {} bytes, {groups} groups", size_of::<W>());
    assert!(found.0 == sorted, "{what}");
    assert!(found.1 == offsets, "{what}: {:?} and not {offsets:?}", found.1);
    assert_eq!(found.2, None, "{what}");
}

/// The elements of a whole tile.
fn tile<W>() -> usize {
    scatter_tile(size_of::<W>()) as usize
}

#[test]
fn groups_are_those_of_a_stable_sort() {
    let sizes = [1, 31, 33, 256, 1025, 4095, 4096, 4097, 9001];
    for (i, groups) in [1, 2, 10, 255, 256, 257, 1000, 70_000].into_iter().enumerate() {
        for (j, &n) in sizes.iter().enumerate() {
            let kind = i + 2 * j;
            let portion = if j % 3 == 0 { n } else { tile::<u32>() };
            let scan_portion = if groups > 1000 { 30_000 } else { [1 << 14, 40][j % 2] };
            let shape = Shape { portion, scan_portion, order: ORDERS[(i + j) % 4] };
            check::<u32>(shape, kind, n, groups, 1 << 20);
        }
    }
}

#[test]
fn every_kind_of_ids_in_one_pass_and_several() {
    for kind in 0..20 {
        for groups in [7, 300] {
            let shape = Shape { portion: 4096, scan_portion: 100, order: ORDERS[kind / 5] };
            check::<u32>(shape, kind, 5000, groups, 1 << 20);
        }
    }
}

#[test]
fn words_of_every_size() {
    fn check_word<W: Moved>() {
        for (i, n) in [tile::<W>() - 1, 3 * tile::<W>() + 5].into_iter().enumerate() {
            let shape = Shape { portion: tile::<W>(), scan_portion: 64, order: ORDERS[i] };
            check::<W>(shape, i, n, 200, 1 << 20);
            check::<W>(Shape { portion: 2 * tile::<W>(), ..shape }, i + 4, n, 5000, 1 << 20);
        }
    }
    check_word::<u8>();
    check_word::<u16>();
    check_word::<u64>();
    check_word::<Sixteen>();
}

/// Every tile looks back over the tiles before it, which post their own numbers or their running totals, in any
/// order.
#[test]
fn tiles_wait_for_those_before_them() {
    for seed in 0..4 {
        for (groups, kind) in [(2, 0), (200, 0), (30, 3), (300, 4)] {
            let shape = Shape { portion: 4096, scan_portion: 1 << 14, order: Order::Interleaved(seed) };
            check::<Sixteen>(shape, kind, 14 * tile::<Sixteen>() + 7, groups, 1 << 20);
        }
    }
}

/// More elements than one launch moves: the next launch continues at the end of each digit.
#[test]
fn launches_go_on_where_those_before_ended() {
    for (i, tiles) in [1, 2, 3].into_iter().enumerate() {
        for (j, groups) in [3, 300, 70_000].into_iter().enumerate() {
            let shape = Shape { portion: 5000, scan_portion: 1 << 15, order: ORDERS[(i + j) % 4] };
            check::<u64>(shape, i + j, 6 * tile::<u64>() + [0, 1, 777][j], groups, tiles);
        }
    }
}

/// Elements that are not of a word's size: their places are sorted, and then they are moved.
#[test]
fn elements_of_other_sizes_follow_their_places() {
    fn check<E: Pod + PartialEq, W: Moved, P: Moved>(n: usize, groups: u64, order: Order) {
        let shape = Shape { portion: 4096, scan_portion: 64, order };
        let words = size_of::<E>() / size_of::<W>();
        let mut x = vec![E::zeroed(); n];
        for (i, byte) in bytemuck::cast_slice_mut::<E, u8>(&mut x).iter_mut().enumerate() {
            *byte = mix(i as u64) as u8;
        }
        let ids = ids(0, n, groups);
        let mut places = poison::<P>(n);
        let (out, memory) = (places.as_mut_ptr().cast::<u8>(), [bytes(&places)]);
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        shape.launch(3, GATHER_THREADS, &memory, || unsafe {
            group_places(Places { out, bytes: size_of::<P>() as u32, len: n as u64 });
        });
        let (places, offsets, _) = shape.partition(&ids, &places, groups, 1 << 20);
        let mut found = poison::<E>(n);
        let arguments = Gather {
            input: x.as_ptr().cast::<W>(),
            len: (n * words) as u64,
            places: places.as_ptr().cast(),
            place_bytes: size_of::<P>() as u32,
            count: n as u64,
            words: words as u32,
            out: found.as_mut_ptr().cast(),
        };
        let memory = [bytes(&x), bytes(&places), bytes(&found)];
        // SAFETY: as above.
        shape.launch(2, GATHER_THREADS, &memory, || unsafe { (W::KERNELS.gather)(arguments) });
        let expected = expected(&ids, &x, groups);
        assert!(found == expected.0 && offsets == expected.1, "{n} of {} bytes", size_of::<E>());
    }
    check::<[u32; 3], u32, u32>(4999, 40, Order::Shuffled(5));
    check::<[u8; 3], u8, u64>(513, 40, Order::Interleaved(6));
    check::<[Sixteen; 3], Sixteen, u32>(700, 300, Order::InOrder);
    check::<[u64; 2], u64, u64>(77, 2, Order::Reversed);
}

/// The first id without a group is reported, and nothing else is wrong.
#[test]
fn ids_of_no_group_are_reported() {
    for (groups, order) in [(10u64, Order::InOrder), (1000, Order::Shuffled(8)), (70_000, Order::Reversed)] {
        let n = 9000;
        let x: Vec<u32> = (0..n as u32).collect();
        let shape = Shape { portion: 4096, scan_portion: 1 << 14, order };
        let good = ids(0, n, groups);
        for bad in [vec![0], vec![n - 1], vec![4096, 4095], vec![6000, 300, 8000]] {
            let first = bad.iter().copied().min().map(|at| at as u64);
            let wrong = [groups, u64::MAX, 1 << 40, groups + 1, 1 << 63];
            let mut long = good.clone();
            let mut word: Vec<i32> = good.iter().map(|&id| id as i32).collect();
            for (i, &at) in bad.iter().enumerate() {
                long[at] = wrong[(i + bad.len()) % 5];
                word[at] = [-1, groups as i32, i32::MIN, i32::MAX][(i + bad.len()) % 4];
            }
            assert_eq!(shape.partition(&long, &x, groups, 1 << 20).2, first, "{groups} groups, {bad:?}");
            assert_eq!(shape.partition(&word, &x, groups, 1 << 20).2, first, "{groups} groups, {bad:?}");
        }
    }
}
