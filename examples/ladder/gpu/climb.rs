//! Checks and times every rung at every size.

use cust::device::DeviceAttribute;
use gpu_kernels::ladder::host::rung::{Course, RUNGS};
use warpfold::{DeviceArray, DeviceSlice, Op, Sum};

use super::clock::{median_us, on_ladder_stream, on_stream};
use super::launch::Prepared;
use super::{Gpu, device::Peak};
use crate::accuracy::{Accuracy, exact, floats, off_by};
use crate::counted::{LIBRARY, THREADS, compare, threads_of};
use crate::failure::Failure;
use crate::number::{Number, make};
use crate::text::{bytes, percent, power, significant, table, time};

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

/// The label of a rung, its table's elements, and its 10^9 bytes per second.
pub(super) type Speed = (&'static str, usize, f64);

/// Appends a table for each size to `text`, the library's plans to `plans`, and the speeds of rungs that take all elements to `speeds`.
pub(super) fn climb<T: Number>(
    gpu: &Gpu,
    sizes: &[usize],
    peak: &Peak,
    (text, plans): (&mut String, &mut String),
    speeds: &mut Vec<Speed>,
) -> Result<(), Failure> {
    let arena = Arena::<T>::new(gpu, sizes)?;
    for &of in sizes {
        // The times of the previous rung and of the first one.
        let (mut before, mut first) = (None, None);
        let mut rows = Vec::new();
        let mut row = |(label, name): (&'static str, &str), n, launches: usize, us: f64, on_the_way: bool| {
            let gb_per_s = (n * size_of::<T>()) as f64 / us / 1e3;
            let step = before.filter(|_| on_the_way).map(|before: f64| before / us);
            let in_all = (n == of).then(|| *first.get_or_insert(us) / us);
            if on_the_way {
                before = Some(us);
            }
            if n == of {
                speeds.push((label, of, gb_per_s));
            }
            let times = |times: Option<f64>| times.map_or("-".into(), |times| format!("{times:.2}x"));
            rows.push(vec![
                label.into(),
                if n == of { name.into() } else { format!("{name}, {n} elements") },
                launches.to_string(),
                time(us),
                significant(gb_per_s),
                percent(gb_per_s / peak.gb_per_s, 1),
                times(step),
                times(in_all),
            ]);
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
            row((rung.label, rung.name), n, prepared.steps.len(), us, on_the_way);
        }
        let us = library(gpu, &whole)?;
        row(LIBRARY, of, 1, us, true);
        let header = ["rung", "", "launches", "time", "GB/s", "of peak", "step", "in all"];
        *text += &format!("\n{} elements of {}, {}\n", power(of), T::NAME, bytes(4 * of as u64));
        *text += &table(2, &header, &rows);
        *plans += &format!("  16, {}: {}\n", T::NAME, gpu.cuda.plan::<T, T::Library>(of as u64)?);
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
