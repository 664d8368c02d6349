//! Cross-entropy of rows.

/// Returns the cross-entropy of each row with its label: the logarithm of the [`Softmax`](super::Softmax) of the label's element, negated. The
/// method is `cross_entropy`, `cross_entropy_into` on a `Stream`.
///
/// For f32 and f64 a result has the bits of `-log_softmax(x)[label]`. Of f16 and bf16 it is in f32, not rounded to them, as sums of
/// exponentials are ([`SumExp`](super::SumExp)). A row's result depends on that row and its label alone.
///
/// | input | labels | results | on |
/// |---|---|---|---|
/// | [`rows(&x, [r, c])`](crate::rows()), [`along(view, &axes)`](crate::along()) | a slice of u32, u64, usize, i32 or i64 | a `Vec` | `Cpu`, `Auto` |
/// | `rows(&x, [r, c])` on a device | a `DeviceArray` of them | a `DeviceArray`; of a `Stream` in `DeviceValues` | `Cuda`, `Stream` |
///
/// # Errors
/// [`Error::Label`](crate::Error::Label) with the first row whose label is not a column; [`Error::Shape`](crate::Error::Shape) if there is not
/// one label for each row, and as for [`MapRows`](super::MapRows). A `Stream`, which waits for nothing, does not look at labels: a row whose
/// label is not a column has the result NaN. `Cuda` copies them to the host to check them.
///
/// ```
/// use warpfold::{Cpu, Error, rows};
///
/// let (cpu, x) = (Cpu::new(), [0.0f32, 0.0, 1.0, 3.0]);
/// let losses = cpu.cross_entropy(rows(&x, [2, 2]), &[1u32, 0])?;
/// let logs = cpu.log_softmax(rows(&x, [2, 2]))?;
/// assert_eq!(losses, [std::f32::consts::LN_2, -logs[2]]);
///
/// let refused = cpu.cross_entropy(rows(&x, [2, 2]), &[1u32, 2]);
/// assert_eq!(refused, Err(Error::Label { row: 1, label: 2, columns: 2 }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CrossEntropy<I, L> {
    /// The rows.
    pub input: I,
    /// The label of each row.
    pub labels: L,
}

/// The gradient of a [`CrossEntropy`], as a map of [`MapRows`](super::MapRows): of the elements `x`, the input, and of the gradient of each row's
/// result. It is `softmax(x) * gradient`, but `(softmax(x) - 1) * gradient` at the label. The softmax is not rounded to f16 or bf16 before.
/// Labels and errors are those of `CrossEntropy`; on a `Stream` a row whose label is not a column has NaN.
///
/// ```
/// use warpfold::{Cpu, rows};
///
/// // Gradients of a mean of two losses.
/// let found = Cpu::new().cross_entropy_gradient(rows(&[0.0f32, 0.0, 2.0, 2.0], [2, 2]), &[1u32, 0], &[0.5, 0.5])?;
/// assert_eq!(found, [0.25, -0.25, -0.25, 0.25]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CrossEntropyGradient<L, G> {
    /// The label of each row.
    pub labels: L,
    /// The gradient of each row's result: of f16 and bf16 in f32.
    pub gradient: G,
}
