//! The speeds of this machine, which are read from the cache, or measured and cached.

use std::sync::{Mutex, OnceLock};

use super::speeds::{MATTERS, Speeds};
use crate::cache;
use crate::cpu::Cpu;
use crate::cuda::Cuda;
use crate::error::Error;
use crate::events::event;

/// The speeds that this process uses; `None` means that it uses the CPU.
static KNOWN: OnceLock<Option<Speeds>> = OnceLock::new();

/// Whether the measured speeds could be cached.
static KEPT: OnceLock<bool> = OnceLock::new();

/// Returns the first device, which the first successful call opens.
pub(super) fn device() -> Result<&'static Cuda, Error> {
    static DEVICE: OnceLock<Cuda> = OnceLock::new();
    if let Some(cuda) = DEVICE.get() {
        return Ok(cuda);
    }
    let opened = Cuda::open(0)?;
    Ok(DEVICE.get_or_init(|| opened))
}

/// Returns whether a slice of `bytes` bytes is long enough to consider the device at all.
pub(super) fn matters(bytes: usize) -> bool {
    bytes >= MATTERS
}

/// Returns the device, if it would return the result for `bytes` bytes sooner than the CPU.
pub(super) fn sooner_on_gpu(bytes: usize) -> Option<&'static Cuda> {
    if !matters(bytes) || !known()?.gpu_is_sooner(bytes) {
        return None;
    }
    device().ok()
}

/// Returns the speeds, which the first caller reads or measures. Other threads do not wait, but use the CPU
/// meanwhile. So does a child that is forked meanwhile.
fn known() -> Option<Speeds> {
    static FINDING: Mutex<()> = Mutex::new(());
    if let Some(known) = KNOWN.get() {
        return *known;
    }
    let _finding = FINDING.try_lock().ok()?;
    let found = match Machine::here() {
        Ok(machine) => machine.kept().or_else(|| machine.measured()),
        Err(Error::Forked) => return None,
        Err(_) => None,
    };
    *KNOWN.get_or_init(|| found)
}

/// The machine to which speeds belong.
struct Machine {
    /// The name of the cached text.
    name: String,
    key: String,
}

impl Machine {
    /// Asks the driver, without opening the device.
    #[expect(clippy::disallowed_methods, reason = "60 characters")]
    fn here() -> Result<Self, Error> {
        let device = Cuda::identity(0)?;
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        Ok(Self {
            name: format!("speeds-{}", device.chars().map(plain).take(60).collect::<String>()),
            key: format!("{device}; {}, {} threads", processor(), Cpu::new().threads()),
        })
    }

    fn kept(&self) -> Option<Speeds> {
        Speeds::from_text(&cache::read(&self.name)?, &self.key)
    }

    fn measured(&self) -> Option<Speeds> {
        let speeds = device().and_then(Speeds::measure).ok()?;
        let kept = cache::write(&self.name, &speeds.to_text(&self.key));
        event!(info, %speeds, kept, "both backends were measured");
        KEPT.get_or_init(|| kept);
        Some(speeds)
    }
}

/// Returns the processor's name.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or(std::env::consts::ARCH, |(_, name)| name.trim()).to_owned()
}

/// Describes the known speeds and the cache file. Measures nothing.
pub(super) fn description() -> String {
    let machine = match Machine::here() {
        Ok(machine) => machine,
        Err(error) => return format!("the CPU: {error}"),
    };
    let kept_in = cache::folder().map(|folder| folder.join(&machine.name));
    let kept_in = kept_in.as_ref().map_or_else(|| "nowhere".into(), |path| path.display().to_string());
    match (KNOWN.get().copied(), machine.kept()) {
        (Some(None), _) => "the CPU: the GPU could not be measured".into(),
        (Some(Some(speeds)), _) if KEPT.get() == Some(&false) => {
            format!("{speeds}; could not be kept ({kept_in})")
        }
        (Some(Some(speeds)), _) | (None, Some(speeds)) => format!("{speeds}; kept in {kept_in}"),
        (None, None) => format!("not measured yet, to be kept in {kept_in}"),
    }
}
