//! Operators: the arithmetic of a reduction, without lanes, masks or pointers.

use bytemuck::{NoUninit, Pod};
use warpfold_exact::unrolled;

/// An element in memory: plain data without padding, so that each of its bytes may be copied to a device. Implemented for every
/// such type. A reduction over a zero-sized element does not compile.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element: elements are plain data without padding",
    label = "not an element",
    note = "a generic function asks for it: `T: warpfold::Element`",
    note = "elements that may be missing, `Option<T>`, are collected first: `options.into_iter().collect::<warpfold::Elements<T>>()`",
    note = "a struct of your own is `#[repr(C)]` and derives `Clone, Copy, NoUninit` (crate bytemuck)"
)]
pub trait Element: NoUninit + Send + Sync {}
#[diagnostic::do_not_recommend]
impl<T: NoUninit + Send + Sync> Element for T {}

/// What an operator carries: threads exchange it by shuffles and leave it in memory for each other. It is plain data for which
/// every bit pattern is a value. On a GPU it has at most [`shapes::MOST_ACC_BYTES`](crate::shapes::MOST_ACC_BYTES) bytes, a
/// multiple of 4, and an alignment of 4 to 16: kernels over any other do not compile. On the CPU it has at most 1 MiB in a
/// reduction and 64 KiB in a scan; larger ones do not compile either.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an accumulator: what an operator carries is plain data, of which every bit pattern is a value",
    label = "not plain data",
    note = "instead of a tuple, whose layout is not fixed, carry an array, such as `[f64; 2]`",
    note = "or a struct that is `#[repr(C)]`, has no padding and derives `Clone, Copy, Pod, Zeroable` (crate bytemuck)"
)]
pub trait Accumulator: Pod + Send + Sync {}
#[diagnostic::do_not_recommend]
impl<A: Pod + Send + Sync> Accumulator for A {}

/// A reduction operator over elements `T`: maps each element, combines along the [canonical tree](crate::tree), finishes once.
///
/// The result's bits are a function of the values, their number, `T` and the operator alone, even where `combine` is not
/// associative (float sums), since the tree never changes shape. `combine` must satisfy only the identity law, bit for bit but
/// for the bits of a NaN: `combine(IDENTITY, a) == a == combine(a, IDENTITY)` for every `a` that `lift` or `combine` can
/// return.
///
/// **NaN.** Where `a` holds a float NaN, the three may hold NaNs of other signs and payloads, since arithmetic need not keep
/// them ([`f32`](f32#nan-bit-patterns)): a processor makes a signalling NaN quiet, and an NVIDIA GPU returns `0x7fffffff` for
/// any 32-bit NaN (PTX ISA, "Floating Point Instructions"). So accumulators have the same bits on every backend except for
/// their NaNs, and `finish` must give every NaN that arithmetic made the same bits; otherwise results differ. Operators that
/// compare integer keys or move bits (`Min`, `ArgMin`, `First`) keep the law bit for bit for NaN too.
///
/// An operator is a value: its parameters (a threshold, a centre) are fields that `lift` reads, one plain struct that is passed
/// to the device with the launch. Most operators have none and are unit structs that implement [`Default`], so that
/// `reduce::<f32, Sum>(&x)` names them by type alone.
///
/// Lift, combine and finish are `prepare`/`plus`/`present` of Algebird and `init`/`join`/`final` of Kokkos.
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operator over elements of `{T}`",
    label = "`{Self}` does not reduce `{T}`",
    note = "a generic function asks for it: `where {Self}: warpfold::Op<{T}>`",
    note = "a tuple has two to four operators; more are nested: `((Sum, Min, Max), (Mean, StdDev))`",
    note = "docs/operators.md lists the elements of each operator; for others implement `warpfold::Op`"
)]
pub trait Op<T: Element>: Copy + Send + Sync + 'static {
    /// The accumulator.
    type Acc: Accumulator;
    /// The result. Kernels over many rows need it to be [`Storable`](crate::Storable), as an `Option` is.
    type Out: Send;
    /// The exact two-sided identity of `combine`; it stands for absent elements.
    const IDENTITY: Self::Acc;
    /// Whether `combine(a, b)` and `combine(b, a)` have the same bits, or differ by rounding only. `true` lets lanes take
    /// strided (coalesced) elements; `false` keeps left-to-right order throughout. It picks the tree, so it is part of the
    /// operator's contract. If [`ASSOCIATIVE`](Op::ASSOCIATIVE) is `true` too, the bits must be the same.
    const COMMUTATIVE: bool = false;
    /// Whether `combine(combine(a, b), c)` and `combine(a, combine(b, c))` have the same bits, for all that `lift` or `combine`
    /// can return: true of wrapping integers, extremes and bits, false of float sums. An operator that commutes too is
    /// [free](is_free): every order gives the tree's bits, and each backend takes the fastest one. A wrong `true` makes the
    /// result depend on the backend and the launch.
    const ASSOCIATIVE: bool = false;
    /// Whether [`finish`](Op::finish) reads the number of elements. `false` promises the same result for every number, so that
    /// the lengths of many segments or groups need not be copied to the host.
    const NEEDS_LEN: bool = true;
    /// Whether [`lift`](Op::lift) reads the index. `false` promises the same accumulator for every index, so that windows of an array
    /// that overlap may share the folds of the elements that they share.
    const NEEDS_INDEX: bool = true;
    /// Whether [`finish`](Op::finish) of empty input is a result, as a sum's 0 is. `false` where there is none, as for a
    /// maximum: an exclusive scan, which begins with it, then needs an initial value.
    const FINISHES_EMPTY: bool = true;
    /// The instruction that combines two accumulators `a` of 4 or 8 bytes, if there is one: as the unsigned integers
    /// `a ^ IDENTITY`. With one, [`finish`](Op::finish) reads of the number of elements only whether it is 0. The kernels of this
    /// crate's operators fold groups by it.
    #[doc(hidden)]
    const ATOMIC: Option<Atomic> = None;
    /// Whether `combine` is a mark for a formula. A compiler takes it for long code: it would not unroll loops, and keep accumulators on
    /// the stack.
    #[doc(hidden)]
    const IS_MARKED: bool = false;
    /// Whether elements may be left out, as those for which a formula has no result: [`append_columns`](Op::append_columns) is then cheaper
    /// than [`append`](Op::append) one by one.
    #[doc(hidden)]
    const LEAVES_OUT: bool = false;
    /// Maps the element at `index`, counted from 0 over the whole input, to an accumulator.
    fn lift(self, x: T, index: u64) -> Self::Acc;
    /// Combines two accumulators. Unless [`COMMUTATIVE`](Op::COMMUTATIVE), all elements of `left` stood before all elements of
    /// `right`.
    fn combine(left: Self::Acc, right: Self::Acc) -> Self::Acc;
    /// Folds the element at `index` into an accumulator of earlier elements, with the bits of `combine(acc, lift(x, index))`.
    /// Override it only with something cheaper that has the same bits.
    #[inline(always)]
    fn append(self, acc: Self::Acc, x: T, index: u64) -> Self::Acc {
        Self::combine(acc, self.lift(x, index))
    }
    /// Folds the element at `index` into an accumulator of earlier elements, as [`append`](Op::append) does, if it is there; otherwise the
    /// accumulator stays as it is. Kernels call it for formulas that result in an `Option`. Override it only with something cheaper
    /// that has the same bits.
    #[inline(always)]
    fn append_if(self, is_there: bool, acc: Self::Acc, x: T, index: u64) -> Self::Acc {
        let appended = self.append(acc, x, index);
        if is_there { appended } else { acc }
    }
    /// Folds rows of neighbouring elements, where `rows[i][j]` has the index `first + i * stride + j`, into an accumulator of
    /// earlier elements, with the bits of [`append`](Op::append) one by one, row after row. Called for [free](is_free)
    /// operators only. Override it only with something cheaper that has the same bits.
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
    /// Folds rows as [`append_rows`](Op::append_rows) does, of those elements that are there.
    #[doc(hidden)]
    #[inline(always)]
    fn append_rows_if<const V: usize, const R: usize>(
        self,
        mut acc: Self::Acc,
        (there, rows): ([[bool; V]; R], [[T; V]; R]),
        first: u64,
        stride: u64,
    ) -> Self::Acc {
        unrolled!(i < R, up to 8 => {
            unrolled!(j < V => {
                let index = first.wrapping_add(stride.wrapping_mul(i as u64)).wrapping_add(j as u64);
                acc = self.append_if(there[i][j], acc, rows[i][j], index);
            });
        });
        acc
    }
    /// Folds rows of neighbouring elements, where `rows[i][j]` has the index `first + i * stride + j`, with the bits of
    /// [`append`](Op::append) one by one: column `j` into `accs[j]`. Called for operators that are not [free](is_free).
    #[doc(hidden)]
    #[inline(always)]
    fn append_columns<const V: usize, const R: usize>(
        self,
        accs: &mut [Self::Acc; V],
        rows: [[T; V]; R],
        first: u64,
        stride: u64,
    ) {
        unrolled!(i < R, up to 8 => {
            unrolled!(j < V => {
                accs[j] = self.append(accs[j], rows[i][j], first + stride * i as u64 + j as u64);
            });
        });
    }
    /// Folds columns as [`append_columns`](Op::append_columns) does, of those elements that are there.
    #[doc(hidden)]
    #[inline(always)]
    fn append_columns_if<const V: usize, const R: usize>(
        self,
        accs: &mut [Self::Acc; V],
        (there, rows): ([[bool; V]; R], [[T; V]; R]),
        first: u64,
        stride: u64,
    ) {
        unrolled!(i < R, up to 8 => {
            unrolled!(j < V => {
                let index = first + stride * i as u64 + j as u64;
                accs[j] = self.append_if(there[i][j], accs[j], rows[i][j], index);
            });
        });
    }
    /// Returns an element whose lift is [`IDENTITY`](Op::IDENTITY) at every index, if there is one. The kernels of a
    /// [free](is_free) operator that has one fold the end of the input in whole rows too, which halves their code.
    #[inline(always)]
    fn absent(self) -> Option<T> {
        None
    }
    /// Folds neighbouring elements into an accumulator of earlier elements. The first of them has the index `first`.
    /// The result has the bits of calling [`append`](Op::append) for one after the other. The CPU calls it for
    /// [free](is_free) operators. Override it only with something cheaper that has the same bits.
    #[inline(always)]
    fn append_slice(self, mut acc: Self::Acc, x: &[T], first: u64) -> Self::Acc {
        for (&x, index) in x.iter().zip(first..) {
            acc = self.append(acc, x, index);
        }
        acc
    }
    /// Returns what puts a formula into shipped kernels, for an operator over a formula and for one that combines by it.
    #[cfg(not(target_arch = "nvptx64"))]
    #[doc(hidden)]
    #[inline]
    fn marked() -> Option<crate::formula::Marked> {
        None
    }
    /// Turns the accumulator of all `len` elements into the result, once: on the host, or on a device with the same bits.
    fn finish(acc: Self::Acc, len: u64) -> Self::Out;
}

/// An instruction by which many threads update one integer in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// Adds, wrapping.
    Add,
    /// Keeps the greater.
    Max,
    /// Sets bits.
    Or,
    /// Flips bits.
    Xor,
}

impl Atomic {
    /// Returns this instruction if there is one for accumulators `A`.
    pub(crate) const fn of<A>(self) -> Option<Self> {
        if matches!(size_of::<A>(), 4 | 8) { Some(self) } else { None }
    }
}

/// Returns whether an operator gives the tree's bits in every order: it is commutative and associative.
#[must_use]
pub const fn is_free<T: Element, O: Op<T>>() -> bool {
    O::COMMUTATIVE && O::ASSOCIATIVE
}
