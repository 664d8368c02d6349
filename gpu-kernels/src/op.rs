//! The operator: arithmetic that a reduction folds with, and nothing about lanes, masks or pointers.

use bytemuck::{NoUninit, Pod};

use crate::unroll::unrolled;

/// An element as it lies in memory: plain data with no padding, so that every byte of it may be copied
/// to a device. Implemented for every such type; a zero-sized one is refused when a reduction over it is
/// compiled.
pub trait Element: NoUninit + Send + Sync {}
impl<T: NoUninit + Send + Sync> Element for T {}

/// What threads carry, exchange by shuffles and leave in memory for each other: plain data for which every
/// bit pattern is a value. On a GPU it has at most [`shape::MOST_ACC_BYTES`](crate::shape::MOST_ACC_BYTES) bytes, a
/// multiple of 4, aligned to 4 at least and 16 at most: the compiler refuses kernels over another one. The CPU takes
/// up to 1 MiB in a reduction and 64 KiB in a scan, and refuses larger ones in the same way.
pub trait Accumulator: Pod + Send + Sync {}
impl<A: Pod + Send + Sync> Accumulator for A {}

/// A reduction operator over elements `T`: map each element, combine along the
/// [canonical tree](crate::tree), finish once.
///
/// The result's bits are a function of the values, their number, `T` and the operator alone, even where
/// `combine` is not associative (float sums): the tree never changes shape. What `combine` must satisfy is
/// only the identity law, bit for bit but for the bits of a NaN:
/// `combine(IDENTITY, a) == a == combine(a, IDENTITY)` for every `a` that `lift` or `combine` can give.
///
/// **NaN.** Where `a` holds a float's NaN, those three may hold NaNs of other signs and payloads, since arithmetic need not
/// keep them ([`f32`](f32#nan-bit-patterns)): a processor makes a signalling NaN quiet, and an NVIDIA GPU gives `0x7fffffff`
/// for any NaN of 32 bits (PTX ISA, "Floating Point Instructions"). So an accumulator has the same bits on every backend but for
/// those of a NaN in it, and `finish` gives every NaN that arithmetic made the same bits, or the results differ. Operators
/// that compare integer keys or move bits (`Min`, `ArgMin`, `First`) keep the law bit for bit for NaN too.
///
/// The operator is a value: what it is made of (a threshold, a centre) are parameters of `lift`, one plain struct that
/// goes to the device with the launch. Most have none and are unit structs that are [`Default`], so that
/// `reduce::<f32, Sum>(&x)` names them by type alone.
///
/// The decomposition into lift, combine and finish is that of Algebird's `prepare`/`plus`/`present` and
/// Kokkos's `init`/`join`/`final`.
///
/// ```
/// use gpu_kernels::{Op, reference};
///
/// /// Greatest common divisor.
/// #[derive(Clone, Copy, Default)]
/// struct Gcd;
///
/// impl Op<u32> for Gcd {
///     type Acc = u32;
///     type Out = u32;
///     const IDENTITY: u32 = 0;
///     const COMMUTATIVE: bool = true;
///     const ASSOCIATIVE: bool = true;
///     fn lift(self, x: u32, _index: u64) -> u32 {
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
    /// What the caller gets. Kernels over many rows need that it is [`Storable`](crate::Storable), as an `Option` is.
    type Out: Send;
    /// The exact two-sided identity of `combine`; what an absent element stands for.
    const IDENTITY: Self::Acc;
    /// Whether `combine(a, b)` and `combine(b, a)` have the same bits, or differ by rounding only. `true` lets lanes take
    /// strided (coalesced) elements; `false` keeps left-to-right order throughout. It picks the tree, so it is part
    /// of the operator's contract. With [`ASSOCIATIVE`](Op::ASSOCIATIVE) the bits must be the same.
    const COMMUTATIVE: bool = false;
    /// Whether `combine(combine(a, b), c)` and `combine(a, combine(b, c))` have the same bits, for all that `lift` or
    /// `combine` can give: integers that wrap, extremes, bits, and no float sum. If it commutes too it is [free](is_free):
    /// every order gives the tree's bits, and each backend takes the one that is fastest. A claim that is wrong makes the
    /// result depend on the backend and the launch.
    const ASSOCIATIVE: bool = false;
    /// Whether [`finish`](Op::finish) looks at the number of elements. `false` promises the same result for every number, so
    /// that those of many segments or groups need not be brought to the host.
    const NEEDS_LEN: bool = true;
    /// Whether [`finish`](Op::finish) of no elements is a result, as a sum's 0 is. `false` where it is none, as a greatest
    /// element's: an exclusive scan, which begins with it, wants an initial value then.
    const FINISHES_EMPTY: bool = true;
    /// Maps the element at `index`, counted from 0 over the whole input.
    fn lift(self, x: T, index: u64) -> Self::Acc;
    /// Folds two accumulators. Unless [`COMMUTATIVE`](Op::COMMUTATIVE), everything in `left` stood before
    /// everything in `right`.
    fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc;
    /// Folds the element at `index` to accumulators of elements that all stood before it: the bits of
    /// `combine(acc, lift(x, index))`. An operator overrides it only if it can give those bits at less cost.
    #[inline(always)]
    fn append(self, acc: Self::Acc, x: T, index: u64) -> Self::Acc {
        Self::combine(acc, self.lift(x, index))
    }
    /// Folds rows of neighbours, whose elements `rows[i][j]` stand at `first + i * stride + j`, to an accumulator of
    /// elements that all stood before them: the bits of [`append`](Op::append) one by one, row after row. Called for
    /// [free](is_free) operators only; one overrides it if it can give those bits at less cost than one by one.
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        mut acc: Self::Acc,
        rows: [[T; V]; R],
        first: u64,
        stride: u64,
    ) -> Self::Acc {
        unrolled!(i < R, up to 8 => {
            unrolled!(j < V => {
                let index = first.wrapping_add(stride.wrapping_mul(i as u64)).wrapping_add(j as u64);
                acc = self.append(acc, rows[i][j], index);
            });
        });
        acc
    }
    /// An element that stands for none: its lift is [`IDENTITY`](Op::IDENTITY), whatever its index. If there is one, the
    /// kernels of a [free](is_free) operator fold the end of the input in whole rows too, which makes them shorter by
    /// a half.
    #[inline(always)]
    fn absent(self) -> Option<T> {
        None
    }
    /// Folds neighbours, the first of which stands at `first`, to an accumulator of elements that all stood before them:
    /// the bits of [`append`](Op::append) one by one. The CPU calls it for [free](is_free) operators; one overrides it if
    /// it can give those bits at less cost than one by one.
    #[inline(always)]
    fn append_slice(self, mut acc: Self::Acc, x: &[T], first: u64) -> Self::Acc {
        for (&x, index) in x.iter().zip(first..) {
            acc = self.append(acc, x, index);
        }
        acc
    }
    /// Turns the folded accumulator of `len` elements into the result, once: on the host, or on a device with the same bits.
    fn finish(acc: Self::Acc, len: u64) -> Self::Out;
}

/// Whether an operator gives the tree's bits in every order: it commutes and is associative.
#[must_use]
pub const fn is_free<T: Element, O: Op<T>>() -> bool {
    O::COMMUTATIVE && O::ASSOCIATIVE
}
