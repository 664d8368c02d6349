//! The kernels of one device. Each is loaded once, when the first thread asks for it.

pub(in crate::cuda::launch) mod function;
mod level;
pub(in crate::cuda::launch) mod registers;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use cust::module::OptLevel;

use crate::cuda::launch::Context;
use crate::cuda::launch::kernels::function::Function;
use crate::error::{Error, Version};
use crate::events::event;
use crate::kernel::entry::Entry;

/// The compute capability from which on a launch can overlap the one before it.
const OVERLAPPING_DEVICE: Version = Version { major: 9, minor: 0 };

/// The CUDA version from which on such launches can also be recorded to graphs.
const OVERLAPPING_DRIVER: Version = Version { major: 12, minor: 3 };

/// The kernels of one name, each with its module. Usually there is only one.
type Slots = Vec<(Entry, Arc<Slot>)>;

/// A kernel that is loaded, or will be.
#[derive(Debug, Default)]
struct Slot {
    loaded: OnceLock<Arc<Function>>,
    /// Held while loading.
    loading: Mutex<()>,
}

/// The kernels of one device.
#[derive(Debug)]
pub(crate) struct Kernels {
    context: Arc<Context>,
    driver: Version,
    overlaps: bool,
    level: Option<OptLevel>,
    /// The slots, by the name of the kernel. Entries with the same code share a kernel, and so a slot.
    slots: RwLock<HashMap<&'static str, Slots>>,
}

impl Kernels {
    /// Creates the set with no kernel loaded. `device` is the compute capability, and `driver` the newest CUDA that the
    /// driver supports.
    ///
    /// # Errors
    /// [`Error::Setting`] if the environment has a level of optimisation that does not exist.
    pub(crate) fn new(context: Arc<Context>, device: Version, driver: Version) -> Result<Self, Error> {
        let overlaps = device >= OVERLAPPING_DEVICE && driver >= OVERLAPPING_DRIVER;
        Ok(Self { context, driver, overlaps, level: level::get()?, slots: RwLock::default() })
    }

    /// Loads an entry ahead of its first launch.
    pub(crate) fn prepare(&self, entry: Entry) -> Result<(), Error> {
        self.get(entry).map(drop)
    }

    /// Returns the most threads per block that an entry can be launched with on this device.
    pub(crate) fn most_threads(&self, entry: Entry) -> Result<u32, Error> {
        Ok(self.get(entry)?.most_threads())
    }

    /// Returns how many blocks of 256 threads of an entry are resident on a multiprocessor at once.
    pub(crate) fn resident(&self, entry: Entry) -> Result<u32, Error> {
        Ok(self.get(entry)?.resident())
    }

    /// Returns the entry's function, and loads it if necessary. A failure is not remembered.
    pub(in crate::cuda::launch) fn get(&self, entry: Entry) -> Result<Arc<Function>, Error> {
        let slot = self.slot(entry);
        if let Some(function) = slot.loaded.get() {
            return Ok(function.clone());
        }
        // Threads that want this kernel wait here. Those that want another do not.
        let _loading = slot.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = slot.loaded.get() {
            return Ok(function.clone());
        }
        event!(
            debug,
            kernel = entry.kernel,
            "a kernel is loaded, and compiled where the driver has not cached it"
        );
        let function =
            Arc::new(Function::load(&self.context, entry, self.driver, self.overlaps, self.level)?);
        Ok(slot.loaded.get_or_init(|| function).clone())
    }

    fn slot(&self, entry: Entry) -> Arc<Slot> {
        let of_entry = |(known, _): &&(Entry, Arc<Slot>)| known.is_same(&entry);
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, slot)) = slots.get(entry.kernel).and_then(|slots| slots.iter().find(of_entry)) {
            return slot.clone();
        }
        drop(slots);
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let slots = slots.entry(entry.kernel).or_default();
        // Another thread may have added it meanwhile.
        if let Some((_, slot)) = slots.iter().find(of_entry) {
            return slot.clone();
        }
        let slot = Arc::<Slot>::default();
        slots.push((entry, slot.clone()));
        slot
    }
}
