//! The call that picks a backend by itself.

#[cfg(feature = "cuda")]
mod machine;
mod setting;
#[cfg(feature = "cuda")]
mod speeds;

use gpu_kernels::Element;

use crate::float_environment::{finish, finish_with};
use crate::{Cpu, Error, Kernel};
use setting::Setting;

/// Folds `x` with `O` on the CPU or, if this program was built with the feature `cuda` and a device is there, on the
/// GPU, where that is the sooner way to the result. The result's bits are the same.
///
/// A slice of less than 32 MiB is folded by the CPU at once. The first longer one has the speeds measured: of the CPU
/// on all threads, and of the way to the first GPU, which is opened for it. That takes some hundred milliseconds once
/// per machine: the speeds are kept in the user's cache folder (`$WARPFOLD_CACHE`, else `$XDG_CACHE_HOME/warpfold`,
/// else `~/.cache/warpfold`; a `WARPFOLD_CACHE` that is set and empty means none) for the same GPU, driver, CPU, number
/// of threads and version of this library. Where they cannot be kept, each process measures. [`about`](crate::about())
/// says what is known and where; without that file it is measured anew. The time to open the GPU, some hundred
/// milliseconds once per process, is in no choice.
///
/// If the GPU cannot be opened, is out of memory, lost, or was opened before this process was forked, the CPU answers.
/// To choose, use [`Cpu`] and, with the feature, `Cuda`. Who runs the program may choose by the
/// environment variable `WARPFOLD_BACKEND`, which is read once per process: `cpu`; `gpu`, or an error; `auto`, as if it
/// were not set.
///
/// # Errors
/// [`Error::FloatEnvironment`] if a CPU thread that folds does not round to nearest or flushes subnormal numbers;
/// [`Error::Setting`] if `WARPFOLD_BACKEND` is something else; with the feature also [`Error::Kernel`],
/// [`Error::PtxTooNew`] and [`Error::Driver`]; if it is `gpu`, all of `Cuda::open` and `Cuda::reduce_host`.
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
pub fn reduce<T: Element, O: Kernel<T> + Default>(x: &[T]) -> Result<O::Out, Error> {
    reduce_by(O::default(), x)
}

/// [`reduce`] with an operator that is a value, such as one with parameters.
///
/// # Errors
/// As [`reduce`].
pub fn reduce_by<T: Element, O: Kernel<T>>(op: O, x: &[T]) -> Result<O::Out, Error> {
    finish::<T, O>(fold_by(op, x)?, x.len() as u64)
}

/// [`reduce`] from an initial value: what `x` folds to is combined to the right of `init`, an accumulator that stands for
/// `before` elements, before the result is finished for all of them. It may be what another array folded to
/// ([`Cpu::fold`], with the array's length), or an element that was [lifted](gpu_kernels::Op::lift); the sums' and products'
/// are plain numbers. Indices are counted from 0 in each of both: of places, those in `x` are not moved on.
///
/// # Errors
/// As [`reduce`].
///
/// ```
/// use warpfold::{Cpu, Max, Mean, Op, Sum, reduce_with};
///
/// assert_eq!(reduce_with::<f64, Sum>(100.0, 1, &[1.5, 2.5])?, 104.0);
/// assert_eq!(reduce_with::<f64, Max>(Max.lift(7.0, 0), 1, &[])?, Some(7.0));
/// let earlier = [1.0, 2.0, 3.0];
/// assert_eq!(reduce_with::<f64, Mean>(Cpu::new().fold::<f64, Mean>(&earlier)?, 3, &[6.0])?, Some(3.0));
/// # Ok::<(), warpfold::Error>(())
/// ```
pub fn reduce_with<T: Element, O: Kernel<T> + Default>(
    init: O::Acc,
    before: u64,
    x: &[T],
) -> Result<O::Out, Error> {
    finish_with::<T, O>(init, before, fold_by(O::default(), x)?, x.len() as u64)
}

/// Folds on the backend of the setting, or where it is sooner done.
fn fold_by<T: Element, O: Kernel<T>>(op: O, x: &[T]) -> Result<O::Acc, Error> {
    match setting::get()? {
        Setting::Cpu => {}
        Setting::Gpu => return on_gpu(op, x),
        Setting::Auto =>
        {
            #[cfg(feature = "cuda")]
            if let Some(cuda) = machine::sooner_on_gpu(size_of_val(x)) {
                match cuda.fold_host_by(op, x) {
                    Err(
                        Error::Unavailable { .. }
                        | Error::OutOfMemory { .. }
                        | Error::Poisoned { .. }
                        | Error::Forked,
                    ) => {}
                    answer => return answer,
                }
            }
        }
    }
    Cpu::new().fold_by(op, x)
}

/// The device that [`reduce`] has fold a slice of so many bytes; `None` is the CPU.
#[cfg(feature = "cuda")]
pub(crate) fn device_for(bytes: usize) -> Result<Option<&'static crate::Cuda>, Error> {
    match setting::get()? {
        Setting::Cpu => Ok(None),
        Setting::Gpu => machine::device().map(Some),
        Setting::Auto => Ok(machine::sooner_on_gpu(bytes)),
    }
}

/// The device that the environment variable asks for; `None` leaves it to the caller.
#[cfg(feature = "cuda")]
pub(crate) fn wanted_device() -> Result<Option<&'static crate::Cuda>, Error> {
    if setting::get()? == Setting::Gpu { machine::device().map(Some) } else { Ok(None) }
}

/// Fails if the environment variable asks for a device.
#[cfg(not(feature = "cuda"))]
pub(crate) fn wanted_device() -> Result<(), Error> {
    match setting::get()? {
        Setting::Gpu => Err(Error::Unavailable { reason: crate::Unavailable::NotBuilt }),
        _ => Ok(()),
    }
}

/// The GPU's answer.
#[cfg(feature = "cuda")]
fn on_gpu<T: Element, O: Kernel<T>>(op: O, x: &[T]) -> Result<O::Acc, Error> {
    machine::device()?.fold_host_by(op, x)
}

/// There is none.
#[cfg(not(feature = "cuda"))]
fn on_gpu<T: Element, O: Kernel<T>>(_: O, _: &[T]) -> Result<O::Acc, Error> {
    Err(Error::Unavailable { reason: crate::Unavailable::NotBuilt })
}

/// How [`reduce`] chooses, in a line for [`about`](crate::about()).
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
