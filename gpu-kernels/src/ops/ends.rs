//! The first and the last element: what shows that the order is kept.

use super::words::{Joined, WholeWords};
use crate::op::Op;

/// The first element, bit for bit as it stands there, NaN or not. `None` for no elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct First;

/// The last element, bit for bit as it stands there, NaN or not. `None` for no elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Last;

macro_rules! end {
    ($op:ty: |$left:ident, $right:ident| $preferred:ident, else $other:ident) => {
        impl<T: WholeWords> Op<T> for $op {
            /// Whether there is an element, and the element.
            type Acc = Joined<u32, T>;
            type Out = Option<T>;
            const IDENTITY: Joined<u32, T> = Joined { left: 0, right: T::ZEROS };
            const ASSOCIATIVE: bool = true;
            #[inline]
            fn lift(self, x: T, _index: u64) -> Joined<u32, T> {
                Joined { left: 1, right: x }
            }
            #[inline]
            fn combine($left: Joined<u32, T>, $right: Joined<u32, T>) -> Joined<u32, T> {
                if $preferred.left != 0 { $preferred } else { $other }
            }
            #[inline]
            fn finish(acc: Joined<u32, T>, len: u64) -> Option<T> {
                (len > 0).then_some(acc.right)
            }
        }
    };
}
end!(First: |left, right| left, else right);
end!(Last: |left, right| right, else left);
