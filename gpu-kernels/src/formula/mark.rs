//! The place in a kernel where a formula's text goes.

use core::marker::PhantomData;

use bytemuck::NoUninit;

use super::outcome::{Given, Outcome};
use super::scalar::Scalar;
use super::{Captured, Mapped, Mapping};
use crate::ops::{ArgMax, ArgMin, Max, Mean, Min, Sum, SumOfSquares, Variance};

/// What kernels have in the place of a formula: it maps an element or a pair `T` to a result `U`, of which there may be none.
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

impl<T: Given, U: Outcome> Mapping for Mark<T, U> {
    type In = T;
    type Out = U;

    #[inline(always)]
    fn map(self, x: T) -> U {
        let bytes = [size_of::<T::Scalar>(), size_of::<U::Scalar>()];
        let words = x.parts().map(Scalar::to_word);
        let (word, is_there) = mark(&self.captured, words, bytes, T::COUNT == 2, U::MAY_LACK);
        U::of_word(word, is_there)
    }
}

impl<T: Given> crate::ops::Predicate<T> for Mark<T, bool> {
    #[inline(always)]
    fn holds(self, x: T) -> bool {
        self.map(x)
    }
}

/// Leaves the line `//@formula` and an instruction for each element that moves its register to the result's, and one more for whether there
/// is a result: they name the registers, and go when the formula comes. An element has 4 or 8 bytes, a result too, or it is a `bool` in 4
/// bytes. `bytes` has the sizes of both.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn mark(_captured: &Captured, x: [u64; 2], bytes: [usize; 2], is_pair: bool, may_lack: bool) -> (u64, bool) {
    use core::arch::asm;

    macro_rules! marked {
        ($from:ty, $given:ident to $to:ty, $result:ident by $move:literal) => {{
            #[allow(unused_variables, reason = "of one element there is no other")]
            let [x, y] = x.map(|x| x as $from);
            let (result, is_some): ($to, u32);
            // SAFETY: the instructions write registers of their own, as each formula's text does.
            unsafe {
                match (is_pair, may_lack) {
                    (false, false) => {
                        asm!("//@formula", concat!($move, " {0}, {1};"), out($result) result, in($given) x, options(pure, nomem, nostack));
                        is_some = 1;
                    }
                    (true, false) => {
                        asm!("//@formula", concat!($move, " {0}, {1};"), concat!($move, " {0}, {2};"),
                            out($result) result, in($given) x, in($given) y, options(pure, nomem, nostack));
                        is_some = 1;
                    }
                    (false, true) => {
                        asm!("//@formula", concat!($move, " {0}, {2};"), "mov.b32 {1}, 1;",
                            out($result) result, out(reg32) is_some, in($given) x, options(pure, nomem, nostack));
                    }
                    (true, true) => {
                        asm!("//@formula", concat!($move, " {0}, {2};"), concat!($move, " {0}, {3};"), "mov.b32 {1}, 1;",
                            out($result) result, out(reg32) is_some, in($given) x, in($given) y, options(pure, nomem, nostack));
                    }
                }
            }
            (result.into(), is_some != 0)
        }};
    }
    match bytes {
        [8, 8] => marked!(u64, reg64 to u64, reg64 by "mov.b64"),
        [8, _] => marked!(u64, reg64 to u32, reg32 by "cvt.u32.u64"),
        [_, 8] => marked!(u32, reg32 to u64, reg64 by "cvt.u64.u32"),
        _ => marked!(u32, reg32 to u32, reg32 by "mov.b32"),
    }
}

/// Interprets the formula's program, which each thread traces once.
#[cfg(not(target_arch = "nvptx64"))]
fn mark(
    captured: &Captured,
    x: [u64; 2],
    _bytes: [usize; 2],
    _is_pair: bool,
    _may_lack: bool,
) -> (u64, bool) {
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
