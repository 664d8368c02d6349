//! Batches of f32, added up in f64.

use super::total::{NAN, NEGATIVE_INFINITY, NOT_NEGATIVE_ZERO, POSITIVE_INFINITY, Total};

/// The exponent of the least subnormal number.
const UNIT: i32 = -149;
/// The bits of a magnitude.
const MAGNITUDE: u32 = !(1 << 31);
const INFINITY: u32 = f32::INFINITY.to_bits();

/// Adds a batch of up to 2^16 elements.
///
/// Elements whose exponents differ by little are multiples of one number that an f64 can count: their sum in f64 is
/// exact in any order. Most batches are such; others are taken apart, the greatest elements first.
#[inline(always)]
pub(super) fn append<const V: usize, const R: usize, const WORDS: usize>(
    total: &mut Total<WORDS>,
    mut rows: [[f32; V]; R],
) {
    // 53 bits of f64 less 24 of an element, and a carry for each doubling of their number.
    let spread = const { 53 - 24 - (V * R).next_power_of_two().ilog2() };
    loop {
        let (most, least) = extent(&rows);
        if most == 0 || most >= INFINITY {
            if !take_special(total, &mut rows) {
                return;
            }
            continue;
        }
        total.see(NOT_NEGATIVE_ZERO);
        let floor = (most & INFINITY).saturating_sub(spread << 23);
        if least >= floor {
            total.add(sum(&rows), UNIT);
            return;
        }
        let mut top = rows;
        for (top, rest) in top.as_flattened_mut().iter_mut().zip(rows.as_flattened_mut()) {
            let is_top = rest.to_bits() & MAGNITUDE >= floor;
            (*top, *rest) = if is_top { (*top, -0.0) } else { (-0.0, *rest) };
        }
        total.add(sum(&top), UNIT);
    }
}

/// The bits of the greatest magnitude and of the least one that is not zero. They order as the magnitudes do.
#[inline(always)]
fn extent<const V: usize, const R: usize>(rows: &[[f32; V]; R]) -> (u32, u32) {
    // Less 1, so that zero is the greatest.
    let (mut most, mut least) = ([0u32; V], [u32::MAX; V]);
    for row in rows {
        for (x, (most, least)) in row.iter().zip(most.iter_mut().zip(&mut least)) {
            let magnitude = x.to_bits() & MAGNITUDE;
            *most = (*most).max(magnitude);
            *least = (*least).min(magnitude.wrapping_sub(1));
        }
    }
    let most = most.iter().fold(0, |most, &each| most.max(each));
    let least = least.iter().fold(u32::MAX, |least, &each| least.min(each));
    (most, least.wrapping_add(1))
}

/// The sum in f64.
#[inline(always)]
fn sum<const V: usize, const R: usize>(rows: &[[f32; V]; R]) -> f64 {
    let mut sums = [0.0; V];
    for row in rows {
        for (sum, &x) in sums.iter_mut().zip(row) {
            *sum += f64::from(x);
        }
    }
    sums.iter().fold(0.0, |sum, &each| sum + each)
}

/// Notes what is no number, and zeros. Whether there is anything else; all that was noted is -0.0 then.
#[inline(always)]
fn take_special<const V: usize, const R: usize, const WORDS: usize>(
    total: &mut Total<WORDS>,
    rows: &mut [[f32; V]; R],
) -> bool {
    let (mut seen, mut numbers) = (0, false);
    for x in rows.as_flattened_mut() {
        let bits = x.to_bits();
        if bits & MAGNITUDE > INFINITY {
            seen |= NAN;
        } else if bits == INFINITY {
            seen |= POSITIVE_INFINITY;
        } else if bits == INFINITY | 1 << 31 {
            seen |= NEGATIVE_INFINITY;
        } else if bits == 0 {
            seen |= NOT_NEGATIVE_ZERO;
        }
        let is_number = bits & MAGNITUDE != 0 && bits & MAGNITUDE < INFINITY;
        numbers |= is_number;
        *x = if is_number { *x } else { -0.0 };
    }
    total.see(seen);
    numbers
}
