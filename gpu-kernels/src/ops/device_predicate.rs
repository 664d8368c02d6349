//! The predicates by which GPUs select elements.

use super::by_rank::{ByRank, Ranks};
use super::count::Predicate;
use super::numbers::total_order::TotalOrder;
use crate::formula::{Body, Captured, Formula};

/// What kernels know of a predicate.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Criterion<R> {
    /// It holds for these ranks.
    Ranks(Ranks<R>),
    /// It is a formula.
    Formula(Captured),
}

/// A predicate by which GPUs select elements: one [by rank](ByRank), as `above(0.5)`, or a [`Formula`] of an `f32`, `f64`, `i32`, `i64`, `u32` or
/// `u64` that results in a `bool`.
#[diagnostic::on_unimplemented(
    message = "GPUs do not select from elements `{T}` by `{Self}`",
    label = "neither `ByRank` nor a formula of one element that results in a `bool`",
    note = "write flags, and call `compact_by_flags`; the CPU takes any predicate: `Cpu::new().compact(predicate, &x)`"
)]
pub trait DevicePredicate<T: TotalOrder>: Predicate<T> {
    /// Returns what kernels know of it.
    #[doc(hidden)]
    fn criterion(self) -> Criterion<T::Rank>;
}

impl<T: TotalOrder, P: ByRank<T>> DevicePredicate<T> for P {
    fn criterion(self) -> Criterion<T::Rank> {
        Criterion::Ranks(self.ranks())
    }
}

macro_rules! formulas {
    ($($element:ty),*) => { $(
        impl<B: Body<In = $element, Out = bool>> DevicePredicate<$element> for Formula<B> {
            fn criterion(self) -> Criterion<<$element as TotalOrder>::Rank> {
                Criterion::Formula(self.captured())
            }
        }
    )* };
}
formulas!(i32, u32, i64, u64, f32, f64);
