//! Results as bits, so that -0.0 is not 0.0 and a NaN equals itself.

use warpfold::At;

/// A result that can be compared and printed bit for bit.
pub trait Bits {
    /// The bits in hexadecimal; `none` for no result.
    fn bits(&self) -> String;
}

macro_rules! integers {
    ($($int:ty),*) => { $(
        impl Bits for $int {
            fn bits(&self) -> String {
                format!("{:0width$x}", self, width = size_of::<Self>() * 2)
            }
        }
    )* };
}
integers!(i32, u32, i64, u64);

impl Bits for f32 {
    fn bits(&self) -> String {
        self.to_bits().bits()
    }
}

impl Bits for f64 {
    fn bits(&self) -> String {
        self.to_bits().bits()
    }
}

impl<T: Bits> Bits for Option<T> {
    fn bits(&self) -> String {
        self.as_ref().map_or_else(|| "none".into(), T::bits)
    }
}

impl<T: Bits> Bits for At<T> {
    fn bits(&self) -> String {
        format!("{}@{}", self.value.bits(), self.index)
    }
}

impl<T: Bits, const N: usize> Bits for [T; N] {
    fn bits(&self) -> String {
        self.iter().map(T::bits).collect::<Vec<_>>().join(",")
    }
}
