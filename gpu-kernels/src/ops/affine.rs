//! Compositions of affine maps, which solve linear recurrences `y = a x + b` with varying coefficients.

use bytemuck::{Pod, Zeroable};
use num_traits::{ConstOne, ConstZero, WrappingAdd, WrappingMul};

use crate::op::{Accumulator, Op};

/// The composition of affine maps, the first element applied first; there is no NaN among integers. The identity map for empty
/// input.
///
/// It is associative and does not commute. Coefficients are integers that wrap: floats would break the identity law, for
/// example with infinity times 0.
///
/// ```
/// use gpu_kernels::{Affine, Compose, reference};
///
/// let twice_then_plus_three = reference::reduce::<_, Compose>(&[Affine::new(2, 0), Affine::new(1, 3)]);
/// assert_eq!(twice_then_plus_three.apply(5u32), 13);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Compose;

/// The map `x -> scale x + shift`, whose arithmetic wraps.
///
/// Two fields instead of an array of two, which a GPU would be passed as one number of twice the size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Affine<N> {
    /// The factor of `x`.
    pub scale: N,
    /// The number added afterwards.
    pub shift: N,
}

// SAFETY: both fields are of type `N`, which is `Pod`.
unsafe impl<N: Pod> Zeroable for Affine<N> {}

// SAFETY: two fields of one type that is plain data have no padding between or behind them (`repr(C)`).
unsafe impl<N: Pod> Pod for Affine<N> {}

/// An integer whose sums and products wrap.
pub trait Ring: Accumulator + WrappingAdd + WrappingMul + ConstZero + ConstOne {}
impl<N: Accumulator + WrappingAdd + WrappingMul + ConstZero + ConstOne> Ring for N {}

impl<N: Ring> Affine<N> {
    /// Returns the map `x -> scale x + shift`.
    #[must_use]
    pub const fn new(scale: N, shift: N) -> Self {
        Self { scale, shift }
    }

    /// Returns `scale x + shift`.
    #[inline]
    #[must_use]
    pub fn apply(self, x: N) -> N {
        self.scale.wrapping_mul(&x).wrapping_add(&self.shift)
    }
}

impl<N: Ring> Op<Affine<N>> for Compose {
    type Acc = Affine<N>;
    type Out = Affine<N>;
    const IDENTITY: Affine<N> = Affine::new(N::ONE, N::ZERO);
    const ASSOCIATIVE: bool = true;
    const NEEDS_INDEX: bool = false;
    #[inline]
    fn lift(self, map: Affine<N>, _index: u64) -> Affine<N> {
        map
    }
    #[inline]
    fn combine(first: Affine<N>, then: Affine<N>) -> Affine<N> {
        Affine::new(then.scale.wrapping_mul(&first.scale), then.apply(first.shift))
    }
    #[inline]
    fn finish(acc: Affine<N>, _len: u64) -> Affine<N> {
        acc
    }
}
