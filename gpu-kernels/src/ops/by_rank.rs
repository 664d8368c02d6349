//! Predicates on an element's place in the total order alone: a GPU has one kernel for all of them.

use bytemuck::Zeroable;
use half::{bf16, f16};

use super::count::{Above, Below, IsNan, NonZero, Not, Predicate, Within};
use super::numbers::total_order::{Rank, TotalOrder};

/// The elements whose [rank](TotalOrder::rank) is in an interval, or all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranks<R> {
    /// The least rank.
    pub least: R,
    /// The greatest rank, not below `least`.
    pub most: R,
    /// Whether the other elements are meant.
    pub outside: bool,
}

/// A predicate that depends on an element's rank alone, and holds in an interval of ranks or outside of it.
pub trait ByRank<T: TotalOrder>: Predicate<T> {
    /// Returns the ranks for which it holds.
    fn ranks(self) -> Ranks<T::Rank>;
}

/// A number of up to 64 bits, or `bool`, as predicates compare it: NaN equals nothing, and both zeros are equal.
pub trait RankedNumber: TotalOrder + PartialOrd + Default {
    /// Whether ranks are a float's. In [`NanGreatest`](crate::NanGreatest) the ranks before the first number's
    /// are subtracted, and wrap round to the end.
    const IS_FLOAT: bool;
    /// Returns the zeros, the least first.
    fn zeros() -> [Self; 2];
    /// Returns the least and the greatest number.
    fn numbers() -> [Self; 2];
}

/// Returns the ranks of no element.
fn none<T: RankedNumber>() -> Ranks<T::Rank> {
    let zero = T::Rank::zeroed();
    Ranks { least: zero, most: !zero, outside: true }
}

/// Returns the ranks from `least` to `most`, or a range without an element if either is missing or `least` is
/// above `most`.
fn between<T: RankedNumber>(least: Option<T::Rank>, most: Option<T::Rank>) -> Ranks<T::Rank> {
    match (least, most) {
        (Some(least), Some(most)) if least <= most => Ranks { least, most, outside: false },
        _ => none::<T>(),
    }
}

/// Returns the least and the greatest rank of the numbers equal to `x`: two for zero, none for NaN.
fn equal<T: RankedNumber>(x: T) -> Option<[T::Rank; 2]> {
    let zero = T::default();
    if x == zero {
        return Some(T::zeros().map(T::rank));
    }
    x.partial_cmp(&x).map(|_| [x.rank(); 2])
}

impl<T: RankedNumber> ByRank<T> for Above<T> {
    fn ranks(self) -> Ranks<T::Rank> {
        let [_, greatest] = T::numbers();
        between::<T>(equal(self.threshold).and_then(|[_, most]| most.above()), Some(greatest.rank()))
    }
}

impl<T: RankedNumber> ByRank<T> for Below<T> {
    fn ranks(self) -> Ranks<T::Rank> {
        let [least, _] = T::numbers();
        between::<T>(Some(least.rank()), equal(self.threshold).and_then(|[least, _]| least.below()))
    }
}

impl<T: RankedNumber + bytemuck::Pod> ByRank<T> for Within<T> {
    fn ranks(self) -> Ranks<T::Rank> {
        let [from, to] = self.ends.map(equal);
        between::<T>(from.map(|[least, _]| least), to.map(|[_, most]| most))
    }
}

impl<T: RankedNumber> ByRank<T> for NonZero {
    fn ranks(self) -> Ranks<T::Rank> {
        let [least, most] = T::zeros().map(T::rank);
        Ranks { least, most, outside: true }
    }
}

impl<T: RankedNumber> ByRank<T> for IsNan {
    fn ranks(self) -> Ranks<T::Rank> {
        let [least, most] = T::numbers().map(T::rank);
        if T::IS_FLOAT { Ranks { least, most, outside: true } } else { none::<T>() }
    }
}

impl<T: TotalOrder, P: ByRank<T>> ByRank<T> for Not<P> {
    fn ranks(self) -> Ranks<T::Rank> {
        let ranks = self.predicate.ranks();
        Ranks { outside: !ranks.outside, ..ranks }
    }
}

macro_rules! integers {
    ($($int:ty: $zero:literal, $least:expr, $most:expr;)*) => { $(
        impl RankedNumber for $int {
            const IS_FLOAT: bool = false;
            fn zeros() -> [Self; 2] {
                [$zero; 2]
            }
            fn numbers() -> [Self; 2] {
                [$least, $most]
            }
        }
    )* };
}
integers! {
    bool: false, false, true;
    i8: 0, i8::MIN, i8::MAX;
    u8: 0, u8::MIN, u8::MAX;
    i16: 0, i16::MIN, i16::MAX;
    u16: 0, u16::MIN, u16::MAX;
    i32: 0, i32::MIN, i32::MAX;
    u32: 0, u32::MIN, u32::MAX;
    i64: 0, i64::MIN, i64::MAX;
    u64: 0, u64::MIN, u64::MAX;
    isize: 0, isize::MIN, isize::MAX;
    usize: 0, usize::MIN, usize::MAX;
}

macro_rules! floats {
    ($($float:ty: $zero:expr;)*) => { $(
        impl RankedNumber for $float {
            const IS_FLOAT: bool = true;
            fn zeros() -> [Self; 2] {
                [-$zero, $zero]
            }
            fn numbers() -> [Self; 2] {
                [Self::NEG_INFINITY, Self::INFINITY]
            }
        }
    )* };
}
floats! {
    f16: f16::ZERO;
    bf16: bf16::ZERO;
    f32: 0.0_f32;
    f64: 0.0_f64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NanGreatest;

    /// Returns whether the kernels select an element, computed as they do.
    fn is_selected<T: RankedNumber>(ranks: Ranks<T::Rank>, x: T) -> bool {
        let span = ranks.most.distance_from(ranks.least);
        (x.rank().distance_from(ranks.least) <= span) != ranks.outside
    }

    fn agrees<T: RankedNumber, P: ByRank<T>>(predicate: P, all: &[T], what: &str) {
        for (place, &x) in all.iter().enumerate() {
            assert_eq!(is_selected(predicate.ranks(), x), predicate.holds(x), "{what}, element {place}");
            let not = Not { predicate };
            assert_eq!(is_selected(not.ranks(), x), not.holds(x), "not {what}, element {place}");
        }
    }

    fn every_predicate<T: RankedNumber + bytemuck::Pod + core::fmt::Debug>(all: &[T], ends: &[T]) {
        agrees(NonZero, all, "not zero");
        agrees(IsNan, all, "NaN");
        for &threshold in ends {
            agrees(Above { threshold }, all, &format!("above {threshold:?}"));
            agrees(Below { threshold }, all, &format!("below {threshold:?}"));
            for &other in ends {
                let ends = [threshold, other];
                agrees(Within { ends }, all, &format!("within {ends:?}"));
            }
        }
    }

    #[test]
    fn ranks_say_what_predicates_say() {
        let floats: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        let ends = [0.0, -0.0, 1.0, -2.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(f16::from_f32);
        every_predicate(&floats, &ends);
        every_predicate(NanGreatest::wrap_slice(&floats), NanGreatest::wrap_slice(&ends));
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        every_predicate(&bytes, &[0, 1, 77, 254, 255]);
        let bytes: Vec<i8> = (i8::MIN..=i8::MAX).collect();
        every_predicate(&bytes, &[0, 1, -1, 77, i8::MIN, i8::MAX]);
        let some = [0.0, -0.0, f64::MIN_POSITIVE, 1.5, -1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        every_predicate(&some, &some);
        for threshold in [false, true] {
            agrees(Above { threshold }, &[false, true], "bool");
            agrees(Below { threshold }, &[false, true], "bool");
        }
        agrees(NonZero, &[false, true], "bool");
    }
}
