//! Processes started by `mpirun` as ranks of a [`World`](warpfold::World): reductions, scans and sorts over arrays whose parts
//! are in several processes, on one machine or several, with the bits of one process.
//!
//! ```
//! use warpfold::{Sum, World};
//! use warpfold_mpi::Mpi;
//!
//! let world = World::new(Mpi::world()?);
//! let part = vec![1.0f32; 1000]; // of this process
//! let sum = world.reduce(Sum, &part)?; // of all processes
//! assert_eq!(sum, 1000.0 * world.size() as f32);
//! # Ok::<(), warpfold::Error>(())
//! ```
//!
//! ```text
//! cargo build --release
//! mpirun -n 4 target/release/program
//! ```
//!
//! MPI only moves bytes: no result depends on its algorithms, its version or the network.
//!
//! # Build
//!
//! The crate [`mpi`] links with the MPI library of the system and reads its headers. On Debian: `apt-get install
//! libopenmpi-dev openmpi-bin libclang-dev`. This is why [`Mpi`] is in a crate of its own and not behind a feature of
//! `warpfold`: `warpfold` builds without any library of the system, with every feature. [`Mpi`] only
//! implements its public trait [`Communicator`](warpfold::Communicator).
//!
//! # Faults
//!
//! Every call has a [time limit](Mpi::with_time_limit). If a rank is dead or late, the others return an
//! [`Error::Rank`](warpfold::Error::Rank) with its number. They wait at most for the limit, an eighth of it and a second.
//! A rank that ends early, panics in a call or fails notifies the others, which then return the error at once.
//!
//! The MPI library and its launcher add limits of their own:
//!
//! - `mpirun` of Open MPI ends all processes when one is killed, or ends without finalizing MPI. The others then have no time
//!   to return or print an error. With `mpirun --enable-recovery` (Open MPI 4) they continue, and return the error.
//! - Only the time limit detects a killed rank: in shared memory, and over TCP with Open MPI 4.1. Another transport may detect
//!   a closed connection first, and may end the process instead of returning an error, whatever the error handler.
//! - Messages that were under way when a call failed stay with MPI: up to 1 MiB per other rank, and the closed communicator,
//!   are not freed before the process ends.
//! - MPI is not finalized after a failed call, because that would wait for the lost rank. End the process: `mpirun` then
//!   reports it and ends the other processes.

mod library;
mod notice;
mod patience;
mod peers;
mod ranks;
mod transfer;

pub use mpi;
pub use ranks::Mpi;
