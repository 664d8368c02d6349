//! The standard library's order of elements, to compare sorts with.

use std::cmp::Ordering;

use warpfold::{NanGreatest, Order, bf16, f16};

/// An element with a total order in the standard library.
pub trait Total: Copy {
    /// That order.
    fn total(&self, other: &Self) -> Ordering;

    /// That order or its reverse; equal elements stay equal.
    fn total_in(&self, order: Order, other: &Self) -> Ordering {
        match order {
            Order::Ascending => self.total(other),
            Order::Descending => other.total(self),
        }
    }
}

macro_rules! total {
    ($how:ident: $($element:ty),*) => { $(
        impl Total for $element {
            fn total(&self, other: &Self) -> Ordering {
                self.$how(other)
            }
        }
    )* };
}
total!(cmp: i8, u8, i16, u16, i32, u32, i64, u64, i128, u128, bool);
total!(total_cmp: f16, bf16, f32, f64);

/// Numbers, then NaNs without a sign, then NaNs with one.
macro_rules! nan_greatest {
    ($($float:ty),*) => { $(
        impl Total for NanGreatest<$float> {
            fn total(&self, other: &Self) -> Ordering {
                let class = |Self(x): &Self| (x.is_nan(), x.is_nan() && x.is_sign_negative());
                class(self).cmp(&class(other)).then_with(|| self.0.total_cmp(&other.0))
            }
        }
    )* };
}
nan_greatest!(f16, bf16, f32, f64);
