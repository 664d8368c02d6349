//! All statistics on a GPU: the elements are copied there once, and each operator folds them. No kernel folds
//! with all operators.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use warpfold::kernels::Kernel;
use warpfold::{ArgMinMax, At, Cuda, Error, Extremes, Mean, SampleStdDev, StdDev, Sum};

use crate::numbers::numeric::Numeric;
use crate::progress::Progress;
use crate::statistics::fold::Statistics;
use crate::timed::Timed;

/// The statistics of `host`. If the array does not fit the GPU's memory, it is fed to the GPU once per
/// operator.
pub(super) fn fold<T: Numeric>(
    cuda: &Cuda,
    host: &[T],
    sample: bool,
    progress: &Progress,
) -> Result<Timed<Statistics<T>>, Error>
where
    Sum: Kernel<T, Out = T::Wide>,
    Mean: Kernel<T, Out = Option<T::Mean>>,
    StdDev: Kernel<T, Out = Option<T::Mean>>,
    SampleStdDev: Kernel<T, Out = Option<T::Mean>>,
    ArgMinMax: Kernel<T, Out = Option<Extremes<At<T>>>>,
{
    let start = Instant::now();
    let there = match cuda.upload(host) {
        Err(Error::OutOfMemory { .. }) => return feed(cuda, host, sample, progress),
        there => there?,
    };
    let upload = start.elapsed();
    cuda.prepare(Sum, &there)?;
    cuda.prepare(Mean, &there)?;
    cuda.prepare(StdDev, &there)?;
    if sample {
        cuda.prepare(SampleStdDev, &there)?;
    }
    cuda.prepare(ArgMinMax, &there)?;
    let start = Instant::now();
    let result = Statistics {
        sum: cuda.reduce(Sum, &there)?,
        mean: cuda.reduce(Mean, &there)?,
        deviation: cuda.reduce(StdDev, &there)?,
        sample_deviation: if sample { cuda.reduce(SampleStdDev, &there)? } else { None },
        extremes: cuda.reduce(ArgMinMax, &there)?,
    };
    progress.passed(size_of_val(host) as u64);
    Ok(Timed { result, time: upload + start.elapsed() })
}

/// Feeds the GPU from the elements' memory, which may be a file.
fn feed<T: Numeric>(
    cuda: &Cuda,
    host: &[T],
    sample: bool,
    progress: &Progress,
) -> Result<Timed<Statistics<T>>, Error>
where
    Sum: Kernel<T, Out = T::Wide>,
    Mean: Kernel<T, Out = Option<T::Mean>>,
    StdDev: Kernel<T, Out = Option<T::Mean>>,
    SampleStdDev: Kernel<T, Out = Option<T::Mean>>,
    ArgMinMax: Kernel<T, Out = Option<Extremes<At<T>>>>,
{
    let mut time = Duration::ZERO;
    let time = &mut time;
    let result = Statistics {
        sum: feed_one(cuda, Sum, host, progress, time)?,
        mean: feed_one(cuda, Mean, host, progress, time)?,
        deviation: feed_one(cuda, StdDev, host, progress, time)?,
        sample_deviation: if sample { feed_one(cuda, SampleStdDev, host, progress, time)? } else { None },
        extremes: feed_one(cuda, ArgMinMax, host, progress, time)?,
    };
    Ok(Timed { result, time: *time })
}

fn feed_one<T: Numeric, O: Kernel<T>>(
    cuda: &Cuda,
    op: O,
    host: &[T],
    progress: &Progress,
    time: &mut Duration,
) -> Result<O::Out, Error> {
    cuda.prepare(op, host)?;
    progress.stage("statistics", size_of_val(host) as u64);
    let start = Instant::now();
    let mut last = 0;
    let result = cuda.reduce(
        op,
        warpfold::host(host).with_progress(|done, _| {
            progress.passed((done - last) * size_of::<T>() as u64);
            last = done;
            ControlFlow::Continue(())
        }),
    )?;
    *time += start.elapsed();
    Ok(result)
}
