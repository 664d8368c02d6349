//! The operator: arithmetic that a reduction folds with, and nothing about lanes, masks or pointers.

use bytemuck::{NoUninit, Pod};

/// An element as it lies in memory: plain data with no padding, so that every byte of it may be copied
/// to a device. Implemented for every such type; a zero-sized one is refused when a reduction over it is
/// compiled.
pub trait Element: NoUninit + Send + Sync {}
impl<T: NoUninit + Send + Sync> Element for T {}

/// What threads carry, exchange by shuffles and leave in memory for each other: plain data for which every
/// bit pattern is a value. On a GPU it has 4, 8, 12 or 16 bytes, aligned to 4 at least: the compiler refuses kernels
/// over another one. The CPU takes any size.
pub trait Accumulator: Pod + Send + Sync {}
impl<A: Pod + Send + Sync> Accumulator for A {}

/// A reduction operator over elements `T`: map each element, combine along the
/// [canonical tree](crate::tree), finish once.
///
/// The result's bits are a function of the values, their number, `T` and the operator alone, even where
/// `combine` is not associative (float sums): the tree never changes shape. What `combine` must satisfy is
/// only the identity law, bit for bit:
/// `combine(IDENTITY, a) == a == combine(a, IDENTITY)` for every `a` that `lift` or `combine` can give.
///
/// The decomposition into lift, combine and finish is that of Algebird's `prepare`/`plus`/`present` and
/// Kokkos's `init`/`join`/`final`.
///
/// ```
/// use gpu_kernels::{Op, reference};
///
/// /// Greatest common divisor.
/// #[derive(Clone, Copy)]
/// struct Gcd;
///
/// impl Op<u32> for Gcd {
///     type Acc = u32;
///     type Out = u32;
///     const IDENTITY: u32 = 0;
///     const COMMUTATIVE: bool = true;
///     fn lift(x: u32, _index: u64) -> u32 {
///         x
///     }
///     fn combine(mut left: u32, mut right: u32) -> u32 {
///         while right != 0 {
///             (left, right) = (right, left % right);
///         }
///         left
///     }
///     fn finish(acc: u32, _len: u64) -> u32 {
///         acc
///     }
/// }
///
/// assert_eq!(reference::reduce::<u32, Gcd>(&[84, 126, 210]), 42);
/// ```
pub trait Op<T: Element>: Copy + Send + Sync + 'static {
    /// What is carried while folding.
    type Acc: Accumulator;
    /// What the caller gets. It never leaves the host, so an `Option` is fine.
    type Out;
    /// The exact two-sided identity of `combine`; what an absent element stands for.
    const IDENTITY: Self::Acc;
    /// Whether `combine(a, b)` and `combine(b, a)` have the same bits. `true` lets lanes take strided
    /// (coalesced) elements; `false` keeps left-to-right order throughout. It picks the tree, so it is part
    /// of the operator's contract.
    const COMMUTATIVE: bool = false;
    /// Maps the element at `index`, counted from 0 over the whole input.
    fn lift(x: T, index: u64) -> Self::Acc;
    /// Folds two accumulators. Unless [`COMMUTATIVE`](Op::COMMUTATIVE), everything in `left` stood before
    /// everything in `right`.
    fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc;
    /// Folds the element at `index` to accumulators of elements that all stood before it: the bits of
    /// `combine(acc, lift(x, index))`. An operator overrides it only if it can give those bits at less cost.
    #[inline(always)]
    fn append(acc: Self::Acc, x: T, index: u64) -> Self::Acc {
        Self::combine(acc, Self::lift(x, index))
    }
    /// Folds `xs`, the elements at `first`, `first + stride`, ..., to accumulators of elements that all stood before
    /// them: the bits of [`append`](Op::append) one by one. An operator overrides it only if it can give those bits at
    /// less cost; `stride` is at least 1.
    #[inline(always)]
    fn append_run<const N: usize>(mut acc: Self::Acc, xs: [T; N], first: u64, stride: u64) -> Self::Acc {
        let mut index = first;
        for x in xs {
            acc = Self::append(acc, x, index);
            index = index.wrapping_add(stride);
        }
        acc
    }
    /// Turns the folded accumulator of `len` elements into the result, once, on the host.
    fn finish(acc: Self::Acc, len: u64) -> Self::Out;
}
