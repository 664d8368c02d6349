//! Operators that are written like a closure.

/// Makes an operator of an identity and of how two elements are combined: `operator!(identity, |a: T, b| ..)`.
///
/// Its results are elements, and of empty input the identity, which is a constant. `combine(identity, x)` and
/// `combine(x, identity)` must have the bits of `x`. Elements keep their order: everything in `a` stood before everything in
/// `b`. Where the brackets are is up to the [`tree`](crate::tree), so an operator that is not associative has the same bits
/// everywhere too, but not those of a loop from left to right.
///
/// It folds plain data ([`Pod`](https://docs.rs/bytemuck/latest/bytemuck/trait.Pod.html)) on the CPU, and on GPUs too if its
/// crate ships kernels for it as for any [`Op`](crate::Op). It captures nothing: what is carried is described by the type
/// alone, so that a kernel can take it. An operator with parameters, another accumulator or another result is an `Op` of your
/// own.
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
/// A variable of the caller's is refused by the compiler:
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
