//! Two devices as ranks over NCCL: threads of one process, and two processes. Every result has the bits of one device, and
//! of the CPU, over the concatenated parts. With fewer than two devices each test says so, and tests nothing.
#![allow(missing_docs)]

mod across;
mod contexts;
mod faults;
mod ranks;
mod sockets;
mod whole;
