//! Formulas: arithmetic of a user's own in a reduction, written once for the CPU and for GPUs.
//!
//! [`formula!`](crate::formula!) makes a [`Formula`] from what looks like a closure. On the CPU the closure's text is Rust, inlined
//! and vectorised. For a GPU it is traced: called once with values that record what is done to them, as a [`Program`]. The
//! program's PTX takes the place of marks in shipped kernels when these are loaded, so a GPU needs no compiler but its
//! driver's. Both do the same rounded operations, so both have the same bits.
//!
//! | file | holds |
//! |---|---|
//! | `scalar.rs` | the types of values, and each operation on numbers |
//! | `short.rs` | floats of 16 bits, which are converted |
//! | `value.rs` | [`Value`], which the text of a formula computes with |
//! | `elementary.rs` | `exp`, `log` and their kin |
//! | `program.rs` | [`Program`]: the recorded steps, and their interpreter |
//! | `text.rs` | the PTX of a program, and its place in a kernel's text |
//! | `mark.rs` | [`Mark`], the place in a kernel where the text goes |
//! | `outcome.rs` | what a formula is given, and what it results in |
//! | `mapped.rs` | [`Mapped`], an operator after a formula |
//! | `carry.rs` | how operators leave out elements |
//! | `combined.rs` | [`Combined`], an operator that combines by a formula |

mod carry;
mod combined;
#[cfg(not(target_arch = "nvptx64"))]
mod elementary;
mod mapped;
mod mark;
mod outcome;
#[cfg(not(target_arch = "nvptx64"))]
mod program;
mod scalar;
mod short;
#[cfg(not(target_arch = "nvptx64"))]
mod text;
#[cfg(not(target_arch = "nvptx64"))]
mod value;

/// The lint that the text of a kernel with a formula passes before it is loaded.
#[cfg(not(target_arch = "nvptx64"))]
pub use cuda_std::lint::objection;

pub use carry::{Carry, Counting, Sparse};
pub use combined::{Combined, Combining, NumberBits};
#[cfg(not(target_arch = "nvptx64"))]
pub use combined::{Operation, Written};
pub use mapped::{Mapped, Mapping};
pub use mark::{Junction, Mark};
#[cfg(not(target_arch = "nvptx64"))]
pub use mark::{Marked, combine_by};
#[cfg(not(target_arch = "nvptx64"))]
pub use outcome::Maybe;
pub use outcome::{Given, Outcome};
#[cfg(not(target_arch = "nvptx64"))]
pub use program::{Node, Program, Trace};
pub use scalar::{Binary, Comparison, Kind, Numeric, Scalar, Shift, Unary};
#[cfg(not(target_arch = "nvptx64"))]
pub use value::{Host, Mode, Operand, Value};

/// Most numbers that a formula captures.
pub const MOST_CAPTURED: usize = 7;

/// What a launch passes to kernels for a formula: the captured numbers' bits. Kernels never read the last word: it lets the
/// emulated device find the formula's program.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Captured {
    pub(crate) words: [u64; MOST_CAPTURED],
    #[cfg(not(target_arch = "nvptx64"))]
    pub(crate) program: fn() -> Program,
    #[cfg(target_arch = "nvptx64")]
    pub(crate) program: u64,
}

#[cfg(not(target_arch = "nvptx64"))]
impl Captured {
    /// Returns what records the formula's steps.
    #[must_use]
    pub fn program(&self) -> fn() -> Program {
        self.program
    }
}

/// The text of a formula. [`formula!`](crate::formula!) implements it.
#[cfg(not(target_arch = "nvptx64"))]
pub trait Body: Send + Sync + 'static {
    /// What it is given for an element.
    type In: Given;
    /// The type of the result.
    type Out: Outcome;
    /// The file and the line where it is written.
    const PLACE: &'static str;
    /// Computes the result in either [`Mode`].
    fn apply<M: Mode>(
        given: <Self::In as Given>::Values<M>,
        captured: &[u64; MOST_CAPTURED],
    ) -> <Self::Out as Outcome>::Of<M>;
}

/// A formula with the numbers that it captured: what [`formula!`](crate::formula!) returns.
#[cfg(not(target_arch = "nvptx64"))]
#[repr(C)]
pub struct Formula<B> {
    captured: Captured,
    body: core::marker::PhantomData<B>,
}

#[cfg(not(target_arch = "nvptx64"))]
impl<B> Clone for Formula<B> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
#[cfg(not(target_arch = "nvptx64"))]
impl<B> Copy for Formula<B> {}

#[cfg(not(target_arch = "nvptx64"))]
impl<B: Body> core::fmt::Debug for Formula<B> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Formula").field(&B::PLACE).finish()
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl<B: Body> Formula<B> {
    /// Creates a formula from the bits of the captured numbers. For [`formula!`](crate::formula!).
    #[doc(hidden)]
    #[must_use]
    pub const fn new<const N: usize>(captured: [u64; N]) -> Self {
        const { assert!(N <= MOST_CAPTURED, "a formula captures at most 7 numbers") }
        let mut words = [0; MOST_CAPTURED];
        let mut at = 0;
        while at < N {
            words[at] = captured[at];
            at += 1;
        }
        Self { captured: Captured { words, program: Program::of::<B> }, body: core::marker::PhantomData }
    }

    /// Computes the formula of one element.
    #[inline(always)]
    #[must_use]
    pub fn of(self, x: B::In) -> B::Out {
        B::Out::of_host(B::apply::<Host>(B::In::values::<Host>(x.parts()), &self.captured.words))
    }

    /// Returns what a launch passes to kernels.
    pub(crate) fn captured(self) -> Captured {
        self.captured
    }

    /// Returns the recorded steps.
    #[must_use]
    pub fn program(self) -> Program {
        Program::of::<B>()
    }

    /// Computes the formula of one element by interpreting the recorded steps, as the emulated device does.
    #[must_use]
    pub fn interpret(self, x: B::In) -> B::Out {
        let (x, y) = x.parts();
        let (word, is_there) = self.program().run([x.to_word(), y.to_word()], &self.captured.words);
        B::Out::of_word(word, is_there)
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl<B: Body<In: crate::Element, Out = bool>> crate::ops::Predicate<B::In> for Formula<B> {
    #[inline(always)]
    fn holds(self, x: B::In) -> bool {
        self.of(x)
    }
    fn marked_count() -> Option<Marked> {
        Some(Marked::lifting::<crate::Count<Self>, crate::Count<Mark<B::In, bool>>>(Program::of::<B>))
    }
}

/// Returns the first of the rest of the captured numbers. For [`formula!`](crate::formula!).
#[cfg(not(target_arch = "nvptx64"))]
#[inline(always)]
pub fn captured<M: Mode, T: Scalar, U: Scalar>(x: Value<M, T>, rest: &mut &[u64]) -> Value<M, U> {
    let index = MOST_CAPTURED - rest.len();
    let word = rest.split_off_first().copied().unwrap_or_default();
    Value(M::captured::<T, U>(x.0, index, word))
}

/// Makes a [`Formula`] from what looks like a closure: `formula!(|v: f32| (v - 0.5).abs())`.
///
/// The element and the result have the same type, unless the result's type is written: `|v: f32| -> bool { v.gt(0.5) }`. Captured
/// numbers are listed after a semicolon: `|v: f32; centre: f32| (v - centre).abs()`. They are `f32`, `f64`, `i32`, `i64`, `u32` and
/// `u64`; up to seven numbers are captured. [`Value`] has the operations. What has not the same bits on the CPU and on GPUs does not compile.
///
/// `Sum.of(formula)` is the sum of the formula's results; other operators have this method too. A formula whose result is a `bool` is a
/// [`Predicate`](crate::Predicate): `count(formula)` counts the elements for which it holds. Where the result is an `Option`, which
/// [`then_some`](Value::then_some) makes, an element without a result counts as absent. Two parameters are the elements of two arrays, of
/// one type: `|x: f32, y: f32| (x - y).abs()`. `|v: f32, index: Index|` is an element and its index in the input, a `u64`: in rows,
/// columns and other parts its index in the part. Elements `f16` and `bf16` are converted first, since formulas compute with `f32` or
/// `f64`: `|v: f16| -> f32 { v.to::<f32>() * 2.0 }`.
///
/// ```
/// use gpu_kernels::{Mean, Sum, count, formula, reference};
///
/// let centre = 0.5;
/// let distance = formula!(|v: f32; centre: f32| (v - centre).abs());
/// assert_eq!(distance.of(0.25), 0.25);
/// assert_eq!(reference::reduce_by(Sum.of(distance), &[0.0, 0.5, 2.0]), 2.0);
///
/// let near = formula!(|v: f32| -> bool { v.gt(0.25) & v.lt(0.75) });
/// assert_eq!(reference::reduce_by(count(near), &[0.0, 0.5, 2.0]), 1);
///
/// let positive = formula!(|v: f32| -> Option<f32> { v.gt(0.0).then_some(v) });
/// assert_eq!(reference::reduce_by(Mean.of(positive), &[0.0, 0.5, 1.5]), Some(1.0));
///
/// let alternating = formula!(|v: f32, index: Index| (index & 1).eq(0).select(v, -v));
/// assert_eq!(reference::reduce_by(Sum.of(alternating), &[4.0, 1.0, 2.0]), 5.0);
/// ```
#[macro_export]
macro_rules! formula {
    (|$x:ident: $in:ty $(; $($captured:ident: $number:ty),+ $(,)?)?| -> $out:ty $body:block) => {
        $crate::formula!(@ $x, $x, $in, [$($($captured: $number),+)?], $out, $body)
    };
    (|$x:ident: $in:ty, $index:ident: Index $(; $($captured:ident: $number:ty),+ $(,)?)?| -> $out:ty $body:block) => {
        $crate::formula!(@ $x, ($x, $index), ($in, u64), [$($($captured: $number),+)?], $out, $body)
    };
    (|$x:ident: $in:ty, $y:ident: $second:ty $(; $($captured:ident: $number:ty),+ $(,)?)?| -> $out:ty $body:block) => {
        $crate::formula!(@ $x, ($x, $y), [$in; 2], [$($($captured: $number),+)?], $out, {
            // Both have one type.
            let _: $crate::formula::Value<_, $second> = $y;
            $body
        })
    };
    (@ $x:ident, $given:pat, $in:ty, [$($captured:ident: $number:ty),*], $out:ty, $body:block) => {{
        enum Written {}

        impl $crate::formula::Body for Written {
            type In = $in;
            type Out = $out;
            const PLACE: &'static str = concat!(file!(), ":", line!());
            #[inline(always)]
            fn apply<M: $crate::formula::Mode>(
                $given: <$in as $crate::formula::Given>::Values<M>,
                words: &[u64; $crate::formula::MOST_CAPTURED],
            ) -> <$out as $crate::formula::Outcome>::Of<M> {
                #[allow(unused_mut, reason = "formulas may capture nothing")]
                let (mut rest, _) = (words.as_slice(), $x);
                $(let $captured = $crate::formula::captured::<M, _, $number>($x, &mut rest);)*
                let _ = rest;
                $body
            }
        }

        $crate::formula::Formula::<Written>::new([$($crate::formula::Scalar::to_word({ let number: $number = $captured; number })),*])
    }};
    (|$x:ident: $in:ty $(; $($captured:ident: $number:ty),+ $(,)?)?| $body:expr) => {
        $crate::formula!(|$x: $in $(; $($captured: $number),+)?| -> $in { $body })
    };
    (|$x:ident: $in:ty, $index:ident: Index $(; $($captured:ident: $number:ty),+ $(,)?)?| $body:expr) => {
        $crate::formula!(|$x: $in, $index: Index $(; $($captured: $number),+)?| -> $in { $body })
    };
    (|$x:ident: $in:ty, $y:ident: $second:ty $(; $($captured:ident: $number:ty),+ $(,)?)?| $body:expr) => {
        $crate::formula!(|$x: $in, $y: $second $(; $($captured: $number),+)?| -> $in { $body })
    };
}
