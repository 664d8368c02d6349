//! What stands at places of the sorted elements: the median and its kin, by selection on the CPU.

use warpfold::{Cpu, Interpolation};

use crate::failure::Failure;
use crate::numeric::Numeric;
use crate::progress::Progress;
use crate::value::Value;

/// A quantile that was asked for.
pub(crate) struct Quantile {
    pub(crate) q: f64,
    /// `None` of no elements.
    pub(crate) value: Option<Value>,
}

/// Selects the quantiles `qs` of `x`.
pub(crate) fn select<T: Numeric>(
    cpu: &Cpu,
    x: &[T],
    qs: &[f64],
    progress: &Progress,
) -> Result<Vec<Quantile>, Failure> {
    progress.stage("quantiles", size_of_val(x) as u64);
    if x.is_empty() {
        return Ok(qs.iter().map(|&q| Quantile { q, value: None }).collect());
    }
    // Elements near the places are copied, which may be most of them. To be out of memory then would end the program.
    let bytes = 2 * size_of_val(x);
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| Failure::Memory {
        bytes: bytes as u128,
        what: "quantiles are selected in memory: leave --median and --quantiles out",
    })?;
    let values = cpu.quantiles(x, qs, Interpolation::Linear)?;
    progress.passed(size_of_val(x) as u64);
    Ok(qs.iter().zip(values).map(|(&q, value)| Quantile { q, value: Some(value.into()) }).collect())
}
