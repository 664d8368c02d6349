//! Batches of f64, added up in two f64.

use super::batch::{self, each};
use super::{ExactTotal, NOT_NEGATIVE_ZERO};

/// The exponent of the least subnormal number.
const UNIT: i32 = -1074;
const NEGATIVE_ZERO: u64 = (-0.0f64).to_bits();

/// Adds a batch of up to 2^16 elements.
///
/// Each element is cut in two at a place that all share. The upper parts are multiples of one unit and few enough to add up
/// without rounding, and so are the lower parts, if nothing is left below them (Rump, Ogita and Oishi, *Accurate floating-point
/// summation, part I*, 2008, section 3). Something is left only if exponents differ by much; then the elements are added one by
/// one.
#[inline(always)]
pub fn append<const V: usize, const R: usize, const WORDS: usize>(
    total: &mut ExactTotal<WORDS>,
    rows: [[f64; V]; R],
) {
    append_in(total, rows, UNIT);
}

/// The same of a total in units of 2 to the power of `unit`, which all elements are multiples of.
#[inline(always)]
fn append_in<const V: usize, const R: usize, const WORDS: usize>(
    total: &mut ExactTotal<WORDS>,
    rows: [[f64; V]; R],
    unit: i32,
) {
    if V * R == 1 {
        return append_one(total, rows[0][0], unit);
    }
    // At least 2, so that no element reaches half of the number that cuts it.
    let doublings = const { if V * R > 4 { (V * R).next_power_of_two().ilog2() } else { 2 } };
    let most = exponent(&rows);
    // All upper parts are multiples of 2^-52 of the cut and add up to less than twice the cut, so f64 holds the sum. The rest
    // of each is at most 2^-53 of the cut, and so on. 2^-52 of the least normal number is the least subnormal one.
    let upper = most + doublings;
    let lower = (upper + doublings).saturating_sub(54);
    if upper < 0x7fe {
        let sums = sums(&rows, cut(upper), cut(lower));
        if let Some((upper, lower)) = sums {
            let is_empty = most == 0 && rows.as_flattened().iter().all(|x| x.to_bits() == NEGATIVE_ZERO);
            total.see(if is_empty { 0 } else { NOT_NEGATIVE_ZERO });
            total.add(upper, unit);
            total.add(lower, unit);
            return;
        }
    }
    for &x in rows.as_flattened() {
        append_one(total, x, unit);
    }
}

/// Adds a slice, in batches that fill a few of a CPU's registers.
#[inline(always)]
pub fn append_slice<const WORDS: usize>(total: &mut ExactTotal<WORDS>, x: &[f64]) {
    let (batches, rest) = batch::of_slice(x);
    for elements in batches {
        append(total, batch::filled(elements, -0.0));
    }
    if !rest.is_empty() {
        // Padding of -0.0 adds nothing, not even a sign.
        append(total, batch::filled(rest, -0.0));
    }
}

/// The same of a total in units of 2 to the power of `unit`, which all elements are multiples of.
#[cfg(not(target_arch = "nvptx64"))]
#[inline(always)]
pub(crate) fn append_slice_in<const WORDS: usize>(total: &mut ExactTotal<WORDS>, x: &[f64], unit: i32) {
    let (batches, rest) = batch::of_slice(x);
    for elements in batches {
        append_in(total, batch::filled(elements, -0.0), unit);
    }
    if !rest.is_empty() {
        append_in(total, batch::filled(rest, -0.0), unit);
    }
}

/// Returns the greatest exponent field: 0x7ff if any element is infinite or NaN.
#[inline(always)]
fn exponent<const V: usize, const R: usize>(rows: &[[f64; V]; R]) -> u32 {
    let mut most = 0;
    for x in rows.as_flattened() {
        most = most.max((x.to_bits() >> 32) as u32 & 0x7fff_ffff);
    }
    most >> 20
}

/// Returns the number that, added and subtracted again, rounds away everything below 2^-52 of 2 to the power of `exponent`. It
/// is one and a half times that power, so it keeps its exponent whatever the sign of the other summand.
#[inline(always)]
fn cut(exponent: u32) -> f64 {
    f64::from_bits(u64::from(exponent.max(1)) << 52 | 1 << 51)
}

/// Returns the sums of the parts above the first cut and between both cuts; `None` if a part below the second cut is left.
#[inline(always)]
fn sums<const V: usize, const R: usize>(rows: &[[f64; V]; R], upper: f64, lower: f64) -> Option<(f64, f64)> {
    let (mut uppers, mut lowers, mut lost) = ([0.0; V], [0.0; V], [0u64; V]);
    each::<V, R>(|i, j| {
        let high = (rows[i][j] + upper) - upper;
        let rest = rows[i][j] - high;
        let low = (rest + lower) - lower;
        uppers[j] += high;
        lowers[j] += low;
        lost[j] |= rest.to_bits() ^ low.to_bits();
    });
    let sum = |sums: [f64; V]| sums.iter().fold(0.0, |sum, &each| sum + each);
    // A zero may have either sign.
    let lost = lost.iter().fold(0, |lost, &each| lost | each) << 1;
    (lost == 0).then(|| (sum(uppers), sum(lowers)))
}

/// Adds one element.
#[inline(always)]
fn append_one<const WORDS: usize>(total: &mut ExactTotal<WORDS>, x: f64, unit: i32) {
    total.see(if x.to_bits() == NEGATIVE_ZERO { 0 } else { NOT_NEGATIVE_ZERO });
    if x.is_finite() {
        total.add(x, unit);
    } else {
        total.see_infinite(x);
    }
}
