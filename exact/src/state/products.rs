//! Products of f32, which are exact in f64: in batches.

use super::counts::{Counts, Kind};
use super::element::Arithmetic;
use super::way::Way;
use crate::total::batch_f64;

/// Products that are computed at a time.
const PORTION: usize = 512;

/// The exponent of the products' unit.
const UNIT: i32 = 2 * f32::UNIT;

/// Adds the products of the pairs whose elements are finite.
#[inline]
pub(super) fn add_finite(x: &[f32], y: &[f32], total: &mut <f32 as Arithmetic>::Product, way: Way) {
    let mut products = [0.0; PORTION];
    for (x, y) in x.chunks(PORTION).zip(y.chunks(PORTION)) {
        let products = &mut products[..x.len().min(y.len())];
        multiply(x, y, way, products);
        // Infinities and NaN add nothing.
        for product in products.iter_mut().filter(|product| !product.is_finite()) {
            *product = 0.0;
        }
        batch_f64::append_slice_in(total, products, UNIT);
        total.take_seen();
    }
}

/// Adds products of pairs, and counts them.
#[inline]
pub(super) fn add_counted(
    x: &[f32],
    y: &[f32],
    total: &mut <f32 as Arithmetic>::Product,
    counts: &mut Counts,
    way: Way,
) {
    let mut products = [0.0; PORTION];
    for (x, y) in x.chunks(PORTION).zip(y.chunks(PORTION)) {
        let products = &mut products[..x.len().min(y.len())];
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
}

/// Writes the products, negated to be taken back, and returns whether all of them are finite and none is zero.
#[inline]
fn multiply(x: &[f32], y: &[f32], way: Way, products: &mut [f64]) -> bool {
    let sign = if way == Way::Push { 1.0 } else { -1.0 };
    let mut are_ordinary = true;
    for ((product, &x), &y) in products.iter_mut().zip(x).zip(y) {
        *product = f64::from(x) * f64::from(y) * sign;
        are_ordinary &= product.is_finite() & (*product != 0.0);
    }
    are_ordinary
}
