//! Keys by which elements are grouped.

use std::hash::Hash;

use gpu_kernels::{NanGreatest, RankedNumber, TotalOrder, bf16, f16};

/// A key by which elements are [grouped](crate::by_key): an integer, a float, a `bool`, a `char`, text, or an `Option`, an array, a
/// pair or a triple of keys. Keys of one rank are one group.
///
/// Floats have their [total order](TotalOrder): -0.0 and 0.0 are two keys, and so are NaNs that differ in a bit. `None` is
/// before every other key. Implement it for a type of your own:
///
/// ```
/// use warpfold::elements::GroupKey;
/// use warpfold::{Cpu, Sum, by_key};
///
/// #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
/// enum Colour {
///     Red,
///     Blue,
/// }
/// impl GroupKey for Colour {
///     type Rank<'a> = Self;
///     fn rank(&self) -> Self {
///         *self
///     }
/// }
/// let colours = [Colour::Blue, Colour::Red, Colour::Blue];
/// let (keys, sums) = Cpu::new().reduce(Sum, by_key(&colours, &[1.0, 2.0, 4.0]))?;
/// assert_eq!((keys, sums), (vec![Colour::Red, Colour::Blue], vec![2.0, 5.0]));
/// # Ok::<(), warpfold::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key by which elements are grouped",
    label = "not an integer, a float, a `bool`, a `char`, text, or an `Option`, an array, a pair or a triple of these",
    note = "implement `warpfold::elements::GroupKey` for a type of your own: its rank is a value that is `Ord`, `Hash` and `Copy`, such as the key itself"
)]
pub trait GroupKey: Sync {
    /// What keys are compared by.
    type Rank<'a>: Ord + Hash + Copy + Send + Sync
    where
        Self: 'a;

    /// Returns the rank of this key: less for a key that comes before.
    fn rank(&self) -> Self::Rank<'_>;
}

/// Lines `[type parameters] key, its name: type of the rank = rank`.
macro_rules! keys {
    ($([$($generic:ident),*] $key:ty, $self:ident: $rank:ty = $value:expr;)*) => { $(
        impl<$($generic: GroupKey),*> GroupKey for $key {
            type Rank<'a> = $rank where Self: 'a;

            #[inline(always)]
            fn rank(&$self) -> Self::Rank<'_> {
                $value
            }
        }
    )* };
}
keys! {
    [] u8, self: Self = *self;
    [] i8, self: Self = *self;
    [] u16, self: Self = *self;
    [] i16, self: Self = *self;
    [] u32, self: Self = *self;
    [] i32, self: Self = *self;
    [] u64, self: Self = *self;
    [] i64, self: Self = *self;
    [] u128, self: Self = *self;
    [] i128, self: Self = *self;
    [] usize, self: Self = *self;
    [] isize, self: Self = *self;
    [] bool, self: Self = *self;
    [] char, self: Self = *self;
    [] f16, self: u16 = TotalOrder::rank(*self);
    [] bf16, self: u16 = TotalOrder::rank(*self);
    [] f32, self: u32 = TotalOrder::rank(*self);
    [] f64, self: u64 = TotalOrder::rank(*self);
    [] str, self: &'a str = self;
    [] String, self: &'a str = self;
    [K] Option<K>, self: Option<K::Rank<'a>> = Some(self.as_ref()?.rank());
    [A, B] (A, B), self: (A::Rank<'a>, B::Rank<'a>) = (self.0.rank(), self.1.rank());
    [A, B, C] (A, B, C), self: (A::Rank<'a>, B::Rank<'a>, C::Rank<'a>) = (self.0.rank(), self.1.rank(), self.2.rank());
}

/// In [`NanGreatest`] all NaNs are after the numbers.
impl<F: RankedNumber> GroupKey for NanGreatest<F>
where
    Self: TotalOrder<Rank: Hash>,
{
    type Rank<'a>
        = <Self as TotalOrder>::Rank
    where
        Self: 'a;

    #[inline(always)]
    fn rank(&self) -> Self::Rank<'_> {
        TotalOrder::rank(*self)
    }
}

impl<K: GroupKey, const N: usize> GroupKey for [K; N] {
    type Rank<'a>
        = [K::Rank<'a>; N]
    where
        Self: 'a;

    #[inline(always)]
    fn rank(&self) -> Self::Rank<'_> {
        std::array::from_fn(|at| self[at].rank())
    }
}

impl<K: GroupKey + ?Sized> GroupKey for &K {
    type Rank<'a>
        = K::Rank<'a>
    where
        Self: 'a;

    #[inline(always)]
    fn rank(&self) -> Self::Rank<'_> {
        (**self).rank()
    }
}
