//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::failure::Failure;

const AFTER_HELP: &str = "\
WHAT IT DOES
  On a GPU (in a program built with --features cuda) it checks every rung at every size, and times it by
  events of the device over inputs that are not in its cache. It also times the coalescing experiment,
  transposes and copies from pageable and pinned memory, and prints how many blocks of each kernel a
  multiprocessor holds.
  Without a GPU it runs every rung once in the emulator, checks the result, and prints the counts.
  In both cases it prints sums of 1e8 floats in several orders, and the exact sum.

EXIT CODE
  0 success, 1 failure while working (a wrong sum, no GPU), 2 wrong usage";

/// Runs the ladder of reductions, from an atomic per element to the library's own kernel.
#[derive(Parser, Debug)]
#[command(name = "ladder", version, after_help = AFTER_HELP, max_term_width = 108)]
pub(crate) struct Cli {
    /// Where kernels run; `auto` is the GPU, if there is one
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,

    /// Elements: 4194304, 2^22, 1e6 [default: 2^22,2^24,2^28 on a GPU, 65533 in the emulator]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = count)]
    size: Vec<usize>,

    /// Number of floats for the accuracy of sums
    #[arg(long, value_name = "N", default_value = "1e8", value_parser = count)]
    pub(crate) floats: usize,

    /// Only check every rung, at awkward lengths and block sizes
    #[arg(long)]
    pub(crate) check: bool,

    /// Draw a chart to FILE, which ends in .svg or .png
    #[arg(long, value_name = "FILE", value_delimiter = ',', default_value = "target/ladder.svg")]
    pub(crate) chart: Vec<PathBuf>,
}

/// Where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The GPU if there is one, otherwise the emulator
    Auto,
    /// The SIMT emulator
    Emulator,
    /// An NVIDIA GPU, or an error
    Cuda,
}

/// The most elements that the emulator handles quickly.
const MOST_EMULATED: usize = 1 << 22;

impl Cli {
    /// The size for the emulator.
    pub(crate) fn emulated_size(&self) -> Result<usize, Failure> {
        match self.size[..] {
            [] => Ok((1 << 16) - 3),
            [n] if n <= MOST_EMULATED => Ok(n),
            [_] => {
                Err(Failure::Usage(format!("--size: at most {MOST_EMULATED} elements under the emulator")))
            }
            _ => Err(Failure::Usage("--size: one size under the emulator".into())),
        }
    }

    /// The sizes for a GPU.
    #[cfg(feature = "cuda")]
    pub(crate) fn sizes(&self) -> Vec<usize> {
        if self.size.is_empty() { vec![1 << 22, 1 << 24, 1 << 28] } else { self.size.clone() }
    }
}

/// A whole number up to 2^32, also in the forms 2^22 and 1e8.
fn count(text: &str) -> Result<usize, String> {
    let power = |base: &str, exponent: &str, of: usize| {
        let base: usize = base.parse().ok()?;
        base.checked_mul(of.checked_pow(exponent.parse().ok()?)?)
    };
    let number = match (text.split_once('^'), text.split_once(['e', 'E'])) {
        (Some(("2", exponent)), _) => power("1", exponent, 2),
        (_, Some((mantissa, exponent))) => power(mantissa, exponent, 10),
        _ => text.replace('_', "").parse().ok(),
    };
    number
        .filter(|&n| n <= 1 << 32)
        .ok_or_else(|| "not a whole number up to 2^32, such as 1000, 2^22 or 1e8".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_whole() {
        for (text, expected) in
            [("0", 0), ("2^22", 1 << 22), ("1e8", 100_000_000), ("1_000", 1000), ("2^32", 1 << 32)]
        {
            assert_eq!(count(text), Ok(expected), "{text}");
        }
        for text in ["", "2^33", "3^2", "1.5e3", "-1", "e8", "1e", "2^", "99999999999999999999"] {
            assert!(count(text).is_err(), "{text}");
        }
    }
}
