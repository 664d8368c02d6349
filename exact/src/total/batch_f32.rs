//! Batches of f32, added up in f64.

use super::batch::{self, each};
use super::{ExactTotal, NOT_NEGATIVE_ZERO};

/// The exponent of the least subnormal number.
const UNIT: i32 = -149;
/// The bits of a magnitude.
const MAGNITUDE: u32 = !(1 << 31);
const INFINITY: u32 = f32::INFINITY.to_bits();

/// Adds a batch of up to 2^16 elements.
///
/// Elements whose exponents differ by little are multiples of one unit and few enough that their sum in f64 is exact in any
/// order. Most batches are such; others are split, the greatest elements first (docs/tuning/registers.md).
#[inline(always)]
pub fn append<const V: usize, const R: usize, const WORDS: usize>(
    total: &mut ExactTotal<WORDS>,
    mut rows: [[f32; V]; R],
) {
    // The 53 bits of f64, less the 24 of an element and a carry for each doubling of their number.
    let spread = const { 53 - 24 - (V * R).next_power_of_two().ilog2() };
    loop {
        let (most, least) = extent(&rows);
        // Infinities and NaN are taken first. They hide nothing, since the sum of all others fits f64.
        let is_finite = most < INFINITY;
        let floor = if is_finite { (most & INFINITY).saturating_sub(spread << 23) } else { INFINITY };
        let is_all = least >= floor;
        let seen = if most == 0 { any_but_negative_zero(&rows) } else { NOT_NEGATIVE_ZERO };
        let mut top = rows;
        if !is_all {
            let floor = f32::from_bits(floor);
            for (top, rest) in top.as_flattened_mut().iter_mut().zip(rows.as_flattened_mut()) {
                // Compared as floats, since a GPU drops the sign in the same instruction. A NaN is not less than infinity.
                let is_rest = rest.abs() < floor;
                (*top, *rest) = if is_rest { (-0.0, *rest) } else { (*rest, -0.0) };
            }
        }
        // One copy of the code for the sum of all and of a part: a GPU has few registers and little room for code.
        let sum = sum(&top);
        total.see(seen);
        if is_finite {
            total.add(sum, UNIT);
        } else {
            total.see_infinite(sum);
        }
        if is_all {
            return;
        }
    }
}

/// Adds a slice, in batches that fill a few of a CPU's registers.
#[inline(always)]
pub fn append_slice<const WORDS: usize>(total: &mut ExactTotal<WORDS>, x: &[f32]) {
    let (batches, rest) = batch::of_slice(x);
    for elements in batches {
        append(total, batch::filled(elements, -0.0));
    }
    if !rest.is_empty() {
        // Padding of -0.0 adds nothing, not even a sign.
        append(total, batch::filled(rest, -0.0));
    }
}

/// Returns the bits of the greatest magnitude and of the least magnitude other than zero, if there is one. The bits order as
/// the magnitudes do.
#[inline(always)]
fn extent<const V: usize, const R: usize>(rows: &[[f32; V]; R]) -> (u32, u32) {
    // Less 1, so that zero becomes the greatest.
    let (mut most, mut least) = (0, u32::MAX);
    for x in rows.as_flattened() {
        let magnitude = x.to_bits() & MAGNITUDE;
        most = most.max(magnitude);
        least = least.min(magnitude.wrapping_sub(1));
    }
    (most, least.wrapping_add(1))
}

/// Returns the sum in f64.
#[inline(always)]
fn sum<const V: usize, const R: usize>(rows: &[[f32; V]; R]) -> f64 {
    let mut sums = [0.0; V];
    each::<V, R>(|i, j| sums[j] += f64::from(rows[i][j]));
    sums.iter().fold(0.0, |sum, &each| sum + each)
}

/// Returns [`NOT_NEGATIVE_ZERO`] if there is such an element.
#[inline(always)]
fn any_but_negative_zero<const V: usize, const R: usize>(rows: &[[f32; V]; R]) -> u32 {
    let mut differs = 0;
    for x in rows.as_flattened() {
        differs |= x.to_bits() ^ !MAGNITUDE;
    }
    if differs == 0 { 0 } else { NOT_NEGATIVE_ZERO }
}
