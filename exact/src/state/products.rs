//! Products of f32, which are exact in f64: in batches.

use super::counts::{Counts, Kind, Way};
use super::element::Arithmetic;
use super::floats::split_rest;
use crate::total::batch_f64;

/// Products that are computed at a time.
const PORTION: usize = 512;

/// The exponent of the products' unit.
const UNIT: i32 = 2 * f32::UNIT;

/// Adds the products of the pairs whose elements are finite. The slices have one length.
#[inline(always)]
pub(super) fn add_finite(x: &[f32], y: &[f32], total: &mut <f32 as Arithmetic>::Product, way: Way) {
    let ((x, few_x), (y, few_y)) = (split_rest(x), split_rest(y));
    let mut products = [0.0; PORTION];
    for (x, y) in x.chunks(PORTION).zip(y.chunks(PORTION)) {
        let products = &mut products[..x.len()];
        multiply(x, y, way, products);
        for product in products.iter_mut() {
            // Infinities and NaN add nothing.
            *product = if product.is_finite() { *product } else { 0.0 };
        }
        batch_f64::append_slice_in(total, products, UNIT);
        total.take_seen();
    }
    add_each(few_x, few_y, |x, y| x.add_finite_product(y, total, way));
}

/// Adds products of pairs, and counts them. The slices have one length.
#[inline(always)]
pub(super) fn add_counted(
    x: &[f32],
    y: &[f32],
    total: &mut <f32 as Arithmetic>::Product,
    counts: &mut Counts,
    way: Way,
) {
    let ((x, few_x), (y, few_y)) = (split_rest(x), split_rest(y));
    let mut products = [0.0; PORTION];
    for (x, y) in x.chunks(PORTION).zip(y.chunks(PORTION)) {
        let products = &mut products[..x.len()];
        if multiply(x, y, way, products) {
            counts.all = counts.all.wrapping_add(way.of(products.len() as i64));
        } else {
            for ((&x, &y), product) in x.iter().zip(y).zip(products.iter_mut()) {
                let kind = x.kind_of_product(y);
                counts.add(kind, way.of(1));
                if kind != Kind::Ordinary {
                    *product = 0.0;
                }
            }
        }
        batch_f64::append_slice_in(total, products, UNIT);
        total.take_seen();
    }
    add_each(few_x, few_y, |x, y| x.add_counted_product(y, total, counts, way));
}

/// Calls `add` for each pair, outside the loops of batches, which are compiled for each caller.
#[inline(never)]
fn add_each(x: &[f32], y: &[f32], mut add: impl FnMut(f32, f32)) {
    x.iter().zip(y).for_each(|(&x, &y)| add(x, y));
}

/// Writes the products, negated to be taken back, and returns whether all of them are finite and none is zero.
#[inline(always)]
fn multiply(x: &[f32], y: &[f32], way: Way, products: &mut [f64]) -> bool {
    let sign = if way == Way::Push { 1.0 } else { -1.0 };
    let mut are_ordinary = true;
    for ((product, &x), &y) in products.iter_mut().zip(x).zip(y) {
        *product = f64::from(x) * f64::from(y) * sign;
        are_ordinary &= product.is_finite() & (*product != 0.0);
    }
    are_ordinary
}
