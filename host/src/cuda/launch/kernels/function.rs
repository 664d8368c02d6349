//! The kernel of an entry: its text for this device, compiled for the best number of registers.

use std::borrow::Cow;
use std::sync::Arc;

use cuda_std::lint;
use cust::error::{CudaError, CudaResult};
use cust::function::{Function as Loaded, FunctionAttribute};
use cust::module::{Module, ModuleJitOption, OptLevel};

use gpu_kernels::tree;

use crate::cuda::launch::Context;
use crate::cuda::launch::kernels::registers;
use crate::error::{DriverCode, Error, Version};
use crate::kernel::entry::{Entry, Untyped};

/// A kernel that is ready to be launched.
#[derive(Debug)]
pub(in crate::cuda::launch) struct Function {
    loaded: Arc<Loaded<Untyped>>,
    most_threads: u32,
    resident: u32,
    registers: u32,
    may_overlap: bool,
}

impl Function {
    /// Compiles and loads the entry's module. `driver` is for the message when the PTX is too new.
    ///
    /// `overlaps` says that the device and the driver can overlap launches. The text's marks for such devices then
    /// become instructions, and the function may overlap if it waits. `level` is how much the compiler optimises.
    pub(in crate::cuda::launch) fn load(
        context: &Arc<Context>,
        entry: Entry,
        driver: Version,
        overlaps: bool,
        level: Option<OptLevel>,
    ) -> Result<Self, Error> {
        let (shipped, kernel) = match entry.formula() {
            None => (entry.ptx()?, Cow::Borrowed(entry.kernel)),
            Some(formula) => {
                let (text, kernel) = formula.put_into(&entry.ptx()?, entry.kernel);
                if let Some(found) = lint::objection(&text) {
                    let log = format!("with the formula at {}; {found}", formula.place()).into();
                    return Err(Error::Kernel { entry: entry.name, code: DriverCode::INVALID_PTX, log });
                }
                (Cow::Owned(text), Cow::Owned(kernel))
            }
        };
        #[cfg(feature = "emulator")]
        entry.offer_as(&kernel);
        let newer = overlaps.then(|| cuda_std::ptx::for_sm_90(&shipped)).flatten();
        let ptx = newer.map_or(shipped, Cow::Owned);
        let may_overlap = overlaps && waits(&ptx);
        let load = |cap: Option<u32>| {
            let (level, cap) = (level.map(ModuleJitOption::OptLevel), cap.map(ModuleJitOption::MaxRegisters));
            #[expect(clippy::disallowed_methods, reason = "two options")]
            let options: Vec<_> = level.into_iter().chain(cap).collect();
            let loaded = Module::from_ptx(context, &ptx, &options)?.get_function(&kernel)?;
            Self::of(loaded, may_overlap)
        };
        let logged = |log: &str| match entry.formula() {
            None => log.into(),
            Some(formula) => format!("with the formula at {}; {log}", formula.place()).into(),
        };
        let failed = |error| match error {
            CudaError::Module { code, .. } if DriverCode(code.0) == DriverCode::UNSUPPORTED_PTX_VERSION => {
                Error::PtxTooNew { entry: entry.name, ptx: ptx_version(&ptx), driver }
            }
            CudaError::Module { code, log } => {
                Error::Kernel { entry: entry.name, code: code.into(), log: logged(&log) }
            }
            CudaError::Driver { code, .. } if !code.is_sticky() => {
                Error::Kernel { entry: entry.name, code: code.into(), log: logged("") }
            }
            error => error.into(),
        };
        // With fewer registers one more block is resident. If that fails, the kernel is compiled as it is.
        let cap = |needs| registers::cap(entry.name, needs);
        // The pack's registers are of the text without a formula.
        let known = entry.registers().filter(|_| entry.formula().is_none());
        if let Some(capped) = known.and_then(cap).and_then(|cap| load(Some(cap)).ok()) {
            return Ok(capped);
        }
        let function = load(None).map_err(failed)?;
        let Some(cap) = cap(function.registers) else { return Ok(function) };
        load(Some(cap)).or(Ok(function))
    }

    /// Queries the function's requirements.
    fn of(loaded: Loaded<Untyped>, may_overlap: bool) -> CudaResult<Self> {
        let most_threads = loaded.get_attribute(FunctionAttribute::MaxThreadsPerBlock)?;
        let resident = loaded.max_active_blocks_per_multiprocessor(tree::THREADS as u32, 0)?;
        let registers = loaded.get_attribute(FunctionAttribute::NumRegisters)?;
        Ok(Self { loaded: Arc::new(loaded), most_threads, resident, registers, may_overlap })
    }

    /// Returns the most threads per block that its registers allow on this device.
    pub(in crate::cuda::launch) fn most_threads(&self) -> u32 {
        self.most_threads
    }

    /// Returns how many blocks of 256 threads are resident on a multiprocessor at once.
    pub(in crate::cuda::launch) fn resident(&self) -> u32 {
        self.resident
    }

    /// Returns whether a launch may start before the previous one on the stream has ended, because the code itself
    /// waits for it.
    pub(in crate::cuda::launch) fn may_overlap(&self) -> bool {
        self.may_overlap
    }

    /// Returns the function to launch.
    pub(in crate::cuda::launch) fn loaded(&self) -> &Arc<Loaded<Untyped>> {
        &self.loaded
    }
}

/// Returns whether a kernel itself waits for the launch before it. A user's kernel without `cuda_std::grid` does not.
fn waits(ptx: &str) -> bool {
    ptx.lines().any(|line| line.trim() == "griddepcontrol.wait;")
}

/// Returns the version in a PTX text's `.version` line, or 0.0 if there is none.
fn ptx_version(ptx: &str) -> Version {
    let line = ptx.lines().find_map(|line| line.trim().strip_prefix(".version"));
    let number = |text: &str| text.trim().parse().ok();
    line.and_then(|line| line.split_once('.'))
        .and_then(|(major, minor)| Some(Version { major: number(major)?, minor: number(minor)? }))
        .unwrap_or(Version { major: 0, minor: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_does_not_wait_and_what_is_made_of_it_does() {
        let marked = ".version 6.3\n.target sm_75\n\t//@sm_90 griddepcontrol.wait;\n";
        assert!(!waits(marked));
        assert!(cuda_std::ptx::for_sm_90(marked).is_some_and(|newer| waits(&newer)));
    }

    #[test]
    fn the_version_of_a_ptx_text_is_found() {
        let version = |ptx| ptx_version(ptx).to_string();
        assert_eq!(version("//\n// comment .version\n.version 7.0\n.target sm_75\n"), "7.0");
        assert_eq!(version("  .version\t8.10 \n"), "8.10");
        assert_eq!(version(".version x\n"), "0.0");
        assert_eq!(version(""), "0.0");
    }
}
