//! All results: printed, drawn, and written as JSON. `ladder --help` documents the fields.

use serde::Serialize;

/// One run of the program.
#[derive(Debug, Serialize)]
pub(crate) struct Record {
    pub(crate) schema: u32,
    pub(crate) warpfold: &'static str,
    pub(crate) accuracy: Vec<Accuracy>,
    pub(crate) emulated: Option<Emulated>,
    pub(crate) measured: Option<Measured>,
}

impl Record {
    pub(crate) fn new(accuracy: Vec<Accuracy>) -> Self {
        Self { schema: 1, warpfold: env!("CARGO_PKG_VERSION"), accuracy, emulated: None, measured: None }
    }
}

/// A sum of floats in some order.
#[derive(Debug, Serialize)]
pub(crate) struct Accuracy {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) off_by: f64,
    pub(crate) seconds: Option<f64>,
}

/// The counts of the emulator.
#[derive(Debug, Serialize)]
pub(crate) struct Emulated {
    /// Why the GPU was not used.
    pub(crate) why: String,
    pub(crate) n: usize,
    pub(crate) threads: u32,
    pub(crate) resident: u32,
    pub(crate) rungs: Vec<CountedRung>,
    pub(crate) coalescing: Vec<CountedCopy>,
    pub(crate) transposes: Vec<CountedCopy>,
    pub(crate) scans: Vec<CountedScan>,
}

/// A rung's counts, over all of its launches.
#[derive(Debug, Serialize)]
pub(crate) struct CountedRung {
    pub(crate) label: String,
    pub(crate) name: String,
    /// Elements of this rung, if it does not take all.
    pub(crate) n: usize,
    pub(crate) launches: usize,
    /// For the first launch.
    pub(crate) elements_per_thread: f64,
    pub(crate) active_lanes: f64,
    pub(crate) busy_share: f64,
    pub(crate) barriers: u64,
    pub(crate) bank_replays: u64,
    pub(crate) global_sectors: u64,
    pub(crate) wasted_share: f64,
    pub(crate) atomics: u64,
    pub(crate) atomic_replays: u64,
    pub(crate) tickets: u64,
    pub(crate) shuffles: u64,
    pub(crate) turns: Turns,
}

/// Turns of the multiprocessor that warps need, per 1000 elements.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Turns {
    pub(crate) global: f64,
    pub(crate) shared: f64,
    pub(crate) bank_replays: f64,
    pub(crate) atomics: f64,
    pub(crate) barriers: f64,
    pub(crate) shuffles: f64,
}

/// The counts of a copy or transpose.
#[derive(Debug, Serialize)]
pub(crate) struct CountedCopy {
    pub(crate) name: &'static str,
    pub(crate) requests: u64,
    pub(crate) sectors: u64,
    pub(crate) wasted_share: f64,
    pub(crate) bank_replays: u64,
}

/// The counts of a scan by one block.
#[derive(Debug, Serialize)]
pub(crate) struct CountedScan {
    pub(crate) name: &'static str,
    pub(crate) n: usize,
    pub(crate) threads: u32,
    pub(crate) barriers: u64,
    /// Words of shared memory that threads read or wrote.
    pub(crate) words: u64,
    /// Accesses of warps to these words.
    pub(crate) requests: u64,
    pub(crate) bank_replays: u64,
}

/// Measurements on a GPU.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    pub(crate) device: String,
    pub(crate) multiprocessors: u32,
    pub(crate) peak: Peak,
    pub(crate) rungs: Vec<TimedRung>,
    pub(crate) coalescing: Vec<TimedCopy>,
    pub(crate) transposes: Vec<TimedCopy>,
    pub(crate) scans: Vec<TimedCopy>,
    pub(crate) copies: Vec<TimedCopy>,
    pub(crate) occupancy: Vec<Occupancy>,
    /// The library's plans.
    pub(crate) plan: Vec<String>,
}

/// The memory's peak bandwidth.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Peak {
    pub(crate) gb_per_s: f64,
    pub(crate) from: String,
}

/// The times of a rung.
#[derive(Debug, Serialize)]
pub(crate) struct TimedRung {
    pub(crate) label: String,
    pub(crate) name: String,
    pub(crate) element: &'static str,
    /// Elements of the table that the rung is in.
    pub(crate) of: usize,
    /// Elements of this rung, if it does not take all.
    pub(crate) n: usize,
    pub(crate) threads: u32,
    pub(crate) launches: usize,
    pub(crate) us: f64,
    pub(crate) gb_per_s: f64,
    pub(crate) of_peak: f64,
    /// Speed relative to the previous rung; null for rungs that are not part of the sequence.
    pub(crate) step: Option<f64>,
    /// Speed relative to the first rung; null for rungs that do not take all elements.
    pub(crate) in_all: Option<f64>,
}

/// The time of a copy or transpose.
#[derive(Debug, Serialize)]
pub(crate) struct TimedCopy {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    pub(crate) us: f64,
    pub(crate) gb_per_s: f64,
}

/// How a kernel fits a multiprocessor.
#[derive(Debug, Serialize)]
pub(crate) struct Occupancy {
    pub(crate) kernel: String,
    pub(crate) threads: u32,
    pub(crate) registers: u32,
    pub(crate) shared_bytes: u32,
    pub(crate) blocks: u32,
    pub(crate) occupancy: f64,
    pub(crate) suggested_threads: u32,
    pub(crate) suggested_blocks: u32,
}
