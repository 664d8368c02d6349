//! The output of `ptxas -v` for a kernel.

use std::fmt;

/// The resources of one kernel, per thread except for shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used {
    pub(crate) registers: u32,
    /// Bytes of static shared memory per block.
    pub(crate) shared: u32,
    /// Bytes of local memory for arrays whose index the compiler could not resolve.
    pub(crate) stack: u32,
    /// Bytes of registers written to local memory.
    pub(crate) spill_stores: u32,
    /// Bytes of registers read back.
    pub(crate) spill_loads: u32,
}

impl Used {
    /// Returns the larger of each number.
    pub(crate) fn max(self, other: Self) -> Self {
        Self {
            registers: self.registers.max(other.registers),
            shared: self.shared.max(other.shared),
            stack: self.stack.max(other.stack),
            spill_stores: self.spill_stores.max(other.spill_stores),
            spill_loads: self.spill_loads.max(other.spill_loads),
        }
    }
}

impl fmt::Display for Used {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} registers, {} bytes shared, {} bytes stack, {} bytes spill stores, {} bytes spill loads",
            self.registers, self.shared, self.stack, self.spill_stores, self.spill_loads
        )
    }
}

/// Reads the report on the one kernel `entry` of a module. A missing number is an error, so that other words in ptxas's
/// report cannot pass for "no spills".
pub(crate) fn read(report: &str, entry: &str) -> Result<Used, String> {
    if !report.contains(&format!("entry function '{entry}'")) {
        return Err(format!("ptxas did not report on the entry: {}", report.trim()));
    }
    let missing = |what: &str| format!("ptxas did not report {what}: {}", report.trim());
    let number = |before: &str| number_before(report, before);
    Ok(Used {
        registers: number(" registers").ok_or_else(|| missing("registers"))?,
        // The report leaves it out if it is 0.
        shared: number(" bytes smem").unwrap_or(0),
        stack: number(" bytes stack frame").ok_or_else(|| missing("the stack frame"))?,
        spill_stores: number(" bytes spill stores").ok_or_else(|| missing("spill stores"))?,
        spill_loads: number(" bytes spill loads").ok_or_else(|| missing("spill loads"))?,
    })
}

/// Returns the largest number before `words`.
fn number_before(report: &str, words: &str) -> Option<u32> {
    report
        .match_indices(words)
        .filter_map(|(at, _)| report[..at].rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "ptxas info    : 0 bytes gmem\n\
        ptxas info    : Compiling entry function 'sum' for 'sm_75'\n\
        ptxas info    : Function properties for sum\n\
        \x20   16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
        ptxas info    : Used 49 registers, used 1 barriers, 16 bytes cumulative stack size, 2048 bytes smem, 408 bytes cmem[0]\n";

    #[test]
    fn every_number_is_read() {
        let used = Used { registers: 49, shared: 2048, stack: 16, spill_stores: 8, spill_loads: 12 };
        assert_eq!(read(REPORT, "sum"), Ok(used));
    }

    #[test]
    fn a_report_in_other_words_is_an_error() {
        assert!(read("", "sum").is_err());
        assert!(read(REPORT, "product").is_err());
        for words in ["registers", "stack frame", "spill stores", "spill loads"] {
            assert!(read(&REPORT.replace(words, "things"), "sum").is_err(), "{words}");
        }
    }
}
