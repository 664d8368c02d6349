//! Quantiles, including the median, by selection on the backend that folds the elements.

use crate::failure::Failure;
use crate::numbers::Array;
use crate::numbers::numeric::Numeric;
use crate::numbers::value::Value;
use crate::progress::Progress;
use crate::statistics::backend::Engine;

/// A quantile and its value.
pub(crate) struct Quantile {
    pub(crate) q: f64,
    /// `None` for empty input.
    pub(crate) value: Option<Value>,
}

/// Selects the quantiles `qs` of `x`.
pub(crate) fn select<T: Numeric>(
    by: &mut Engine,
    x: &Array<'_, T>,
    qs: &[f64],
    progress: &Progress,
) -> Result<Vec<Quantile>, Failure> {
    // For quantiles the elements are read into memory.
    let x = x.in_memory().unwrap_or_default();
    progress.stage("quantiles", size_of_val(x) as u64);
    if x.is_empty() {
        return Ok(qs.iter().map(|&q| Quantile { q, value: None }).collect());
    }
    let values = by.quantiles(x, qs)?;
    progress.passed(size_of_val(x) as u64);
    Ok(qs.iter().zip(values).map(|(&q, value)| Quantile { q, value: Some(value.into()) }).collect())
}
