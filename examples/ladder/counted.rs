//! Runs every rung in the emulator, checks it, and counts what it does.

use cuda_std::emulator::{Counts, Order};
use gpu_kernels::ladder::host::emulated::{Shape, sum};
use gpu_kernels::ladder::host::rung::{Course, RUNGS, Rung};

use crate::emulated::{COPYING, Library, TRANSPOSING, by_library};
use crate::failure::Failure;
use crate::number::{Number, make};
use crate::picture::{self, Bars};
use crate::scans;
use crate::text::{percent, table};

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

/// A rung's counts, over all of its launches.
struct Counted {
    label: String,
    cells: Vec<String>,
    turns: [f64; 6],
}

/// The counts of every rung for `n` elements as text, and a picture of them. Both types are checked; the counts are the integers'.
pub(crate) fn count(n: usize, why: &str) -> Result<(String, Bars), Failure> {
    let rungs = climb::<i32>(n)?;
    climb::<f32>(n)?;
    let moved = |name: &str, counts: &Counts| {
        vec![
            name.replace('_', " "),
            counts.global_requests.to_string(),
            counts.global_sectors.to_string(),
            percent(wasted_share(std::slice::from_ref(counts)), 0),
            counts.bank_replays.to_string(),
        ]
    };
    // Whole blocks, both of threads with one float and of threads with three.
    let floats = 3 * THREADS as usize * 16;
    let coalescing = COPYING.iter().map(|kernel| Ok(moved(kernel.name, &kernel.count(floats, THREADS)?)));
    let transposes = TRANSPOSING.iter().map(|kernel| Ok(moved(kernel.name, &kernel.count(128)?)));
    let mut text = format!(
        "backend  the SIMT emulator, which counts and has no times: {why}
elements {n} of i32, by blocks of {THREADS} threads, {RESIDENT} at a time; every sum is right, of f32 as well

"
    );
    let header = [
        "rung", "", "launches", "each", "lanes", "busy", "barriers", "replays", "sectors", "wasted",
        "atomics", "shuffles", "turns",
    ];
    text += &table(2, &header, &rungs.iter().map(|rung| rung.cells.clone()).collect::<Vec<_>>());
    text += "
  each      elements per thread of the first launch
  lanes     at work in a warp's access to memory, of 32
  busy      share of threads that touch memory between two barriers
  replays   accesses to shared memory that wait for another one to the same bank
  sectors   of 32 bytes of global memory; wasted: the share of them that the access had no use for
  turns     of a warp, per 1000 elements: accesses, replays, barriers, shuffles, atomics one by one
  14a and 14b are by blocks of 1024 threads; 14b is of 2048 elements.

";
    let header = ["moving floats", "accesses", "sectors", "wasted", "replays"];
    text += &table(1, &header, &coalescing.collect::<Result<Vec<_>, Failure>>()?);
    text += "\n";
    text += &table(1, &header, &transposes.collect::<Result<Vec<_>, Failure>>()?);
    text += "\n";
    let header = ["prefix sums in a block", "each", "threads", "barriers", "words", "accesses", "replays"];
    text += &table(1, &header, &scans::count()?);
    let groups = rungs.into_iter().map(|rung| (rung.label, rung.turns.to_vec()));
    Ok((text, picture::turns(n, groups.collect())))
}

/// Runs every rung over `n` elements of one type.
fn climb<T: Library>(n: usize) -> Result<Vec<Counted>, Failure> {
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

fn row((label, name): (&str, &str), n: usize, (blocks, threads): (u32, u32), counts: &[Counts]) -> Counted {
    let total = |count: fn(&Counts) -> u64| counts.iter().map(count).sum::<u64>();
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let lanes = total(|counts| counts.shared_accesses + counts.global_accesses + counts.atomics);
    let busy = share(total(|counts| counts.busy_phases), total(|counts| counts.phases));
    let (barriers, replays) = (total(|counts| counts.barriers), total(|counts| counts.bank_replays));
    let turns = [
        total(|counts| counts.global_requests),
        total(|counts| counts.shared_requests),
        replays,
        // Each warp of a block has a turn at a barrier.
        barriers * u64::from(threads.div_ceil(32)),
        total(|counts| counts.shuffles + counts.warp_syncs),
        total(|counts| counts.atomic_requests + counts.atomic_replays + counts.tickets),
    ];
    let turns = turns.map(|count| count as f64 * 1000.0 / n.max(1) as f64);
    let cells = vec![
        label.into(),
        name.into(),
        counts.len().to_string(),
        format!("{:.1}", n as f64 / (f64::from(blocks) * f64::from(threads))),
        format!("{:.1}", share(lanes, total(Counts::steps))),
        percent(busy, 0),
        barriers.to_string(),
        replays.to_string(),
        total(|counts| counts.global_sectors).to_string(),
        percent(wasted_share(counts), 0),
        total(|counts| counts.atomics).to_string(),
        total(|counts| counts.shuffles).to_string(),
        format!("{:.0}", turns.iter().sum::<f64>()),
    ];
    Counted { label: label.into(), cells, turns }
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
