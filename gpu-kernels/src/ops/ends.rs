//! The first and the last element, which show that the order is kept.

use bytemuck::Pod;
use half::{bf16, f16};
use num_complex::Complex;

use super::affine::Affine;
use super::matrix::Matrix2;
use super::native::of_native_integers;
use super::words::Kept;
use crate::op::{Accumulator, Element, Op};

/// The first element, bit for bit, NaN or not. `None` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct First;

/// The last element, bit for bit, NaN or not. `None` for empty input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Last;

/// An element type with a first and a last element. On a GPU the element is carried as words, after one that tells whether
/// there is an element; plain data of any other kind is carried as [`Kept`], on the CPU only.
///
/// ```
/// use bytemuck::{Pod, Zeroable};
/// use gpu_kernels::{EndElement, Kept, Last, reference};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
/// #[repr(C)]
/// struct Colour {
///     rgb: [u8; 3],
/// }
///
/// impl EndElement for Colour {
///     type Carried = Kept<Self>;
/// }
///
/// let last = reference::reduce::<Colour, Last>(&[Colour { rgb: [1; 3] }, Colour { rgb: [2; 3] }]);
/// assert_eq!(last, Some(Colour { rgb: [2; 3] }));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element of which `First` and `Last` carry one",
    label = "`EndElement` is not implemented",
    note = "for a type of your own: `impl warpfold::elements::EndElement for {Self} {{ type Carried = warpfold::elements::Kept<Self>; }}`"
)]
pub trait EndElement: Element {
    /// The type that carries it.
    type Carried: Ending<Self>;
}

/// An accumulator that carries an element or none.
pub trait Ending<T>: Accumulator {
    /// No element.
    const NONE: Self;
    /// Carries this element.
    fn some(element: T) -> Self;
    /// Returns the element, if there is one.
    fn element(self) -> Option<T>;
    /// Returns `self` if it carries an element, otherwise `other`.
    #[must_use]
    fn or(self, other: Self) -> Self;
}

impl<T: Pod + Send + Sync> Ending<T> for Kept<T> {
    const NONE: Self = Self::NONE;
    #[inline]
    fn some(element: T) -> Self {
        Self::some(element)
    }
    #[inline]
    fn element(self) -> Option<T> {
        self.get()
    }
    #[inline]
    fn or(self, other: Self) -> Self {
        if self.is_some() { self } else { other }
    }
}

impl<T: Pod + Send + Sync, const N: usize> EndElement for [T; N] {
    type Carried = Kept<Self>;
}

impl<N: Pod + Send + Sync> EndElement for Affine<N> {
    type Carried = Kept<Self>;
}

impl<N: Pod + Send + Sync> EndElement for Matrix2<N> {
    type Carried = Kept<Self>;
}

/// Lines `words: element, its bits`.
macro_rules! end_elements {
    ($($words:literal: $($element:ty, $x:ident to $bits:expr, $found:ident to $from:expr);+;)*) => { $($(
        impl EndElement for $element {
            type Carried = [u32; $words];
        }
        impl Ending<$element> for [u32; $words] {
            const NONE: Self = [0; $words];
            #[inline(always)]
            fn some($x: $element) -> Self {
                $bits
            }
            #[inline(always)]
            fn element(self) -> Option<$element> {
                let $found = self;
                ($found[0] != 0).then(|| $from)
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                // Word by word: for whole arrays the compiler chooses between addresses, which puts them in memory.
                let is_some = self[0] != 0;
                core::array::from_fn(|i| if is_some { self[i] } else { other[i] })
            }
        }
    )+)* };
}
end_elements! {
    2: bool, x to [1, x.into()], w to w[1] != 0;
       i8, x to [1, (x as u8).into()], w to w[1] as i8;
       u8, x to [1, x.into()], w to w[1] as u8;
       i16, x to [1, (x as u16).into()], w to w[1] as i16;
       u16, x to [1, x.into()], w to w[1] as u16;
       f16, x to [1, x.to_bits().into()], w to f16::from_bits(w[1] as u16);
       bf16, x to [1, x.to_bits().into()], w to bf16::from_bits(w[1] as u16);
       i32, x to [1, x as u32], w to w[1] as i32;
       u32, x to [1, x], w to w[1];
       f32, x to [1, x.to_bits()], w to f32::from_bits(w[1]);
    3: i64, x to long(x as u64), w to join(w) as i64;
       u64, x to long(x), w to join(w);
       f64, x to long(x.to_bits()), w to f64::from_bits(join(w));
       isize, x to long(x as u64), w to join(w) as isize;
       usize, x to long(x as u64), w to join(w) as usize;
       Complex<f32>, x to [1, x.re.to_bits(), x.im.to_bits()], w to Complex::new(f32::from_bits(w[1]), f32::from_bits(w[2]));
    5: i128, x to longest(x as u128), w to join_all(w) as i128;
       u128, x to longest(x), w to join_all(w);
       Complex<f64>, x to longest(u128::from(x.im.to_bits()) << 64 | u128::from(x.re.to_bits())), w to {
           let bits = join_all(w);
           Complex::new(f64::from_bits(bits as u64), f64::from_bits((bits >> 64) as u64))
       };
}

/// Returns the halves of a number, behind the first word.
#[inline(always)]
fn long(x: u64) -> [u32; 3] {
    [1, x as u32, (x >> 32) as u32]
}

/// Returns the number whose halves are behind the first word.
#[inline(always)]
fn join(words: [u32; 3]) -> u64 {
    u64::from(words[1]) | u64::from(words[2]) << 32
}

/// Returns the quarters of a number, behind the first word.
#[inline(always)]
fn longest(x: u128) -> [u32; 5] {
    [1, x as u32, (x >> 32) as u32, (x >> 64) as u32, (x >> 96) as u32]
}

/// Returns the number whose quarters are behind the first word.
#[inline(always)]
fn join_all(words: [u32; 5]) -> u128 {
    words[1..].iter().rev().fold(0, |all, &word| all << 32 | u128::from(word))
}

macro_rules! end {
    ($op:ty: |$left:ident, $right:ident| $preferred:ident, else $other:ident) => {
        impl<T: EndElement> Op<T> for $op {
            type Acc = T::Carried;
            type Out = Option<T>;
            const IDENTITY: T::Carried = T::Carried::NONE;
            const ASSOCIATIVE: bool = true;
            const FINISHES_EMPTY: bool = false;
            const NEEDS_INDEX: bool = false;
            #[inline]
            fn lift(self, x: T, _index: u64) -> T::Carried {
                T::Carried::some(x)
            }
            #[inline]
            fn combine($left: T::Carried, $right: T::Carried) -> T::Carried {
                $preferred.or($other)
            }
            #[inline]
            fn finish(acc: T::Carried, _len: u64) -> Option<T> {
                acc.element()
            }
        }
    };
}
end!(First: |left, right| left, else right);
end!(Last: |left, right| right, else left);

of_native_integers!(First, Last);
