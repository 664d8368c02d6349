//! Who folds, and why.

use std::num::NonZeroUsize;
#[cfg(feature = "cuda")]
use std::ops::ControlFlow;
use std::time::Instant;

use warpfold::{Cpu, Element, Interpolate, Interpolation, Kernel, tree};
#[cfg(feature = "cuda")]
use warpfold::{Cuda, Error};

use crate::cli::Backend;
use crate::failure::Failure;
use crate::numeric::Numeric;
use crate::progress::Progress;
use crate::statistics::Timed;

#[cfg(not(feature = "cuda"))]
const NO_FEATURE: &str = "built without the feature `cuda`";

/// Bytes that the CPU folds between two reports of progress.
const PORTION: u64 = 64 << 20;

/// The backend that was chosen.
pub(crate) struct Engine {
    cpu: Cpu,
    #[cfg(feature = "cuda")]
    cuda: Option<Cuda>,
    /// Whether the CPU may step in for a GPU that has too little memory.
    #[cfg(feature = "cuda")]
    may_fall_back: bool,
    pub(crate) threads: NonZeroUsize,
    pub(crate) why: String,
}

impl Engine {
    /// Chooses for an array of so many bytes.
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

    /// Chooses for an array of so many bytes.
    #[cfg(feature = "cuda")]
    pub(crate) fn choose(backend: Backend, threads: NonZeroUsize, bytes: u64) -> Result<Self, Failure> {
        let cpu = Cpu::with_threads(threads.get())?;
        let (cuda, why) = match backend {
            Backend::Cpu => (None, "as asked for".into()),
            Backend::Cuda => (Some(Cuda::open(0)?), "as asked for".into()),
            Backend::Auto => match Cuda::count() {
                Err(cause) => (None, cause.to_string()),
                Ok(_) => match Cuda::chosen_for(usize::try_from(bytes).unwrap_or(usize::MAX))? {
                    Some(cuda) => (Some(cuda), "sooner than the CPU".into()),
                    None => (None, "a GPU would not be sooner".into()),
                },
            },
        };
        Ok(Self { cpu, cuda, may_fall_back: backend == Backend::Auto, threads, why })
    }

    /// Name of the GPU, if one folds.
    pub(crate) fn device(&self) -> Option<String> {
        #[cfg(feature = "cuda")]
        return self.cuda.as_ref().map(|cuda| cuda.name().to_string());
        #[cfg(not(feature = "cuda"))]
        None
    }

    /// Folds all elements. On a GPU, the way there is part of the time; loading the kernel is not.
    pub(crate) fn fold<T: Element, O: Kernel<T> + Default>(
        &mut self,
        host: &[T],
        progress: &Progress,
    ) -> Result<Timed<O::Out>, Failure> {
        #[cfg(feature = "cuda")]
        if let Some(cuda) = &self.cuda {
            match on_gpu::<T, O>(cuda, host, progress) {
                Err(cause @ Error::OutOfMemory { .. }) if self.may_fall_back => {
                    self.why = format!("the GPU has too little memory: {cause}");
                    self.cuda = None;
                }
                folded => return Ok(folded?),
            }
        }
        self.on_cpu::<T, O>(host, progress)
    }

    /// Selects quantiles of the elements, linear between two. On a GPU, which has to have room for all of them, the way there
    /// is part of the time.
    pub(crate) fn quantiles<T: Numeric>(
        &mut self,
        host: &[T],
        qs: &[f64],
    ) -> Result<Vec<<T as Interpolate>::Out>, Failure> {
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
        // Elements near the places are copied, which may be most of them. To be out of memory then would end the program.
        let bytes = 2 * size_of_val(host);
        Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| Failure::Memory {
            bytes: bytes as u128,
            what: "quantiles are selected in memory: leave --median and --quantiles out",
        })?;
        Ok(self.cpu.quantiles(host, qs, Interpolation::Linear)?)
    }

    fn on_cpu<T: Element, O: Kernel<T> + Default>(
        &self,
        host: &[T],
        progress: &Progress,
    ) -> Result<Timed<O::Out>, Failure> {
        let start = Instant::now();
        // In portions of whole tiles, which changes no bit: see `Cpu::fold_tiles`.
        let n = host.len() as u64;
        let tile_len = tree::tile_len::<T>(n);
        let portion = (PORTION / (tile_len * size_of::<T>() as u64)).max(1);
        let mut folded = Vec::new();
        let mut first = 0;
        // A tile or a portion longer than memory can hold is all there is.
        for elements in host.chunks(usize::try_from(portion * tile_len).unwrap_or(usize::MAX)) {
            let end = first + (elements.len() as u64).div_ceil(tile_len);
            folded.extend(self.cpu.fold_tiles(O::default(), elements, n, first..end)?);
            progress.passed(size_of_val(elements) as u64);
            first = end;
        }
        let result = warpfold::finish::<T, O>(&folded, n)?;
        Ok(Timed { result, time: start.elapsed() })
    }
}

/// Feeds the GPU from where the elements lie, which may be a file.
#[cfg(feature = "cuda")]
fn on_gpu<T: Element, O: Kernel<T> + Default>(
    cuda: &Cuda,
    host: &[T],
    progress: &Progress,
) -> Result<Timed<O::Out>, Error> {
    cuda.prepare(O::default(), &host)?;
    let start = Instant::now();
    let mut last = 0;
    let result = cuda.reduce(
        O::default(),
        warpfold::host(host).with_progress(|done, _| {
            progress.passed((done - last) * size_of::<T>() as u64);
            last = done;
            ControlFlow::Continue(())
        }),
    )?;
    Ok(Timed { result, time: start.elapsed() })
}
