//! The guess of an element's bin, before it is compared with edges.

use crate::bins::BinNumber;
use crate::bins::number::two_to_minus;
use crate::float_environment;

/// How an element's bin is guessed, before it is compared with edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Guess {
    /// Not at all: the edges are searched.
    Search,
    /// By the distance from the first edge, which is the bin.
    Distance,
    /// By the product of that distance and `scale`, which is the true position to `slack`, less than a half.
    Product { scale: f64, slack: f64 },
}

impl Guess {
    /// Returns how a bin is guessed between `edges`, which ascend: by a product if they are those of even bins.
    pub(super) fn of_edges<T: BinNumber>(edges: &[T]) -> Self {
        let bins = edges.len() - 1;
        let ends = [edges[0], edges[bins]];
        let is_even = |(i, &edge)| edge == T::edge(ends, i, bins);
        // Edges are computed, so the thread must round to nearest.
        if ends[0] < ends[1] && float_environment::check().is_ok() && edges.iter().enumerate().all(is_even) {
            return product(ends, bins);
        }
        Self::Search
    }
}

/// Returns the product that guesses the bin among even ones, if it is near enough to the true position.
///
/// Let u be the error of one rounding of a position. A distance has an error of u, the scale one of 2 u, because it is computed in f64
/// first, and the product one of u: together a little over 4 u of the position, which is at most the number of bins. An edge was rounded to
/// the elements' type, and in f64 before; its error is a share of the greatest edge or, if that is tiny, fixed.
pub(super) fn product<T: BinNumber>([low, high]: [T; 2], bins: usize) -> Guess {
    let [from, to] = [low, high].map(|end| end.number(low));
    let (bins, width) = (bins as f64, to - from);
    let is_wide = size_of::<T::Position>() == size_of::<f64>();
    let (unit, greatest) =
        if is_wide { (two_to_minus(53), f64::MAX) } else { (two_to_minus(24), f32::MAX.into()) };
    let scale = if is_wide { bins / width } else { f64::from((bins / width) as f32) };
    let is_normal = if is_wide { scale.is_normal() } else { (scale as f32).is_normal() };
    let [rounding, least] = T::ROUNDING;
    let largest = if T::IS_FLOAT { from.abs().max(to.abs()) } else { 0.0 };
    // Of f64 edges, the product and the sum are rounded, too.
    let of_edges = 1.25 * (rounding * largest).max(least) / width * if is_wide { 2.0 } else { 1.0 };
    let slack = bins * (unit * if is_wide { 7.0 } else { 4.25 } + of_edges);
    // The kernels round it to the type of positions.
    let slack = slack * (1.0 + two_to_minus(20));
    if is_normal && width <= greatest && slack < 0.49 {
        Guess::Product { scale, slack }
    } else {
        Guess::Search
    }
}
