//! The place and time of a record: what a reader needs to judge a figure or to measure it again.

use std::{env, fs};

use chrono::{SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

/// The machine, the versions and the command line of one run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Machine {
    /// The start of the run: UTC, ISO 8601.
    pub date: String,
    /// The command line.
    pub command: String,
    /// The processor's name.
    pub cpu: String,
    /// Threads that this process can run at once.
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
    /// This machine, now. Unknown values say so.
    pub(crate) fn here() -> Self {
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let command = env::args().enumerate().map(|(i, arg)| if i == 0 { "bench".to_owned() } else { arg });
        Self {
            date: Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_name() {
        assert_eq!(cpu("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n"), "Some CPU @ 2 GHz");
        assert!(cpu("").ends_with("processor"));
    }
}
