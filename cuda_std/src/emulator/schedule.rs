//! The scheduler, which picks the next block, warp and lane to run.

use core::any::Any;
use core::panic::AssertUnwindSafe;
use std::collections::VecDeque;
use std::panic::catch_unwind;
use std::rc::Rc;

use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::block::Block;
use super::counts::Counts;
use super::grid::Grid;
use super::launch::{Launch, Order};
use super::misuse::Misuse;
use super::order::{LANES, lanes};
use super::random::Random;
use super::shared::MOST_BYTES;
use super::stack::{Coloured, Stacks};
use super::thread::{Outer, Thread};

/// Resident threads if blocks are interleaved.
const RESIDENT_THREADS: u32 = 2048;

/// How often a drawn warp runs before another one is drawn, on average. Some warps are far ahead of others so, and the stacks of a
/// warp stay in the cache.
const BURST: u32 = 8;

/// How often blocks are drawn, on average, before another one becomes the first.
const TURN: u32 = 64;

/// How often sleeping threads are woken without progress in between.
const IDLE_LIMIT: u32 = 1000;

/// A resident block, with its threads.
struct Resident {
    block: Rc<Block>,
    threads: Vec<Option<Coroutine<(), (), (), Coloured>>>,
    live: u32,
}

/// Runs a launch to its end or to the first misuse. Not generic, so the scheduler is compiled and optimised once, with this
/// crate, and not for every kernel.
pub(super) fn run(launch: &Launch, kernel: &dyn Fn()) -> Result<Counts, Misuse> {
    let blocks = check(launch)?;
    let grid = Grid::new(launch);
    let mut random = Random::new(match launch.order {
        Order::InOrder | Order::Reversed => 0,
        Order::Shuffled(seed) | Order::Interleaved(seed) => seed,
    });
    let mut waiting: VecDeque<u32> = match launch.order {
        Order::Reversed => (0..blocks).rev().collect(),
        _ => (0..blocks).collect(),
    };
    let mut most = 1;
    if let Order::Shuffled(_) | Order::Interleaved(_) = launch.order {
        random.shuffle(waiting.make_contiguous());
    }
    if let Order::Interleaved(_) = launch.order {
        most = (RESIDENT_THREADS / launch.threads.count()).max(2) as usize;
    }
    let mut run =
        Run { grid: &grid, kernel, order: launch.order, random, stacks: Stacks::new(launch.stack_bytes) };
    let mut residents: Vec<Resident> = Vec::new();
    let mut idle = 0;
    let outcome = loop {
        while residents.len() < most
            && let Some(linear) = waiting.pop_front()
        {
            residents.push(Resident::new(linear, &grid));
        }
        if residents.is_empty() {
            break Ok(());
        }
        let chosen = match run.choose(&mut residents) {
            Some(chosen) => chosen,
            None => match wake(&grid, &residents, &mut idle) {
                Ok(()) => continue,
                Err(misuse) => break Err(misuse),
            },
        };
        if let Err(misuse) = run.step(&mut residents[chosen]) {
            break Err(misuse);
        }
        if residents[chosen].live == 0 {
            residents.swap_remove(chosen);
        }
    };
    if let Err(misuse) = &outcome
        && residents.iter().any(|resident| resident.threads.iter().any(Option::is_some))
    {
        // A destructor that panics while its thread is unwound ends the process, and the report would be lost.
        eprintln!("the emulator stops a launch and unwinds its threads: {misuse}");
    }
    outcome.map(|()| *grid.counts.borrow())
}

/// Returns the number of blocks, if a GPU could run the launch.
fn check(launch: &Launch) -> Result<u32, Misuse> {
    let refuse = |reason: String| Err(Misuse::Refused { reason });
    let (blocks, threads) = (launch.blocks, launch.threads);
    let fits = threads.x.min(threads.y).min(threads.z) > 0
        && threads.x <= 1024
        && threads.y <= 1024
        && threads.z <= 64
        && threads.count() <= 1024;
    if !fits {
        return refuse(format!("{threads:?} threads; a block has 1 to 1024, at most 64 of them in z"));
    }
    if launch.shared_bytes as usize > MOST_BYTES {
        let bytes = launch.shared_bytes;
        return refuse(format!("{bytes} bytes of dynamic shared memory; a block has {MOST_BYTES} at most"));
    }
    let fits = blocks.x.min(blocks.y).min(blocks.z) > 0
        && blocks.x <= i32::MAX as u32
        && blocks.y <= 65535
        && blocks.z <= 65535;
    if !fits {
        return refuse(format!("{blocks:?} blocks; a grid has 1 to 2^31 - 1 in x and 1 to 65535 in y and z"));
    }
    if isize::try_from(launch.stack_bytes).is_err() {
        let bytes = launch.stack_bytes;
        return refuse(format!("{bytes} bytes of stack for each thread, more than there are addresses for"));
    }
    match u32::try_from(u128::from(blocks.x) * u128::from(blocks.y) * u128::from(blocks.z)) {
        Ok(count) => Ok(count),
        Err(_) => refuse(format!("{blocks:?} blocks; the emulator takes fewer than 2^32 in all")),
    }
}

/// Wakes sleeping threads, as no thread is ready. Fails after too many such calls without progress.
fn wake(grid: &Grid, residents: &[Resident], idle: &mut u32) -> Result<(), Misuse> {
    *idle = if grid.moved.take() { 0 } else { *idle + 1 };
    let sleeper = residents.iter().find_map(|resident| resident.block.sleeper());
    let stuck = || residents[0].block.stuck();
    match sleeper {
        None => return Err(stuck()),
        Some(at) if *idle > IDLE_LIMIT => return Err(Misuse::Spinning { at }),
        Some(_) => (),
    }
    for resident in residents {
        resident.block.wake();
    }
    Ok(())
}

impl Resident {
    fn new(linear: u32, grid: &Grid) -> Self {
        let live = grid.block_dim.count();
        Self { block: Rc::new(Block::new(linear, grid)), threads: (0..live).map(|_| None).collect(), live }
    }
}

impl Drop for Resident {
    /// Unwinds the threads that have not ended. Their destructors may query the current thread; afterwards there is
    /// none.
    fn drop(&mut self) {
        let _outer = Outer::save();
        self.threads.clear();
    }
}

/// The state of a running launch.
struct Run<'a> {
    grid: &'a Grid,
    kernel: &'a dyn Fn(),
    order: Order,
    random: Random,
    stacks: Stacks,
}

impl Run<'_> {
    /// Returns a block with a ready thread.
    fn choose(&mut self, residents: &mut [Resident]) -> Option<usize> {
        let is_ready = |resident: &Resident| resident.block.ready_warps() != 0;
        let count = residents.len();
        if count == 1 {
            return Some(0).filter(|_| is_ready(&residents[0]));
        }
        // Were all drawn alike, all would be about as far. So the first ones are drawn more often, and take turns.
        if self.random.below(TURN) == 0 {
            residents.swap(0, self.random.below(count as u32) as usize);
        }
        let most = self.random.below(count as u32) + 1;
        let start = self.random.below(most) as usize;
        (start..count).chain(0..start).find(|&i| is_ready(&residents[i]))
    }

    /// Runs the ready lanes of one warp of a block, each until it yields. In a drawn order the warp mostly goes on.
    fn step(&mut self, resident: &mut Resident) -> Result<(), Misuse> {
        let warps = resident.block.ready_warps();
        let warp = match self.order {
            Order::InOrder => warps.trailing_zeros(),
            Order::Reversed => 31 - warps.leading_zeros(),
            Order::Shuffled(_) | Order::Interleaved(_) => self.random.bit_of(warps).trailing_zeros(),
        };
        loop {
            self.run_warp(resident, warp)?;
            let is_drawn = matches!(self.order, Order::Shuffled(_) | Order::Interleaved(_));
            if !is_drawn || resident.block.ready_warps() >> warp & 1 == 0 || self.random.below(BURST) == 0 {
                return Ok(());
            }
        }
    }

    /// Runs the ready lanes of a warp.
    fn run_warp(&mut self, resident: &mut Resident, warp: u32) -> Result<(), Misuse> {
        let mut sequence = [0; LANES];
        let mut count = 0;
        for lane in lanes(resident.block.take_ready(warp)) {
            sequence[count] = lane;
            count += 1;
        }
        let sequence = &mut sequence[..count];
        match self.order {
            Order::InOrder => (),
            Order::Reversed => sequence.reverse(),
            Order::Shuffled(_) | Order::Interleaved(_) => self.random.shuffle(sequence),
        }
        for lane in sequence {
            self.resume(resident, warp * 32 + *lane)?;
        }
        Ok(())
    }

    /// Runs one thread until it yields or ends.
    fn resume(&mut self, resident: &mut Resident, thread: u32) -> Result<(), Misuse> {
        let slot = &mut resident.threads[thread as usize];
        let coroutine = match slot {
            Some(coroutine) => coroutine,
            None => slot.insert(self.start(&resident.block, thread)?),
        };
        let outer = Outer::save();
        let outcome = catch_unwind(AssertUnwindSafe(|| coroutine.resume(())));
        drop(outer);
        if let Some(misuse) = self.grid.take_misuse() {
            return Err(misuse);
        }
        match outcome {
            Ok(CoroutineResult::Yield(())) => Ok(()),
            Ok(CoroutineResult::Return(())) => {
                if let Some(coroutine) = slot.take() {
                    self.stacks.give_back(coroutine.into_stack());
                }
                resident.live -= 1;
                self.grid.moved.set(true);
                resident.block.end(thread, &mut self.grid.counts.borrow_mut())
            }
            Err(payload) => {
                let message = message(payload.as_ref());
                Err(Misuse::Panicked { at: resident.block.site(thread), message })
            }
        }
    }

    /// Creates the coroutine of a thread. It runs when resumed.
    fn start(&mut self, block: &Rc<Block>, thread: u32) -> Result<Coroutine<(), (), (), Coloured>, Misuse> {
        let stack = self.stacks.take().map_err(|error| Misuse::Refused {
            reason: format!("no memory for the stack of one more thread: {error}"),
        })?;
        let (grid, kernel, block) = (self.grid, self.kernel, Rc::clone(block));
        let body = move |yielder: &Yielder<(), ()>, ()| Thread::run(grid, block, thread, yielder, kernel);
        // SAFETY: `body` borrows the grid and the kernel, which outlive the coroutine: `run` creates the grid before
        // the residents, which own every coroutine, and so drops them first, also on a panic.
        Ok(unsafe { Coroutine::with_stack_unchecked(stack, body) })
    }
}

/// Returns the message of a panic.
fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "(no message)".to_owned())
}
