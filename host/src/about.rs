//! The facts that a bug report needs.

use std::fmt;

use gpu_kernels::TREE_VERSION;

use crate::auto;
use crate::cpu::Cpu;

/// A description of this build and this machine, as far as results and errors depend on them. [`about`] makes it, `{}`
/// prints it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct About {
    /// Version of this crate.
    pub version: &'static str,
    /// Version of the canonical tree: equal versions give equal bits.
    pub tree_version: u32,
    /// The oldest Rust that builds this crate.
    pub rust_version: &'static str,
    /// Requirements of the shipped kernels (feature `cuda`): PTX ISA version, target and driver.
    pub ptx: String,
    /// Threads of the CPU backend.
    pub cpu_threads: usize,
    /// The backend that [`reduce`](crate::reduce) uses, the measured speeds, and the file that keeps them.
    pub auto: String,
    /// The GPUs that can be used, one line each, or why there are none.
    pub gpus: Result<Vec<String>, String>,
}

/// Describes this build and this machine. With the feature `cuda` it asks the driver. It never fails.
///
/// ```
/// println!("{}", warpfold::about());
/// ```
#[must_use]
pub fn about() -> About {
    About {
        version: env!("CARGO_PKG_VERSION"),
        tree_version: TREE_VERSION,
        rust_version: env!("CARGO_PKG_RUST_VERSION"),
        ptx: ptx(),
        cpu_threads: Cpu::new().threads(),
        auto: auto::description(),
        gpus: gpus(),
    }
}

/// Returns `.version` and `.target` of a module.
#[cfg(feature = "cuda")]
fn ptx() -> String {
    let Some(entry) = crate::kernel::ship::shipped().next() else { return String::new() };
    let text = match entry.ptx() {
        Ok(text) => text,
        Err(error) => return error.to_string(),
    };
    let directive = |name| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
    let (version, target) = (directive(".version"), directive(".target"));
    format!(
        "PTX {version} for {target} and later, by drivers for CUDA {} and later",
        crate::cuda::OLDEST_CUDA
    )
}

#[cfg(not(feature = "cuda"))]
fn ptx() -> String {
    "none, since built without the feature `cuda`".to_owned()
}

#[cfg(feature = "cuda")]
#[expect(clippy::disallowed_methods, reason = "a line for each device")]
fn gpus() -> Result<Vec<String>, String> {
    use crate::cuda::Cuda;
    use crate::error::Error;

    let line = |ordinal| {
        let cuda = Cuda::open(ordinal)?;
        Ok::<_, Error>(format!(
            "device {ordinal}: {}, compute capability {}, {} multiprocessors, {} MiB, driver for CUDA {}, tuning: {}",
            cuda.properties().name,
            cuda.properties().compute_capability,
            cuda.properties().multiprocessors,
            cuda.properties().memory_bytes >> 20,
            cuda.properties().driver,
            cuda.tuning(),
        ))
    };
    let describe = |ordinal| line(ordinal).unwrap_or_else(|error| format!("device {ordinal}: {error}"));
    match Cuda::device_count() {
        Ok(count) => Ok((0..count).map(describe).collect()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(not(feature = "cuda"))]
fn gpus() -> Result<Vec<String>, String> {
    Err("built without the feature `cuda`".into())
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, tree_version, rust_version, ptx, cpu_threads, auto, gpus } = self;
        writeln!(f, "warpfold {version}, tree version {tree_version}, Rust {rust_version} or later")?;
        writeln!(f, "kernels: {ptx}")?;
        writeln!(f, "CPU: {cpu_threads} threads")?;
        write!(f, "reduce: {auto}")?;
        match gpus {
            Ok(lines) => lines.iter().try_for_each(|line| write!(f, "\nGPU: {line}")),
            Err(why) => write!(f, "\nGPU: none ({why})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_bug_report_needs_is_printed() {
        let about = about();
        let text = about.to_string();
        let lines: Vec<&str> = text.lines().collect();
        let version = env!("CARGO_PKG_VERSION");
        let oldest = about.rust_version;
        assert_eq!(
            lines[0],
            format!("warpfold {version}, tree version {TREE_VERSION}, Rust {oldest} or later")
        );
        assert!(oldest.starts_with("1."), "{oldest}");
        assert_eq!(lines[1], format!("kernels: {}", about.ptx));
        assert_eq!(lines[2], format!("CPU: {} threads", Cpu::new().threads()));
        assert_eq!(lines[3], format!("reduce: {}", about.auto));
        #[cfg(feature = "cuda")]
        assert_eq!(about.ptx, "PTX 6.3 for sm_75 and later, by drivers for CUDA 11.0 and later");
        match &about.gpus {
            Ok(gpus) => {
                assert!(gpus.len() == lines.len() - 4 && lines[4].starts_with("GPU: device 0: "), "{text}")
            }
            Err(why) => assert_eq!(lines[4..], [format!("GPU: none ({why})")]),
        }
    }
}
