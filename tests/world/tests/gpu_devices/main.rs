//! Devices as ranks over NCCL, two, three and all there are: threads of one process, and a process for each. Every result
//! has the bits of one device, and of the CPU, over the concatenated parts. With fewer than two devices each test says so,
//! and tests nothing.
#![allow(missing_docs)]

mod across;
mod contexts;
mod faults;
#[path = "../world/pairs.rs"]
mod pairs;
mod ranks;
mod sockets;
mod whole;
