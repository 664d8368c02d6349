//! The first and the last element: what shows that the order is kept.

use crate::op::{Accumulator, Element, Op};

/// The first element, bit for bit as it stands there, NaN or not. `None` for no elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct First;

/// The last element, bit for bit as it stands there, NaN or not. `None` for no elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Last;

/// An element of whole words, and how it is carried: as words, behind one that tells whether there is an element.
pub trait EndElement: Element {
    /// 1 and the element's words; zeros for none.
    type Words: Accumulator;
    /// No element.
    const NONE: Self::Words;
    /// This element.
    fn some(self) -> Self::Words;
    /// The element, if there is one.
    fn element(words: Self::Words) -> Option<Self>;
    /// The first if it is an element, otherwise the second.
    fn or(preferred: Self::Words, other: Self::Words) -> Self::Words;
}

/// Rows `words: element, its bits`.
macro_rules! end_elements {
    ($($words:literal: $($element:ty, $x:ident to $bits:expr, $found:ident to $from:expr);+;)*) => { $($(
        impl EndElement for $element {
            type Words = [u32; $words];
            const NONE: [u32; $words] = [0; $words];
            #[inline(always)]
            fn some(self) -> [u32; $words] {
                let $x = self;
                $bits
            }
            #[inline(always)]
            fn element($found: [u32; $words]) -> Option<Self> {
                ($found[0] != 0).then(|| $from)
            }
            #[inline(always)]
            fn or(preferred: [u32; $words], other: [u32; $words]) -> [u32; $words] {
                // Word by word: of whole arrays the compiler chooses between addresses, which takes memory.
                let is_some = preferred[0] != 0;
                core::array::from_fn(|i| if is_some { preferred[i] } else { other[i] })
            }
        }
    )+)* };
}
end_elements! {
    2: i32, x to [1, x as u32], w to w[1] as i32;
       u32, x to [1, x], w to w[1];
       f32, x to [1, x.to_bits()], w to f32::from_bits(w[1]);
    3: i64, x to [1, x as u32, (x >> 32) as u32], w to join(w) as i64;
       u64, x to [1, x as u32, (x >> 32) as u32], w to join(w);
       f64, x to { let x = x.to_bits(); [1, x as u32, (x >> 32) as u32] }, w to f64::from_bits(join(w));
}

/// The number whose halves stand behind the first word.
#[inline(always)]
fn join(words: [u32; 3]) -> u64 {
    u64::from(words[1]) | u64::from(words[2]) << 32
}

macro_rules! end {
    ($op:ty: |$left:ident, $right:ident| $preferred:ident, else $other:ident) => {
        impl<T: EndElement> Op<T> for $op {
            type Acc = T::Words;
            type Out = Option<T>;
            const IDENTITY: T::Words = T::NONE;
            const ASSOCIATIVE: bool = true;
            #[inline]
            fn lift(self, x: T, _index: u64) -> T::Words {
                x.some()
            }
            #[inline]
            fn combine($left: T::Words, $right: T::Words) -> T::Words {
                T::or($preferred, $other)
            }
            #[inline]
            fn finish(acc: T::Words, _len: u64) -> Option<T> {
                T::element(acc)
            }
        }
    };
}
end!(First: |left, right| left, else right);
end!(Last: |left, right| right, else left);
