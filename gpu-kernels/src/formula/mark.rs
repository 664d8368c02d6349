//! The places in a kernel where a formula's text goes.

use core::marker::PhantomData;

use bytemuck::{NoUninit, cast};

use super::outcome::{Given, Outcome};
use super::scalar::{Numeric, Scalar};
use super::{Captured, Combining, Mapped, Mapping};
use crate::op::Element;
use crate::ops::{ArgMax, ArgMin, Max, Mean, Min, Sum, SumOfSquares, Variance};

/// What kernels have in the place of a formula: it maps what the formula is given, a `T`, to a result `U`, of which there may be none.
///
/// On a GPU it is a line of text, which becomes the formula's when the kernel is loaded: see [`Program::put_into`](super::Program::put_into).
/// The emulated device interprets the formula's program.
#[repr(C)]
pub struct Mark<T, U> {
    captured: Captured,
    maps: PhantomData<(T, U)>,
}

impl<T, U> Mark<T, U> {
    /// Creates the mark of a formula that a launch passes.
    #[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) const fn of(captured: Captured) -> Self {
        Self { captured, maps: PhantomData }
    }
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

impl<T: Given, U: Outcome> super::mapped::sealed::Sealed for Mark<T, U> {}

impl<T: Given, U: Outcome> Mapping for Mark<T, U> {
    type In = T;
    type Out = U;
    type Mark = Self;

    #[inline(always)]
    fn map(self, x: T) -> U {
        let second = if T::COUNT == 2 { size_of::<T::Second>() } else { 0 };
        let bytes = [size_of::<T::Scalar>(), second, size_of::<U::Scalar>()];
        let (x, y) = x.parts();
        let (word, is_there) = mark(&self.captured, [x.to_word(), y.to_word()], bytes, U::MAY_LACK);
        U::of_word(word, is_there)
    }
}

impl<T: Given + Element> crate::ops::Predicate<T> for Mark<T, bool> {
    #[inline(always)]
    fn holds(self, x: T) -> bool {
        self.map(x)
    }
}

/// Leaves the line `//@formula` and an instruction for each value that moves its register to the result's, and one more for whether there
/// is a result: they name the registers, and go when the formula comes. A value has 4 or 8 bytes, a result too; a `bool`
/// and a short float are in 4 bytes. `bytes` has the sizes of both values, of no second one 0, and of the result.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn mark(_captured: &Captured, [x, y]: [u64; 2], bytes: [usize; 3], may_lack: bool) -> (u64, bool) {
    use core::arch::asm;

    macro_rules! marked {
        ($from:ty, $given:ident by $move:literal, $second:ty, $beside:ident by $also:literal to $to:ty, $result:ident) => {{
            let (x, y) = (x as $from, y as $second);
            let (result, is_some): ($to, u32);
            // SAFETY: the instructions write registers of their own, as each formula's text does.
            unsafe {
                match (bytes[1] != 0, may_lack) {
                    (false, false) => {
                        asm!("//@formula", concat!($move, " {0}, {1};"), out($result) result, in($given) x, options(pure, nomem, nostack));
                        is_some = 1;
                    }
                    (true, false) => {
                        asm!("//@formula", concat!($move, " {0}, {1};"), concat!($also, " {0}, {2};"),
                            out($result) result, in($given) x, in($beside) y, options(pure, nomem, nostack));
                        is_some = 1;
                    }
                    (false, true) => {
                        asm!("//@formula", concat!($move, " {0}, {2};"), "mov.b32 {1}, 1;",
                            out($result) result, out(reg32) is_some, in($given) x, options(pure, nomem, nostack));
                    }
                    (true, true) => {
                        asm!("//@formula", concat!($move, " {0}, {2};"), concat!($also, " {0}, {3};"), "mov.b32 {1}, 1;",
                            out($result) result, out(reg32) is_some, in($given) x, in($beside) y, options(pure, nomem, nostack));
                    }
                }
            }
            (result.into(), is_some != 0)
        }};
    }
    match bytes {
        [8, _, 8] => marked!(u64, reg64 by "mov.b64", u64, reg64 by "mov.b64" to u64, reg64),
        [8, _, _] => marked!(u64, reg64 by "cvt.u32.u64", u64, reg64 by "cvt.u32.u64" to u32, reg32),
        [_, 8, 8] => marked!(u32, reg32 by "cvt.u64.u32", u64, reg64 by "mov.b64" to u64, reg64),
        [_, 8, _] => marked!(u32, reg32 by "mov.b32", u64, reg64 by "cvt.u32.u64" to u32, reg32),
        [_, _, 8] => marked!(u32, reg32 by "cvt.u64.u32", u32, reg32 by "cvt.u64.u32" to u64, reg64),
        _ => marked!(u32, reg32 by "mov.b32", u32, reg32 by "mov.b32" to u32, reg32),
    }
}

/// What kernels have in the place of the formula by which an operator combines numbers of type `T`.
///
/// On a GPU it is lines of text, as a [`Mark`] is: one for each two that are combined, and one where a number is carried. The emulated device
/// interprets the program that [`combine_by`] names.
#[derive(Clone, Copy, Debug)]
pub struct Junction<T>(PhantomData<T>);

impl<T: Numeric> Combining for Junction<T> {
    type Number = T;
    #[inline(always)]
    fn carry(bits: T::Bits) -> T::Bits {
        cast(T::from_word(carry(cast::<_, T>(bits).to_word(), size_of::<T>())))
    }
    #[inline(always)]
    fn combine(left: T::Bits, right: T::Bits) -> T::Bits {
        let words = [left, right].map(|bits| cast::<_, T>(bits).to_word());
        cast(T::from_word(combine(words, [size_of::<T>(); 3])))
    }
}

/// The operator whose kernels have marks where an operator has a formula, and the formula.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Marked {
    /// The type of the operator with the formula.
    pub of: core::any::TypeId,
    /// The type of the operator with marks, which has the same layout.
    pub operator: core::any::TypeId,
    /// Returns the formula.
    pub program: fn() -> super::Program,
    /// Whether it combines, as kernels over accumulators do too.
    pub combines: bool,
}

#[cfg(not(target_arch = "nvptx64"))]
impl Marked {
    /// Of an operator `O` that lifts by a formula, and `M` with marks.
    pub(crate) fn lifting<O: 'static, M: 'static>(program: fn() -> super::Program) -> Self {
        use core::any::TypeId;
        Self { of: TypeId::of::<O>(), operator: TypeId::of::<M>(), program, combines: false }
    }

    /// Of an operator `O` that combines by a formula, and `M` with marks.
    pub(super) fn combining<O: 'static, M: 'static>(program: fn() -> super::Program) -> Self {
        Self { combines: true, ..Self::lifting::<O, M>(program) }
    }
}

/// Leaves the line `//@carry` and an instruction that moves the number's register to the carried one's.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn carry(x: u64, bytes: usize) -> u64 {
    use core::arch::asm;

    // SAFETY: the instructions write a register of their own, as an operation's text does.
    unsafe {
        if bytes == 8 {
            let carried: u64;
            asm!("//@carry", "mov.b64 {0}, {1};", out(reg64) carried, in(reg64) x, options(pure, nomem, nostack));
            carried
        } else {
            let carried: u32;
            asm!("//@carry", "mov.b32 {0}, {1};", out(reg32) carried, in(reg32) x as u32, options(pure, nomem, nostack));
            carried.into()
        }
    }
}

/// Leaves the lines of a formula of two elements.
#[cfg(target_arch = "nvptx64")]
#[inline(always)]
fn combine(words: [u64; 2], bytes: [usize; 3]) -> u64 {
    let nothing = Captured { words: [0; super::MOST_CAPTURED], program: 0 };
    mark(&nothing, words, bytes, false).0
}

#[cfg(not(target_arch = "nvptx64"))]
pub use interpreted::combine_by;
#[cfg(not(target_arch = "nvptx64"))]
use interpreted::{carry, combine, mark};

/// The interpreter of programs in the places of marks.
#[cfg(not(target_arch = "nvptx64"))]
mod interpreted {
    use std::cell::{Cell, RefCell};

    use crate::formula::{Captured, MOST_CAPTURED, Operation, Program};

    type Traced = (fn() -> Program, Program);

    thread_local! {
        static LAST: RefCell<Option<Traced>> = const { RefCell::new(None) };
        static OPERATION: Cell<Option<fn() -> Program>> = const { Cell::new(None) };
    }

    /// Has this thread's kernels combine by `B`: an operator that combines by a formula is passed to no kernel.
    #[doc(hidden)]
    pub fn combine_by<B: Operation>() {
        OPERATION.set(Some(Program::of_operation::<B>));
    }

    /// Calls with a program, which each thread traces once.
    fn traced<R>(program: fn() -> Program, call: impl FnOnce(&Program) -> R) -> R {
        LAST.with_borrow_mut(|last| {
            let (_, program) = match last {
                Some(known) if std::ptr::fn_addr_eq(known.0, program) => known,
                _ => last.insert((program, program())),
            };
            call(program)
        })
    }

    /// Calls with the program of this thread's operation.
    fn operation<R>(call: impl FnOnce(&Program) -> R) -> R {
        traced(OPERATION.get().unwrap_or_else(|| unreachable!("`combine_by` was called")), call)
    }

    pub(super) fn mark(captured: &Captured, x: [u64; 2], _bytes: [usize; 3], _may_lack: bool) -> (u64, bool) {
        traced(captured.program, |program| program.run(x, &captured.words))
    }

    pub(super) fn carry(word: u64, _bytes: usize) -> u64 {
        operation(|program| word ^ program.identity)
    }

    pub(super) fn combine(words: [u64; 2], _bytes: [usize; 3]) -> u64 {
        operation(|program| program.run(words, &[0; MOST_CAPTURED]).0)
    }
}
