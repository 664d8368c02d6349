//! Moments of floats.
//!
//! Subtracting the square of the mean from the mean of the squares would lose all digits where the mean is large. Instead the
//! accumulator has the number of elements, their mean and the sum of their squared distances from it. One more element is added
//! by Welford's recurrence (*Note on a method for calculating corrected sums of squares and products*, Technometrics 4, 1962),
//! two groups are combined by the formula of Chan, Golub and LeVeque (*Algorithms for computing the sample variance*, The
//! American Statistician 37, 1983). The recurrence is the formula with a group of one.

use cuda_std::float::GpuFloat;
use warpfold_exact::unrolled;

use super::real::{Float, Real};
use super::spread::Spread;
use super::wide::Wide;
use crate::ops::words::Joined;

/// What the variance of floats is computed from: the number of elements; their mean, which is never -0.0, and the sum of their
/// squared distances from it. 16 bytes for f32, 24 for f64.
pub type Moments<F> = Joined<u64, [F; 2]>;

/// Joins the moments of two groups of elements. If one group is empty, the result is the other, exactly.
#[inline(always)]
fn join<F: Float>(left: Moments<F>, right: Moments<F>) -> Moments<F> {
    let (n, [mean, squares]) = (left.left, left.right);
    let (more, [mean_of_more, squares_of_more]) = (right.left, right.right);
    if n == 0 {
        return right;
    }
    if more == 0 {
        return left;
    }
    // A single finite element has squares of 0.
    let squares_of_more = if more == 1 { F::NOUGHT } else { squares_of_more };
    let all = n.wrapping_add(more);
    let distance = mean_of_more - mean;
    let step = distance * (F::count(more) / F::count(all));
    Joined { left: all, right: [mean + step, (squares + squares_of_more) + distance * (step * F::count(n))] }
}

/// Returns the variance of moments.
#[inline(always)]
fn variance<F: Float>(moments: Moments<F>, divisor: u64) -> F {
    let [mean, squares] = moments.right;
    if mean.is_finite() { squares / F::count(divisor) } else { F::nan() }
}

/// Numbers of elements below which divisions are read from a table: a lane of 2^31 f32 has at most 512 elements.
const FEW: usize = 1024;

macro_rules! floats {
    ($($float:ty),*) => { $(
        impl Spread for $float {
            type Sums = Moments<Self>;
            type Batch = Moments<Self>;
            type Variance = Self;
            const NONE: Moments<Self> = Joined { left: 0, right: [0.0; 2] };
            const ASSOCIATIVE: bool = false;
            #[inline(always)]
            fn sums(self) -> Moments<Self> {
                // 0, or NaN if the element is not finite; -0.0 becomes +0.0.
                Joined { left: 1, right: [self + Self::NOUGHT, self - self] }
            }
            #[inline(always)]
            fn join(left: Moments<Self>, right: Moments<Self>) -> Moments<Self> {
                join(left, right)
            }
            #[inline(always)]
            fn begin(earlier: Moments<Self>) -> Moments<Self> {
                earlier
            }
            #[inline(always)]
            fn push(self, moments: Moments<Self>) -> Moments<Self> {
                // All lanes of a thread have the same number of elements, so the compiler need divide only once for all of them.
                self.push_if(true, moments)
            }
            #[inline(always)]
            fn push_if(self, is_there: bool, moments: Moments<Self>) -> Moments<Self> {
                // `join` with a group of one. What is not there has no distance from the mean, which is never -0.0.
                let (n, [mean, squares]) = (moments.left, moments.right);
                let all = n.wrapping_add(is_there.into());
                let distance = if is_there { self - mean } else { Self::NOUGHT };
                let step = if is_there { distance * (Self::UNIT / Self::count(all)) } else { Self::NOUGHT };
                let squares = squares + distance * (step * Self::count(n));
                Joined { left: all, right: [mean + step, squares] }
            }
            #[inline(always)]
            fn push_columns_if<const V: usize, const R: usize>(
                sums: &mut [Moments<Self>; V],
                there: [[bool; V]; R],
                rows: [[Self; V]; R],
            ) {
                static RECIPROCALS: [$float; FEW] = {
                    let mut table = [1.0; FEW];
                    let mut n = 1;
                    while n < FEW {
                        table[n] = 1.0 / n as $float;
                        n += 1;
                    }
                    table
                };
                // Lanes have different numbers of elements, so each would divide for itself. A division has a branch for rare
                // operands, so that neighbouring divisions follow one another (docs/tuning/gpu.md).
                let most = sums.iter().fold(0, |most, sums| sums.left.max(most));
                if most >= (FEW - R) as u64 {
                    unrolled!(i < R, up to 8 => {
                        unrolled!(j < V => { sums[j] = rows[i][j].push_if(there[i][j], sums[j]) });
                    });
                    return;
                }
                unrolled!(j < V => {
                    let (mut n, [mut mean, mut squares]) = (sums[j].left as u32, sums[j].right);
                    unrolled!(i < R, up to 8 => {
                        // `push_if` with fewer selects: a distance of 0 makes a step of 0.
                        let all = n + u32::from(there[i][j]);
                        let distance = if there[i][j] { rows[i][j] - mean } else { Self::NOUGHT };
                        let step = distance * RECIPROCALS[all as usize % FEW];
                        squares += distance * (step * n as Self);
                        mean += step;
                        n = all;
                    });
                    sums[j] = Joined { left: n.into(), right: [mean, squares] };
                });
            }
            #[inline(always)]
            fn end(moments: Moments<Self>) -> Moments<Self> {
                moments
            }
            #[inline]
            fn variance(moments: Moments<Self>, _len: u64, divisor: u64) -> Self {
                Wide::canonical(variance(moments, divisor))
            }
            #[inline]
            fn deviation(moments: Moments<Self>, _len: u64, divisor: u64) -> Self {
                Wide::canonical(GpuFloat::sqrt(variance(moments, divisor)))
            }
        }
    )* };
}
floats!(f32, f64);

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements of several lanes have the bits of one after the other, also where a lane has more elements than the table.
    #[test]
    fn lanes_are_moved_on_as_elements_are() {
        fn check<F: Spread<Sums = Moments<F>, Batch = Moments<F>> + Float>(number: impl Fn(u64) -> F) {
            for n in (0..20).chain(FEW as u64 - 20..FEW as u64 + 20).chain([u64::from(u32::MAX), 1 << 53]) {
                let mut random = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
                let mut next = || {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    random
                };
                let sums = |lane: u64| Joined {
                    left: n + 3 * lane,
                    right: [number(n ^ lane) + F::NOUGHT, number(lane)],
                };
                let before: [Moments<F>; 4] = [0, 1, 2, 3].map(sums);
                let there: [[bool; 4]; 4] = [(); 4].map(|()| [(); 4].map(|()| next() % 3 > 0));
                let rows = [(); 4].map(|()| [(); 4].map(|()| number(next() >> 40)));
                let mut found = before;
                F::push_columns_if(&mut found, there, rows);
                let mut expected = before;
                for (there, row) in there.iter().zip(rows) {
                    for lane in 0..4 {
                        expected[lane] = row[lane].push_if(there[lane], expected[lane]);
                    }
                }
                assert_eq!(bytemuck::bytes_of(&found), bytemuck::bytes_of(&expected), "{n}");
            }
        }
        check(|x| x as f32 * 0.37 - 5.0);
        check(|x| x as f64 * 0.37 - 5.0);
    }
}
