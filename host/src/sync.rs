//! The standard library's primitives of synchronisation, for files that `tests/models` compiles with loom's.

pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
#[cfg(feature = "cuda")]
pub(crate) use std::sync::{TryLockError, atomic};
#[cfg(feature = "cuda")]
pub(crate) use std::{thread, thread_local};
