//! The errors that a launch reports, with their places in the kernel's source.

use core::fmt;
use core::panic::Location;

/// One thread of a launch at one place of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The block's index in the grid: x, y, z.
    pub block: [u32; 3],
    /// The thread's index in its block: x, y, z.
    pub thread: [u32; 3],
    /// The function of this crate that the thread called; for a thread that has ended, the last one. Empty if it called
    /// none.
    pub call: &'static str,
    /// The place of that call. It is in the function that contains the call, not in that function's caller.
    pub at: Option<&'static Location<'static>>,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y, z], [bx, by, bz]) = (self.thread, self.block);
        write!(f, "thread ({x}, {y}, {z}) of block ({bx}, {by}, {bz})")?;
        match self.at {
            Some(at) => write!(f, ", `{}` at {at}", self.call),
            None => Ok(()),
        }
    }
}

/// Why a launch was stopped: the first misuse by the kernel of what a GPU requires.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Misuse {
    /// The launch asks for more than a GPU, or this machine, has.
    Refused {
        /// What it asks for, and the limit.
        reason: String,
    },
    /// Some threads of a block wait at a barrier that another thread can no longer reach.
    BarrierMissed {
        /// A waiting thread.
        waiting: Site,
        /// A thread that has ended.
        ended: Site,
    },
    /// Threads that must reach the same collective reached two, or one with two masks.
    DifferentCollectives {
        /// The first thread.
        first: Site,
        /// A later thread.
        second: Site,
    },
    /// A lane in the mask of a collective has ended or never existed (in a block whose size is not a multiple of 32).
    LaneAbsent {
        /// A thread whose mask has the lane.
        waiting: Site,
        /// The lane.
        lane: u32,
        /// The thread that has ended; `None` if the block has no such thread.
        ended: Option<Site>,
    },
    /// A thread took part in a collective whose mask does not contain its lane.
    CallerNotInMask {
        /// The thread.
        at: Site,
        /// Its mask.
        mask: u32,
    },
    /// A shuffle read from a lane that is not in its mask.
    ShuffleFromOutside {
        /// The thread that read.
        at: Site,
        /// The lane it read from.
        lane: u32,
        /// Its mask.
        mask: u32,
    },
    /// Two threads of a block accessed the same word of shared memory, at least one of them writing, and nothing orders
    /// the accesses: no barrier, and within a warp no `sync_warp`. (Shuffles and votes order no memory.)
    SharedRace {
        /// The earlier access in this run's order.
        first: Site,
        /// The later one.
        second: Site,
        /// The shared variable.
        variable: &'static str,
        /// The word's offset in the variable, bytes.
        offset: u32,
    },
    /// A thread read shared memory that no thread of its block has written.
    SharedUninitialised {
        /// The thread that read.
        at: Site,
        /// The shared variable.
        variable: &'static str,
        /// The word's offset in the variable, bytes.
        offset: u32,
    },
    /// An index is beyond the end of a handle to shared or global memory. On the device this traps.
    OutOfBounds {
        /// The thread.
        at: Site,
    },
    /// An access to global memory at an address that is not a multiple of the type's alignment.
    GlobalMisaligned {
        /// The thread.
        at: Site,
        /// The address.
        address: usize,
        /// The alignment.
        align: usize,
    },
    /// An access outside all the memory that the launch [registered](super::Launch::register).
    GlobalOutOfBounds {
        /// The thread.
        at: Site,
        /// The address.
        address: usize,
        /// The size of the access.
        bytes: usize,
    },
    /// A thread read global memory that was not [written](super::Written) since it was allocated.
    GlobalUninitialised {
        /// The thread that read.
        at: Site,
        /// The address of the first such byte.
        address: usize,
    },
    /// Two threads wrote the same byte of global memory in one launch, at most one of them by an atomic, and nothing
    /// orders the writes.
    GlobalRace {
        /// The earlier write in this run's order.
        first: Site,
        /// The later one.
        second: Site,
    },
    /// A thread read global memory that another thread wrote in the same launch, before or after in this run's order,
    /// and nothing orders the two: no ticket taken after the one and before the other, and within a block no barrier.
    /// (A fence alone orders nothing: the reader must learn that the writer has passed it.)
    HandOverUnordered {
        /// The store, or the atomic.
        written: Site,
        /// The load.
        read: Site,
    },
    /// All remaining threads sleep again and again, and no thread wakes them.
    Spinning {
        /// One of them.
        at: Site,
    },
    /// A thread panicked.
    Panicked {
        /// The thread, at its last call of a function of this crate.
        at: Site,
        /// The panic's message.
        message: String,
    },
}

impl fmt::Display for Misuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { reason } => write!(f, "the launch is refused: {reason}"),
            Self::BarrierMissed { waiting, ended } => {
                write!(f, "a barrier is not reached by all threads: {waiting} waits, but {ended}, has ended")
            }
            Self::DifferentCollectives { first, second } => {
                write!(f, "threads that must meet came to different collectives: {first}, and {second}")
            }
            Self::LaneAbsent { waiting, lane, ended: Some(ended) } => {
                write!(f, "a collective names lane {lane}, which has ended: {waiting} waits for {ended}")
            }
            Self::LaneAbsent { waiting, lane, ended: None } => {
                write!(f, "a collective names lane {lane}, but the block has no such thread: {waiting}")
            }
            Self::CallerNotInMask { at, mask } => {
                write!(f, "the mask {mask:#010x} of a collective does not name its caller: {at}")
            }
            Self::ShuffleFromOutside { at, lane, mask } => {
                write!(f, "a shuffle reads lane {lane}, which its mask {mask:#010x} does not name: {at}")
            }
            Self::SharedRace { first, second, variable, offset } => {
                write!(f, "a race on shared memory, byte {offset} of {variable}: {first}, and {second}")
            }
            Self::SharedUninitialised { at, variable, offset } => {
                write!(f, "shared memory is read before it is written, byte {offset} of {variable}: {at}")
            }
            Self::OutOfBounds { at } => write!(f, "an index is out of bounds: {at}"),
            Self::GlobalMisaligned { at, address, align } => {
                write!(f, "the address {address:#x} is not a multiple of {align}: {at}")
            }
            Self::GlobalOutOfBounds { at, address, bytes } => {
                write!(f, "{bytes} bytes at {address:#x} are outside the memory of the launch: {at}")
            }
            Self::GlobalUninitialised { at, address } => {
                write!(f, "global memory is read before it is written, at {address:#x}: {at}")
            }
            Self::GlobalRace { first, second } => {
                write!(f, "two writes to the same global memory are not ordered: {first}, and {second}")
            }
            Self::HandOverUnordered { written, read } => {
                write!(f, "a hand-over without a ticket or a barrier between: {written}, and {read}")
            }
            Self::Spinning { at } => {
                write!(f, "every thread left sleeps and waits for somebody who does not come: {at}")
            }
            Self::Panicked { at, message } => write!(f, "a thread panicked: {message}: {at}"),
        }
    }
}

impl core::error::Error for Misuse {}
