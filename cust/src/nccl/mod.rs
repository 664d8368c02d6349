//! Moves device memory between ranks with NCCL, which is found at run time. NCCL only moves bytes: none of its
//! reductions is declared.
//!
//! A [`Communicator`] does not block. Each of its calls ends within its time limit, and so does each wait for a stream
//! that it has work on. After an error it is aborted, which ends its unfinished work, and it is never used again.
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

mod communicator;
mod fault;
mod library;
mod moves;
mod wait;

pub use communicator::{Communicator, UniqueId};
pub use fault::{NcclCode, NcclFault};
pub use library::version;
pub use moves::Move;
pub(crate) use wait::{Guard, Waited};
