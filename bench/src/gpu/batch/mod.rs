//! `bench rows`, `columns`, `segments`, `groups`, `scan` and `scan-segments`: many sums of f32 at once, against
//! peers on the same device; `compact`: selected elements; `histogram`: counts in bins; `select`: the greatest and
//! the median; `sort`: keys and pairs; `parts`: sorts, selections and scans of rows.
//!
//! | file | contents |
//! |---|---|
//! | `rows.rs`, `segments.rs`, `groups.rs`, `scan.rs`, `compact.rs`, `histogram.rs`, `select.rs`, `sort.rs`, `parts.rs` | one table or a few each: its cases, our call, the peers |
//! | `ground.rs` | the device, and the timing of calls on it, ours and those of peers in a library |
//! | `python.rs` | peers in the program peers/batch.py |
//! | `table.rs` | the figures, and their printed tables |

pub(crate) mod compact;
mod ground;
pub(crate) mod groups;
pub(crate) mod histogram;
pub(crate) mod parts;
mod python;
pub(crate) mod rows;
pub(crate) mod scan;
pub(crate) mod segments;
pub(crate) mod select;
pub(crate) mod sort;
mod table;

use std::path::PathBuf;

use crate::datum::mix as random;

/// The options of every table.
#[derive(clap::Args)]
pub(super) struct Options {
    /// The device's number.
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// Measurements of each case.
    #[arg(long, default_value_t = 15, value_parser = trials)]
    trials: usize,
    /// For tables against CUB: a library with CUB, built from the file of peers/ with the table's name, segments.cu and scan.cu also
    /// for their kin, sort.cu for `select`.
    #[arg(long)]
    peer: Option<PathBuf>,
    /// For tables against PyTorch: a Python with PyTorch and CuPy, and the folder of peers/batch.py.
    #[arg(long, num_args = 2, value_names = ["PYTHON", "FOLDER"])]
    python: Option<Vec<PathBuf>>,
}

fn trials(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err(format!("`{text}` measures nothing: give 1 or more")),
        Ok(trials) => Ok(trials),
    }
}

/// `n` floats in [0, 1); the sum depends on the order.
fn elements(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i as u32).wrapping_mul(0x9e37_79b9) >> 8) as f32 / 16_777_216.0).collect()
}

/// Fails unless each sum of a peer, over non-negative numbers, is close to ours.
fn agree(who: &str, ours: &[f32], theirs: &[f32]) -> crate::Outcome<()> {
    if ours.len() != theirs.len() {
        return Err(format!("{who}: {} sums, and not {}", theirs.len(), ours.len()).into());
    }
    for (i, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let error = (ours - theirs).abs();
        if error.is_nan() || error > ours * 1e-4 {
            return Err(format!("{who}: sum {i} is {theirs}, and not {ours}").into());
        }
    }
    Ok(())
}

/// Fails unless the CPU has the same bits at each place.
fn are_the_cpus<T: bytemuck::Pod>(who: &str, found: &[T], right: &[T]) -> crate::Outcome<()> {
    let differs = |(found, right)| bytemuck::bytes_of::<T>(found) != bytemuck::bytes_of(right);
    match found.iter().zip(right).position(differs) {
        None if found.len() == right.len() => Ok(()),
        place => Err(format!("{who}: place {} differs from the CPU's bits", place.unwrap_or(0)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_results_are_found() {
        assert!(agree("a peer", &[1.0, 0.0, -0.0], &[1.00005, 0.0, 0.0]).is_ok());
        for theirs in [[1.001, 0.0, 0.0], [1.0, 1e-9, 0.0], [f32::NAN, 0.0, 0.0]] {
            assert!(agree("a peer", &[1.0, 0.0, -0.0], &theirs).is_err(), "{theirs:?}");
        }
        assert!(agree("a peer", &[1.0], &[]).is_err());
        assert!(are_the_cpus("a case", &[1.0_f32, -0.0], &[1.0, -0.0]).is_ok());
        assert!(are_the_cpus("a case", &[1.0_f32, -0.0], &[1.0, 0.0]).is_err());
        assert!(are_the_cpus("a case", &[1_u64], &[1, 1]).is_err());
    }
}
