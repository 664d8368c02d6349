//! Operators written as closures, and operators of this crate, which are for the CPU alone and have no kernels.

mod comoments;

pub use comoments::{ExactCorrelation, ExactCovariance, ExactSampleCovariance};

/// Makes an operator from an identity and what combines two elements: a formula, `operator!(identity, formula!(|a: T, b| ..))`, or a closure,
/// `operator!(identity, |a: T, b| ..)`.
///
/// The result is an element; for empty input it is the identity, a constant. Elements keep their order: everything in `a` comes before
/// everything in `b`. The [`tree`](crate::tree) places the brackets. An operator that is not associative therefore also has the same bits everywhere.
/// They differ from the bits of a loop from left to right.
///
/// Neither captures anything: a kernel knows only the operator's type. For an operator with parameters, another accumulator or another
/// result, implement `Op`.
///
/// # By a formula
/// Elements are `f32`, `f64`, `i32`, `i64`, `u32` or `u64`, combined by the operations of [`formula!`](crate::formula!). The operator runs on the
/// CPU and on GPUs, with the same bits, and need not associate. The identity is neutral whatever the formula says: where an element or a
/// partial result has its bits, the result is the other operand. So `(3 - 3) - 5` is 5 by `operator!(0, formula!(|a: i32, b| a - b))`. The
/// identity is not NaN. If the order of two elements does not matter, say so: a
/// [`commutative`](crate::formula::Combined::commutative) operator is faster, and has the tree of a [`Sum`](crate::Sum). `op.of(formula)` is the
/// operator over the results of another formula, on the CPU.
///
/// ```
/// use warpfold::{Cpu, formula, operator, rows};
///
/// let length = operator!(0.0, formula!(|a: f64, b| (a * a + b * b).sqrt())).commutative();
/// assert_eq!(Cpu::new().reduce(length, rows(&[3.0, 4.0, 5.0, 12.0], [2, 2]))?, [5.0, 13.0]);
/// const IDENTITY: i32 = 0;
/// let first_set = operator!(IDENTITY, formula!(|a: i32, b| a.ne(0).select(a, b)));
/// assert_eq!(Cpu::new().reduce(first_set, &[0, 0, 7, 5])?, 7);
/// # Ok::<(), warpfold::Error>(())
/// ```
///
/// # By a closure
/// Elements are plain data ([`Pod`](https://docs.rs/bytemuck/latest/bytemuck/trait.Pod.html)). The closure must return `x` bit for bit if the
/// other argument is the identity. The operator works on the CPU, and on GPUs if its crate ships kernels for it, as for any
/// [`Op`](crate::Op).
///
/// ```
/// use warpfold::{Auto, Cpu, Scan, operator, rows};
///
/// let x = [84u32, 126, 210, 36, 27, 90];
/// let gcd = operator!(0, |a: u32, b| {
///     let (mut a, mut b) = (a, b);
///     while b != 0 {
///         (a, b) = (b, a % b);
///     }
///     a
/// });
/// assert_eq!(Auto::new().reduce(gcd, &x)?, 3);
/// assert_eq!(Cpu::new().reduce(gcd, rows(&x, [2, 3]))?, [42, 9]);
/// assert_eq!(Cpu::new().scan(gcd, &x, Scan::inclusive())?, [84, 42, 42, 6, 3, 3]);
/// # Ok::<(), warpfold::Error>(())
/// ```
///
/// The compiler refuses a closure or a formula that captures a variable:
///
/// ```compile_fail,E0434
/// let modulus = 7;
/// let product = warpfold::operator!(1, |a: u64, b| a * b % modulus);
/// ```
/// ```compile_fail
/// let modulus = 7;
/// let product = warpfold::operator!(1, formula!(|a: u64, b; modulus: u64| a * b % modulus));
/// ```
#[macro_export]
macro_rules! operator {
    ($identity:expr, formula!(|$a:ident: $number:ty, $b:ident $(: $same:ty)?| $combined:expr) $(,)?) => {{
        enum Combine {}

        impl $crate::formula::Operation for Combine {
            type Number = $number;
            // A local variable, so that the identity may be a constant of any name.
            const IDENTITY: $number = {
                let identity: $number = $identity;
                #[allow(clippy::eq_op, clippy::float_cmp, reason = "NaN is not itself")]
                {
                    assert!(identity == identity, "an operator's identity is not NaN");
                }
                identity
            };
            const PLACE: &'static str = concat!(file!(), ":", line!());
            #[inline(always)]
            fn combine<M: $crate::formula::Mode>(
                $a: $crate::formula::Value<M, $number>,
                $b: $crate::formula::Value<M, $number>,
            ) -> $crate::formula::Value<M, $number> {
                $combined
            }
        }

        $crate::formula::Combined::<$crate::formula::Written<Combine>, false>::new()
    }};
    ($identity:expr, formula!($($other:tt)*) $(,)?) => {
        compile_error!(
            "an operator combines by a formula of two elements that captures nothing, `formula!(|a: f64, b| ..)`: use a constant, or implement `Op`"
        )
    };
    ($identity:expr, |$a:ident: $element:ty, $b:ident $(: $same:ty)?| $combined:expr $(,)?) => {{
        #[derive(Clone, Copy, Debug)]
        struct Operator;

        impl $crate::Op<$element> for Operator {
            type Acc = $element;
            type Out = $element;
            const IDENTITY: $element = $identity;
            const NEEDS_LEN: bool = false;
            const NEEDS_INDEX: bool = false;

            #[inline(always)]
            fn lift(self, x: $element, _index: u64) -> $element {
                x
            }
            #[inline(always)]
            fn combine($a: $element, $b: $element) -> $element {
                $combined
            }
            #[inline(always)]
            fn finish(acc: $element, _len: u64) -> $element {
                acc
            }
        }

        Operator
    }};
}
