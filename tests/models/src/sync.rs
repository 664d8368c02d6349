//! Twins of the standard library's types. [`lacks`] may leave out a part of them.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::LockResult;
pub use std::sync::{PoisonError, TryLockError};
use std::thread::panicking;
use std::time::Duration;

use loom::cell::MutPtr;

pub use crate::of_thread as thread_local;
use crate::{Part, lacks};

/// Threads sleep at once: looking for a change before that changes no outcome.
pub const AWAKE: Duration = Duration::ZERO;

/// A mutex whose content is watched: it is accessed while the lock is held, which [`Part::Locks`] leaves out.
#[derive(Debug, Default)]
pub struct Mutex<T> {
    lock: loom::sync::Mutex<()>,
    /// Written where the content is accessed, so that loom fails a model whose accesses are not ordered.
    watched: loom::cell::UnsafeCell<()>,
    content: UnsafeCell<T>,
}

// SAFETY: loom fails a model whose accesses to the content are not ordered.
unsafe impl<T: Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Mutex<T> {}

/// The lock, held.
#[derive(Debug)]
pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    // The access ends before the lock is released: fields are dropped in their order.
    access: Option<MutPtr<()>>,
    held: Option<loom::sync::MutexGuard<'a, ()>>,
}

impl<T> Mutex<T> {
    /// Makes it, unlocked.
    pub fn new(content: T) -> Self {
        Self { lock: Default::default(), watched: Default::default(), content: UnsafeCell::new(content) }
    }

    /// Waits for the lock.
    ///
    /// # Errors
    /// None: nothing panics in a model that passes.
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let held = if lacks(Part::Locks) || panicking() { None } else { self.lock.lock().ok() };
        Ok(self.guard(held))
    }

    /// Takes the lock if it is free.
    ///
    /// # Errors
    /// [`TryLockError::WouldBlock`].
    pub fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError<MutexGuard<'_, T>>> {
        if lacks(Part::Locks) || panicking() {
            return Ok(self.guard(None));
        }
        match self.lock.try_lock() {
            Ok(held) => Ok(self.guard(Some(held))),
            Err(_) => Err(TryLockError::WouldBlock),
        }
    }

    /// Does nothing: no lock is poisoned here.
    pub fn clear_poison(&self) {}

    fn guard<'a>(&'a self, held: Option<loom::sync::MutexGuard<'a, ()>>) -> MutexGuard<'a, T> {
        // A model that has failed is not a model any more: destructors that lock run alone.
        let access = (!panicking()).then(|| self.watched.get_mut());
        MutexGuard { mutex: self, access, held }
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: loom fails where another access is under way.
        unsafe { &*self.mutex.content.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above.
        unsafe { &mut *self.mutex.content.get() }
    }
}

/// A condition variable, whose notices [`Part::Notices`] leaves out.
#[derive(Debug, Default)]
pub struct Condvar(loom::sync::Condvar);

impl Condvar {
    /// Makes it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets go of the lock, and takes it again once notified.
    ///
    /// # Errors
    /// None, as [`Mutex::lock`].
    pub fn wait<'a, T>(&self, mut guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let mutex = guard.mutex;
        guard.access = None;
        // Where locks are left out, a thread still sleeps.
        let held = guard.held.take().or_else(|| mutex.lock.lock().ok());
        let held = held.and_then(|held| self.0.wait(held).ok());
        Ok(mutex.guard(held.filter(|_| !lacks(Part::Locks))))
    }

    /// As [`wait`](Self::wait): the time is never over.
    ///
    /// # Errors
    /// As `wait`.
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        _limit: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, bool)> {
        self.wait(guard).map(|guard| (guard, false)).map_err(|_| unreachable!())
    }

    /// Wakes one.
    pub fn notify_one(&self) {
        if !lacks(Part::Notices) && !panicking() {
            self.0.notify_one();
        }
    }

    /// Wakes all.
    pub fn notify_all(&self) {
        if !lacks(Part::Notices) && !panicking() {
            self.0.notify_all();
        }
    }
}

/// Threads.
pub mod thread {
    pub use loom::thread::{Builder, JoinHandle, spawn, yield_now};
}

/// Atomics, of whose orders [`Part::Acquire`] and [`Part::Release`] leave one out.
pub mod atomic {
    pub use std::sync::atomic::Ordering;

    use crate::{Part, lacks};

    /// What is left of an order.
    fn left(order: Ordering) -> Ordering {
        match order {
            Ordering::Acquire if lacks(Part::Acquire) => Ordering::Relaxed,
            Ordering::Release if lacks(Part::Release) => Ordering::Relaxed,
            Ordering::AcqRel if lacks(Part::Acquire) => Ordering::Release,
            Ordering::AcqRel if lacks(Part::Release) => Ordering::Acquire,
            order => order,
        }
    }

    macro_rules! atomics {
        ($($name:ident: $value:ty),*) => { $(
            /// The standard library's, as loom has it.
            #[derive(Debug, Default)]
            pub struct $name(loom::sync::atomic::$name);

            impl $name {
                /// Makes it.
                pub fn new(value: $value) -> Self {
                    Self(loom::sync::atomic::$name::new(value))
                }

                /// Loads the value.
                pub fn load(&self, order: Ordering) -> $value {
                    self.0.load(left(order))
                }

                /// Stores a value.
                pub fn store(&self, value: $value, order: Ordering) {
                    self.0.store(value, left(order));
                }
            }
        )* };
    }
    atomics!(AtomicBool: bool, AtomicU32: u32, AtomicU64: u64);

    impl AtomicU32 {
        /// Replaces the value by another, and returns the one before. Reads the last value in modification order, as an atomic
        /// instruction of a device does.
        pub fn replace(&self, order: Ordering, next: impl Fn(u32) -> u32) -> u32 {
            // A failed exchange is tried again with what it found.
            let exchanged = self.0.fetch_update(left(order), Ordering::Relaxed, |value| Some(next(value)));
            exchanged.unwrap_or_else(|value| value)
        }

        /// As the standard library's.
        ///
        /// # Errors
        /// The value, if there is no next one.
        pub fn fetch_update(
            &self,
            set: Ordering,
            fetch: Ordering,
            next: impl FnMut(u32) -> Option<u32>,
        ) -> Result<u32, u32> {
            self.0.fetch_update(left(set), left(fetch), next)
        }

        /// Sets bits, and returns the value before.
        pub fn fetch_or(&self, bits: u32, order: Ordering) -> u32 {
            self.0.fetch_or(bits, left(order))
        }

        /// Subtracts, and returns the value before.
        pub fn fetch_sub(&self, subtrahend: u32, order: Ordering) -> u32 {
            self.0.fetch_sub(subtrahend, left(order))
        }
    }
}

/// A cell that each thread of a model has.
pub struct Local<T: 'static>(pub &'static loom::thread::LocalKey<std::cell::Cell<T>>);

impl<T: Copy> Local<T> {
    /// The value.
    pub fn get(&self) -> T {
        self.0.with(std::cell::Cell::get)
    }

    /// Replaces the value.
    pub fn set(&self, value: T) {
        self.0.with(|cell| cell.set(value));
    }
}

/// `std::thread_local!` of a cell.
#[macro_export]
macro_rules! of_thread {
    ($(#[$doc:meta])* static $name:ident: Cell<$value:ty> = const { Cell::new($first:expr) };) => {
        loom::thread_local! {
            static OF_THREAD: Cell<$value> = Cell::new($first)
        }
        $(#[$doc])*
        static $name: $crate::sync::Local<$value> = $crate::sync::Local(&OF_THREAD);
    };
}
