//! The choice of the backend.

#[cfg(feature = "cuda")]
mod gpu;

use std::num::NonZeroUsize;

use warpfold::elements::SortKey;
use warpfold::kernels::Kernel;
use warpfold::{ArgMinMax, At, Cpu, Extremes, Interpolation, Mean, SampleStdDev, StdDev, Sum};
#[cfg(feature = "cuda")]
use warpfold::{Cuda, Error};

use crate::cli::Backend;
use crate::failure::Failure;
use crate::memory::with_room;
use crate::numbers::Array;
use crate::numbers::array::Ranges;
use crate::numbers::numeric::Numeric;
use crate::progress::Progress;
use crate::statistics::fold::{Statistics, fold};
use crate::statistics::histogram::{self, Histogram};
use crate::timed::{Timed, timed};

#[cfg(not(feature = "cuda"))]
const NO_FEATURE: &str = "built without the feature `cuda`";

/// The chosen backend.
pub(crate) struct Engine {
    cpu: Cpu,
    #[cfg(feature = "cuda")]
    cuda: Option<Cuda>,
    /// Whether the CPU may be used if the GPU has too little memory.
    #[cfg(feature = "cuda")]
    may_fall_back: bool,
    pub(crate) threads: NonZeroUsize,
    pub(crate) why: String,
}

impl Engine {
    /// Chooses for an array of `bytes` bytes.
    #[cfg(not(feature = "cuda"))]
    pub(crate) fn choose(backend: Backend, threads: NonZeroUsize, _bytes: u64) -> Result<Self, Failure> {
        let cpu = Cpu::with_threads(threads.get())?;
        match backend {
            Backend::Cpu => Ok(Self { cpu, threads, why: "as asked for".into() }),
            Backend::Auto => Ok(Self { cpu, threads, why: NO_FEATURE.into() }),
            Backend::Cuda => Err(Failure::Usage(format!(
                "no GPU backend: this program was {NO_FEATURE}; build and run it with\n       \
                 cargo run --release -p warpfold-stats --features cuda -- --backend cuda ..."
            ))),
        }
    }

    /// Chooses for an array of `bytes` bytes.
    #[cfg(feature = "cuda")]
    pub(crate) fn choose(backend: Backend, threads: NonZeroUsize, bytes: u64) -> Result<Self, Failure> {
        let cpu = Cpu::with_threads(threads.get())?;
        let (cuda, why) = match backend {
            Backend::Cpu => (None, "as asked for".into()),
            Backend::Cuda => (Some(Cuda::open(0)?), "as asked for".into()),
            Backend::Auto => match Cuda::device_count() {
                Err(cause) => (None, cause.to_string()),
                Ok(_) => match Cuda::chosen_for(usize::try_from(bytes).unwrap_or(usize::MAX))? {
                    Some(cuda) => (Some(cuda), "sooner than the CPU".into()),
                    None => (None, "a GPU would not be sooner".into()),
                },
            },
        };
        Ok(Self { cpu, cuda, may_fall_back: backend == Backend::Auto, threads, why })
    }

    /// Whether a GPU is used, which takes the elements from memory.
    pub(crate) fn is_gpu(&self) -> bool {
        #[cfg(feature = "cuda")]
        return self.cuda.is_some();
        #[cfg(not(feature = "cuda"))]
        false
    }

    /// The GPU's name, if it is used.
    pub(crate) fn device(&self) -> Option<String> {
        #[cfg(feature = "cuda")]
        return self.cuda.as_ref().map(|cuda| cuda.properties().name.to_string());
        #[cfg(not(feature = "cuda"))]
        None
    }

    /// Computes all statistics. On the CPU this is one pass. On a GPU the time includes the copy, but not
    /// loading kernels.
    pub(crate) fn fold<T: Numeric>(
        &mut self,
        x: &Array<'_, T>,
        #[cfg_attr(not(feature = "cuda"), allow(unused, reason = "the CPU computes it anyway"))] sample: bool,
        progress: &Progress,
    ) -> Result<Timed<Statistics<T>>, Failure>
    where
        Sum: Kernel<T, Out = T::Wide>,
        Mean: Kernel<T, Out = Option<T::Mean>>,
        StdDev: Kernel<T, Out = Option<T::Mean>>,
        SampleStdDev: Kernel<T, Out = Option<T::Mean>>,
        ArgMinMax: Kernel<T, Out = Option<Extremes<At<T>>>>,
    {
        progress.stage("statistics", (x.len() * size_of::<T>()) as u64);
        #[cfg(feature = "cuda")]
        if let (Some(cuda), Some(host)) = (&self.cuda, x.in_memory()) {
            match gpu::fold(cuda, host, sample, progress) {
                Err(cause @ Error::OutOfMemory { .. }) if self.may_fall_back => {
                    self.why = format!("the GPU has too little memory: {cause}");
                    self.cuda = None;
                }
                folded => return Ok(folded?),
            }
        }
        timed(|| fold(&self.cpu, self.threads, x, &mut |bytes| progress.passed(bytes)))
    }

    /// Counts elements in bins, on the CPU.
    pub(crate) fn histogram<T: Numeric>(
        &self,
        host: &[T],
        bins: usize,
        extremes: Option<[T; 2]>,
    ) -> Result<Histogram, Failure> {
        histogram::count(&self.cpu, host, bins, extremes)
    }

    /// Selects quantiles, with linear interpolation. A GPU needs memory for all elements; its time includes the
    /// copy.
    pub(crate) fn quantiles<T: Numeric>(
        &mut self,
        host: &[T],
        qs: &[f64],
    ) -> Result<Vec<<T as SortKey>::Quantile>, Failure> {
        #[cfg(feature = "cuda")]
        if let Some(cuda) = &self.cuda {
            let there = cuda.upload(host).and_then(|x| cuda.quantiles(&x, qs, Interpolation::Linear));
            match there {
                Err(cause @ Error::OutOfMemory { .. }) if self.may_fall_back => {
                    self.why = format!("the GPU has too little memory: {cause}");
                    self.cuda = None;
                }
                found => return Ok(found?),
            }
        }
        // Elements near the quantiles are copied, which may be most of them. What selection does not get ends the program.
        with_room::<u8>(
            2 * size_of_val(host),
            "quantiles are selected in memory: leave --median and --quantiles out",
        )?;
        Ok(self.cpu.quantiles(host, qs, Interpolation::Linear)?)
    }
}
