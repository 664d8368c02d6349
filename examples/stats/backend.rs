//! Who folds, and why.

use std::num::NonZeroUsize;
use std::time::Instant;

use warpfold::{Cpu, Element, Kernel, tree};
#[cfg(feature = "cuda")]
use warpfold::{Cuda, DeviceArray, Error};

use crate::cli::Backend;
use crate::failure::Failure;
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
    pub(crate) fn choose(backend: Backend, threads: NonZeroUsize) -> Result<Self, Failure> {
        let cpu = Cpu::with_threads(threads)?;
        #[cfg(not(feature = "cuda"))]
        match backend {
            Backend::Cpu => Ok(Self { cpu, threads, why: "as asked for".into() }),
            Backend::Auto => Ok(Self { cpu, threads, why: NO_FEATURE.into() }),
            Backend::Cuda => Err(Failure::Usage(format!(
                "no GPU backend: this program was {NO_FEATURE}; build and run it with\n       \
                 cargo run --release --features cuda --example stats -- --backend cuda ..."
            ))),
        }
        #[cfg(feature = "cuda")]
        {
            let (cuda, why) = match backend {
                Backend::Cpu => (None, "as asked for".into()),
                Backend::Cuda => (Some(Cuda::open(0)?), "as asked for".into()),
                Backend::Auto => match Cuda::open(0) {
                    Ok(cuda) => (Some(cuda), "found a GPU".into()),
                    Err(cause) => (None, cause.to_string()),
                },
            };
            Ok(Self { cpu, cuda, may_fall_back: backend == Backend::Auto, threads, why })
        }
    }

    /// Brings the elements to where they will be folded.
    #[cfg(feature = "cuda")]
    pub(crate) fn load<T: Element>(mut self, host: &[T]) -> Result<Loaded<'_, T>, Failure> {
        let device = match self.cuda.as_ref().map(|cuda| cuda.upload(host)) {
            None => None,
            Some(Ok(array)) => Some(array),
            Some(Err(cause @ Error::OutOfMemory { .. })) if self.may_fall_back => {
                self.cuda = None;
                self.why = format!("the GPU has too little memory: {cause}");
                None
            }
            Some(Err(cause)) => return Err(cause.into()),
        };
        Ok(Loaded { engine: self, host, device })
    }

    /// Brings the elements to where they will be folded.
    #[cfg(not(feature = "cuda"))]
    pub(crate) fn load<T: Element>(self, host: &[T]) -> Result<Loaded<'_, T>, Failure> {
        Ok(Loaded { engine: self, host })
    }
}

/// Elements where they will be folded.
pub(crate) struct Loaded<'a, T: Element> {
    engine: Engine,
    host: &'a [T],
    #[cfg(feature = "cuda")]
    device: Option<DeviceArray<T>>,
}

impl<T: Element> Loaded<'_, T> {
    /// Size of the elements.
    pub(crate) fn bytes(&self) -> u64 {
        size_of_val(self.host) as u64
    }

    /// The GPU and the elements on it, if one folds.
    #[cfg(feature = "cuda")]
    fn on_device(&self) -> Option<(&Cuda, &DeviceArray<T>)> {
        self.engine.cuda.as_ref().zip(self.device.as_ref())
    }

    /// Name of the GPU, if one folds.
    pub(crate) fn device(&self) -> Option<String> {
        #[cfg(feature = "cuda")]
        return self.on_device().map(|(cuda, _)| cuda.name().to_string());
        #[cfg(not(feature = "cuda"))]
        None
    }

    /// Why this backend folds.
    pub(crate) fn why(&self) -> &str {
        &self.engine.why
    }

    /// Folds all elements. On a GPU, loading the kernel is not part of the time.
    pub(crate) fn fold<O: Kernel<T>>(&self, progress: &Progress) -> Result<Timed<O::Out>, Failure> {
        #[cfg(feature = "cuda")]
        if let Some((cuda, array)) = self.on_device() {
            cuda.prepare::<T, O>()?;
            let start = Instant::now();
            let result = cuda.reduce::<T, O>(&array.as_slice())?;
            let time = start.elapsed();
            progress.passed(self.bytes());
            return Ok(Timed { result, time });
        }
        let start = Instant::now();
        // In portions of whole tiles, which changes no bit: see `Cpu::fold_tiles`.
        let n = self.host.len() as u64;
        let tile_len = tree::tile_len::<T>(n);
        let portion = (PORTION / (tile_len * size_of::<T>() as u64)).max(1);
        let mut folded = Vec::new();
        let mut first = 0;
        // A tile or a portion longer than memory can hold is all there is.
        for elements in self.host.chunks(usize::try_from(portion * tile_len).unwrap_or(usize::MAX)) {
            let end = first + (elements.len() as u64).div_ceil(tile_len);
            folded.extend(self.engine.cpu.fold_tiles::<T, O>(elements, n, first..end)?);
            progress.passed(size_of_val(elements) as u64);
            first = end;
        }
        let result = warpfold::finish::<T, O>(&folded, n)?;
        Ok(Timed { result, time: start.elapsed() })
    }
}
