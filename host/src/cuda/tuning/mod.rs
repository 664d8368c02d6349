//! Launch configurations that were measured to be faster on one device than the general ones, kept in the user's cache
//! folder.
//!
//! | file | contents |
//! |---|---|
//! | `config.rs`, `class.rs` | a launch configuration for any length; classes of inputs of similar size |
//! | `key.rs`, `stamp.rs` | the device, driver and library that a tuning is for; the kernels that a row is for |
//! | `format.rs` | a tuning as text |
//! | `table.rs` | a tuning as a lookup table |
//! | `fuzz.rs` | the fuzzer's entry |

mod class;
mod config;
mod format;
#[cfg(fuzzing)]
pub(crate) mod fuzz;
mod key;
mod stamp;
mod table;

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::path::PathBuf;

pub use config::LaunchConfig;
pub(crate) use key::Key;
pub(crate) use table::Table;

use gpu_kernels::Element;

use crate::cache;
use crate::cuda::Cuda;
use crate::cuda::launch::DeviceProperties;
use crate::events::event;
use crate::kernel::Kernel;

/// Launch configurations that were measured to be faster on one device than the configurations of
/// [`Plan::new`](crate::plans::Plan::new). There is one for each operator, element type and size class. Inputs are in the same
/// class if the same power of two is nearest to their size in bytes.
///
/// The example `tune` measures a tuning and keeps it in the cache folder (`$WARPFOLD_CACHE`, else
/// `$XDG_CACHE_HOME/warpfold`, else `~/.cache/warpfold`), where [`Cuda::open`](super::Cuda::open) finds it. A tuning
/// that is damaged, or for another device, driver or version of this library, is not used. Neither is a row for other
/// kernels. A tuning changes the time of reductions, but never their results. `{}` prints its source in one line.
///
/// ```
/// use warpfold::plans::{LaunchConfig, Passes, Tuning};
/// use warpfold::Sum;
///
/// let mut tuning = Tuning::empty();
/// tuning.set::<f32, Sum>(1 << 20, LaunchConfig::new(Passes::Grid, 512, 2)?, (3891, 3702));
/// assert!(tuning.get::<f32, Sum>(1_000_000).is_some_and(|tuned| tuned.config.threads() == 512));
/// assert!(tuning.get::<f32, Sum>(1 << 21).is_none());
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuning {
    rows: Rows,
    source: Source,
}

/// The entry of a [`Tuning`] for inputs of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuned {
    /// The faster configuration.
    pub config: LaunchConfig,
    /// Nanoseconds of a reduction by the device's usual plan.
    pub default_ns: u64,
    /// Nanoseconds of a reduction by this configuration.
    pub tuned_ns: u64,
    /// Whether the row is for other kernels than this program's, or was measured against another plan than the present
    /// one. A stale row is not used.
    pub stale: bool,
}

/// Rows by entry and class.
type Rows = BTreeMap<(String, u32), Row>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    config: LaunchConfig,
    stamp: u64,
    default_ns: u64,
    tuned_ns: u64,
}

/// The origin of a tuning, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Program,
    Off,
    NoFolder,
    Missing(PathBuf),
    Ignored(PathBuf, String),
    File(PathBuf),
}

impl Tuning {
    /// Returns a tuning without configurations: every plan is as [`Plan::new`](crate::plans::Plan::new) makes it.
    ///
    /// ```
    /// use warpfold::plans::Tuning;
    ///
    /// assert!(Tuning::empty().is_empty());
    /// ```
    #[must_use]
    pub fn empty() -> Self {
        Self { rows: Rows::new(), source: Source::Program }
    }

    /// Sets the configuration for inputs of the class of `n` elements, with the nanoseconds of a reduction by the device's
    /// usual plan and by this configuration. Does nothing for empty inputs, or inputs of more than 64 GiB.
    ///
    /// ```
    /// use warpfold::plans::{LaunchConfig, Passes, Tuning};
    /// use warpfold::Sum;
    ///
    /// let mut tuning = Tuning::empty();
    /// tuning.set::<f32, Sum>(1 << 20, LaunchConfig::new(Passes::Grid, 512, 2)?, (3891, 3702));
    /// assert_eq!(tuning.len(), 1);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn set<T: Element, O: Kernel<T>>(
        &mut self,
        n: u64,
        config: LaunchConfig,
        (default_ns, tuned_ns): (u64, u64),
    ) {
        if let Some(class) = class::of::<T>(n) {
            let stamp = stamp::of_row::<T>(stamp::of_kernels(&<O as Kernel<T>>::FOLD.untyped()), class);
            let row = Row { config, stamp, default_ns, tuned_ns };
            self.rows.insert((O::FOLD.grid.name.to_owned(), class), row);
        }
    }

    /// Removes the configuration for inputs of the class of `n` elements, so that the device's usual plan is used.
    ///
    /// ```
    /// use warpfold::plans::{LaunchConfig, Passes, Tuning};
    /// use warpfold::Sum;
    ///
    /// let mut tuning = Tuning::empty();
    /// tuning.set::<f32, Sum>(1 << 20, LaunchConfig::new(Passes::Grid, 512, 2)?, (3891, 3702));
    /// tuning.remove::<f32, Sum>(1 << 20);
    /// assert!(tuning.is_empty());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn remove<T: Element, O: Kernel<T>>(&mut self, n: u64) {
        if let Some(class) = class::of::<T>(n) {
            self.rows.remove(&(O::FOLD.grid.name.to_owned(), class));
        }
    }

    /// Returns the entry for inputs of the class of `n` elements.
    ///
    /// ```
    /// use warpfold::plans::{LaunchConfig, Passes, Tuning};
    /// use warpfold::Sum;
    ///
    /// let mut tuning = Tuning::empty();
    /// tuning.set::<f32, Sum>(1 << 20, LaunchConfig::new(Passes::Grid, 512, 2)?, (3891, 3702));
    /// assert_eq!(tuning.get::<f32, Sum>(1 << 20).map(|tuned| tuned.tuned_ns), Some(3702));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn get<T: Element, O: Kernel<T>>(&self, n: u64) -> Option<Tuned> {
        let class = class::of::<T>(n)?;
        let &Row { config, stamp, default_ns, tuned_ns } =
            self.rows.get(&(O::FOLD.grid.name.to_owned(), class))?;
        let stale = stamp != stamp::of_row::<T>(stamp::of_kernels(&<O as Kernel<T>>::FOLD.untyped()), class);
        Some(Tuned { config, default_ns, tuned_ns, stale })
    }

    /// Returns the number of rows. A row is for an operator over a type and a size class.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the tuning kept for devices of this kind, or none if the environment has `WARPFOLD_TUNING=off`.
    pub(crate) fn in_use(device: &DeviceProperties) -> Self {
        match env::var_os("WARPFOLD_TUNING") {
            Some(set) if set.eq_ignore_ascii_case("off") => Self { rows: Rows::new(), source: Source::Off },
            _ => Self::kept_for(&Key::new(device)),
        }
    }

    /// Returns the tuning that the cache folder has for devices of this kind, this driver and this library, whether or
    /// not it is in use.
    ///
    /// ```no_run
    /// use warpfold::plans::Tuning;
    /// use warpfold::Cuda;
    ///
    /// let cuda = Cuda::open(0)?;
    /// println!("{}", Tuning::kept(&cuda));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn kept(cuda: &Cuda) -> Self {
        Self::kept_for(&Key::new(cuda.properties()))
    }

    /// Writes this tuning to the cache folder for devices of this kind, in place of what was kept. [`Cuda::open`] uses
    /// it from then on. If several programs write at once, one of their tunings is kept whole. Returns the file's path,
    /// or `None` if it could not be written.
    ///
    /// ```no_run
    /// use warpfold::plans::{LaunchConfig, Passes, Tuning};
    /// use warpfold::{Cuda, Sum};
    ///
    /// let cuda = Cuda::open(0)?;
    /// let mut tuning = Tuning::empty();
    /// tuning.set::<f32, Sum>(1 << 20, LaunchConfig::new(Passes::Grid, 512, 2)?, (3891, 3702));
    /// println!("{:?}", tuning.keep(&cuda));
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    #[must_use]
    pub fn keep(&self, cuda: &Cuda) -> Option<PathBuf> {
        let key = Key::new(cuda.properties());
        let path = path_of(&key)?;
        let kept = cache::write(&key.file(), &format::write(&key, &self.rows));
        event!(info, path = %path.display(), kept, "a tuning is written");
        kept.then_some(path)
    }

    fn kept_for(key: &Key) -> Self {
        let Some(path) = path_of(key) else {
            return Self { rows: Rows::new(), source: Source::NoFolder };
        };
        let ignored = |path, why: String| Self { rows: Rows::new(), source: Source::Ignored(path, why) };
        match cache::read(&key.file()).map(|text| format::read(key, &text)) {
            Some(Ok(rows)) => Self { rows, source: Source::File(path) },
            Some(Err(why)) => ignored(path, why.to_string()),
            None if path.exists() => ignored(path, "it is damaged, or of another version of warpfold".into()),
            None => Self { rows: Rows::new(), source: Source::Missing(path) },
        }
    }
}

/// Returns the file of `key`.
fn path_of(key: &Key) -> Option<PathBuf> {
    Some(cache::folder()?.join(key.file()))
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.len();
        let rows = if count == 1 { "row" } else { "rows" };
        match &self.source {
            Source::Program if count == 0 => write!(f, "none"),
            Source::Program => write!(f, "{count} {rows} of this program's"),
            Source::Off => write!(f, "off, as WARPFOLD_TUNING says"),
            Source::NoFolder => write!(f, "none: there is no cache folder (WARPFOLD_CACHE names one)"),
            Source::Missing(path) => write!(f, "none: there is no {}", path.display()),
            Source::Ignored(path, why) => write!(f, "none: {} is ignored: {why}", path.display()),
            Source::File(path) => write!(f, "{count} {rows} from {}", path.display()),
        }
    }
}
