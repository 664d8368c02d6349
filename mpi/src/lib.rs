//! Processes started by `mpirun` as ranks of a [`World`](warpfold::World): reductions, scans and sorts over arrays whose parts
//! are in several processes or on several machines, with the bits of one process.
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
//! MPI moves bytes and reduces nothing: no result depends on its algorithms, its version or the network.
//!
//! # Build
//!
//! The crate [`mpi`] links with the MPI library of the system and reads its headers. On Debian: `apt-get install
//! libopenmpi-dev openmpi-bin libclang-dev`. This is why the engine is a crate of its own, not a feature of `warpfold`:
//! `warpfold` builds without any library of the system, with every feature but `rust-cuda`. [`Mpi`] needs only its public
//! trait [`Communicator`](warpfold::Communicator).
//!
//! # Faults
//!
//! Every call has a [time limit](Mpi::with_time_limit). A rank that is dead or late is an [`Error::Rank`](warpfold::Error::Rank)
//! on the others, which names it, and none of them waits longer than the limit, an eighth of it and a second. A rank that ends
//! early, panics in a call or fails tells the others, which then get the error at once.
//!
//! What the MPI library and its launcher do is not in this crate's hands:
//!
//! - `mpirun` of Open MPI ends all processes when one is killed, or ends without finalizing MPI. The others then get no error,
//!   and no time to print one. With `mpirun --enable-recovery` (Open MPI 4) they go on, and get the error.
//! - A death is seen by the time limit alone: in shared memory, and over TCP with Open MPI 4.1. Another transport may see a closed
//!   connection first, and may end the process instead of returning an error, whatever the error handler.
//! - A message that was under way when a call failed stays with MPI: at most 1 MiB per other rank is not freed before
//!   the process ends, nor is the closed communicator.
//! - MPI is not finalized after a failed call, since that would wait for the lost rank. End the process: `mpirun` then
//!   reports it and ends what is left.

mod library;
mod notice;
mod patience;
mod peers;
mod ranks;
mod transfer;

pub use mpi;
pub use ranks::Mpi;
