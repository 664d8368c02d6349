//! The number of threads.

use std::sync::{PoisonError, RwLock};

use pyo3::prelude::*;
use warpfold::Cpu;

use crate::failure::raise;

/// The backend of all calls. `None` is the default: one thread per core.
static CPU: RwLock<Option<Cpu>> = RwLock::new(None);

/// Returns the backend.
pub(crate) fn cpu() -> Cpu {
    CPU.read().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default()
}

/// Sets the number of threads; 0 is one per core.
#[pyfunction]
pub(crate) fn set_threads(py: Python<'_>, threads: usize) -> PyResult<()> {
    let new = py.detach(|| Cpu::with_threads(threads)).map_err(raise(py))?;
    *CPU.write().unwrap_or_else(PoisonError::into_inner) = Some(new);
    Ok(())
}

/// Returns the number of threads.
#[pyfunction]
pub(crate) fn threads() -> usize {
    cpu().threads()
}
