//! The list of rungs, and the host's launches for each, which are the same for the emulator and for a GPU.

use crate::arguments::ladder::WithTicket;
use crate::ladder::entry::{self, Sum};

/// A step of the ladder.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// Its number, with a letter where there are two of that number.
    pub label: &'static str,
    /// A short description.
    pub name: &'static str,
    /// The name of its kernels without the prefix `ladder_`, the number of threads of compiled ones, and the type.
    pub stem: &'static str,
    /// The host's launches.
    pub course: Course,
    /// The blocks that it takes.
    pub threads: Threads,
}

/// The way of a rung from many elements to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// One launch, one thread per element; all add to one number.
    AddPerElement,
    /// Each thread leaves a sum of two, and the next launch adds these.
    Halves,
    /// Each block leaves a sum of this many elements per thread, and the next launch adds these.
    Levels(u64),
    /// [`Levels`](Self::Levels) with log2 of the length, as Brent's theorem suggests.
    LevelsOfLog2,
    /// As many blocks as the GPU holds at once, then one block over their sums.
    TwoPasses,
    /// One launch of as many blocks as the GPU holds at once; all add to one number.
    AddPerBlock,
    /// One launch of as many blocks as the GPU holds at once, with a ticket.
    Ticket,
    /// One launch of one block.
    OneBlock,
    /// One launch of one block, for at most two elements per thread.
    OneBlockOfTwo,
}

/// The blocks that a rung takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// 1 to 1024 threads.
    Any,
    /// A power of two of threads, from this one up. (With one element per thread, blocks of one thread would never reduce
    /// anything.)
    PowersOfTwo(u32),
    /// A power of two of threads, from this one up, each with a kernel of its own.
    Compiled(u32),
    /// Whole warps.
    Warps,
}

/// One launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Blocks of the grid.
    pub blocks: u32,
    /// Elements to add: the input's, or those that the step before has left.
    pub len: u64,
    /// Numbers that it writes. The sum is the first number of the last step.
    pub leaves: u64,
}

use Course::*;
use Threads::{Any, Compiled, PowersOfTwo, Warps};

/// All rungs but the last, which is the library's kernel.
pub const RUNGS: [Rung; 17] = [
    rung("1", "one atomic add per element", "01_atomic", AddPerElement, Any),
    rung("2", "pairs through global memory", "02_pairwise", Halves, Any),
    rung("3", "shared, divergent branch", "03_divergent", Levels(1), PowersOfTwo(2)),
    rung("4", "shared, bank conflicts", "04_strided", Levels(1), PowersOfTwo(2)),
    rung("5", "sequential addressing", "05_sequential", Levels(1), PowersOfTwo(2)),
    rung("6", "first add during the load", "06_first_add", Levels(2), PowersOfTwo(1)),
    rung("7", "last warp unrolled", "07_last_warp", Levels(2), PowersOfTwo(64)),
    rung("8", "completely unrolled", "08_unrolled", Levels(2), Compiled(64)),
    rung("9", "many elements per thread", "09_grid_stride", LevelsOfLog2, Compiled(64)),
    rung("10", "any block size", "10_any_size", LevelsOfLog2, Any),
    rung("11", "two passes of one kernel", "10_any_size", TwoPasses, Any),
    rung("12a", "one pass, atomic per thread", "12_atomic_per_thread", AddPerBlock, Any),
    rung("12b", "one pass, atomic per block", "12_atomic_per_block", AddPerBlock, Any),
    rung("13", "one pass, a ticket", "13_ticket", Ticket, Any),
    rung("14a", "one block of any length", "14_one_block", OneBlock, Any),
    rung("14b", "threads only, two each", "14_threads_only", OneBlockOfTwo, Any),
    rung("15", "warp shuffles, two passes", "15_shuffle", TwoPasses, Warps),
];

const fn rung(
    label: &'static str,
    name: &'static str,
    stem: &'static str,
    course: Course,
    threads: Threads,
) -> Rung {
    Rung { label, name, stem, course, threads }
}

impl Rung {
    /// Returns the entry point's name for blocks of `threads` threads.
    #[must_use]
    pub fn entry(&self, threads: u32, element: &str) -> String {
        match self.threads {
            Compiled(_) => format!("ladder_{}_{threads}_{element}", self.stem),
            _ => format!("ladder_{}_{element}", self.stem),
        }
    }

    /// Returns whether the rung takes blocks of `threads` threads.
    #[must_use]
    pub fn takes(&self, threads: u32) -> bool {
        let is_possible = (1..=1024).contains(&threads);
        is_possible
            && match self.threads {
                Any => true,
                PowersOfTwo(least) | Compiled(least) => threads.is_power_of_two() && threads >= least,
                Warps => threads.is_multiple_of(32),
            }
    }

    /// Returns the most elements that it adds up with blocks of `threads` threads.
    #[must_use]
    pub fn most(&self, threads: u32) -> u64 {
        if self.course == OneBlockOfTwo { 2 * u64::from(threads) } else { u64::MAX }
    }

    /// Returns whether the first number that it writes must be zero before.
    #[must_use]
    pub fn adds_to_zero(&self) -> bool {
        matches!(self.course, AddPerElement | AddPerBlock)
    }

    /// Returns its launches for `len` elements, with blocks of `threads`, on a GPU that holds `resident` blocks at once.
    #[must_use]
    pub fn steps(&self, len: u64, threads: u32, resident: u32) -> Vec<Step> {
        let threads = u64::from(threads);
        let blocks = |per_block: u64| u32::try_from(len.div_ceil(per_block).max(1)).unwrap_or(u32::MAX);
        let held = blocks(2 * threads).min(resident.max(1));
        let one = |blocks, leaves| vec![Step { blocks, len, leaves }];
        match self.course {
            AddPerElement => one(blocks(threads), 1),
            AddPerBlock => one(held, 1),
            Ticket => one(held, u64::from(held) + 1),
            OneBlock => one(1, 1),
            OneBlockOfTwo => one(1, 2 * threads),
            TwoPasses => vec![
                Step { blocks: held, len, leaves: u64::from(held) },
                Step { blocks: 1, len: u64::from(held), leaves: 1 },
            ],
            Halves => levels(len, |len| {
                let pairs = len.div_ceil(2).max(1);
                (pairs.div_ceil(threads), pairs)
            }),
            Levels(each) => levels(len, |len| {
                let blocks = len.div_ceil(each * threads).max(1);
                (blocks, blocks)
            }),
            LevelsOfLog2 => levels(len, |len| {
                let each = u64::from(len.max(4).next_power_of_two().ilog2());
                let blocks = len.div_ceil(each * threads).max(1);
                (blocks, blocks)
            }),
        }
    }
}

/// Returns launches until one number is left. `shape` returns the blocks for a length, and how many numbers they leave.
fn levels(mut len: u64, shape: impl Fn(u64) -> (u64, u64)) -> Vec<Step> {
    let mut steps = Vec::new();
    loop {
        let (blocks, leaves) = shape(len);
        steps.push(Step { blocks: u32::try_from(blocks).unwrap_or(u32::MAX), len, leaves });
        if leaves <= 1 {
            return steps;
        }
        len = leaves;
    }
}

/// A type for which the rungs are stamped.
pub trait Stamped: crate::ladder::Addend {
    /// Its name in entry points.
    const NAME: &'static str;
    /// The entry points but rung 13's, by name.
    const SUMS: [&'static [(&'static str, Sum<Self>)]; 2];
    /// The entry point of rung 13.
    const TICKET: unsafe fn(WithTicket<Self>);

    /// Returns the entry point of this name.
    #[must_use]
    fn sum(entry: &str) -> Option<Sum<Self>> {
        Self::SUMS.into_iter().flatten().find(|(name, _)| *name == entry).map(|(_, sum)| *sum)
    }
}

macro_rules! stamped {
    ($($element:ident)*) => { $(
        impl Stamped for $element {
            const NAME: &'static str = stringify!($element);
            const SUMS: [&'static [(&'static str, Sum<Self>)]; 2] =
                [entry::$element::ADDING, entry::$element::WRITING];
            const TICKET: unsafe fn(WithTicket<Self>) = entry::$element::ticket;
        }
    )* };
}
stamped!(i32 f32);
