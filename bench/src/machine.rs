//! Where and when a record was made: what a reader needs to judge a figure or to measure it again.

use std::{
    env, fs,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

/// The machine, the versions and the command line of one run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Machine {
    /// When the run began: UTC, ISO 8601.
    pub date: String,
    /// The command line.
    pub command: String,
    /// The processor's own name.
    pub cpu: String,
    /// Threads that this process may run at once.
    pub threads: usize,
    /// The operating system and its release.
    pub system: String,
    /// The compiler that built this program.
    pub rustc: String,
    /// The version of warpfold.
    pub warpfold: String,
    /// The version of its reduction tree.
    pub tree: u32,
}

impl Machine {
    /// This machine, now. What cannot be found out says so.
    pub(crate) fn here() -> Self {
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let command = env::args().enumerate().map(|(i, arg)| if i == 0 { "bench".to_owned() } else { arg });
        Self {
            date: utc(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())),
            command: command.collect::<Vec<_>>().join(" "),
            cpu: cpu(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {}", env::consts::OS, release.trim()),
            rustc: env!("BENCH_RUSTC").to_owned(),
            warpfold: env!("CARGO_PKG_VERSION").to_owned(),
            tree: warpfold::TREE_VERSION,
        }
    }
}

impl std::fmt::Display for Machine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { date, command, cpu, threads, system, rustc, warpfold, tree } = self;
        writeln!(f, "{date}  {command}")?;
        writeln!(f, "{cpu}, {threads} threads, {system}")?;
        write!(f, "warpfold {warpfold}, tree {tree}, built by {rustc}")
    }
}

/// The processor's name in Linux's /proc/cpuinfo.
fn cpu(cpuinfo: &str) -> String {
    let name = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| format!("{} processor", env::consts::ARCH), |(_, name)| name.trim().to_owned())
}

/// Seconds since 1970 as UTC. Days to a date as in Howard Hinnant's "chrono-compatible low-level date
/// algorithms", `civil_from_days`.
fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(utc(1_709_251_199), "2024-02-29T23:59:59Z");
        assert_eq!(utc(4_102_444_800), "2100-01-01T00:00:00Z");
    }

    #[test]
    fn processor_name() {
        assert_eq!(cpu("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n"), "Some CPU @ 2 GHz");
        assert!(cpu("").ends_with("processor"));
    }
}
