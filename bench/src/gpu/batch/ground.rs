//! The device for the calls of a table, and their timing.

use warpfold::{Cuda, Stream, Tuning};

use super::Options;
use super::table::{Case, Figure};
use crate::Outcome;
use crate::gpu::clock::Clock;
use crate::gpu::driver::Driver;
use crate::gpu::limits;
use crate::spread::Spread;

/// Untimed calls before the first timed one.
const WARM_UP: usize = 3;

/// The call to time.
type Call<'a> = &'a mut dyn FnMut() -> Outcome<()>;

/// A device, a stream on it and its clock.
pub(super) struct Ground<'a> {
    pub(super) cuda: &'a Cuda,
    pub(super) stream: &'a Stream,
    clock: Clock<'a>,
    trials: usize,
}

/// Opens the device, prints its name, and measures there. Returns its memory's peak bandwidth in 10^9 bytes per
/// second, if the driver states it.
pub(super) fn on_device(
    options: &Options,
    measure: impl FnOnce(&Ground<'_>) -> Outcome<()>,
) -> Outcome<Option<f64>> {
    let driver = Driver::open(options.device)?;
    let cuda = Cuda::open(options.device)?.with_tuning(Tuning::empty());
    let peak = limits::peak_bandwidth(&driver, options.device);
    let of_peak = peak.map_or_else(
        || "peak bandwidth unknown: the driver does not state the memory's clock and bus width".to_owned(),
        |peak| format!("peak {peak:.0} GB/s by the memory's clock and bus width"),
    );
    println!("{}, CUDA {}, {of_peak}", cuda.properties().name, driver.version()?);
    let stream = cuda.stream()?;
    // SAFETY: the stream is of the device's primary context, which the driver has made current, and outlives the clock.
    let clock = unsafe { Clock::new(&driver, stream.as_raw()) }?;
    measure(&Ground { cuda: &cuda, stream: &stream, clock, trials: options.trials })?;
    Ok(peak)
}

impl Ground<'_> {
    /// Times the work that `call` enqueues on the stream, one call at a time between two events: each reads
    /// more than caches hold.
    pub(super) fn on_device(&self, who: String, case: &Case, call: Call<'_>) -> Outcome<Figure> {
        self.figure(who, case, call, &mut |call| self.clock.on_device(call))
    }

    /// Times calls that wait, by the host's clock.
    pub(super) fn on_host(&self, who: String, case: &Case, call: Call<'_>) -> Outcome<Figure> {
        self.figure(who, case, call, &mut |call| self.clock.on_host(call))
    }

    fn figure(
        &self,
        who: String,
        case: &Case,
        call: Call<'_>,
        time: &mut dyn FnMut(Call<'_>) -> Outcome<f64>,
    ) -> Outcome<Figure> {
        for _ in 0..WARM_UP {
            call()?;
        }
        self.settle()?;
        let times = (0..self.trials).map(|_| time(call)).collect::<Outcome<Vec<_>>>()?;
        let time = Spread::of(&times).ok_or("give at least one trial")?;
        Ok(Figure { who, case: case.name.clone(), time })
    }

    /// Waits until everything enqueued has run.
    pub(super) fn settle(&self) -> Outcome<()> {
        self.clock.settle()
    }
}
