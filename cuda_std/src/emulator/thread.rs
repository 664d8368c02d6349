//! The running thread: what the functions of this crate ask of it, and how it yields to others.

use core::cell::Cell;
use core::panic::Location;
use core::ptr;
use std::rc::Rc;

use corosensei::Yielder;

use super::block::Block;
use super::grid::Grid;
use super::misuse::{Misuse, Site};
use super::warp::Operands;

thread_local! {
    /// The emulated thread that runs on this OS thread, or null. It is on the stack of its coroutine.
    static CURRENT: Cell<*const Thread<'static>> = const { Cell::new(ptr::null()) };
}

/// Calls `f` with the running thread.
///
/// # Panics
/// Outside a launch, where there is no running thread.
#[inline]
#[expect(clippy::panic, reason = "functions without a Result, as on the device, have no other way out")]
pub(crate) fn with<R>(f: impl FnOnce(&Thread<'_>) -> R) -> R {
    let current = CURRENT.get();
    if current.is_null() {
        panic!("a device function was called outside `cuda_std::emulator::Launch::run`");
    }
    // SAFETY: `Thread::enter` set the pointer to a `Thread` that lives until its coroutine ends, and `Outer` resets the
    // pointer whenever that coroutine stops running.
    f(unsafe { &*current })
}

/// Restores the current thread on drop: none, or the thread that launches from inside a kernel.
pub(super) struct Outer(*const Thread<'static>);

impl Outer {
    pub(super) fn save() -> Self {
        Self(CURRENT.get())
    }
}

impl Drop for Outer {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// An emulated thread, on the stack of its own coroutine.
pub(crate) struct Thread<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) block: Rc<Block>,
    pub(crate) index: [u32; 3],
    pub(super) linear: u32,
    yielder: &'a Yielder<(), ()>,
}

impl<'a> Thread<'a> {
    /// Runs `kernel` as thread `linear` of `block`.
    pub(super) fn run(
        grid: &'a Grid,
        block: Rc<Block>,
        linear: u32,
        yielder: &'a Yielder<(), ()>,
        kernel: &dyn Fn(),
    ) {
        let index = block.dim.index(linear);
        let thread = Thread { grid, block, index, linear, yielder };
        thread.enter();
        kernel();
    }

    fn enter(&self) {
        CURRENT.set(ptr::from_ref(self).cast());
    }

    /// Yields until the scheduler resumes or unwinds this thread.
    fn give_way(&self) {
        /// Sets the current thread on drop, so also while unwinding, when the kernel's destructors may query it.
        struct Enter<'t, 'a>(&'t Thread<'a>);
        impl Drop for Enter<'_, '_> {
            fn drop(&mut self) {
                self.0.enter();
            }
        }
        let _enter = Enter(self);
        self.yielder.suspend(());
    }

    /// Stops the launch with a report.
    pub(super) fn stop(&self, misuse: Misuse) -> ! {
        self.grid.report(misuse);
        loop {
            self.give_way();
        }
    }

    /// Stops the launch: an index was beyond the end of a handle to memory.
    pub(crate) fn out_of_bounds(&self, at: &'static Location<'static>) -> ! {
        self.stop(Misuse::OutOfBounds { at: self.site("index", at) })
    }

    pub(crate) fn lane(&self) -> u32 {
        self.linear % 32
    }

    /// Returns this thread at the call that it makes now.
    pub(super) fn site(&self, call: &'static str, at: &'static Location<'static>) -> Site {
        self.block.set_last(self.linear, (call, at));
        self.block.site(self.linear)
    }

    /// Yields to others, but stays ready.
    fn pause(&self) {
        self.block.make_ready(self.linear / 32, 1 << self.lane());
        self.give_way();
    }

    /// Waits for the block, and returns the number of threads in which `predicate` held.
    pub(crate) fn barrier(&self, call: &'static str, predicate: bool, at: &'static Location<'static>) -> u32 {
        self.grid.moved.set(true);
        let counts = &self.grid.counts;
        let arrival =
            self.block.arrive_at_barrier(self.linear, predicate, (call, at), &mut counts.borrow_mut());
        if let Err(misuse) = arrival {
            self.stop(misuse);
        }
        self.give_way();
        self.block.barrier_result()
    }

    /// Waits for the lanes in `mask`, and returns this lane's result of the collective.
    pub(crate) fn meet(
        &self,
        call: &'static str,
        mask: u32,
        operands: Operands,
        at: &'static Location<'static>,
    ) -> (u32, bool) {
        self.grid.moved.set(true);
        let counts = &self.grid.counts;
        let arrival =
            self.block.arrive_in_warp(self.linear, mask, operands, (call, at), &mut counts.borrow_mut());
        if let Err(misuse) = arrival {
            self.stop(misuse);
        }
        self.give_way();
        self.block.warps[self.linear as usize / 32].borrow().result(self.lane())
    }

    pub(crate) fn fence(&self) {
        self.grid.counts.borrow_mut().fences += 1;
        self.pause();
    }

    /// Sleeps until no other thread of the block is ready.
    pub(crate) fn sleep(&self, at: &'static Location<'static>) {
        self.block.set_last(self.linear, ("nanosleep", at));
        self.block.put_to_sleep(self.linear);
        self.give_way();
    }

    /// Increments `counter`, or sets it to 0 after `last`, and learns what earlier takers published.
    ///
    /// # Safety
    /// As for `atomic::Ticket::new`.
    pub(crate) unsafe fn ticket(&self, counter: *mut u32, last: u32, at: &'static Location<'static>) -> u32 {
        self.check_address("ticket", counter.addr(), size_of::<u32>(), align_of::<u32>(), at);
        self.grid.moved.set(true);
        self.pause();
        self.check_written("ticket", counter.addr(), size_of::<u32>(), at);
        self.hand_over(counter.addr());
        // SAFETY: promised by this function's contract, and no other thread of the launch runs meanwhile.
        let ticket = unsafe { counter.read() };
        // SAFETY: as above.
        unsafe { counter.write(if ticket >= last { 0 } else { ticket + 1 }) };
        self.grid.counts.borrow_mut().tickets += 1;
        self.block.warps[self.linear as usize / 32].borrow_mut().steps.busy(self.lane());
        self.pause();
        ticket
    }

    /// Replaces the number at `address` by `change` of it, and returns the number before. It yields first, so the
    /// scheduler decides the order of atomics.
    ///
    /// # Safety
    /// As for `atomic::AtomicCells::new`.
    pub(crate) unsafe fn atomic<T: Copy>(
        &self,
        call: &'static str,
        address: *mut T,
        change: impl FnOnce(T) -> T,
        at: &'static Location<'static>,
    ) -> T {
        self.before_replacing(call, address, at);
        self.check_written(call, address.addr(), size_of::<T>(), at);
        // SAFETY: promised by this function's contract, and no other thread of the launch runs meanwhile.
        let before = unsafe { address.read() };
        // SAFETY: as above.
        unsafe { address.write(change(before)) };
        before
    }

    /// Stores a number at `address`. It yields first, as [`atomic`](Self::atomic) does.
    ///
    /// # Safety
    /// As for `atomic::AtomicCells::new`.
    pub(crate) unsafe fn atomic_store<T: Copy>(
        &self,
        call: &'static str,
        address: *mut T,
        value: T,
        at: &'static Location<'static>,
    ) {
        self.before_replacing(call, address, at);
        self.grid.global.borrow().add_written(address.addr(), size_of::<T>());
        // SAFETY: promised by this function's contract, and no other thread of the launch runs meanwhile.
        unsafe { address.write(value) };
    }

    fn before_replacing<T>(&self, call: &'static str, address: *mut T, at: &'static Location<'static>) {
        self.check_address(call, address.addr(), size_of::<T>(), align_of::<T>(), at);
        self.pause();
        self.grid.moved.set(true);
        self.before_atomic(call, address.addr(), size_of::<T>(), at);
    }

    /// Loads the number at `address`. It yields first. It does not count as progress: a thread that does nothing else
    /// spins.
    ///
    /// # Safety
    /// As for `atomic::AtomicCells::new`.
    pub(crate) unsafe fn atomic_load<T: Copy>(&self, address: *const T, at: &'static Location<'static>) -> T {
        self.check_address("atomic load", address.addr(), size_of::<T>(), align_of::<T>(), at);
        self.pause();
        self.check_written("atomic load", address.addr(), size_of::<T>(), at);
        self.before_atomic("atomic load", address.addr(), size_of::<T>(), at);
        // SAFETY: promised by this function's contract, and no other thread of the launch runs meanwhile.
        unsafe { address.read() }
    }
}
