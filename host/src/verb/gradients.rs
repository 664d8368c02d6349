//! Gradients of rows: what a loss changes by when the elements of a row do.

/// The gradient of a [`Softmax`](super::Softmax), as a map of [`MapRows`](super::MapRows): of its results `y`, the input, and of the gradient
/// `dy` of each result it makes the gradient of each element, `dy` being as many elements, row after row.
///
/// This is all of it, for f32 and f64. `sum` goes along the [tree](crate::tree) of the row's length.
///
/// ```
/// use warpfold::{Cpu, Error, Sum, rows};
///
/// fn reference(y: &[f32], dy: &[f32]) -> Result<Vec<f32>, Error> {
///     let products: Vec<f32> = y.iter().zip(dy).map(|(y, dy)| dy * y).collect();
///     let sum = Cpu::new().reduce(Sum, &products)?;
///     Ok(y.iter().zip(dy).map(|(y, dy)| y * (dy - sum)).collect())
/// }
///
/// let (y, dy) = (Cpu::new().softmax(rows(&[1.0f32, 2.0, 4.0], [1, 3]))?, [0.5, -1.0, 0.25]);
/// assert_eq!(Cpu::new().softmax_gradient(rows(&y, [1, 3]), &dy)?, reference(&y, &dy)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SoftmaxGradient<G> {
    /// The gradient of each result: a slice, or for a device a `DeviceArray`.
    pub gradient: G,
}

/// The gradient of a [`LogSoftmax`](super::LogSoftmax): of its results `y`, the input, and of the gradient `dy` of each result. As
/// [`SoftmaxGradient`], but for this:
///
/// ```
/// use warpfold::{Cpu, Error, Sum, rows};
/// use warpfold_elementary::exp;
///
/// fn reference(y: &[f32], dy: &[f32]) -> Result<Vec<f32>, Error> {
///     let sum = Cpu::new().reduce(Sum, dy)?;
///     Ok(y.iter().zip(dy).map(|(y, dy)| dy - exp(*y) * sum).collect())
/// }
///
/// let (y, dy) = (Cpu::new().log_softmax(rows(&[1.0f32, 2.0, 4.0], [1, 3]))?, [0.5, -1.0, 0.25]);
/// assert_eq!(Cpu::new().log_softmax_gradient(rows(&y, [1, 3]), &dy)?, reference(&y, &dy)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LogSoftmaxGradient<G> {
    /// The gradient of each result.
    pub gradient: G,
}

/// The gradient of an [`RmsNorm`](super::RmsNorm): of the elements `x`, the input, and of the gradient `dy` of each result. Without weights
/// their product is left out.
///
/// ```
/// use warpfold::{Cpu, Error, Sum, SumOfSquares, rows};
/// use warpfold_elementary::rsqrt;
///
/// fn reference(x: &[f32], dy: &[f32], weight: &[f32], epsilon: f32) -> Result<Vec<f32>, Error> {
///     let (cpu, n) = (Cpu::new(), x.len() as f32);
///     let scale = rsqrt(cpu.reduce(SumOfSquares, x)? / n + epsilon);
///     let pairs: Vec<_> = (0..x.len()).map(|i| (x[i] * scale, dy[i] * weight[i])).collect();
///     let products: Vec<f32> = pairs.iter().map(|(normed, g)| g * normed).collect();
///     let share = cpu.reduce(Sum, &products)? / n;
///     Ok(pairs.iter().map(|(normed, g)| (g - normed * share) * scale).collect())
/// }
///
/// let (x, dy, weight) = ([1.0f32, 2.0, 4.0], [0.5, -1.0, 0.25], [1.0, 2.0, 0.5]);
/// let found = Cpu::new().rms_norm_gradient(rows(&x, [1, 3]), &dy, Some(&weight), 1e-5)?;
/// assert_eq!(found, reference(&x, &dy, &weight, 1e-5)?);
///
/// // The gradient of the weights is a sum of columns, over all rows.
/// let cpu = Cpu::new();
/// let mut products = cpu.rms_norm(rows(&x, [1, 3]), None, 1e-5)?;
/// products.iter_mut().zip(&dy).for_each(|(product, dy)| *product *= dy);
/// let of_weight: Vec<f32> = cpu.reduce(Sum, warpfold::columns(&products, [1, 3]))?;
/// # assert_eq!(of_weight, products);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RmsNormGradient<A> {
    /// The gradient of each result.
    pub gradient: A,
    /// The weight of each column.
    pub weight: Option<A>,
    /// What is added to the mean of squares.
    pub epsilon: f64,
}

/// The gradient of a [`LayerNorm`](super::LayerNorm): of the elements `x`, the input, and of the gradient `dy` of each result. As
/// [`RmsNormGradient`], but `normed` is `(x - mean) * scale` with the mean and the scale of the norm, and a result is
/// `((g - mean_g) - normed * share) * scale`. Here `mean_g` is the sum of `g` divided by the number of columns. The gradient of the biases is
/// the [`Sum`](crate::Sum) of the columns of `dy`.
///
/// ```
/// use warpfold::{Cpu, rows};
///
/// // A norm does not change if all elements do by one number, so gradients add up to 0.
/// let found = Cpu::new().layer_norm_gradient(rows(&[1.0f64, 3.0], [1, 2]), &[1.0, 1.0], None, 1e-5)?;
/// assert_eq!(found, [0.0, 0.0]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LayerNormGradient<A> {
    /// The gradient of each result.
    pub gradient: A,
    /// The weight of each column.
    pub weight: Option<A>,
    /// What is added to the variance.
    pub epsilon: f64,
}
