//! The place in a kernel where a formula's text goes.

use core::marker::PhantomData;

use super::scalar::Scalar;
use bytemuck::NoUninit;

use super::{Captured, Mapped, Mapping};
use crate::ops::{ArgMax, ArgMin, Max, Mean, Min, Sum, SumOfSquares, Variance};

/// What kernels have in the place of a formula: it maps an element `T` to a result `U`.
///
/// On a GPU it is a line of text, which becomes the formula's when the kernel is loaded: see [`Program::put_into`](super::Program::put_into).
/// The emulated device interprets the formula's program.
#[repr(C)]
pub struct Mark<T, U> {
    captured: Captured,
    maps: PhantomData<(T, U)>,
}

impl<T, U> Clone for Mark<T, U> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, U> Copy for Mark<T, U> {}

impl<T, U> core::fmt::Debug for Mark<T, U> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Mark").finish()
    }
}

// SAFETY: the numbers and the address that it consists of have no uninitialized bytes, and no padding between them.
unsafe impl<T: 'static, U: 'static> NoUninit for Mark<T, U> {}

macro_rules! after_marks {
    ($($op:ty),*) => { $(
        // SAFETY: the operator has no bytes, and the mark no uninitialized ones.
        unsafe impl<T: 'static, U: 'static> NoUninit for Mapped<$op, Mark<T, U>> {}
    )* };
}
after_marks!(Sum, Min, Max, Mean, Variance, SumOfSquares, ArgMin, ArgMax);

impl<T: Scalar, U: Scalar> Mapping for Mark<T, U> {
    type In = T;
    type Out = U;

    #[inline(always)]
    fn map(self, x: T) -> U {
        U::from_word(mark(&self.captured, x.to_word(), [size_of::<T>(), size_of::<U>()]))
    }
}

impl<T: Scalar> crate::ops::Predicate<T> for Mark<T, bool> {
    #[inline(always)]
    fn holds(self, x: T) -> bool {
        self.map(x)
    }
}

/// Leaves the line `//@formula` and an instruction that moves the element's register to the result's: it names both, and goes when the
/// formula comes. An element has 4 or 8 bytes, a result too, or it is a `bool` in 4 bytes.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn mark(_captured: &Captured, x: u64, bytes: [usize; 2]) -> u64 {
    use core::arch::asm;

    let (short, long, short_x): (u32, u64, u32);
    // SAFETY: the instructions write a register of their own, as each formula's text does.
    unsafe {
        match bytes {
            [8, 8] => {
                asm!("//@formula", "mov.b64 {0}, {1};", out(reg64) long, in(reg64) x, options(pure, nomem, nostack));
                long
            }
            [8, _] => {
                asm!("//@formula", "cvt.u32.u64 {0}, {1};", out(reg32) short, in(reg64) x, options(pure, nomem, nostack));
                short.into()
            }
            [_, 8] => {
                short_x = x as u32;
                asm!("//@formula", "cvt.u64.u32 {0}, {1};", out(reg64) long, in(reg32) short_x, options(pure, nomem, nostack));
                long
            }
            _ => {
                short_x = x as u32;
                asm!("//@formula", "mov.b32 {0}, {1};", out(reg32) short, in(reg32) short_x, options(pure, nomem, nostack));
                short.into()
            }
        }
    }
}

/// Interprets the formula's program, which each thread traces once.
#[cfg(not(target_arch = "nvptx64"))]
fn mark(captured: &Captured, x: u64, _bytes: [usize; 2]) -> u64 {
    use std::cell::RefCell;

    use super::Program;

    type Traced = (fn() -> Program, Program);

    thread_local! {
        static LAST: RefCell<Option<Traced>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| {
        let (_, program) = match last {
            Some(known) if std::ptr::fn_addr_eq(known.0, captured.program) => known,
            _ => last.insert((captured.program, (captured.program)())),
        };
        program.run(x, &captured.words)
    })
}
