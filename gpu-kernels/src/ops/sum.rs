//! Sum and product.

use core::marker::PhantomData;
use warpfold_exact::unrolled;

use super::native::of_native_integers;
use super::numbers::number::{CarriedIn, FEW, Number};
use super::numbers::wide::Wide;
use crate::op::{Atomic, Op};

/// The sum; NaN if any element is NaN or infinities of both signs meet.
///
/// Integers of up to 64 bits are summed in 64 bits, integers of 128 bits in 128, and sums wrap. A sum of bools counts the true
/// ones. Floats are rounded to nearest at each node of the [tree](crate::tree), whose error bound holds: f16 and bf16 in f32,
/// and once more at the end. Complex numbers are summed part by part. A NaN result is the canonical one. The sum of empty
/// input is the identity: 0, and -0.0 for floats, as in Rust's standard library.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sum;

/// The product; NaN if any element is NaN or a zero and an infinity meet.
///
/// Integers of up to 64 bits are multiplied in 64 bits, integers of 128 bits in 128, and products wrap. Floats are rounded to
/// nearest at each node of the [tree](crate::tree): f16 and bf16 in f32, and once more at the end. Complex numbers are
/// multiplied by (ac - bd) + (ad + bc)i, each operation rounded. A NaN result is the canonical one. The product of empty input
/// is 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Product;

/// [`Sum`] carried and returned in `A`: f32 in f64, f16 in f32 without the rounding at the end, i64 in i128, i32 in i32, which
/// wraps as unsigned integers do in C. [`CarriedIn`] lists the possible pairs.
///
/// ```
/// use gpu_kernels::{SumIn, reference};
///
/// let x = [1.0f32, 1e-8];
/// assert_eq!(reference::reduce::<f32, SumIn<f64>>(&x), 1.0 + f64::from(1e-8f32));
/// assert_eq!(reference::reduce::<u8, SumIn<u32>>(&[255, 1]), 256u32);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SumIn<A>(PhantomData<A>);

impl<A> SumIn<A> {
    /// The operator for any `A`.
    pub(super) const NEW: Self = Self(PhantomData);
}

/// [`Product`] carried and returned in `A`, as [`SumIn`] is.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProductIn<A>(PhantomData<A>);

impl<A: Wide, T: CarriedIn<A>> Op<T> for SumIn<A> {
    type Acc = A;
    type Out = A;
    const IDENTITY: A = A::ZERO;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = A::ASSOCIATIVE;
    const ATOMIC: Option<Atomic> = if A::ASSOCIATIVE { Atomic::Add.of::<A>() } else { None };
    const NEEDS_LEN: bool = false;
    const NEEDS_INDEX: bool = false;
    #[inline(always)]
    fn lift(self, x: T, _index: u64) -> A {
        T::widen(x.few())
    }
    #[inline(always)]
    fn combine(left: A, right: A) -> A {
        left.add(right)
    }
    #[inline(always)]
    fn append_rows<const V: usize, const R: usize>(
        self,
        acc: A,
        rows: [[T; V]; R],
        _first: u64,
        _stride: u64,
    ) -> A {
        const { assert!(V * R <= FEW) }
        let mut few = T::Few::ZERO;
        unrolled!(i < R, up to 8 => { unrolled!(j < V => { few = few.add(rows[i][j].few()) }) });
        acc.add(T::widen(few))
    }
    #[inline(always)]
    fn append_slice(self, mut acc: A, x: &[T], _first: u64) -> A {
        for part in x.chunks(FEW) {
            let mut few = T::Few::ZERO;
            for x in part {
                few = few.add(x.few());
            }
            acc = acc.add(T::widen(few));
        }
        acc
    }
    #[inline]
    fn finish(acc: A, _len: u64) -> A {
        acc.canonical()
    }
}

impl<A: Wide, T: CarriedIn<A>> Op<T> for ProductIn<A> {
    type Acc = A;
    type Out = A;
    const IDENTITY: A = A::ONE;
    const COMMUTATIVE: bool = true;
    const ASSOCIATIVE: bool = A::ASSOCIATIVE;
    const NEEDS_LEN: bool = false;
    const NEEDS_INDEX: bool = false;
    #[inline(always)]
    fn lift(self, x: T, _index: u64) -> A {
        T::widen(x.few()).factor()
    }
    #[inline(always)]
    fn combine(left: A, right: A) -> A {
        left.mul(right)
    }
    #[inline]
    fn finish(acc: A, _len: u64) -> A {
        acc.product().canonical()
    }
}

/// Implements an operator that is carried in its elements' own wide type, and returns their totals.
macro_rules! without_choice {
    ($($op:ident: $op_in:ident;)*) => { $(
        impl<T: Number> Op<T> for $op {
            type Acc = T::Wide;
            type Out = T::Total;
            const IDENTITY: T::Wide = <$op_in<T::Wide> as Op<T>>::IDENTITY;
            const COMMUTATIVE: bool = true;
            const ASSOCIATIVE: bool = T::Wide::ASSOCIATIVE;
            const ATOMIC: Option<Atomic> = <$op_in<T::Wide> as Op<T>>::ATOMIC;
            const NEEDS_LEN: bool = false;
            const NEEDS_INDEX: bool = false;
            #[inline(always)]
            fn lift(self, x: T, index: u64) -> T::Wide {
                $op_in(PhantomData).lift(x, index)
            }
            #[inline(always)]
            fn combine(left: T::Wide, right: T::Wide) -> T::Wide {
                <$op_in<T::Wide> as Op<T>>::combine(left, right)
            }
            #[inline(always)]
            fn append_rows<const V: usize, const R: usize>(
                self,
                acc: T::Wide,
                rows: [[T; V]; R],
                first: u64,
                stride: u64,
            ) -> T::Wide {
                $op_in(PhantomData).append_rows(acc, rows, first, stride)
            }
            #[inline(always)]
            fn append_slice(self, acc: T::Wide, x: &[T], first: u64) -> T::Wide {
                $op_in(PhantomData).append_slice(acc, x, first)
            }
            #[inline]
            fn finish(acc: T::Wide, len: u64) -> T::Total {
                T::total(<$op_in<T::Wide> as Op<T>>::finish(acc, len))
            }
        }
    )* };
}
without_choice! {
    Sum: SumIn;
    Product: ProductIn;
}

of_native_integers!(Sum, Product);
