//! Moves device memory between ranks with NCCL, which is found at run time. NCCL only moves bytes: none of its
//! reductions is declared.
//!
//! A [`Communicator`] starts within its time limit or fails, and each wait for a stream that it has work on ends within
//! that limit. After an error it is aborted, which ends its unfinished work, and it is never used again.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use cust::context::Context;
//! use cust::device::Device;
//! use cust::memory::Memory;
//! use cust::nccl::{Communicator, UniqueId};
//! use cust::stream::Stream;
//!
//! cust::init()?;
//! let context = Context::open(Device::get_device(0)?)?;
//! let stream = Stream::new(&context)?;
//! let (id, limit) = (UniqueId::new()?, Duration::from_secs(60));
//! let alone = Communicator::start(&context, &id, 0, 1, limit)?;
//! let (from, to) = (Memory::uploaded(&stream, &[1u32, 2])?, Memory::zeroed(&stream, 8)?);
//! stream.all_gather(&alone, from.whole(), to.whole())?;
//! assert_eq!(to.download::<u32>(&stream, 0, 2)?, [1, 2]);
//! # Ok::<(), cust::error::CudaError>(())
//! ```

mod bounded;
mod communicator;
mod fault;
mod library;
mod moves;
mod start;
mod wait;

pub use communicator::{Communicator, UniqueId};
pub use fault::{NcclCode, NcclFault};
pub use library::version;
#[cfg(feature = "emulator")]
pub(crate) use library::{Config, IN_PROGRESS, SUCCESS};
pub use moves::Move;
pub(crate) use wait::{Guard, Waited};
