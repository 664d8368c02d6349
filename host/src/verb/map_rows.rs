//! Rows to rows: softmax and norms.

/// Maps each row to a row of results with `map`: [`Softmax`], [`LogSoftmax`], [`RmsNorm`] or [`LayerNorm`], or the gradient of one, such as
/// [`SoftmaxGradient`](super::SoftmaxGradient). A row's results depend on that row alone, and have the same bits on every machine, in any
/// batch, with any number of threads.
///
/// | input | results | on |
/// |---|---|---|
/// | [`rows(&x, [r, c])`](crate::rows()) | a `Vec`, row after row; on a device a `DeviceArray` | `Cpu`, `Auto`: `x` is any array without missing elements. `Cuda`: an array on the device |
/// | [`along(view, &axes)`](crate::along()) | a `Vec`, row after row | a row has the elements along `axes`, and may be strided: of a [`View`](crate::View), such as the first columns of a matrix of longer rows. `Cpu`, `Auto` |
/// | [`rows(&mut x, [r, c])`](crate::rows()) | none | in place. `Cpu`, `Auto` |
///
/// The methods are `softmax`, `log_softmax`, `rms_norm`, `layer_norm`, and the same with `_gradient`; they end in `_into` for the first two
/// inputs and results in memory that exists, `&mut` a slice, a `Vec` or an array; on a `Stream` for rows and `&mut DeviceValues`. f32 and f64 are computed in their own type. f16 and bf16 are computed in f32, along the
/// [tree](crate::tree) of their own length, and results are rounded to them once. Each operation rounds to nearest; `exp`, `log` and `rsqrt`
/// are those of the crate `warpfold-elementary`. A row is read two or three times, the first time from memory if it fits a cache.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if rows times columns is not the number of elements, or if there is not one weight or bias for each
/// column or one gradient for each element, [`Error::Axes`](crate::Error::Axes) of axes,
/// [`Error::Results`](crate::Error::Results) if `out` has another length,
/// [`Error::Missing`](crate::Error::Missing) if elements are missing,
/// [`Error::TooManyResults`](crate::Error::TooManyResults) if there is not enough memory, and
/// [`Error::FloatEnvironment`](crate::Error::FloatEnvironment) if a thread does not round to nearest.
///
/// ```
/// use warpfold::{Cpu, rows};
///
/// let (cpu, mut x) = (Cpu::new(), [0.0f32, 0.0, 7.0, f32::NEG_INFINITY]);
/// assert_eq!(cpu.softmax(rows(&x, [2, 2]))?, [0.5, 0.5, 1.0, 0.0]);
/// cpu.log_softmax(rows(&mut x, [2, 2]))?;
/// assert_eq!(x, [-std::f32::consts::LN_2, -std::f32::consts::LN_2, 0.0, f32::NEG_INFINITY]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MapRows<M, I> {
    /// What is done with each row.
    pub map: M,
    /// The rows.
    pub input: I,
}

/// The softmax of a row: `exp(x - centre) / sum`. Here `centre` is the greatest element, or 0 if that is not finite, and `sum` is the
/// [tree](crate::tree)'s sum of `exp(x - centre)`, as in [`SumExp`](super::SumExp).
///
/// An element -infinity is masked: its softmax is 0, and the others' do not change, except that the tree depends on the row's length. If all
/// are masked, or an element is NaN or infinity, all results are NaN, as in SciPy and PyTorch.
///
/// ```
/// use warpfold::{Cpu, rows};
///
/// let x = [0.0f64, 0.0, 1.0, f64::NEG_INFINITY];
/// assert_eq!(Cpu::new().softmax(rows(&x, [2, 2]))?, [0.5, 0.5, 1.0, 0.0]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Softmax;

/// The logarithm of the [`Softmax`] of a row: `(x - centre) - log(sum)`. Of a masked element it is -infinity.
///
/// ```
/// use warpfold::{Cpu, rows};
///
/// assert_eq!(Cpu::new().log_softmax(rows(&[2.0f32, 2.0], [1, 2]))?, [-std::f32::consts::LN_2; 2]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogSoftmax;

/// The root mean square norm of a row: `x * rsqrt(mean + epsilon) * weight`, from left to right. Here `mean` is the
/// [`SumOfSquares`](crate::SumOfSquares) of the row, divided by the number of columns, and `epsilon` is rounded to the type that is computed
/// in. Without weights the last product is left out.
///
/// ```
/// use warpfold::{Cpu, rows};
///
/// let (cpu, x) = (Cpu::new(), [3.0f32, 3.0, -5.0, 5.0]);
/// assert_eq!(cpu.rms_norm(rows(&x, [2, 2]), None, 0.0)?, [1.0, 1.0, -1.0, 1.0]);
/// assert_eq!(cpu.rms_norm(rows(&x, [2, 2]), Some(&[2.0, 0.5]), 0.0)?, [2.0, 0.5, -2.0, 0.5]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RmsNorm<W> {
    /// The weight of each column: a slice, or for a device a `DeviceArray`.
    pub weight: Option<W>,
    /// What is added to the mean of squares.
    pub epsilon: f64,
}

/// The layer norm of a row: `(x - mean) * rsqrt(variance + epsilon) * weight + bias`, from left to right. Here `mean` is the
/// [`Sum`](crate::Sum) of the row, of f16 and bf16 not yet rounded to them, divided by the number of columns. `variance` is the tree's sum of
/// `(x - mean)^2`, divided likewise, and `epsilon` is rounded to the type that is computed in. Without weights or biases their product or
/// sum is left out.
///
/// ```
/// use warpfold::{Cpu, rows};
///
/// let (cpu, x) = (Cpu::new(), [1.0f64, 3.0, -10.0, 10.0]);
/// assert_eq!(cpu.layer_norm(rows(&x, [2, 2]), None, None, 0.0)?, [-1.0, 1.0, -1.0, 1.0]);
/// let (weight, bias) = ([2.0, 3.0], [0.5, 0.5]);
/// assert_eq!(cpu.layer_norm(rows(&x, [2, 2]), Some(&weight), Some(&bias), 0.0)?, [-1.5, 3.5, -1.5, 3.5]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LayerNorm<W> {
    /// The weight of each column: a slice, or for a device a `DeviceArray`.
    pub weight: Option<W>,
    /// What is added to each column, likewise.
    pub bias: Option<W>,
    /// What is added to the variance.
    pub epsilon: f64,
}
