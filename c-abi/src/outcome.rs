//! Results in C's form.

use warpfold::{At, f16};

/// `warpfold_result`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The bytes of the value, then zeros.
    pub(crate) bits: u64,
    /// The index, for operators that have one.
    pub(crate) index: u64,
    /// The type of the value.
    pub(crate) kind: i32,
    /// 1, or 0 if there is no value.
    pub(crate) present: i32,
}

/// A result that can be converted to [`Outcome`].
pub(crate) trait Present {
    /// Converts it.
    fn present(self) -> Outcome;
}

macro_rules! values {
    ($($number:literal $value:ty),*) => { $(
        impl Present for $value {
            fn present(self) -> Outcome {
                let mut bytes = [0; 8];
                bytes[..size_of::<Self>()].copy_from_slice(&self.to_ne_bytes());
                Outcome { bits: u64::from_ne_bytes(bytes), index: 0, kind: $number, present: 1 }
            }
        }
    )* };
}
values!(0 i32, 1 u32, 2 i64, 3 u64, 4 f32, 5 f64, 6 f16);

impl<T: Present> Present for Option<T> {
    fn present(self) -> Outcome {
        self.map_or_else(Outcome::default, T::present)
    }
}

impl<T: Present> Present for At<T> {
    fn present(self) -> Outcome {
        Outcome { index: self.index, ..self.value.present() }
    }
}
