//! The kernels that sort by group and find runs, under the emulator: against a stable sort, and the obvious loop.
#![allow(missing_docs)]

use bytemuck::Pod;
use cuda_std::emulator::{Launch, Order};
use gpu_kernels::moves::Sixteen;
use gpu_kernels::moves::groups::entry::{self, group_histogram, group_places};
use gpu_kernels::moves::groups::shape::{
    GATHER_THREADS, SCAN_THREADS, SCATTER_THREADS, histogram_threads, passes, run_items, scatter_items,
};
use test_kernels::mix;

const ORDERS: [Order; 4] = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)];

/// The entry points for words of one size, as the emulator calls them.
#[allow(clippy::type_complexity, reason = "they are the kernels' parameters")]
struct Kernels<W> {
    scatter: unsafe fn(
        *const u8,
        u32,
        *const W,
        u64,
        u64,
        u32,
        u32,
        *const u64,
        *mut u8,
        u32,
        *mut W,
        *mut u64,
        u64,
        u32,
    ),
    gather: unsafe fn(*const W, u64, *const u8, u32, u64, u32, *mut W),
    count_runs: unsafe fn(*const W, u64, u64, *mut u64),
    write_runs: unsafe fn(*const W, u64, u64, *const u64, *mut u64, *mut W, u64),
}

trait Moved: Pod + PartialEq + std::fmt::Debug {
    const KERNELS: Kernels<Self>;
    fn of(random: u64) -> Self {
        let mut word = Self::zeroed();
        let bytes: Vec<u8> = random.to_le_bytes().repeat(2);
        bytemuck::bytes_of_mut(&mut word).copy_from_slice(&bytes[..size_of::<Self>()]);
        word
    }
}

macro_rules! moved {
    ($($row:ident: $word:ty;)*) => { $(
        impl Moved for $word {
            const KERNELS: Kernels<Self> = Kernels {
                scatter: entry::$row::scatter,
                gather: entry::$row::gather,
                count_runs: entry::$row::count_runs,
                write_runs: entry::$row::write_runs,
            };
        }
    )* };
}
gpu_kernels::for_each_move_kernel!(moved);

/// How a test launches.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Elements of a block.
    portion: usize,
    /// Integers of a block that scans; one block has them all if there are fewer.
    scan_portion: usize,
    order: Order,
}

impl Shape {
    fn launch(self, blocks: usize, threads: u32, memory: &[*const [u8]], kernel: impl Fn()) {
        let mut launch = Launch::new(blocks as u32, threads).order(self.order);
        for &memory in memory {
            launch = launch.register(memory);
        }
        launch.run(kernel).unwrap_or_else(|misuse| panic!("{self:?}, {blocks} blocks: {misuse}"));
    }

    /// Replaces `cells` but the last by the sum of those before each, and the last by the sum of all.
    fn scan(self, cells: &mut [u64]) {
        let (len, to, memory) = ((cells.len() - 1) as u64, cells.as_mut_ptr(), bytes(cells));
        let blocks = (cells.len() - 1).div_ceil(self.scan_portion);
        if blocks == 1 {
            // SAFETY: there are as many cells and one, and they live as long as the launch.
            return self.launch(1, SCAN_THREADS, &[memory], || unsafe {
                entry::scan(to, len, len, std::ptr::null())
            });
        }
        let of_block = self.scan_portion as u64;
        let mut totals = poison::<u64>(blocks + 1);
        let (sums, of_totals) = (totals.as_mut_ptr(), bytes(&totals));
        // SAFETY: there is a total for each block; all live as long as the launches, and the lengths are theirs.
        self.launch(blocks, SCAN_THREADS, &[memory, of_totals], || unsafe {
            entry::scan_totals(to, len, of_block, sums);
        });
        // SAFETY: as above.
        self.launch(1, SCAN_THREADS, &[of_totals], || unsafe {
            entry::scan(sums, blocks as u64, blocks as u64, std::ptr::null());
        });
        // SAFETY: as above.
        self.launch(blocks, SCAN_THREADS, &[memory, of_totals], || unsafe {
            entry::scan(to, len, of_block, sums);
        });
    }

    /// The elements in the order of their groups, the groups' offsets, and the first id that is not of a group.
    fn partition<I: Pod, W: Moved>(self, ids: &[I], x: &[W], groups: u64) -> (Vec<W>, Vec<u64>, Option<u64>) {
        let (len, blocks) = (x.len() as u64, x.len().div_ceil(self.portion));
        let portion = self.portion as u64;
        let (passes, bits) = passes(groups);
        let id_out_bytes = if groups <= 1 << 16 { 2 } else { 4 };
        let (mut sizes, mut first_bad) = (vec![0u64; groups as usize + 1], u64::MAX);
        let (mut ids, mut id_bytes): (Vec<u8>, _) =
            (bytemuck::cast_slice(ids).to_vec(), size_of::<I>() as u32);
        let mut x = x.to_vec();
        for pass in 0..passes {
            let (is_first, is_last, shift) = (pass == 0, pass + 1 == passes, pass * bits);
            let mut counts = poison::<u64>((blocks << bits) + 1);
            let given = aligned(&ids);
            // Ids of 8 bytes are too long for the pass.
            let copy_bytes = if id_bytes == 8 { id_out_bytes } else { 0 };
            let mut copied = poison::<u64>((x.len() * copy_bytes as usize).div_ceil(8));
            let (from, to) = (given.as_ptr().cast::<u8>(), counts.as_mut_ptr());
            let (copy, bad) = (copied.as_mut_ptr().cast::<u8>(), &raw mut first_bad);
            let bad = if is_first { bad } else { std::ptr::null_mut() };
            let memory =
                [bytes(&given), bytes(&counts), bytes(std::slice::from_ref(&first_bad)), bytes(&copied)];
            // SAFETY: all live as long as the launch, and the lengths are theirs.
            self.launch(blocks, histogram_threads(bits), &memory, || unsafe {
                group_histogram(from, id_bytes, len, portion, shift, bits, groups, bad, copy, copy_bytes, to);
            });
            let given = if copy_bytes == 0 { given } else { copied };
            id_bytes = if copy_bytes == 0 { id_bytes } else { copy_bytes };
            let from = given.as_ptr().cast::<u8>();
            self.scan(&mut counts);
            assert_eq!(counts.last(), Some(&len));

            let mut sorted = poison::<W>(x.len());
            let mut ids_out = poison::<u64>((x.len() * id_out_bytes as usize).div_ceil(8));
            let (starts, elements, out) = (counts.as_ptr(), x.as_ptr(), sorted.as_mut_ptr());
            let (to, out_bytes) = (ids_out.as_mut_ptr().cast::<u8>(), if is_last { 0 } else { id_out_bytes });
            let of_groups = if is_last { sizes.as_mut_ptr() } else { std::ptr::null_mut() };
            let is_only_pass = u32::from(passes == 1);
            let memory =
                [bytes(&given), bytes(&counts), bytes(&x), bytes(&sorted), bytes(&ids_out), bytes(&sizes)];
            // SAFETY: as above.
            self.launch(blocks, SCATTER_THREADS, &memory, || unsafe {
                (W::KERNELS.scatter)(
                    from,
                    id_bytes,
                    elements,
                    len,
                    portion,
                    shift,
                    bits,
                    starts,
                    to,
                    out_bytes,
                    out,
                    of_groups,
                    groups,
                    is_only_pass,
                );
            });
            x = sorted;
            (ids, id_bytes) = (bytemuck::cast_slice(&ids_out).to_vec(), id_out_bytes);
        }
        if passes > 1 {
            self.scan(&mut sizes);
        }
        (x, sizes, (first_bad != u64::MAX).then_some(first_bad))
    }

    /// Where runs of equal keys begin and the last one ends, and the key of each.
    fn runs<W: Moved>(self, keys: &[W]) -> (Vec<u64>, Vec<W>) {
        let (len, blocks) = (keys.len() as u64, keys.len().div_ceil(self.portion));
        let portion = self.portion as u64;
        let mut counts = poison::<u64>(blocks + 1);
        let (from, to) = (keys.as_ptr(), counts.as_mut_ptr());
        // SAFETY: all live as long as the launch, and the lengths are theirs.
        self.launch(blocks, SCAN_THREADS, &[bytes(keys), bytes(&counts)], || unsafe {
            (W::KERNELS.count_runs)(from, len, portion, to);
        });
        self.scan(&mut counts);
        let count = counts[blocks];
        let (mut offsets, mut of_runs) = (poison::<u64>(count as usize + 1), poison::<W>(count as usize));
        let (before, to, key_to) = (counts.as_ptr(), offsets.as_mut_ptr(), of_runs.as_mut_ptr());
        let memory = [bytes(keys), bytes(&counts), bytes(&offsets), bytes(&of_runs)];
        // SAFETY: as above.
        self.launch(blocks, SCAN_THREADS, &memory, || unsafe {
            (W::KERNELS.write_runs)(from, len, portion, before, to, key_to, count);
        });
        (offsets, of_runs)
    }
}

/// What stands in memory that a kernel has yet to write.
fn poison<A: Pod>(len: usize) -> Vec<A> {
    let mut cells = vec![A::zeroed(); len];
    bytemuck::cast_slice_mut::<A, u8>(&mut cells).fill(0xa5);
    cells
}

fn bytes<A>(memory: &[A]) -> *const [u8] {
    std::ptr::slice_from_raw_parts(memory.as_ptr().cast(), size_of_val(memory))
}

/// The same bytes at a multiple of 8.
fn aligned(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0u64; bytes.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
    words
}

/// The elements by group, as they stood, and where each group begins and the last one ends.
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

fn check<W: Moved>(shape: Shape, kind: usize, n: usize, groups: u64) {
    let ids = ids(kind, n, groups);
    let x: Vec<W> = (0..n as u64).map(|i| W::of(mix(i))).collect();
    let found = match kind % 4 {
        0 => shape.partition(&ids.iter().map(|&id| id as u32).collect::<Vec<_>>(), &x, groups),
        1 => shape.partition(&ids, &x, groups),
        2 => shape.partition(&ids.iter().map(|&id| id as i64).collect::<Vec<_>>(), &x, groups),
        _ => shape.partition(&ids.iter().map(|&id| id as i32).collect::<Vec<_>>(), &x, groups),
    };
    let (sorted, offsets) = expected(&ids, &x, groups);
    let what =
        format!("{shape:?}, ids of kind {kind}, {n} elements of {} bytes, {groups} groups", size_of::<W>());
    assert!(found.0 == sorted, "{what}");
    assert!(found.1 == offsets, "{what}: {:?} and not {offsets:?}", found.1);
    assert_eq!(found.2, None, "{what}");
}

/// Elements of a whole tile.
fn tile<W>() -> usize {
    scatter_items(size_of::<W>()) * SCATTER_THREADS as usize
}

#[test]
fn groups_are_those_of_a_stable_sort() {
    let sizes = [1, 31, 33, 256, 1025, 4095, 4096, 4097, 9001];
    for (i, groups) in [1, 2, 10, 255, 256, 257, 1000, 70_000].into_iter().enumerate() {
        for (j, &n) in sizes.iter().enumerate() {
            let kind = i + 2 * j;
            let portion = if j % 3 == 0 { n } else { tile::<u32>() };
            let scan_portion = if groups > 1000 { 30_000 } else { [1 << 14, 40][j % 2] };
            check::<u32>(Shape { portion, scan_portion, order: ORDERS[(i + j) % 4] }, kind, n, groups);
        }
    }
}

#[test]
fn every_kind_of_ids_in_one_pass_and_several() {
    for kind in 0..20 {
        for groups in [7, 300] {
            let shape = Shape { portion: 4096, scan_portion: 100, order: ORDERS[kind / 5] };
            check::<u32>(shape, kind, 5000, groups);
        }
    }
}

#[test]
fn words_of_every_size() {
    fn check_word<W: Moved>() {
        for (i, n) in [tile::<W>() - 1, 3 * tile::<W>() + 5].into_iter().enumerate() {
            let shape = Shape { portion: tile::<W>(), scan_portion: 64, order: ORDERS[i] };
            check::<W>(shape, i, n, 200);
            check::<W>(Shape { portion: 2 * tile::<W>(), ..shape }, i + 4, n, 5000);
        }
    }
    check_word::<u8>();
    check_word::<u16>();
    check_word::<u64>();
    check_word::<Sixteen>();
}

/// A block counts more elements of one digit than a byte holds, thread by thread, and starts again.
#[test]
fn counters_do_not_overflow() {
    for (groups, kind) in [(3, 3), (200, 3), (3, 0)] {
        let shape = Shape { portion: 1 << 20, scan_portion: 1 << 14, order: Order::InOrder };
        check::<u8>(shape, kind, 70_000, groups);
    }
}

/// Elements of no word's size: their places are sorted, and they are brought there.
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
        let (to, memory) = (places.as_mut_ptr().cast::<u8>(), [bytes(&places)]);
        // SAFETY: all live as long as the launch, and the lengths are theirs.
        shape.launch(3, GATHER_THREADS, &memory, || unsafe {
            group_places(to, size_of::<P>() as u32, n as u64);
        });
        let (places, offsets, _) = shape.partition(&ids, &places, groups);
        let mut found = poison::<E>(n);
        let (from, at, to) =
            (x.as_ptr().cast::<W>(), places.as_ptr().cast::<u8>(), found.as_mut_ptr().cast::<W>());
        let memory = [bytes(&x), bytes(&places), bytes(&found)];
        // SAFETY: as above.
        shape.launch(2, GATHER_THREADS, &memory, || unsafe {
            let (len, count) = ((n * words) as u64, n as u64);
            (W::KERNELS.gather)(from, len, at, size_of::<P>() as u32, count, words as u32, to);
        });
        let expected = expected(&ids, &x, groups);
        assert!(found == expected.0 && offsets == expected.1, "{n} of {} bytes", size_of::<E>());
    }
    check::<[u32; 3], u32, u32>(4999, 40, Order::Shuffled(5));
    check::<[u8; 3], u8, u64>(513, 40, Order::Interleaved(6));
    check::<[Sixteen; 3], Sixteen, u32>(700, 300, Order::InOrder);
    check::<[u64; 2], u64, u64>(77, 2, Order::Reversed);
}

/// The first id that is not of a group is found, and no other harm is done.
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
            assert_eq!(shape.partition(&long, &x, groups).2, first, "{groups} groups, {bad:?}");
            assert_eq!(shape.partition(&word, &x, groups).2, first, "{groups} groups, {bad:?}");
        }
    }
}

fn check_runs<W: Moved>(shape: Shape, keys: &[W]) {
    let mut offsets = vec![0];
    offsets.extend((1..keys.len()).filter(|&i| keys[i] != keys[i - 1]).map(|i| i as u64));
    let of_runs: Vec<W> = offsets.iter().map(|&at| keys[at as usize]).collect();
    offsets.push(keys.len() as u64);
    let found = shape.runs(keys);
    assert!(found.0 == offsets, "{shape:?}, {} keys: {:?} and not {offsets:?}", keys.len(), found.0);
    assert!(found.1 == of_runs, "{shape:?}, {} keys: {:?} and not {of_runs:?}", keys.len(), found.1);
}

#[test]
fn runs_are_those_of_the_obvious_loop() {
    let per_tile = SCAN_THREADS as usize * run_items(8);
    for (i, n) in [1, 2, 31, 32, 33, 257, per_tile - 1, per_tile, per_tile + 1, 3 * per_tile + 100]
        .into_iter()
        .enumerate()
    {
        for (j, longest) in [1u64, 3, 40, 1 << 40].into_iter().enumerate() {
            let portion = [n, per_tile, 2 * per_tile][(i + j) % 3];
            let shape = Shape { portion, scan_portion: [2, 4096][j % 2], order: ORDERS[(i + j) % 4] };
            let key = |i: u64| mix(i / longest) % if longest == 1 { 2 } else { 1000 };
            let keys: Vec<u64> = (0..n as u64).map(key).collect();
            match j {
                0 => check_runs(shape, &keys.iter().map(|&key| key as u8).collect::<Vec<_>>()),
                1 => check_runs(shape, &keys.iter().map(|&key| key as u32).collect::<Vec<_>>()),
                _ => check_runs(shape, &keys),
            }
        }
    }
}

/// Keys that differ in any one byte differ.
#[test]
fn every_byte_of_a_key_counts() {
    fn check_bytes<W: Moved>() {
        let mut keys = vec![W::zeroed(); 300];
        for (i, key) in keys.iter_mut().enumerate() {
            bytemuck::bytes_of_mut(key)[i / 3 % size_of::<W>()] = 1 + (i / 3 / size_of::<W>()) as u8;
        }
        let shape = Shape { portion: 2048, scan_portion: 4096, order: Order::Shuffled(9) };
        assert_eq!(shape.runs(&keys).1.len(), 100);
        check_runs(shape, &keys);
    }
    check_bytes::<u8>();
    check_bytes::<u16>();
    check_bytes::<u32>();
    check_bytes::<u64>();
    check_bytes::<Sixteen>();
}

/// Sums by one block and by many, of integers that do not fit 32 bits.
#[test]
fn sums_are_of_all_before() {
    for (i, n) in [1, 2, 32, 255, 256, 257, 2047, 2048, 2049, 10_000].into_iter().enumerate() {
        for scan_portion in [1 << 20, 1000, 2048] {
            let mut cells: Vec<u64> = (0..n as u64).map(|i| mix(i) >> 14).collect();
            let mut expected = vec![0];
            expected.extend(cells.iter().scan(0, |sum, &x| {
                *sum += x;
                Some(*sum)
            }));
            cells.push(u64::MAX);
            Shape { portion: 1, scan_portion, order: ORDERS[i % 4] }.scan(&mut cells);
            assert!(cells == expected, "{n} by {scan_portion}");
        }
    }
}
