//! The device, driver and library that a tuning is for. For any other, the tuning is stale.

use std::fs;

use super::super::launch::DeviceProperties;
use crate::error::Version;

/// Device, driver and library, as the lines of a kept tuning name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// The device's name.
    pub(super) device: String,
    pub(super) capability: Version,
    pub(super) multiprocessors: u32,
    /// The driver's release: its compiler makes the machine code, which may differ with every release.
    pub(super) driver: String,
    pub(super) library: String,
}

impl Key {
    /// Returns the key of a device.
    pub(super) fn new(device: &DeviceProperties) -> Self {
        let cuda = device.driver;
        Self {
            device: one_line(&device.name),
            capability: device.compute_capability,
            multiprocessors: device.multiprocessors,
            driver: format!("{} for CUDA {cuda}", release().unwrap_or_else(|| "unknown".into())),
            library: env!("CARGO_PKG_VERSION").into(),
        }
    }

    /// Returns the lines that are written: name and value of each.
    pub(super) fn lines(&self) -> [(&'static str, String); 5] {
        [
            ("library", self.library.clone()),
            ("device", self.device.clone()),
            ("capability", self.capability.to_string()),
            ("multiprocessors", self.multiprocessors.to_string()),
            ("driver", self.driver.clone()),
        ]
    }

    /// Returns the name of the file. Each kind of device has its own, so the devices of one machine do not displace
    /// each other.
    pub(super) fn file(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let device: String = self.device.chars().take(50).map(plain).collect();
        format!("tuning-{device}-{}-{}", self.capability, self.multiprocessors)
    }
}

/// Returns the driver's release where Linux tells it, such as 580.159.04. The driver itself tells only its CUDA version.
fn release() -> Option<String> {
    let text = fs::read_to_string("/sys/module/nvidia/version").ok()?;
    Some(one_line(&text.chars().take(50).collect::<String>())).filter(|text| !text.is_empty())
}

/// Removes characters from `text` that would end a line of a file or control a terminal.
fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned()
}
