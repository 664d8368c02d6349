//! The call that picks a backend by itself.

use gpu_kernels::Element;

use crate::{Cpu, Error, Kernel};

/// Folds `x` with `O` on the GPU if this program was built with the feature `cuda`, a device is there, and `x` is
/// long enough to be worth the way to it; otherwise on the CPU. The result's bits are the same.
///
/// The first device is opened by the first call and kept. If it cannot be opened, is out of memory, lost, or was opened
/// before this process was forked, the CPU answers. To know and to choose, use [`Cpu`] and, with the feature,
/// [`Cuda`](crate::Cuda).
///
/// # Errors
/// [`Error::FloatEnvironment`] if a CPU thread that folds does not round to nearest or flushes subnormal numbers;
/// with the feature also [`Error::Kernel`], [`Error::PtxTooNew`] and [`Error::Driver`].
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
pub fn reduce<T: Element, O: Kernel<T>>(x: &[T]) -> Result<O::Out, Error> {
    #[cfg(feature = "cuda")]
    if let Some(result) = on_gpu::<T, O>(x) {
        return result;
    }
    Cpu::new().reduce::<T, O>(x)
}

/// The GPU's answer; `None` if the CPU should give it.
#[cfg(feature = "cuda")]
fn on_gpu<T: Element, O: Kernel<T>>(x: &[T]) -> Option<Result<O::Out, Error>> {
    use std::sync::OnceLock;

    /// A shorter input is folded on the CPU before its copy to the device would have begun. [2-core EPYC: 1 MiB in
    /// about 0.1 ms; an upload, a launch and a wait take about as long on an H200's host.]
    const WORTH_THE_WAY: usize = 1 << 20;
    static DEVICE: OnceLock<Option<crate::Cuda>> = OnceLock::new();
    /// Whether it is worth asking again: what is missing now may not be missing later.
    fn may_pass(error: &Error) -> bool {
        !matches!(error, Error::Unavailable { .. })
    }

    if size_of_val(x) < WORTH_THE_WAY {
        return None;
    }
    let device = match DEVICE.get() {
        Some(device) => device.as_ref()?,
        None => match crate::Cuda::open(0) {
            Err(error) if may_pass(&error) => return None,
            opened => DEVICE.get_or_init(|| opened.ok()).as_ref()?,
        },
    };
    match device.upload(x).and_then(|x| device.reduce::<T, O>(&x.as_slice())) {
        Err(
            Error::Unavailable { .. } | Error::OutOfMemory { .. } | Error::Poisoned { .. } | Error::Forked,
        ) => None,
        answer => Some(answer),
    }
}
