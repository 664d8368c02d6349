//! The standard library's primitives of synchronisation, for files that `tests/models` compiles with loom's.

use std::time::Duration;

#[cfg(feature = "cuda")]
pub(crate) use std::sync::TryLockError;
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, atomic};
#[cfg(feature = "cuda")]
pub(crate) use std::{thread, thread_local};

/// How long a thread looks for what another one is about to send before it sleeps. Two ranks then reduce small arrays faster
/// (docs/tuning/cpu.md).
pub(crate) const AWAKE: Duration = Duration::from_micros(100);
