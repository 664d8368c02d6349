//! Affine maps one after the other: what a linear recurrence `y = a x + b` with coefficients that vary comes to.

use bytemuck::{Pod, Zeroable};
use num_traits::{ConstOne, ConstZero, WrappingAdd, WrappingMul};

use crate::op::{Accumulator, Op};

/// The composition of affine maps, the first element applied first; there is no NaN among integers. Of nothing the map
/// that changes nothing.
///
/// It is associative and does not commute. Coefficients are integers that wrap: floats would break the identity law, for
/// example by infinity times 0.
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
/// Two fields and no array of two, which a GPU would be handed as one number of twice the size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Affine<N> {
    /// What `x` is multiplied by.
    pub scale: N,
    /// What is then added.
    pub shift: N,
}

// SAFETY: so are both of its fields.
unsafe impl<N: Pod> Zeroable for Affine<N> {}

// SAFETY: two fields of one type, which is plain data, have no padding between them or behind.
unsafe impl<N: Pod> Pod for Affine<N> {}

/// An integer whose sums and products wrap.
pub trait Ring: Accumulator + WrappingAdd + WrappingMul + ConstZero + ConstOne {}
impl<N: Accumulator + WrappingAdd + WrappingMul + ConstZero + ConstOne> Ring for N {}

impl<N: Ring> Affine<N> {
    /// The map `x -> scale x + shift`.
    #[must_use]
    pub const fn new(scale: N, shift: N) -> Self {
        Self { scale, shift }
    }

    /// `scale x + shift`.
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
