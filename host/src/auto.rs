//! The backend that picks the CPU or a GPU for each call.

#[cfg(feature = "cuda")]
mod machine;
mod setting;
#[cfg(feature = "cuda")]
mod speeds;
mod whole;

use gpu_kernels::{Element, Op};

use crate::cpu::{Cpu, is_large};
use crate::error::Error;
#[cfg(feature = "cuda")]
use crate::events::event;
use crate::float_environment::finish;
#[cfg(feature = "cuda")]
use crate::kernel::registry;
use crate::verb::Backend;
use setting::Setting;

/// The backend that returns the result sooner: the CPU, or the GPU if the program was built with the feature `cuda` and
/// a device is present. It takes any operator over any element type, your own included, with and without the feature.
/// The result's bits are the same on both.
///
/// The GPU reduces slices of at least 32 MiB whose operator has kernels; the CPU reduces all others, and parts of
/// arrays. The first long slice starts a measurement of two speeds: how fast the CPU reduces with all threads, and how
/// fast elements are copied to the first GPU, which is opened for it. This takes some hundred milliseconds once per
/// machine. The speeds are kept in the user's cache folder (`$WARPFOLD_CACHE`, else `$XDG_CACHE_HOME/warpfold`, else
/// `~/.cache/warpfold`; if `WARPFOLD_CACHE` is set and empty, none) for the same GPU, driver, CPU, number of threads
/// and version of this library. If they cannot be kept, each process measures again. [`about`](crate::about()) prints
/// the speeds and the file; delete the file to measure again. The choice does not count the time to open the GPU, some
/// hundred milliseconds once per process.
///
/// If the GPU cannot be opened, is out of memory, is lost, or was opened before this process was forked, the CPU
/// computes the result. To choose a backend in the program, use [`Cpu`] or, with the feature, `Cuda`. To choose one
/// from outside, set the environment variable `WARPFOLD_BACKEND`, which is read once per process: `cpu`; `gpu`, to
/// reduce slices on the GPU if the operator has kernels, and to fail if that is not possible; `auto`, the default.
///
/// ```
/// use warpfold::{Auto, Max, Mean, rows};
///
/// let (auto, x) = (Auto::new(), [3.0f32, -1.0, 4.0, 2.0]);
/// assert_eq!(auto.reduce((Mean, Max), &x)?, (Some(2.0), Some(4.0)));
/// assert_eq!(auto.reduce(Max, rows(&x, [2, 2]))?, [Some(3.0), Some(4.0)]);
/// # Ok::<(), warpfold::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Auto {
    cpu: Cpu,
}

impl<R> Backend<R> for Auto
where
    Cpu: Backend<R>,
{
    type Results = <Cpu as Backend<R>>::Results;

    fn run(&self, request: R) -> Result<Self::Results, Error> {
        self.cpu.run_anywhere(request)
    }
}

/// Reduces a slice on `cpu` or a device.
fn reduce_slice<T: Element, O: Op<T>>(cpu: &Cpu, op: O, x: &[T]) -> Result<O::Out, Error> {
    if is_large::<O::Acc>() {
        return cpu.reduce_slice(op, x);
    }
    finish::<T, O>(fold_slice(cpu, op, x)?, x.len() as u64)
}

/// Folds a slice on the backend of the setting, or on the faster one.
fn fold_slice<T: Element, O: Op<T>>(cpu: &Cpu, op: O, x: &[T]) -> Result<O::Acc, Error> {
    match setting::get()? {
        Setting::Cpu => {}
        Setting::Gpu => {
            if let Some(answer) = on_gpu(op, x) {
                return answer;
            }
        }
        Setting::Auto => {
            #[cfg(feature = "cuda")]
            if machine::matters(size_of_val(x))
                && let Some(kernel) = registry::find(op)
                && let Some(cuda) = machine::sooner_on_gpu(size_of_val(x))
            {
                event!(debug, bytes = size_of_val(x), "a slice is folded on the GPU");
                match cuda.fold_host_slice(kernel, x) {
                    Err(
                        _error @ (Error::Unavailable { .. }
                        | Error::OutOfMemory { .. }
                        | Error::Poisoned { .. }
                        | Error::Forked),
                    ) => {
                        event!(warn, error = %_error, "the GPU could not; the slice is folded on the CPU");
                    }
                    answer => return answer,
                }
            }
        }
    }
    cpu.fold_slice(op, x)
}

/// Reduces all elements of `x` with `O` on the faster backend: [`Auto::reduce`] with the operator named by its type.
///
/// # Errors
/// As a [reduction](crate::verb::Reduce).
///
/// ```
/// use warpfold::{ArgMax, Max, Sum, reduce};
///
/// let x = [3.0f32, -1.0, 4.0, f32::NAN];
/// assert_eq!(reduce::<f32, Max>(&x)?, Some(4.0));
/// assert_eq!(reduce::<f32, ArgMax>(&x)?.map(|at| at.index), Some(2));
/// assert!(reduce::<f32, Sum>(&x)?.is_nan());
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn reduce<T: Element, O: Op<T> + Default>(x: &[T]) -> Result<O::Out, Error> {
    reduce_slice(&Cpu::new(), O::default(), x)
}

#[cfg(feature = "cuda")]
impl crate::cuda::Cuda {
    /// Returns the device that [`reduce`](crate::reduce) would use for a slice of `bytes` bytes, or `None` for the CPU:
    /// for programs that show progress or name the backend. May measure, as `reduce` does.
    ///
    /// # Errors
    /// [`Error::Setting`]; the errors of [`open`](Self::open) if `WARPFOLD_BACKEND` is `gpu`.
    ///
    /// ```no_run
    /// use warpfold::Cuda;
    ///
    /// match Cuda::chosen_for(1 << 30)? {
    ///     Some(cuda) => println!("on {}", cuda.properties().name),
    ///     None => println!("on the CPU"),
    /// }
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn chosen_for(bytes: usize) -> Result<Option<Self>, Error> {
        match setting::get()? {
            Setting::Cpu => Ok(None),
            Setting::Gpu => machine::device().map(Some),
            Setting::Auto => Ok(machine::sooner_on_gpu(bytes)),
        }
        .map(Option::<&Self>::cloned)
    }
}

/// Folds on the GPU, if the operator has kernels there.
#[cfg(feature = "cuda")]
fn on_gpu<T: Element, O: Op<T>>(op: O, x: &[T]) -> Option<Result<O::Acc, Error>> {
    let kernel = registry::find(op)?;
    Some(machine::device().and_then(|cuda| cuda.fold_host_slice(kernel, x)))
}

/// Fails, as the program was built without GPUs.
#[cfg(not(feature = "cuda"))]
fn on_gpu<T: Element, O: Op<T>>(_: O, _: &[T]) -> Option<Result<O::Acc, Error>> {
    Some(Err(Error::Unavailable { reason: crate::error::Unavailable::NotBuilt }))
}

/// Describes how [`reduce`] chooses, in a line for [`about`](crate::about()).
pub(crate) fn description() -> String {
    match setting::get() {
        Ok(Setting::Cpu) => "the CPU, as WARPFOLD_BACKEND says".into(),
        Ok(Setting::Gpu) => "the GPU, as WARPFOLD_BACKEND says".into(),
        #[cfg(feature = "cuda")]
        Ok(Setting::Auto) => machine::description(),
        #[cfg(not(feature = "cuda"))]
        Ok(Setting::Auto) => "the CPU: built without the feature `cuda`".into(),
        Err(error) => error.to_string(),
    }
}
