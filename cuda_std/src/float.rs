//! Float functions that the language has on the host only.

/// Functions of floats that have the same bits on the device and on the host.
///
/// The name is Rust-CUDA's, whose trait also has functions (sines, logarithms) that differ between the two; those are
/// left out.
pub trait GpuFloat: Copy {
    /// The square root, correctly rounded: to nearest, ties to even. A NaN if less than -0.0.
    #[must_use]
    fn sqrt(self) -> Self;
}

macro_rules! floats {
    ($($float:ident by $device:ident),*) => { $(
        impl GpuFloat for $float {
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            fn sqrt(self) -> Self {
                crate::imp::$device(self)
            }

            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            fn sqrt(self) -> Self {
                // The standard library's, which IEEE 754 has round correctly.
                <$float>::sqrt(self)
            }
        }
    )* };
}
floats!(f32 by sqrt_f32, f64 by sqrt_f64);

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::*;

    #[test]
    fn roots_are_the_standard_librarys() {
        fn root<F: GpuFloat>(x: F) -> F {
            x.sqrt()
        }
        assert_eq!(root(2.0f32).to_bits(), 0x3fb5_04f3);
        assert_eq!(root(2.0f64).to_bits(), 0x3ff6_a09e_667f_3bcd);
        assert_eq!(root(-0.0f64).to_bits(), (-0.0f64).to_bits());
        assert!(root(-1.0f32).is_nan());
    }
}
