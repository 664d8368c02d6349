//! Runs every rung in the emulator, checks it, and counts what it does.

use cuda_std::emulator::{Counts, Order};
use gpu_kernels::ladder::host::emulated::{Shape, sum};
use gpu_kernels::ladder::host::rung::{Course, RUNGS, Rung};

use crate::emulated::{COPYING, Library, TRANSPOSING, by_library};
use crate::failure::Failure;
use crate::number::{Number, make};
use crate::record::{CountedCopy, CountedRung, Emulated, Turns};
use crate::scans;

/// Threads per block.
pub(crate) const THREADS: u32 = 256;

/// Blocks that the emulated GPU, a small one, holds at a time.
const RESIDENT: u32 = 8;

/// The last rung's label and name.
pub(crate) const LIBRARY: (&str, &str) = ("16", "the library's own");

/// The block size for a rung.
pub(crate) fn threads_of(rung: &Rung) -> u32 {
    match rung.course {
        Course::OneBlock | Course::OneBlockOfTwo => 1024,
        _ => THREADS,
    }
}

/// The counts of every rung for `n` elements. Both types are checked; the counts are the integers'.
pub(crate) fn count(n: usize, why: String) -> Result<Emulated, Failure> {
    let rungs = climb::<i32>(n)?;
    climb::<f32>(n)?;
    let copy = |name, counts: &Counts| CountedCopy {
        name,
        requests: counts.global_requests,
        sectors: counts.global_sectors,
        wasted_share: wasted_share(std::slice::from_ref(counts)),
        bank_replays: counts.bank_replays,
    };
    // Whole blocks, both of threads with one float and of threads with three.
    let floats = 3 * THREADS as usize * 16;
    let coalescing = COPYING.iter().map(|kernel| Ok(copy(kernel.name, &kernel.count(floats, THREADS)?)));
    let transposes = TRANSPOSING.iter().map(|kernel| Ok(copy(kernel.name, &kernel.count(128)?)));
    Ok(Emulated {
        why,
        n,
        threads: THREADS,
        resident: RESIDENT,
        rungs,
        coalescing: coalescing.collect::<Result<_, Failure>>()?,
        transposes: transposes.collect::<Result<_, Failure>>()?,
        scans: scans::count()?,
    })
}

/// Runs every rung over `n` elements of one type.
fn climb<T: Library>(n: usize) -> Result<Vec<CountedRung>, Failure> {
    let x = make::<T>(n, T::element);
    let mut rows = Vec::new();
    for rung in &RUNGS {
        let threads = threads_of(rung);
        let x = &x[..n.min(usize::try_from(rung.most(threads)).unwrap_or(n))];
        let (found, counts) = sum(rung, x, Shape { threads, resident: RESIDENT, order: Order::InOrder })?;
        compare(rung.name, found, T::total(x), x.len(), threads)?;
        let blocks = rung.steps(x.len() as u64, threads, RESIDENT).first().map_or(1, |step| step.blocks);
        rows.push(row((rung.label, rung.name), x.len(), (blocks, threads), &counts));
    }
    if n > 0 {
        let (found, counts) = by_library(&x, RESIDENT, Order::InOrder)?;
        compare(LIBRARY.1, found, T::total(&x), n, THREADS)?;
        rows.push(row(LIBRARY, n, (RESIDENT, THREADS), &[counts]));
    }
    Ok(rows)
}

/// Returns an error if a sum is wrong.
pub(crate) fn compare<T: Number>(
    name: &str,
    found: T,
    expected: T,
    len: usize,
    threads: u32,
) -> Result<(), Failure> {
    if bytemuck::bytes_of(&found) == bytemuck::bytes_of(&expected) {
        return Ok(());
    }
    let (found, expected) = (format!("{found:?}"), format!("{expected:?}"));
    Err(Failure::Wrong { what: format!("the sum by `{name}`, {}", T::NAME), len, threads, found, expected })
}

fn row(
    (label, name): (&str, &str),
    n: usize,
    (blocks, threads): (u32, u32),
    counts: &[Counts],
) -> CountedRung {
    let total = |count: fn(&Counts) -> u64| counts.iter().map(count).sum::<u64>();
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let steps = total(Counts::steps);
    let lanes = total(|counts| counts.shared_accesses + counts.global_accesses + counts.atomics);
    let per_thousand = |count: u64| count as f64 * 1000.0 / n.max(1) as f64;
    let warps = u64::from(threads.div_ceil(32));
    CountedRung {
        label: label.into(),
        name: name.into(),
        n,
        launches: counts.len(),
        elements_per_thread: n as f64 / (f64::from(blocks) * f64::from(threads)),
        active_lanes: share(lanes, steps),
        busy_share: share(total(|counts| counts.busy_phases), total(|counts| counts.phases)),
        barriers: total(|counts| counts.barriers),
        bank_replays: total(|counts| counts.bank_replays),
        global_sectors: total(|counts| counts.global_sectors),
        wasted_share: wasted_share(counts),
        atomics: total(|counts| counts.atomics),
        atomic_replays: total(|counts| counts.atomic_replays),
        tickets: total(|counts| counts.tickets),
        shuffles: total(|counts| counts.shuffles),
        turns: Turns {
            global: per_thousand(total(|counts| counts.global_requests)),
            shared: per_thousand(total(|counts| counts.shared_requests)),
            bank_replays: per_thousand(total(|counts| counts.bank_replays)),
            atomics: per_thousand(total(|counts| {
                counts.atomic_requests + counts.atomic_replays + counts.tickets
            })),
            // Each warp of a block has a turn at a barrier.
            barriers: per_thousand(total(|counts| counts.barriers) * warps),
            shuffles: per_thousand(total(|counts| counts.shuffles + counts.warp_syncs)),
        },
    }
}

/// The share of the fetched sectors' bytes that their accesses do not use.
fn wasted_share(counts: &[Counts]) -> f64 {
    let sectors: u64 = counts.iter().map(|counts| counts.global_sectors).sum();
    let wasted: u64 = counts.iter().map(Counts::wasted_bytes).sum();
    if sectors == 0 { 0.0 } else { wasted as f64 / (32 * sectors) as f64 }
}

/// Checks every rung at awkward lengths, with every kind of block, in several orders of threads, and the scans
/// of one block.
pub(crate) fn check() -> Result<(), Failure> {
    check_of::<i32>()?;
    check_of::<f32>()?;
    scans::check()
}

fn check_of<T: Library>() -> Result<(), Failure> {
    let x = make::<T>(10_007, T::element);
    let orders = [Order::InOrder, Order::Reversed, Order::Shuffled(1), Order::Interleaved(1)];
    for (at, len) in [0, 1, 2, 33, 255, 1000, 1025, 4099, 10_007].into_iter().enumerate() {
        let (x, order) = (&x[..len], orders[at % 4]);
        for rung in &RUNGS {
            for threads in [32, 33, 64, 96, 250, 256, 1000, 1024] {
                if rung.takes(threads) && len as u64 <= rung.most(threads) {
                    let (found, _) = sum(rung, x, Shape { threads, resident: RESIDENT, order })?;
                    compare(rung.name, found, T::total(x), len, threads)?;
                }
            }
        }
        if len > 0 {
            compare(LIBRARY.1, by_library(x, RESIDENT, order)?.0, T::total(x), len, THREADS)?;
        }
    }
    Ok(())
}
