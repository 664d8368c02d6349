//! The ladder under the emulator: every rung is right at awkward lengths and block sizes in any order of
//! threads, and its counts are those that its doc explains.
#![allow(missing_docs)]

use cuda_std::emulator::{Counts, Launch, Misuse, Order};
use cuda_std::thread::{sync_threads, thread_idx_x};
use cuda_std::warp::{ALL, sync_warp};
use gpu_kernels::arguments::ladder::{Between, Transpose};
use gpu_kernels::ladder::host::emulated::{Failure, Shape, sum};
use gpu_kernels::ladder::host::rung::{RUNGS, Rung, Stamped};
use gpu_kernels::ladder::host::sectors::InSectors;
use gpu_kernels::ladder::{coalescing, entry, transpose};
use warpfold::{SumIn, reference};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::samples;

const ORDERS: [Order; 4] = [Order::InOrder, Order::Reversed, Order::Shuffled(3), Order::Interleaved(4)];

/// Every rung, at lengths around which something changes, with block sizes that it supports.
fn every_rung<T: Stamped + PartialEq + std::fmt::Debug>(x: &[T], expected: impl Fn(&[T]) -> T) {
    const LENGTHS: [usize; 19] =
        [0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 1000, 1023, 1025, 2047, 4099];
    const BLOCKS: [u32; 16] = [1, 2, 3, 31, 32, 33, 64, 96, 127, 128, 160, 250, 256, 512, 1000, 1024];
    for rung in &RUNGS {
        let blocks = BLOCKS.into_iter().filter(|&threads| rung.takes(threads));
        let mut at = 0;
        for threads in blocks {
            // A block of one thread makes a launch per element.
            let longest = if threads < 32 { 300 } else { x.len() };
            for len in LENGTHS.into_iter().filter(|&len| len <= longest && len as u64 <= rung.most(threads)) {
                at += 1;
                let shape = Shape { threads, resident: [1, 3, 8][at % 3], order: ORDERS[at % 4] };
                let x = &x[..len];
                let found = sum(rung, x, shape).unwrap_or_else(|failure| {
                    panic!("rung {}, {len} elements, {shape:?}: {failure}", rung.label)
                });
                assert_eq!(found.0, expected(x), "rung {}, {len} elements, {shape:?}", rung.label);
            }
        }
        assert!(at > 0, "rung {}", rung.label);
    }
}

#[test]
fn every_rung_adds_integers() {
    every_rung(&samples::<i32>(Ordinary, 5, 4099), reference::reduce::<i32, SumIn<i32>>);
}

/// Floats that are small integers: every order has the same sum, bit for bit.
#[test]
fn every_rung_adds_floats() {
    let x: Vec<f32> = samples::<i32>(Ordinary, 6, 4099).iter().map(|&x| (x % 1000) as f32).collect();
    every_rung(&x, |x| x.iter().map(|&x| x as i64).sum::<i64>() as f32);
}

#[test]
fn what_a_rung_does_not_take_is_refused() {
    for (label, threads, len) in
        [("3", 96, 10), ("8", 32, 10), ("15", 33, 10), ("14b", 32, 65), ("1", 1025, 10)]
    {
        let shape = Shape { threads, resident: 1, order: Order::InOrder };
        let found = sum(rung(label), &vec![1i32; len], shape);
        assert!(matches!(found, Err(Failure::Unfit { .. })), "rung {label}");
    }
}

/// Floats whose sum depends on the order: with a ticket the order is always the same, with atomics it depends
/// on who comes first.
#[test]
fn only_atomics_depend_on_who_comes_first() {
    let x = samples::<f32>(Ordinary, 7, 4099);
    let bits = |label, order| {
        let shape = Shape { threads: 64, resident: 30, order };
        sum(rung(label), &x, shape).unwrap().0.to_bits()
    };
    for rung in &RUNGS {
        let first = bits_unless_too_long(rung, &x, Order::InOrder);
        let is_fixed = (0..8).all(|seed| bits_unless_too_long(rung, &x, Order::Shuffled(seed)) == first);
        assert_eq!(is_fixed, !rung.adds_to_zero(), "rung {}", rung.label);
    }
    assert_eq!(bits("13", Order::Interleaved(1)), bits("13", Order::Reversed));
}

fn bits_unless_too_long(rung: &Rung, x: &[f32], order: Order) -> u32 {
    let shape = Shape { threads: 64, resident: 30, order };
    let x = &x[..x.len().min(rung.most(64) as usize)];
    sum(rung, x, shape).unwrap().0.to_bits()
}

fn rung(label: &str) -> &'static Rung {
    RUNGS.iter().find(|rung| rung.label == label).unwrap()
}

/// Threads, warps and elements of the counted launches.
const B: u64 = 256;
const WARPS: u64 = B / 32;
const N: u64 = 1 << 14;

/// The counts of each launch of a rung for N elements.
fn counts(label: &str) -> Vec<Counts> {
    let x = samples::<i32>(Ordinary, 8, N);
    let shape = Shape { threads: B as u32, resident: 8, order: Order::InOrder };
    sum(rung(label), &x, shape).unwrap().1
}

/// Distances of partners in a block of B: 1, 2, 4, ... B / 2.
fn distances() -> impl Iterator<Item = u64> {
    (0..B.ilog2()).map(|log2| 1 << log2)
}

#[test]
fn rung_1_adds_every_element_to_one_address() {
    let counts = &counts("1")[..];
    assert_eq!((counts.len(), counts[0].atomics, counts[0].atomic_requests), (1, N, N / 32));
    assert_eq!(counts[0].atomic_replays, 31 * N / 32);
}

#[test]
fn rung_2_launches_every_level_and_touches_each_sector_twice() {
    let counts = counts("2");
    assert_eq!(counts.len(), N.ilog2() as usize);
    // Two loads of a warp, each of 64 elements in 8 sectors. One store, to 4 sectors.
    assert_eq!(counts[0].global_sectors, N / 64 * (8 + 8 + 4));
    assert_eq!(counts[0].wasted_bytes(), N / 64 * 2 * 128);
    assert_eq!(counts[0].barriers, 0);
}

#[test]
fn rung_3_diverges() {
    let blocks = N / B;
    let found = counts("3")[0];
    // Down to a distance of 32 a lane of every warp works.
    let warps: u64 =
        distances().map(|distance| if 2 * distance <= 32 { WARPS } else { B / (2 * distance) }).sum();
    let lanes: u64 = distances().map(|distance| B / (2 * distance)).sum();
    // Two reads and a write; also one write before, and one read after.
    assert_eq!(found.shared_requests, blocks * (3 * warps + WARPS + 1));
    assert_eq!(found.shared_accesses, blocks * (3 * lanes + B + 1));
    assert_eq!(found.bank_replays, 0);
    assert_eq!(found.barriers, blocks * (1 + u64::from(B.ilog2())));
}

#[test]
fn rung_4_has_the_conflicts_of_its_strides() {
    let blocks = N / B;
    let found = counts("4")[0];
    let mut replays = 0;
    for distance in distances() {
        let (working, stride) = (B / (2 * distance), 2 * distance);
        for warp in 0..working.div_ceil(32) {
            let lanes = (working - 32 * warp).min(32);
            // Words at a stride are in the same bank again after this many lanes.
            let period = (32 / stride).max(1);
            replays += 3 * (lanes.div_ceil(period) - 1);
        }
    }
    assert_eq!(found.bank_replays, blocks * replays);
    assert!(replays > 3 * 31, "some are 32-way: {replays}");
    // The same number of additions, but by fewer warps.
    assert_eq!(found.shared_accesses, counts("3")[0].shared_accesses);
    assert!(found.shared_requests < counts("3")[0].shared_requests);
    assert!(found.active_lanes() > 2.5 * counts("3")[0].active_lanes());
    // The conflicts cost exactly the turns that whole warps save.
    assert_eq!(found.shared_requests + found.bank_replays, counts("3")[0].shared_requests);
}

#[test]
fn rung_5_has_no_conflicts() {
    let (strided, sequential) = (counts("4")[0], counts("5")[0]);
    assert_eq!(sequential.bank_replays, 0);
    assert_eq!(sequential.shared_requests, strided.shared_requests);
}

#[test]
fn rung_6_has_half_the_blocks() {
    let (five, six) = (counts("5"), counts("6"));
    assert_eq!(six[0].barriers * 2, five[0].barriers);
    assert_eq!(six[0].shared_accesses * 2, five[0].shared_accesses);
    assert_eq!(six[0].global_bytes, N * 4 + N / (2 * B) * 4);
    // Every thread of the first phase writes a sum; in rung 5 too, but of one element.
    assert_eq!((five[0].phases, five[0].busy_phases), (2 * six[0].phases, 2 * six[0].busy_phases));
}

#[test]
fn rung_7_has_no_barriers_in_the_last_warp() {
    let (six, seven) = (counts("6")[0], counts("7")[0]);
    let blocks = N / (2 * B);
    assert_eq!(six.barriers, blocks * 9);
    // One after the load, and the barriers of the levels 128 and 64.
    assert_eq!(seven.barriers, blocks * 3);
    assert_eq!(seven.warp_syncs, blocks * 10);
    assert_eq!(seven.bank_replays, 0);
}

cuda_std::shared_bytes! {
    /// One place per thread of two warps.
    fn lockstep_scratch: 256
}

/// The last warp of rung 7 without one of its synchronisations, like code for GPUs in lockstep.
#[test]
fn the_last_warp_races_without_either_of_its_meetings() {
    let last_warp = |before_writing: bool, behind: bool| {
        let sums = lockstep_scratch().array::<i32, 64>();
        let thread = thread_idx_x() as usize;
        sums.write(thread, 1);
        sync_threads();
        if thread < 32 {
            let mut sum = sums.read(thread) + sums.read(thread + 32);
            for distance in [16, 8, 4, 2, 1] {
                if before_writing {
                    // SAFETY: the whole warp is here.
                    unsafe { sync_warp(ALL) };
                }
                sums.write(thread, sum);
                if behind {
                    // SAFETY: the whole warp is here.
                    unsafe { sync_warp(ALL) };
                }
                sum += sums.read(thread + distance);
            }
            assert!(thread > 0 || sum == 64 || !(before_writing && behind));
        }
    };
    for order in ORDERS {
        let launch = Launch::new(1, 64).order(order);
        assert!(launch.run(|| last_warp(true, true)).is_ok(), "{order:?}");
        for (before_writing, behind) in [(true, false), (false, true), (false, false)] {
            let found = launch.run(|| last_warp(before_writing, behind));
            assert!(
                matches!(found, Err(Misuse::SharedRace { .. })),
                "{order:?}, {before_writing}, {behind}: {found:?}"
            );
        }
    }
}

#[test]
fn rung_8_counts_as_rung_7() {
    assert_eq!(counts("7"), counts("8"));
}

#[test]
fn rung_9_has_few_barriers() {
    let (eight, nine) = (counts("8"), counts("9"));
    // 14 elements per thread instead of 2.
    assert_eq!(nine[0].barriers, N.div_ceil(14 * B) * 3);
    assert!(nine[0].shared_accesses * 6 < eight[0].shared_accesses);
    assert_eq!(nine[0].global_bytes - nine[0].barriers / 3 * 4, N * 4);
}

#[test]
fn rung_10_takes_a_barrier_more_for_odd_blocks() {
    let x = samples::<i32>(Ordinary, 8, N);
    let barriers = |threads| {
        let shape = Shape { threads, resident: 8, order: Order::InOrder };
        let counts = sum(rung("10"), &x, shape).unwrap().1;
        counts[0].barriers / N.div_ceil(14 * u64::from(threads))
    };
    assert_eq!((barriers(128), barriers(129), barriers(200)), (8, 9, 9));
}

#[test]
fn launches_and_atomics_of_the_single_passes() {
    assert_eq!(counts("11").len(), 2);
    let [thread, block, ticket] = ["12a", "12b", "13"].map(counts);
    assert_eq!([thread.len(), block.len(), ticket.len()], [1; 3]);
    assert_eq!([thread[0].atomics, block[0].atomics, ticket[0].atomics], [8 * B, 8, 0]);
    assert_eq!([thread[0].tickets, block[0].tickets, ticket[0].tickets], [0, 0, 8]);
    assert_eq!((thread[0].barriers, ticket[0].fences), (0, 0));
}

#[test]
fn rung_14_has_one_block() {
    assert_eq!(counts("14a").len(), 1);
    let x = samples::<i32>(Ordinary, 8, 2048);
    let shape = Shape { threads: 1024, resident: 8, order: Order::InOrder };
    let counts = &sum(rung("14b"), &x, shape).unwrap().1[..];
    assert_eq!((counts.len(), counts[0].shared_accesses, counts[0].barriers), (1, 0, 11));
}

#[test]
fn rung_15_shuffles() {
    let (passes, found) = (counts("11"), counts("15"));
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].shuffles, 8 * 5 * (WARPS + 1));
    // One sum per warp is written and read.
    assert_eq!(found[0].shared_accesses, 8 * 2 * WARPS);
    assert_eq!(found[0].barriers, 8);
    assert!(passes[0].barriers > 8 * found[0].barriers);
}

type Copies = unsafe fn(Between<f32>);

fn copy(kernel: Copies, x: &[f32], per_thread: u64, threads: u32, order: Order) -> Vec<f32> {
    let mut out = vec![f32::NAN; x.len()];
    let len = x.len() as u64;
    let arguments = Between { input: x.into(), len, out: (&mut out[..]).into() };
    let blocks = len.div_ceil(u64::from(threads) * per_thread).max(1) as u32;
    Launch::new(blocks, threads)
        .order(order)
        .register(x)
        .register(&raw const out[..])
        // SAFETY: both have that many floats and live as long as the launch.
        .run(|| unsafe { kernel(arguments) })
        .unwrap_or_else(|misuse| panic!("{len} floats by blocks of {threads}: {misuse}"));
    out
}

#[test]
fn coalescing_is_right_at_any_length() {
    let (single, triple): ([Copies; 2], [Copies; 2]) =
        ([entry::direct, entry::permuted], [entry::three_direct, entry::three_through_shared]);
    for (i, len) in [0, 1, 2, 3, 31, 33, 767, 768, 769, 1000, 2047].into_iter().enumerate() {
        let x: Vec<f32> = (0..len).map(|x| x as f32).collect();
        let plus_one = |count: usize| {
            let numbers = x[..count].iter().map(|x| (x + 1.0).to_bits());
            let missing = std::iter::repeat_n(f32::NAN.to_bits(), len - count);
            numbers.chain(missing).collect::<Vec<_>>()
        };
        let bits = |kernel, per_thread| {
            let threads = [B as u32, coalescing::MOST_THREADS_OF_THREE][i % 2];
            let out = copy(kernel, &x, per_thread, threads, ORDERS[i % 4]);
            out.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        for kernel in single {
            assert_eq!(bits(kernel, 1), plus_one(len), "{len}");
        }
        for kernel in triple {
            assert_eq!(bits(kernel, 3), plus_one(len / 3 * 3), "{len}");
        }
        let shifted = bits(entry::misaligned, 1);
        assert_eq!(shifted[..len.saturating_sub(1)], plus_one(len)[len.min(1)..], "{len}");
    }
}

fn numbered(len: usize) -> InSectors<f32> {
    InSectors::copied(&(0..len).map(|x| x as f32).collect::<Vec<_>>())
}

/// Sectors per warp: 128 bytes of each load and each store are at least 4 sectors.
#[test]
fn coalescing_touches_the_sectors_that_it_must() {
    let x = numbered(3 * 1024);
    let x = x.as_slice();
    let warps = 3 * 1024 / 32;
    let found = |kernel: Copies, per_thread| {
        let mut out = numbered(x.len());
        let arguments = Between { input: x.into(), len: 3 * 1024, out: out.as_mut_slice().into() };
        let blocks = (x.len() as u64 / B / per_thread) as u32;
        // SAFETY: both have 3072 floats and live as long as the launch.
        let counts = Launch::new(blocks, B as u32).run(|| unsafe { kernel(arguments) }).unwrap();
        (counts.global_sectors, counts.bank_replays)
    };
    assert_eq!(found(entry::direct, 1), (warps * 8, 0));
    assert_eq!(found(entry::permuted, 1), (warps * 8, 0));
    // The last warp has one element less, and therefore no fifth sector.
    assert_eq!(found(entry::misaligned, 1), (warps * 9 - 1, 0));
    // Three loads and three stores of 32 lanes at 12 bytes each: 12 sectors every time.
    assert_eq!(found(entry::three_direct, 3), (warps / 3 * 6 * 12, 0));
    assert_eq!(found(entry::three_through_shared, 3), (warps * 8, 0));
}

type Transposes = unsafe fn(Transpose<f32>);

fn transposed(kernel: Transposes, width: u32, height: u32, order: Order) -> Counts {
    let len = (width * height) as usize;
    let (x, mut out) = (numbered(len), InSectors::filled(len, f32::NAN));
    let (x, written) = (x.as_slice(), out.as_mut_slice());
    let arguments = Transpose { input: x.into(), out: (&mut *written).into(), width, height };
    let counts = Launch::new((width.div_ceil(32), height.div_ceil(32)), (transpose::TILE, transpose::ROWS))
        .order(order)
        .register(x)
        .register(&raw const *written)
        // SAFETY: both have that many floats and live as long as the launch.
        .run(|| unsafe { kernel(arguments) })
        .unwrap_or_else(|misuse| panic!("{width} x {height}: {misuse}"));
    for row in 0..height as usize {
        for column in 0..width as usize {
            let (found, expected) =
                (written[column * height as usize + row], x[row * width as usize + column]);
            assert_eq!(found.to_bits(), expected.to_bits(), "{width} x {height}: row {row}, column {column}");
        }
    }
    counts
}

#[test]
fn transposes_are_right_and_counted() {
    let all: [Transposes; 3] = [entry::transpose_naive, entry::transpose_tiled, entry::transpose_padded];
    for (i, (width, height)) in
        [(1, 1), (32, 32), (33, 31), (70, 3), (3, 70), (100, 65)].into_iter().enumerate()
    {
        for kernel in all {
            transposed(kernel, width, height, ORDERS[i % 4]);
        }
    }
    let [naive, tiled, padded] = all.map(|kernel| transposed(kernel, 128, 64, Order::InOrder));
    let warps = 128 * 64 / 32;
    // A store with a stride of a row writes to 32 sectors.
    assert_eq!((naive.global_sectors, naive.bank_replays), (warps * (4 + 32), 0));
    assert_eq!((tiled.global_sectors, tiled.bank_replays), (warps * 8, warps * 31));
    assert_eq!((padded.global_sectors, padded.bank_replays), (warps * 8, 0));
}
