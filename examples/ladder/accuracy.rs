//! Sums of the same floats in several orders: a tree is also more accurate.

use std::time::Instant;

use warpfold::{AccurateSum, Cpu, ExactSum, Sum, SumIn};

use crate::failure::Failure;
use crate::number::{make, uniform};
use crate::text::{table, time};

/// A sum of floats in some order.
pub(crate) struct Accuracy {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// Relative to the exact sum.
    pub(crate) off_by: f64,
    pub(crate) seconds: Option<f64>,
}

/// The sums as a table.
pub(crate) fn text(sums: &[Accuracy]) -> String {
    let row = |sum: &Accuracy| {
        vec![
            sum.name.clone(),
            sum.value.to_string(),
            if sum.off_by == 0.0 { "0".into() } else { format!("{:.1e}", sum.off_by) },
            sum.seconds.map_or("-".into(), |seconds| time(seconds * 1e6)),
        ]
    };
    let rows: Vec<_> = sums.iter().map(row).collect();
    table(1, &["the sum of uniform floats by", "result", "off by", "time"], &rows)
}

/// `n` floats, uniform in [0, 1).
pub(crate) fn floats(n: usize) -> Vec<f32> {
    make(n, uniform)
}

/// Sums of `n` such floats on the CPU, the exact one last.
pub(crate) fn on_the_host(n: usize) -> Result<Vec<Accuracy>, Failure> {
    let x = floats(n);
    let cpu = Cpu::new();
    let exact = exact(&x)?;
    let mut rows = Vec::new();
    let mut row = |name: &str, sum: &dyn Fn() -> Result<f64, Failure>| -> Result<(), Failure> {
        let start = Instant::now();
        let value = sum()?;
        let seconds = Some(start.elapsed().as_secs_f64());
        rows.push(Accuracy { name: name.into(), value, off_by: off_by(value, exact), seconds });
        Ok(())
    };
    row("one f32, left to right", &|| Ok(f64::from(x.iter().fold(0.0f32, |sum, x| sum + x))))?;
    row("eight f32, as vector code does", &|| Ok(f64::from(by_eight(&x))))?;
    row("pairs of halves, f32", &|| Ok(f64::from(by_halves(&x))))?;
    row("Sum, warpfold's tree, f32", &|| Ok(f64::from(cpu.reduce(Sum, &x)?)))?;
    row("AccurateSum, f32 and what was lost", &|| Ok(f64::from(cpu.reduce(AccurateSum, &x)?)))?;
    row("one f64, left to right", &|| Ok(x.iter().fold(0.0f64, |sum, &x| sum + f64::from(x))))?;
    row("SumIn<f64>, warpfold's tree, f64", &|| Ok(cpu.reduce(SumIn::<f64>::default(), &x)?))?;
    row("ExactSum, rounded once to f32", &|| Ok(f64::from(cpu.reduce(ExactSum, &x)?)))?;
    Ok(rows)
}

/// The exact sum. Each float is a multiple of 2^-24 below 1, so an f64 can represent the sum of up to 2^28 of
/// them.
pub(crate) fn exact(x: &[f32]) -> Result<f64, Failure> {
    if x.len() > 1 << 28 {
        return Err(Failure::Usage("--floats: at most 2^28, whose exact sum is an f64".into()));
    }
    let units: u64 = x.iter().map(|x| (f64::from(*x) * f64::from(1 << 24)) as u64).sum();
    Ok(units as f64 / f64::from(1 << 24))
}

/// The relative error of a sum.
pub(crate) fn off_by(value: f64, exact: f64) -> f64 {
    if value == exact { 0.0 } else { (value - exact).abs() / exact.abs() }
}

/// Eight accumulators, each for every eighth element.
fn by_eight(x: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    let (eights, rest) = x.as_chunks::<8>();
    for eight in eights {
        for (sum, x) in sums.iter_mut().zip(eight) {
            *sum += x;
        }
    }
    sums.iter().chain(rest).fold(0.0, |sum, x| sum + x)
}

/// The sum of the sums of both halves, recursively down to one element.
fn by_halves(x: &[f32]) -> f32 {
    match x {
        [] => 0.0,
        [x] => *x,
        _ => {
            let (left, right) = x.split_at(x.len() / 2);
            by_halves(left) + by_halves(right)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_near_the_exact_one_and_its_rounding_is_nearest() {
        let rows = on_the_host(100_003).expect("sums");
        let off_by = |name: &str| rows.iter().find(|row| row.name.starts_with(name)).expect("a row").off_by;
        assert_eq!(off_by("one f64"), 0.0);
        assert_eq!(off_by("SumIn<f64>"), 0.0);
        assert!(off_by("ExactSum") <= f64::from(f32::EPSILON) / 2.0);
        assert!(off_by("ExactSum") <= off_by("Sum,"));
        assert!(off_by("Sum,") < off_by("one f32"));
        assert!(on_the_host(0).expect("sums of nothing").iter().all(|row| row.off_by == 0.0));
    }
}
