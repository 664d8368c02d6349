//! The record of one GPU run, as in its JSON file.

use std::{fmt, fs, path::Path};

use serde::{Deserialize, Serialize};

use crate::{Outcome, machine::Machine, spread::Spread, table, with_causes};

/// Our name among the contenders.
pub(crate) const OURS: &str = "warpfold";

/// The set of rows that follow sizes in elements.
pub(crate) const SIZES: &str = "sizes";

/// The set of rows that cover every operator and type at sizes in bytes.
pub(crate) const CATALOGUE: &str = "catalogue";

/// The set of rows for types and operators beyond the catalogue, at 2^30 bytes.
pub(crate) const TYPES: &str = "types";

/// The ways to time a call.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(crate) enum Timing {
    /// Calls one after another between two events: the time of most programs, which includes the host's
    /// launches.
    #[serde(rename = "stream")]
    Stream,
    /// The same calls captured in a CUDA graph and replayed: the device's own time.
    #[serde(rename = "graph")]
    Graph,
    /// From the call to the scalar on the host.
    #[serde(rename = "end to end")]
    EndToEnd,
}

impl Timing {
    /// All, in the order of the columns.
    pub(crate) const ALL: [Self; 3] = [Self::Stream, Self::Graph, Self::EndToEnd];
}

/// One contender at one size by one clock.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Row {
    /// Which set of rows it belongs to: [`SIZES`], [`CATALOGUE`] or [`TYPES`].
    pub set: String,
    /// The operator.
    pub op: String,
    /// The element type.
    pub element: String,
    /// Elements.
    pub n: u64,
    /// The contender.
    pub contender: String,
    /// The clock.
    pub clock: Timing,
    /// Bytes of input per time, in 10^9 bytes per second.
    pub gigabytes_per_second: f64,
    /// Microseconds per call.
    #[serde(flatten)]
    pub us: Spread,
}

/// The device and the versions that figures depend on.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Versions {
    /// The device's own name.
    pub gpu: String,
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// Version of the driver.
    pub driver: String,
    /// CUDA version of the driver.
    pub cuda: String,
    /// The peers that were available, with their versions.
    pub peers: Vec<String>,
}

/// Memory bandwidth in 10^9 bytes per second; `None` if unknown.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Limits {
    /// By the memory's clock and bus width, as stated by the driver.
    pub peak: Option<f64>,
    /// Measured: bytes read plus bytes written by a device-to-device copy.
    pub copy: f64,
    /// Measured: bytes read by a kernel that only reads.
    pub read: Option<f64>,
}

/// All results of a run.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Record {
    /// The place and time.
    pub machine: Machine,
    /// The device and the peers.
    pub versions: Versions,
    /// The limits of its memory.
    pub limits: Option<Limits>,
    /// What was not measured, with the reasons.
    pub missing: Vec<String>,
    /// The figures.
    pub rows: Vec<Row>,
}

impl Record {
    /// Reads the JSON file at `path`.
    pub(crate) fn read(path: &Path) -> Outcome<Self> {
        let named = |reason: String| format!("{}: {reason}", path.display());
        let text = fs::read_to_string(path).map_err(|cause| named(cause.to_string()))?;
        Self::parse(&text).map_err(|cause| {
            named(format!("is no record of `bench gpu`: {}", with_causes(cause.as_ref()))).into()
        })
    }

    /// Where and by what it was measured.
    #[cfg(any(test, feature = "cuda"))]
    pub(crate) fn place(&self) -> String {
        format!("{}\n{}", self.machine, self.versions)
    }

    /// Reads the text of a JSON file.
    pub(crate) fn parse(text: &str) -> Outcome<Self> {
        Ok(serde_json::from_str(text)?)
    }

    /// Our rows of a set by one clock.
    pub(crate) fn ours(&self, set: &str, clock: Timing) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.set == set && row.clock == clock && row.contender == OURS)
    }

    /// The row of another contender, of the same case by the same clock.
    pub(crate) fn beside(&self, row: &Row, contender: &str) -> Option<&Row> {
        let case = |row: &Row| (row.n, row.clock);
        self.rows.iter().find(|other| {
            case(other) == case(row)
                && other.contender == contender
                && (&other.set, &other.op, &other.element) == (&row.set, &row.op, &row.element)
        })
    }

    /// The median of `peer` divided by our row's. Above 1 ours is faster.
    pub(crate) fn ratio(&self, ours: &Row, peer: &str) -> Option<f64> {
        Some(self.beside(ours, peer)?.us.median / ours.us.median)
    }

    /// Our Sum of this size, by one clock.
    pub(crate) fn sum(&self, element: &str, n: u64, clock: Timing) -> Option<&Row> {
        self.ours(SIZES, clock).find(|row| row.op == "sum" && row.element == element && row.n == n)
    }
}

impl Row {
    /// `argmax f64 2^13`.
    pub(crate) fn name(&self) -> String {
        format!("{} {} {}", self.op, self.element, table::elements(self.n))
    }
}

/// The distinct values, in order.
pub(crate) fn distinct<V: PartialEq>(values: impl IntoIterator<Item = V>) -> Vec<V> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stream => "stream",
            Self::Graph => "graph",
            Self::EndToEnd => "end to end",
        })
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { gpu, multiprocessors, driver, cuda, peers } = self;
        let peers = if peers.is_empty() { "none".to_owned() } else { peers.join("; ") };
        write!(f, "{gpu}, {multiprocessors} multiprocessors, driver {driver} (CUDA {cuda}); peers: {peers}")
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known =
            |limit: Option<f64>| limit.map_or_else(|| "unknown".to_owned(), |limit| format!("{limit:.0}"));
        let (peak, read) = (known(self.peak), known(self.read));
        write!(f, "memory, GB/s: peak by clock and bus width {peak}, measured: reading {read}")?;
        write!(f, ", device-to-device copy (read + written) {:.0}", self.copy)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record of these rows (set, op, element, log2 n, contender, clock, median) on a made-up device.
    pub(crate) fn synthetic(rows: &[(&str, &str, &str, u32, &str, Timing, f64)]) -> Record {
        let machine = r#"{"date": "2026-01-02T03:04:05Z", "command": "bench gpu", "cpu": "C", "threads": 2,
            "system": "linux", "rustc": "rustc 1", "warpfold": "0.1.0", "tree": 1}"#;
        let versions = Versions {
            gpu: "GPU".into(),
            multiprocessors: 100,
            driver: "1.0".into(),
            cuda: "13.0".into(),
            peers: vec!["CUB 3.5.0".into()],
        };
        let row =
            |&(set, op, element, power, contender, clock, median): &(&str, &str, &str, u32, &str, _, f64)| {
                let us = Spread {
                    min: median,
                    p25: median,
                    median,
                    p75: median,
                    p99: 1.5 * median,
                    trials: 10_000,
                };
                let (set, op, element) = (set.to_owned(), op.to_owned(), element.to_owned());
                let n = 1_u64 << power;
                let bytes = n * if element.ends_with("64") { 8 } else { 4 };
                let gigabytes_per_second = us.gigabytes_per_second(bytes);
                Row { set, op, element, n, contender: contender.into(), clock, gigabytes_per_second, us }
            };
        Record {
            machine: serde_json::from_str(machine).unwrap(),
            versions,
            limits: Some(Limits { peak: Some(4814.304), copy: 4270.0, read: Some(4700.0) }),
            missing: vec!["CuPy: No module named 'cupy'".into()],
            rows: rows.iter().map(row).collect(),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let record = synthetic(&[(SIZES, "sum", "f32", 10, OURS, Timing::EndToEnd, 8.0)]);
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.contains(r#""clock":"end to end""#), "{text}");
        let back = Record::parse(&text).unwrap();
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }

    /// A record in the repository, against all peers.
    pub(crate) fn kept() -> Record {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/record/2026-11-25-h100/gpu.json");
        Record::read(Path::new(path)).unwrap()
    }

    #[test]
    fn a_kept_record_is_read() {
        let record = kept();
        let ours = record.sum("f32", 1 << 28, Timing::Stream).unwrap();
        let ratio = record.ratio(ours, "CUB").unwrap();
        assert!((ratio - 1.0072).abs() < 0.0001, "{ratio}");
        assert!(record.ratio(ours, "CUB gpu_to_gpu").unwrap() > 1.1);
        assert!(record.sum("f32", 1 << 29, Timing::Stream).is_none());
        assert_eq!(record.limits.and_then(|limits| limits.peak), Some(3352.32));
    }

    #[test]
    fn a_file_that_is_no_record_is_named() {
        assert!(Record::parse("{}").is_err());
        let error = Record::read(Path::new("no/such/file.json")).unwrap_err().to_string();
        assert!(error.starts_with("no/such/file.json: "), "{error}");
    }
}
