//! Where the least and the greatest element stand.

use bytemuck::{Pod, Zeroable};

use super::order::{Key, Ordered};
use crate::op::Op;

/// Where the least element stands: the first index that holds what [`Min`](super::Min) would return. NaN is
/// skipped unless every element is NaN, and -0.0 is less than +0.0. `None` for no elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMin;

/// Where the greatest element stands: the first index that holds what [`Max`](super::Max) would return. NaN
/// is skipped unless every element is NaN, and -0.0 is less than +0.0. `None` for no elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMax;

/// An element and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At<T> {
    /// Index of the element, counted from 0.
    pub index: u64,
    /// The element; canonical NaN if it is NaN.
    pub value: T,
}

/// What [`ArgMin`] and [`ArgMax`] carry: the rank of an element's [key](Key) and the element's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Indexed {
    /// The element's order among all elements.
    pub rank: i64,
    /// Where it stands; `u64::MAX` in the identity.
    pub index: u64,
}

macro_rules! arg {
    ($op:ty: $before:tt, identity $identity:ident, NaN $nan:ident) => {
        impl<T: Ordered> Op<T> for $op {
            type Acc = Indexed;
            type Out = Option<At<T>>;
            const IDENTITY: Indexed = Indexed { rank: i64::$identity, index: u64::MAX };
            const COMMUTATIVE: bool = true;
            #[inline]
            fn lift(x: T, index: u64) -> Indexed {
                Indexed { rank: x.key(T::Key::$nan).rank(), index }
            }
            #[inline]
            fn combine(left: Indexed, right: Indexed) -> Indexed {
                // `&` and `|`, not `&&` and `||`: a select costs less than a branch.
                let first = (right.rank == left.rank) & (right.index < left.index);
                if (right.rank $before left.rank) | first { right } else { left }
            }
            #[inline]
            fn append(acc: Indexed, x: T, index: u64) -> Indexed {
                // `index` is after `acc.index`, unless that is the identity's: then every element is picked, which
                // the identity's rank sees to where no element can have the same.
                let right = Self::lift(x, index);
                let first = size_of::<T::Key>() == size_of::<i64>() && acc.index == u64::MAX;
                if (right.rank $before acc.rank) | first { right } else { acc }
            }
            #[inline(always)]
            fn append_run<const N: usize>(acc: Indexed, xs: [T; N], first: u64, stride: u64) -> Indexed {
                // The first best of the run by its small key and number alone; one comparison of 64 bits for all of it.
                let nan = T::Key::$nan;
                let Some(mut key) = xs.first().map(|x| x.key(nan)) else { return acc };
                let mut number = 0u32;
                for i in 1..N {
                    let other = xs[i].key(nan);
                    if other $before key {
                        (key, number) = (other, i as u32);
                    }
                }
                let right =
                    Indexed { rank: key.rank(), index: first.wrapping_add(stride.wrapping_mul(number.into())) };
                let is_identity = size_of::<T::Key>() == size_of::<i64>() && acc.index == u64::MAX;
                if (right.rank $before acc.rank) | is_identity { right } else { acc }
            }
            #[inline]
            fn finish(acc: Indexed, len: u64) -> Option<At<T>> {
                (len > 0).then(|| At { index: acc.index, value: T::from_key(T::Key::from_rank(acc.rank)) })
            }
        }
    };
}
arg!(ArgMin: <, identity MAX, NaN GREATEST);
arg!(ArgMax: >, identity MIN, NaN LEAST);
