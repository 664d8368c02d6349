//! The choice of the faster backend, by a cost model of two straight lines that is measured once per machine.

use std::fmt;
use std::time::Instant;

use gpu_kernels::Sum;

use crate::cpu::{Cpu, share};
use crate::cuda::Cuda;
use crate::error::Error;
use crate::memory;

/// Inputs with fewer bytes are folded on the CPU without a check: the GPU could save at most a millisecond, and opening
/// it takes hundreds.
pub(super) const MATTERS: usize = 32 << 20;

/// Bytes of the longer measurement: more than a core's share of a cache, so that memory is read, but few enough to be
/// filled quickly.
const LONG: usize = 64 << 20;

/// Bytes of the shorter measurement, the other point of the lines.
const SHORT: usize = 4 << 20;

/// Timings of each measurement. The best counts, because every disturbance makes one longer.
const TIMINGS: usize = 3;

/// The time of a backend: a fixed cost, and a cost per byte.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    fixed_us: f64,
    /// Speed in 10^9 bytes per second.
    gb_per_s: f64,
}

/// The speeds of both backends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Speeds {
    cpu: Line,
    gpu: Line,
}

impl Line {
    /// Returns the line through two points in bytes and microseconds. If the result is impossible, returns the line
    /// through the longer point and zero.
    fn through((short, short_us): (usize, f64), (long, long_us): (usize, f64)) -> Self {
        let gb_per_s = (long - short) as f64 / (long_us - short_us) / 1e3;
        let fixed_us = short_us - short as f64 / gb_per_s / 1e3;
        if gb_per_s > 0.0 && gb_per_s.is_finite() && fixed_us > 0.0 {
            return Self { fixed_us, gb_per_s };
        }
        Self { fixed_us: 0.0, gb_per_s: long as f64 / long_us.max(1e-3) / 1e3 }
    }

    fn us(self, bytes: f64) -> f64 {
        self.fixed_us + bytes / self.gb_per_s / 1e3
    }
}

impl Speeds {
    pub(super) fn gpu_is_sooner(self, bytes: usize) -> bool {
        bytes >= MATTERS && self.gpu.us(bytes as f64) < self.cpu.us(bytes as f64)
    }

    /// Measures both backends on sums of generated data.
    pub(super) fn measure(cuda: &Cuda) -> Result<Self, Error> {
        let mut x = memory::filled(0.0f32, LONG / size_of::<f32>())?;
        let pages = x.chunks_mut(1 << 18);
        let helpers = Cpu::new().threads().saturating_sub(1);
        share(None, helpers, pages, |page| {
            page.fill(0.5);
            Ok::<_, Error>(())
        })?;
        let cpu = Cpu::new();
        Ok(Self {
            cpu: line(&x, |x| cpu.reduce(Sum, x).map(drop))?,
            gpu: line(&x, |x| cuda.reduce(Sum, x).map(drop))?,
        })
    }

    /// Returns the text for the cache. `key` identifies the machine.
    pub(super) fn to_text(self, key: &str) -> String {
        let Self { cpu, gpu } = self;
        format!(
            "on = {key}\ncpu_fixed_us = {}\ncpu_gb_per_s = {}\ngpu_fixed_us = {}\ngpu_gb_per_s = {}\n",
            cpu.fixed_us, cpu.gb_per_s, gpu.fixed_us, gpu.gb_per_s
        )
    }

    /// Parses a cached text, if it is of the machine in `key`.
    pub(super) fn from_text(text: &str, key: &str) -> Option<Self> {
        let find = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = "));
        let number = |name| find(name)?.parse().ok().filter(|number: &f64| number.is_finite());
        let line = |fixed, speed| {
            let (fixed_us, gb_per_s) = (number(fixed)?, number(speed)?);
            (fixed_us >= 0.0 && gb_per_s > 0.0).then_some(Line { fixed_us, gb_per_s })
        };
        if find("on")? != key {
            return None;
        }
        Some(Self { cpu: line("cpu_fixed_us", "cpu_gb_per_s")?, gpu: line("gpu_fixed_us", "gpu_gb_per_s")? })
    }

    /// Returns the bytes from which on the GPU is faster.
    fn gpu_from(self) -> Option<f64> {
        let per_byte = (1.0 / self.cpu.gb_per_s - 1.0 / self.gpu.gb_per_s) / 1e3;
        let even = ((self.gpu.fixed_us - self.cpu.fixed_us) / per_byte).max(MATTERS as f64);
        (per_byte > 0.0).then_some(even)
    }
}

impl fmt::Display for Speeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.gpu_from() {
            Some(bytes) => write!(f, "the GPU from {:.0} MiB on", bytes / f64::from(1 << 20))?,
            None => write!(f, "the CPU at every length")?,
        }
        let Self { cpu, gpu } = self;
        write!(f, ": CPU {:.1} GB/s after {:.0} us", cpu.gb_per_s, cpu.fixed_us)?;
        write!(f, ", GPU {:.1} GB/s after {:.0} us", gpu.gb_per_s, gpu.fixed_us)
    }
}

fn line(x: &[f32], mut fold: impl FnMut(&[f32]) -> Result<(), Error>) -> Result<Line, Error> {
    // The first call creates threads, kernels and buffers.
    fold(x)?;
    let mut best = |bytes: usize| {
        let part = &x[..bytes / size_of::<f32>()];
        (0..TIMINGS).try_fold(f64::INFINITY, |best, _| {
            let start = Instant::now();
            fold(part)?;
            Ok::<_, Error>(best.min(start.elapsed().as_secs_f64() * 1e6))
        })
    };
    Ok(Line::through((SHORT, best(SHORT)?), (LONG, best(LONG)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEEDS: Speeds = Speeds {
        cpu: Line { fixed_us: 10.0, gb_per_s: 20.0 },
        gpu: Line { fixed_us: 2010.0, gb_per_s: 40.0 },
    };

    #[test]
    fn the_sooner_is_chosen() {
        // The fixed costs differ by 2000 us, which 80 MB make up for at a difference of 25 us per MB.
        assert_eq!(SPEEDS.gpu_from().map(f64::round), Some(8e7));
        assert!(!SPEEDS.gpu_is_sooner(79_000_000) && SPEEDS.gpu_is_sooner(81_000_000));
        let reversed = Speeds { cpu: SPEEDS.gpu, gpu: SPEEDS.cpu };
        assert!(reversed.gpu_is_sooner(MATTERS) && !reversed.gpu_is_sooner(100_000_000));
        assert!(!reversed.gpu_is_sooner(MATTERS - 1), "too short to matter");
        assert_eq!(reversed.gpu_from(), None);
        assert!(SPEEDS.to_string().contains("the GPU from 76 MiB on: CPU 20.0 GB/s after 10 us"), "{SPEEDS}");
    }

    #[test]
    fn lines_go_through_what_was_measured() {
        let line = Line { fixed_us: 30.0, gb_per_s: 50.0 };
        let at = |bytes: usize| (bytes, line.us(bytes as f64));
        let found = Line::through(at(SHORT), at(LONG));
        assert!((found.fixed_us - 30.0).abs() < 1e-6 && (found.gb_per_s - 50.0).abs() < 1e-6, "{found:?}");
        // A clock that stands still, and a short input that took longer than the long one.
        for (short_us, long_us) in [(0.0, 0.0), (5.0, 5.0), (500.0, 100.0)] {
            let found = Line::through((SHORT, short_us), (LONG, long_us));
            assert!(found.fixed_us == 0.0 && found.gb_per_s > 0.0 && found.gb_per_s.is_finite(), "{found:?}");
        }
    }

    #[test]
    fn what_was_kept_is_read_on_the_same_machine_alone() {
        let text = SPEEDS.to_text("here");
        assert_eq!(Speeds::from_text(&text, "here"), Some(SPEEDS));
        assert_eq!(Speeds::from_text(&text, "there"), None);
        for damaged in [
            String::new(),
            text.replace("= 20", "= -20"),
            text.replace("= 20", "= NaN"),
            text.replace("= 20", "= 0"),
            text.replace("= 2010", "= inf"),
            text.replace("gpu_gb_per_s", "gpu_speed"),
        ] {
            assert_eq!(Speeds::from_text(&damaged, "here"), None, "{damaged}");
        }
    }
}
