//! Checks and times every rung at every size.

use cust::device::DeviceAttribute;
use gpu_kernels::ladder::host::rung::{Course, RUNGS};
use warpfold::{DeviceArray, DeviceSlice, Op, Sum};

use super::Gpu;
use super::clock::{median_us, on_ladder_stream, on_stream};
use super::launch::Prepared;
use crate::accuracy::{exact, floats, off_by};
use crate::counted::{LIBRARY, THREADS, compare, threads_of};
use crate::failure::Failure;
use crate::number::{Number, make};
use crate::record::{Accuracy, Peak, TimedRung};

/// Elements on the device; inputs are slices of them. They are larger than the cache, so that no call reads
/// what earlier calls left in it.
struct Arena<T: Number> {
    host: Vec<T>,
    device: DeviceArray<T>,
}

/// The most slices that calls rotate over.
const MOST_SLICES: usize = 64;

impl<T: Number> Arena<T> {
    fn new(gpu: &Gpu, sizes: &[usize]) -> Result<Self, Failure> {
        let cache = gpu.attribute(DeviceAttribute::L2CacheSize)? as usize;
        let largest = sizes.iter().copied().max().unwrap_or(0);
        let host = make::<T>(largest.max(4 * cache / size_of::<T>()), T::element);
        let device = gpu.cuda.upload(&host)?;
        Ok(Self { host, device })
    }

    /// Contiguous slices of `n` elements, with their sums.
    fn slices(&self, n: usize) -> Result<Vec<(DeviceSlice<'_, T>, T)>, Failure> {
        let count = (self.host.len() / n.max(1)).clamp(1, MOST_SLICES);
        let slice = |at: usize| {
            let range = at * n..at * n + n;
            let total = T::total(self.host.get(range.clone()).unwrap_or_default());
            Ok((self.device.slice(range)?, total))
        };
        (0..count).map(slice).collect()
    }
}

/// Appends a row for each rung at each size, and the library's plans.
pub(super) fn climb<T: Number>(
    gpu: &Gpu,
    sizes: &[usize],
    peak: &Peak,
    rows: &mut Vec<TimedRung>,
    plans: &mut Vec<String>,
) -> Result<(), Failure> {
    let arena = Arena::<T>::new(gpu, sizes)?;
    for &of in sizes {
        // The times of the previous rung and of the first one.
        let (mut before, mut first) = (None, None);
        let mut row =
            |(label, name): (&str, &str), n: usize, threads, launches, us: f64, on_the_way: bool| {
                let gb_per_s = (n * size_of::<T>()) as f64 / us / 1e3;
                let step = before.filter(|_| on_the_way).map(|before: f64| before / us);
                let in_all = (n == of).then(|| *first.get_or_insert(us) / us);
                if on_the_way {
                    before = Some(us);
                }
                let of_peak = gb_per_s / peak.gb_per_s;
                let (label, name) = (label.into(), name.into());
                rows.push(TimedRung {
                    label,
                    name,
                    element: T::NAME,
                    of,
                    n,
                    threads,
                    launches,
                    us,
                    gb_per_s,
                    of_peak,
                    step,
                    in_all,
                });
            };
        let whole = arena.slices(of)?;
        for rung in &RUNGS {
            let threads = threads_of(rung);
            let n = of.min(usize::try_from(rung.most(threads)).unwrap_or(of));
            let part = if n == of { None } else { Some(arena.slices(n)?) };
            let inputs = part.as_deref().unwrap_or(&whole);
            let prepared = Prepared::<T>::new(gpu, rung, n as u64, threads)?;
            let mut next = (0..inputs.len()).cycle();
            let mut last = 0;
            let us = median_us(|calls| {
                on_ladder_stream(gpu, || {
                    for at in next.by_ref().take(calls) {
                        prepared.enqueue(&inputs[at].0)?;
                        last = at;
                    }
                    Ok(())
                })
            })?;
            compare(rung.name, prepared.sum()?, inputs[last].1, n, threads)?;
            for (input, total) in [&inputs[0], &inputs[inputs.len() - 1]] {
                prepared.enqueue(input)?;
                compare(rung.name, prepared.sum()?, *total, n, threads)?;
            }
            let on_the_way = !matches!(rung.course, Course::OneBlock | Course::OneBlockOfTwo);
            row((rung.label, rung.name), n, threads, prepared.steps.len(), us, on_the_way);
        }
        let us = library(gpu, &whole)?;
        row(LIBRARY, of, THREADS, 1, us, true);
        plans.push(format!("16, {}: {}", T::NAME, gpu.cuda.plan::<T, T::Library>(of as u64)?));
    }
    Ok(())
}

/// The library's time, through its public interface.
fn library<T: Number>(gpu: &Gpu, inputs: &[(DeviceSlice<'_, T>, T)]) -> Result<f64, Failure> {
    let stream = gpu.cuda.stream()?;
    let mut out = gpu.cuda.scalar::<T, T::Library>()?;
    let mut next = (0..inputs.len()).cycle();
    let mut last = 0;
    let us = median_us(|calls| {
        on_stream(&stream, || {
            for at in next.by_ref().take(calls) {
                stream.reduce_into(T::Library::default(), inputs[at].0, &mut out)?;
                last = at;
            }
            Ok(())
        })
    })?;
    let (input, total) = &inputs[last];
    compare(LIBRARY.1, out.get()?, *total, input.len(), THREADS)?;
    Ok(us)
}

/// The rungs' sums of `n` uniform floats; their last bits depend on the rung's order.
pub(super) fn accuracy(gpu: &Gpu, n: usize) -> Result<Vec<Accuracy>, Failure> {
    let x = floats(n);
    let exact = exact(&x)?;
    let device = gpu.cuda.upload(&x)?;
    let mut rows = Vec::new();
    for rung in &RUNGS {
        let threads = threads_of(rung);
        if n as u64 <= rung.most(threads) {
            let prepared = Prepared::<f32>::new(gpu, rung, n as u64, threads)?;
            prepared.enqueue(&device.as_slice())?;
            let value = f64::from(prepared.sum()?);
            let name = format!("rung {}, {}", rung.label, rung.name);
            rows.push(Accuracy { name, value, off_by: off_by(value, exact), seconds: None });
        }
    }
    let value = f64::from(<Sum as Op<f32>>::finish(gpu.cuda.fold(Sum, &device)?, n as u64));
    let name = format!("rung {}, {}", LIBRARY.0, LIBRARY.1);
    rows.push(Accuracy { name, value, off_by: off_by(value, exact), seconds: None });
    Ok(rows)
}
