//! The command line.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::Parser;

use crate::catalogue::{Dtype, Operator};
use crate::failure::Failure;

const AFTER_HELP: &str = "\
WHAT IT DOES
  For each operator, element type and size (2^k bytes, which represents all sizes nearest to it by ratio)
  tune tries plans: one block, one launch with a ticket, or passes; 256, 512 or 1024 threads per block; 1 to
  16 blocks per multiprocessor. Every plan's results must have the CPU's bits, otherwise nothing is saved.
  Calls rotate over a large buffer, and other memory is read between trials, so that the device's cache does
  not serve them. In rounds, the fastest few plans and the default plan take turns. A plan is saved if
    - by graph replay, the device's own time, its median is more than 2 % below the default plan's, and its
      upper quartile is below the default plan's lower quartile;
    - by stream launches its median is not above the default plan's upper quartile.
  Otherwise the default plan is used. If the time was too short for 9 rounds, an earlier saved plan stays.
  Run no other program on the GPU meanwhile.

WHERE PLANS ARE SAVED
  In $WARPFOLD_CACHE, else $XDG_CACHE_HOME/warpfold, else ~/.cache/warpfold, in a file for each kind of
  device. The file is replaced at once, at the very end, so you can interrupt tune at any time. Warpfold
  ignores it after a change of device, driver or warpfold, and if WARPFOLD_TUNING is off.

EXIT CODE
  0 success, 1 failure while working (no GPU, wrong bits, nowhere to write), 2 wrong usage";

/// Finds the fastest launch plans for this machine's GPU, and saves them for warpfold to use.
#[derive(Parser, Debug)]
#[command(name = "tune", version, after_help = AFTER_HELP, max_term_width = 108)]
pub(crate) struct Cli {
    /// Element types
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Dtype::ALL.iter().copied())]
    pub(crate) types: Vec<Dtype>,

    /// Operators
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Operator::ALL.iter().copied())]
    pub(crate) ops: Vec<Operator>,

    /// Least size in bytes: 4096, 64K, 1M; sizes that are powers of two are tuned
    #[arg(long, value_name = "BYTES", default_value = "4K", value_parser = bytes)]
    min: u64,

    /// Greatest size in bytes
    #[arg(long, value_name = "BYTES", default_value = "1G", value_parser = bytes)]
    max: u64,

    /// Seconds for all rows together
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    budget: u64,

    /// Bytes read between trials to empty the device's cache: more than its size
    #[arg(long, value_name = "BYTES", default_value = "256M", value_parser = bytes)]
    pub(crate) flush: u64,

    /// The device's number
    #[arg(long, default_value_t = 0)]
    pub(crate) device: usize,

    /// Measure and print, but save nothing
    #[arg(long, conflicts_with_all = ["show", "clear"])]
    pub(crate) dry_run: bool,

    /// Print the saved plans for this device, and measure nothing
    #[arg(long, conflicts_with = "clear")]
    pub(crate) show: bool,

    /// Remove the saved plans for this device
    #[arg(long)]
    pub(crate) clear: bool,
}

/// The greatest size: 2 to the power of this many bytes.
const GREATEST: u32 = 36;

impl Cli {
    /// The sizes to tune, as powers of two of bytes.
    pub(crate) fn classes(&self) -> Result<RangeInclusive<u32>, Failure> {
        if self.min > self.max || self.max > 1 << GREATEST || self.min < 8 {
            return Err(Failure::Usage("--min and --max are from 8 bytes to 64G, the lesser first"));
        }
        let classes = self.min.next_power_of_two().ilog2()..=self.max.ilog2();
        if classes.is_empty() {
            return Err(Failure::Usage("there is no power of two from --min to --max"));
        }
        Ok(classes)
    }

    /// The time to take.
    pub(crate) fn budget(&self) -> Duration {
        Duration::from_secs(self.budget)
    }
}

/// A number of bytes, with K, M or G for 2^10, 2^20 or 2^30.
fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number = digits.bytes().all(|c| c.is_ascii_digit()).then(|| digits.parse::<u64>().ok()).flatten();
    number
        .and_then(|n| n.checked_mul(1 << shift))
        .ok_or_else(|| "not a number such as 4096, 64K, 1M or 2G".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bytes_are_whole() {
        for (text, expected) in [("8", 8), ("4K", 4096), ("1m", 1 << 20), ("64G", 1 << 36), ("0", 0)] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in
            ["", "K", "1.5K", "-1", "+1", "1KB", "1 K", "99999999999999999999", "99999999999G", "\u{e9}K"]
        {
            assert!(bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_the_powers_of_two_between() {
        let classes = |min: &str, max: &str| {
            let cli = Cli::try_parse_from(["tune", "--min", min, "--max", max]).expect("good usage");
            cli.classes().ok()
        };
        assert_eq!(classes("4K", "1G"), Some(12..=30));
        assert_eq!(classes("5000", "9000"), Some(13..=13));
        for (min, max) in [("5000", "8000"), ("2K", "1K"), ("4", "1K"), ("1K", "65G")] {
            assert_eq!(classes(min, max), None, "{min} {max}");
        }
    }
}
