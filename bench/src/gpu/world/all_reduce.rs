//! all_reduce of f32 on each device, against NCCL's own: one call and a wait, calls one after the other, and a graph.

use warpfold::{DeviceValues, Stream, Sum, Threads};

use super::peer::Peer;
use super::{LIMIT, Rank};
use crate::Outcome;
use crate::datum::Datum;
use crate::gpu::clock::captured;
use crate::gpu::driver;

/// Calls one after the other, and in a graph.
const CALLS: usize = 10;

/// Measures, and prints a table on the first rank.
pub(super) fn measure(rank: &Rank, log2_bytes: u32) -> Outcome<()> {
    let (stream, peer) = (rank.cuda.stream()?, join(rank)?);
    if rank.is_first() {
        println!(
            "\nall_reduce of f32 Sum against ncclAllReduce ({}), microseconds per call, medians\n\
             bytes, one: ours, theirs, {CALLS}: ours, theirs, ratio, graph: ours, theirs, ratio",
            peer.version()
        );
    }
    for log2 in (10..=log2_bytes).step_by(2) {
        let mut x = rank.cuda.values::<f32>((1 << log2) / 4)?;
        check(rank, &stream, &mut x)?;
        let ours =
            figures(rank, &stream, &mut x, &mut |stream, x| Ok(rank.world.all_reduce_on(stream, Sum, x)?))?;
        let theirs = figures(rank, &stream, &mut x, &mut |stream, x| peer.all_reduce(stream, x))?;
        if rank.is_first() {
            let [one, many, graph] = [0, 1, 2].map(|i| (ours[i], theirs[i], theirs[i] / ours[i]));
            println!(
                "{:>10}, {:8.1}, {:8.1}, {:8.1}, {:8.1}, {:.2}, {:8.1}, {:8.1}, {:.2}",
                1u64 << log2,
                one.0,
                one.1,
                many.0,
                many.1,
                many.2,
                graph.0,
                graph.1,
                graph.2
            );
        }
    }
    Ok(())
}

/// Joins NCCL's ranks again, by bytes that the world's communicator cannot move for others.
fn join(rank: &Rank) -> Outcome<Peer> {
    use std::sync::{Mutex, PoisonError};
    static RANKS: Mutex<Vec<Option<Threads>>> = Mutex::new(Vec::new());
    if rank.is_first() {
        let ranks = Threads::new(rank.world.size()).into_iter().map(|rank| Some(rank.with_time_limit(LIMIT)));
        *RANKS.lock().unwrap_or_else(PoisonError::into_inner) = ranks.collect();
    }
    rank.world.barrier()?;
    let own = RANKS.lock().unwrap_or_else(PoisonError::into_inner)[rank.world.rank()].take();
    driver::make_current(rank.world.rank())?;
    Peer::join(&own.ok_or("a rank joins once")?)
}

/// The microseconds of one call and a wait, of calls one after the other, and of calls in a graph.
fn figures(
    rank: &Rank,
    stream: &Stream,
    x: &mut DeviceValues<f32>,
    call: &mut dyn FnMut(&Stream, &mut DeviceValues<f32>) -> Outcome<()>,
) -> Outcome<[f64; 3]> {
    let one = rank.time(1, &mut || {
        call(stream, x)?;
        Ok(stream.synchronize()?)
    })?;
    let many = rank.time(CALLS, &mut || {
        (0..CALLS).try_for_each(|_| call(stream, x))?;
        Ok(stream.synchronize()?)
    })?;
    let mut graph = captured(stream, |stream| (0..CALLS).try_for_each(|_| call(stream, x)))?;
    let replayed = rank.time(CALLS, &mut || {
        graph.launch(stream)?;
        Ok(stream.synchronize()?)
    })?;
    Ok([one.median, many.median, replayed.median])
}

/// Checks our sums: at some places, among them the array's first and last, they equal the sums of a loop over the
/// ranks.
fn check(rank: &Rank, stream: &Stream, x: &mut DeviceValues<f32>) -> Outcome<()> {
    let datum = |rank: usize, i: usize| f32::at((i % (1 << 20) + rank) as u64);
    let own = rank.world.rank();
    x.copy_from_slice(&(0..x.len()).map(|i| datum(own, i)).collect::<Vec<_>>())?;
    rank.world.all_reduce_on(stream, Sum, x)?;
    let found = x.to_vec()?;
    let step = (found.len() / 100_000).max(1);
    for i in (0..found.len()).step_by(step).chain([found.len() - 1]) {
        // Pairs of neighbours.
        let mut level: Vec<f32> = (0..rank.world.size()).map(|rank| datum(rank, i)).collect();
        while level.len() > 1 {
            level = level.chunks(2).map(|pair| if let [a, b] = *pair { a + b } else { pair[0] }).collect();
        }
        if found[i].to_bits() != level[0].to_bits() {
            return Err(format!("element {i} of {} is not the ranks' sum", found.len()).into());
        }
    }
    // Later sums overflow no sooner than they need to.
    Ok(x.copy_from_slice(&vec![0.0; found.len()])?)
}
