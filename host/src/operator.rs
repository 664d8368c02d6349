//! Operators written as closures, and operators of this crate, which are for the CPU alone and have no kernels.

mod comoments;

pub use comoments::{ExactCorrelation, ExactCovariance, ExactSampleCovariance};

/// Makes an operator from an identity and a closure that combines two elements: `operator!(identity, |a: T, b| ..)`.
///
/// The result is an element; for empty input it is the identity, a constant. The closure must return `x` bit for bit if the
/// other argument is the identity. Elements keep their order: everything in `a` comes before everything in `b`. The
/// [`tree`](crate::tree) places the brackets. An operator that is not associative therefore also has the same bits everywhere.
/// They differ from the bits of a loop from left to right.
///
/// Elements are plain data ([`Pod`](https://docs.rs/bytemuck/latest/bytemuck/trait.Pod.html)). The operator works on the CPU, and
/// on GPUs if its crate ships kernels for it, as for any [`Op`](crate::Op). The closure captures nothing: a kernel knows only the
/// operator's type. For an operator with parameters, another accumulator or another result, implement `Op`.
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
/// The compiler refuses a closure that captures a variable:
///
/// ```compile_fail,E0434
/// let modulus = 7;
/// let product = warpfold::operator!(1, |a: u64, b| a * b % modulus);
/// ```
#[macro_export]
macro_rules! operator {
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
