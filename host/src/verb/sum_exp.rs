//! Sums of exponentials.

pub use gpu_kernels::forward::SumExpResult;

/// Returns the sum of `e^x` of the elements `x`, its logarithm, or the logarithm of the mean: one for an array, or one for each part. The
/// methods are `sum_exp`, `log_sum_exp` and `log_mean_exp`.
///
/// These are not operators of [`Reduce`](super::Reduce), because an operator folds once. Here two folds follow each other: the greatest
/// element, then the [tree](crate::tree)'s sum of `e^(x - greatest)`, which cannot overflow. This is all of it, for f32 and f64:
///
/// ```
/// use warpfold::{Cpu, Error, Max, Sum};
/// use warpfold_elementary::{exp, log};
///
/// fn log_sum_exp(x: &[f32]) -> Result<f32, Error> {
///     let greatest = Cpu::new().reduce(Max, x)?.filter(|greatest| greatest.is_finite()).unwrap_or(0.0);
///     let powers: Vec<f32> = x.iter().map(|x| exp(x - greatest)).collect();
///     Ok(greatest + log(Cpu::new().reduce(Sum, &powers)?)) // sum_exp: exp(greatest) * sum
/// } // log_mean_exp: greatest + log(sum / n as f32)
///
/// let x: Vec<f32> = (0..100_000).map(|i| (i as f32).sin() * 100.0).collect();
/// assert_eq!(Cpu::new().log_sum_exp(&x)?.to_bits(), log_sum_exp(&x)?.to_bits());
/// # Ok::<(), Error>(())
/// ```
///
/// f16 and bf16 are computed and returned in f32, along the tree of their own length: a logarithm of a sum with 8 or 11 bits would be of
/// little use. `exp` and `log` are those of the crate `warpfold-elementary`, so results have the same bits on every machine.
///
/// NaN if an element is NaN; else infinity if one is infinity. -infinity adds nothing: a part that has nothing else, or is empty, has the
/// sum 0, and the logarithm -infinity. The logarithm of the mean of empty input is NaN. This is as in SciPy's `logsumexp`.
///
/// | input | results | of |
/// |---|---|---|
/// | `&x` | one | all elements |
/// | [`rows(&x, [r, c])`](crate::rows), [`columns`](crate::columns()), [`chunks`](crate::chunks()), [`segments`](crate::segments()) | a `Vec` | each part; a part's result does not depend on the others |
/// | [`along(view, &axes)`](crate::along()) | a `Vec` | along axes of a [`View`](crate::View) |
///
/// `Cpu` and `Auto` take all of these. `Cuda` takes arrays on the device, their `rows` and `chunks`, and returns a `DeviceArray`; `Stream`
/// writes the results to `DeviceValues`, by `log_sum_exp_into` and its like.
///
/// # Errors
/// The errors of the input, as for [`Reduce`](super::Reduce) on the CPU, and [`Error::Missing`](crate::Error::Missing) for columns with
/// missing elements.
///
/// ```
/// use warpfold::{Cpu, rows};
///
/// let cpu = Cpu::new();
/// assert_eq!(cpu.log_sum_exp(&[1000.0f64, 1000.0])?, 1000.0 + std::f64::consts::LN_2);
/// assert_eq!(cpu.log_mean_exp(rows(&[3.0f32, 3.0, 5.0, 5.0], [2, 2]))?, [3.0, 5.0]);
/// assert_eq!(cpu.sum_exp(&[0.0f32, 0.0, f32::NEG_INFINITY])?, 2.0);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SumExp<I> {
    /// Where the elements are, and how they are divided.
    pub input: I,
    /// What is returned.
    pub result: SumExpResult,
}
