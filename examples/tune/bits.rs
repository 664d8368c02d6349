//! Compares results bit for bit: -0.0 is not 0.0, and a NaN equals itself.

use warpfold::At;

/// A result.
pub(crate) trait Bits {
    /// Whether both have the same bits.
    fn same_bits(&self, other: &Self) -> bool;
}

macro_rules! integers {
    ($($int:ty),*) => { $(
        impl Bits for $int {
            fn same_bits(&self, other: &Self) -> bool {
                self == other
            }
        }
    )* };
}
integers!(i32, u32, i64, u64);

macro_rules! floats {
    ($($float:ty),*) => { $(
        impl Bits for $float {
            fn same_bits(&self, other: &Self) -> bool {
                self.to_bits() == other.to_bits()
            }
        }
    )* };
}
floats!(f32, f64);

impl<T: Bits> Bits for At<T> {
    fn same_bits(&self, other: &Self) -> bool {
        self.index == other.index && self.value.same_bits(&other.value)
    }
}

impl<T: Bits> Bits for Option<T> {
    fn same_bits(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(one), Some(other)) => one.same_bits(other),
            (None, None) => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bit_makes_a_difference() {
        assert!(!0.0f32.same_bits(&-0.0) && f64::NAN.same_bits(&f64::NAN) && !1u32.same_bits(&2));
        let at = |value: f32, index| Some(At { value, index });
        assert!(at(1.0, 3).same_bits(&at(1.0, 3)));
        for other in [at(1.0, 4), at(-1.0, 3), None] {
            assert!(!at(1.0, 3).same_bits(&other));
        }
        assert!(None::<i64>.same_bits(&None));
    }
}
