//! Results as bits, so that -0.0 is not 0.0 and a NaN equals itself.

use bytemuck::Pod;
use gpu_kernels::stored::InWord;
use gpu_kernels::{Storable, StoredAt};
use warpfold::elements::Joined;
use warpfold::{Affine, At, Complex, Extremes, Matrix2, NanGreatest, bf16, f16};

/// A result that can be compared and printed bit for bit.
pub trait Bits {
    /// The bits in hexadecimal; `none` for `None`.
    fn bits(&self) -> String;

    /// Whether the bits equal the bits of `other`. Text is slow for millions of results.
    fn is_same(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

macro_rules! integers {
    ($($int:ty),*) => { $(
        impl Bits for $int {
            fn bits(&self) -> String {
                format!("{:0width$x}", self, width = size_of::<Self>() * 2)
            }
            fn is_same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )* };
}
integers!(i8, u8, i16, u16, i32, u32, i64, u64, i128, u128, isize, usize);

macro_rules! floats {
    ($($float:ty),*) => { $(
        impl Bits for $float {
            fn bits(&self) -> String {
                self.to_bits().bits()
            }
            fn is_same(&self, other: &Self) -> bool {
                self.to_bits() == other.to_bits()
            }
        }
    )* };
}
floats!(f16, bf16, f32, f64);

impl Bits for bool {
    fn bits(&self) -> String {
        self.to_string()
    }
}

impl<T: Bits> Bits for NanGreatest<T> {
    fn bits(&self) -> String {
        self.0.bits()
    }
}

impl<T: Bits> Bits for Complex<T> {
    fn bits(&self) -> String {
        format!("{},{}", self.re.bits(), self.im.bits())
    }
}

impl<T: Bits> Bits for Option<T> {
    fn bits(&self) -> String {
        self.as_ref().map_or_else(|| "none".into(), T::bits)
    }
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Some(one), Some(other)) => one.is_same(other),
            (one, other) => one.is_none() == other.is_none(),
        }
    }
}

impl<T: Bits> Bits for At<T> {
    fn bits(&self) -> String {
        format!("{}@{}", self.value.bits(), self.index)
    }
    fn is_same(&self, other: &Self) -> bool {
        self.value.is_same(&other.value) && self.index == other.index
    }
}

impl<T: Bits, const N: usize> Bits for [T; N] {
    fn bits(&self) -> String {
        self.iter().map(T::bits).collect::<Vec<_>>().join(",")
    }
    fn is_same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(one, other)| one.is_same(other))
    }
}

impl<T: Bits> Bits for Extremes<T> {
    fn bits(&self) -> String {
        format!("{}..{}", self.min.bits(), self.max.bits())
    }
}

impl<N: Bits + Pod> Bits for Affine<N> {
    fn bits(&self) -> String {
        bytemuck::cast_ref::<Self, [N; 2]>(self).bits()
    }
}

impl<N: Bits + Pod> Bits for Matrix2<N> {
    fn bits(&self) -> String {
        self.rows.bits()
    }
}

macro_rules! tuples {
    ($(($($part:ident),*))*) => { $(
        impl<$($part: Bits),*> Bits for ($($part),*) {
            #[allow(non_snake_case)]
            fn bits(&self) -> String {
                let ($($part),*) = self;
                [$($part.bits()),*].join(";")
            }
        }
    )* };
}
tuples!((A, B)(A, B, C)(A, B, C, D));

impl<V: Bits + InWord> Bits for StoredAt<V> {
    fn bits(&self) -> String {
        format!("{}@{}", self.value.bits(), self.index)
    }
}

impl<A: Bits + Copy, B: Bits + Copy> Bits for Joined<A, B> {
    fn bits(&self) -> String {
        let Self { left, right } = *self;
        format!("{};{}", left.bits(), right.bits())
    }
}

/// The bits of a result as stored in device memory. They must equal the bits of the result itself, if there is one.
///
/// # Panics
/// If they differ.
pub fn stored_bits<R: Bits + Storable<Stored: Bits>>(result: R) -> String {
    let is = result.bits();
    let stored = result.store().bits();
    let expected = match is.as_str() {
        "true" => "01",
        "false" => "00",
        // The value stored for `None` is tested in gpu-kernels.
        none if none.contains("none") => &stored,
        some => some,
    };
    assert_eq!(stored, expected, "a result lies in device memory with other bits than it has");
    stored
}
