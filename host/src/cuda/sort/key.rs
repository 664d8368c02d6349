//! The types of keys that a device sorts.

use bytemuck::Pod;

use gpu_kernels::{NanGreatest, RankedNumber, TotalOrder};

/// An element that devices can sort, by its [total order](TotalOrder): an integer of any size, a float
/// (in [`NanGreatest`] or by itself), or a `bool`.
#[diagnostic::on_unimplemented(
    message = "elements of `{Self}` are not sorted on a GPU",
    label = "on a GPU an element that is sorted is an integer, a float or a `bool`",
    note = "sort the indices by a key that is one of these (`Cuda::argsort`), or on the CPU, which takes every `TotalOrder`"
)]
pub trait SortKey: TotalOrder + sealed::Coded {}

pub(crate) mod sealed {
    /// What the kernels must know of a type.
    pub trait Coded {
        /// The code for how its bits compare.
        const CODE: u32;
    }

    /// A float.
    pub trait Mantissa {
        /// Bits of the mantissa without the first, which is not stored.
        const BITS: u32;
    }
}

macro_rules! keys {
    ($($code:ident: $($key:ty),*;)*) => { $($(
        impl SortKey for $key {}
        impl sealed::Coded for $key {
            const CODE: u32 = gpu_kernels::sort::shapes::codes::$code;
        }
    )*)* };
}

impl<F: SortKey + sealed::Mantissa + RankedNumber + Pod> SortKey for NanGreatest<F> {}
impl<F: sealed::Mantissa> sealed::Coded for NanGreatest<F> {
    const CODE: u32 = gpu_kernels::sort::shapes::codes::nan_greatest(F::BITS);
}

macro_rules! mantissas {
    ($($float:ty: $bits:literal),*) => { $(
        impl sealed::Mantissa for $float {
            const BITS: u32 = $bits;
        }
    )* };
}
mantissas!(gpu_kernels::f16: 10, gpu_kernels::bf16: 7, f32: 23, f64: 52);

keys! {
    UNSIGNED: u8, u16, u32, u64, u128, bool;
    SIGNED: i8, i16, i32, i64, i128;
    FLOAT: gpu_kernels::f16, gpu_kernels::bf16, f32, f64;
}
