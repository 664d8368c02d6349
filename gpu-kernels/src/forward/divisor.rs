//! Quotients by one divisor.

use cuda_std::float::GpuFloat;
use cuda_std::thread::unknown;
use warpfold_exact::unrolled;

use super::FloatElement;
use super::row::{Results, turned};
use crate::ops::Float;

/// What powers up to 1 are divided by: 1 or more, or NaN.
#[derive(Clone, Copy)]
pub(crate) struct Divisor<A> {
    by: A,
    minus_by: A,
    /// 1 / by, rounded.
    reciprocal: A,
}

impl<A: Float> Divisor<A> {
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn new(by: A, reciprocal: A) -> Self {
        Self { by, minus_by: A::NOUGHT - by, reciprocal }
    }
}

impl<T: FloatElement, const V: usize> Results<T, T::Carrier, V> for Divisor<T::Carrier> {
    /// Returns the quotients of `powers`, rounded.
    ///
    /// The product with the reciprocal is within two units in the last place of a quotient, the first correction within one. With the
    /// reciprocal rounded to nearest, a second correction rounds as a division does (Markstein, *Computation of elementary functions on the
    /// IBM RISC System/6000*, 1990), if no residual is subnormal: of powers of 2^-60 or more. A zero stays one.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn of(self, mut powers: [T::Carrier; V], _column: u64) -> [T::Carrier; V] {
        let mut are_small = false;
        unrolled!(v < V, up to 8 => { are_small |= T::is_small_power(powers[v]) });
        if are_small {
            // The code stands once.
            let mut v = 0;
            while v < V {
                powers[0] = powers[0] / self.by;
                powers = turned(powers);
                v = unknown(v as u32 + 1) as usize;
            }
            return powers;
        }
        unrolled!(v < V, up to 8 => {
            let near = powers[v] * self.reciprocal;
            let nearer = near.fused(self.minus_by, powers[v]).fused(self.reciprocal, near);
            powers[v] = nearer.fused(self.minus_by, powers[v]).fused(self.reciprocal, nearer);
        });
        powers
    }
}

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_those_of_divisions() {
        let mut word = 1u64;
        let mut random = || {
            word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (word >> 32) as u32
        };
        for _ in 0..100_000 {
            // From 1 to 2^40; powers from 0 to 1, half of them of 2^-70 or more.
            let by = f32::from_bits(1.0f32.to_bits() + random() % (40 << 23));
            let powers: [f32; 4] = core::array::from_fn(|i| {
                let least = if i % 2 == 0 { 0 } else { (127 - 70) << 23 };
                f32::from_bits(least + random() % (1.0f32.to_bits() - least + 1))
            });
            let found = Results::<f32, f32, 4>::of(Divisor::new(by, 1.0 / by), powers, 0);
            assert_eq!(
                found.map(f32::to_bits),
                powers.map(|power| (power / by).to_bits()),
                "{powers:?} / {by}"
            );
            let (by, powers) =
                (f64::from(by) + 1e-9 * f64::from(random()), powers.map(|power| f64::from(power) / 3.0));
            let found = Results::<f64, f64, 4>::of(Divisor::new(by, 1.0 / by), powers, 0);
            assert_eq!(
                found.map(f64::to_bits),
                powers.map(|power| (power / by).to_bits()),
                "{powers:?} / {by}"
            );
        }
        let zeros = Results::<f32, f32, 2>::of(Divisor::new(3.0, 1.0 / 3.0), [0.0, 1.0], 0);
        assert_eq!(zeros.map(f32::to_bits), [0, (1.0f32 / 3.0).to_bits()]);
    }
}
