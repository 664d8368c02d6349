//! The device for the calls of some tables, their timing, and their figures.

use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use bytemuck::Pod;
use warpfold::plans::Tuning;
use warpfold::{Cuda, Stream};

use super::Options;
use super::python::{Line, lines};
use super::table::{self, Case, Figure, OURS};
use crate::Outcome;
use crate::contest::{Rounds, alone};
use crate::gpu::peer::{Handle, Peer};
use crate::gpu::{clock, cuda_version, driver, limits};
use crate::machine::Machine;

/// Untimed calls before the first timed one.
const WARM_UP: usize = 3;

/// The call to time.
type Call<'a> = &'a mut dyn FnMut() -> Outcome<()>;

/// A device, a stream on it, and what was measured there.
pub(super) struct Ground<'a> {
    pub(super) cuda: &'a Cuda,
    pub(super) stream: &'a Stream,
    /// The library of CUB, if one is named.
    library: Option<Peer>,
    trials: usize,
    /// What the peers in a separate program measured before.
    lines: Vec<Line>,
    cases: RefCell<Vec<Case>>,
}

/// The number of a case.
pub(super) type Number = usize;

/// A function of peers/ and its name in the table.
pub(super) type Function<'a> = (&'a str, &'a str);

/// (scratch, bytes of scratch, input, output, two values for the case, stream) to a `cudaError_t`. With a null scratch it returns
/// the bytes that it needs and enqueues nothing.
///
/// The two values for the case are, for rows, their number and their length; for segments, their number and the
/// address of the offsets; for running sums and sorts, the number of elements and nothing; for selections, the
/// number of elements and the threshold.
type Enqueue =
    unsafe extern "C" fn(*mut c_void, *mut usize, *const c_void, *mut c_void, u64, u64, Handle) -> c_int;

/// Opens the device, prints its name, measures there, and prints the tables. `python` is the name of the table and of each case in
/// peers/batch.py.
pub(super) fn tables(
    options: &Options,
    python: Option<(&str, Vec<String>)>,
    measure: impl FnOnce(&Ground<'_>) -> Outcome<()>,
) -> Outcome<()> {
    println!("{}", Machine::here());
    // Before the device is opened here, so that the program finds the device's memory free.
    let lines = python.map_or(Ok(Vec::new()), |(table, cases)| lines(options, table, &cases))?;
    let cuda = Cuda::open(options.device)?.with_tuning(Tuning::empty());
    driver::make_current(options.device)?;
    let peak = limits::peak_bandwidth(options.device);
    let of_peak = peak.map_or_else(
        || "peak bandwidth unknown: the driver does not state the memory's clock and bus width".to_owned(),
        |peak| format!("peak {peak:.0} GB/s by the memory's clock and bus width"),
    );
    println!("{}, CUDA {}, {of_peak}", cuda.properties().name, cuda_version()?);
    let library = options.peer.as_deref().map(|path| {
        Peer::load(path)
            .map_err(|error| format!("--peer {}: {error}: build it as peers/ says", path.display()))
    });
    let library = library.transpose()?;
    library.iter().for_each(|library| println!("{}", library.name));
    let (stream, cases) = (cuda.stream()?, RefCell::default());
    let ground = Ground { cuda: &cuda, stream: &stream, library, trials: options.trials, lines, cases };
    measure(&ground)?;
    print!("{}", table::text(&ground.cases.borrow(), peak));
    Ok(())
}

impl Ground<'_> {
    /// Adds a case to the table with this heading.
    pub(super) fn case(&self, head: &str, name: &str, bytes: usize) -> Number {
        let lines = self.lines.iter().filter(|line| line.case == name);
        let figures = lines.map(|line| Figure { who: line.who.clone(), time: line.time }).collect();
        let mut cases = self.cases.borrow_mut();
        cases.push(Case { head: head.to_owned(), name: name.to_owned(), bytes: bytes as u64, figures });
        cases.len() - 1
    }

    /// Times our work that `call` enqueues on the stream.
    pub(super) fn ours(&self, case: Number, call: Call<'_>) -> Outcome<()> {
        self.on_device(OURS, case, call)
    }

    /// Times the work that `call` enqueues on the stream, one call at a time between two events: each reads
    /// more than caches hold.
    pub(super) fn on_device(&self, who: &str, case: Number, call: Call<'_>) -> Outcome<()> {
        self.figure(who, case, &mut || clock::on_device(self.stream, &mut *call))
    }

    /// Times calls that wait, by the host's clock.
    pub(super) fn on_host(&self, who: &str, case: Number, call: Call<'_>) -> Outcome<()> {
        self.figure(who, case, &mut || clock::on_host(&mut *call))
    }

    fn figure(&self, who: &str, case: Number, trial: &mut dyn FnMut() -> Outcome<f64>) -> Outcome<()> {
        let time = alone(Rounds::all(WARM_UP, self.trials), trial)?;
        let figure = Figure { who: who.to_owned(), time };
        self.cases.borrow_mut().get_mut(case).ok_or("there is no such case")?.figures.push(figure);
        Ok(())
    }

    /// Times a function of the peers' library on device memory `from`, and passes its `count` outputs to `check`. Does nothing
    /// without a library.
    ///
    /// # Safety
    /// The library has a function with that name, which reads at `from` and writes `count` outputs of type `T`; the memory stays until
    /// the stream has settled, and so does that in `what`.
    pub(super) unsafe fn theirs<T: Pod + Send + Sync>(
        &self,
        (name, who): Function<'_>,
        case: Number,
        (from, what): (u64, [u64; 2]),
        count: usize,
        check: impl FnOnce(&[T]) -> Outcome<()>,
    ) -> Outcome<()> {
        let Some(library) = &self.library else { return Ok(()) };
        let out = self.cuda.zeroed::<T>(count)?;
        // SAFETY: the files of peers/ declare their functions with this type.
        let function = unsafe { library.function::<Enqueue>(name) }.map_err(|error| {
            format!("--peer: {error}: it is built from another file of peers/, or from an older one")
        })?;
        let (from, to) = (from as *const c_void, out.as_device_ptr() as *mut c_void);
        let stream = self.stream.as_raw();
        let call = |scratch: u64, mut bytes: usize| {
            // SAFETY: the caller's promise; the memory has room for every output; the scratch has as many bytes as
            // requested, or is null and nothing is enqueued. All stay until the stream has settled.
            let code =
                unsafe { function(scratch as *mut c_void, &mut bytes, from, to, what[0], what[1], stream) };
            if code == 0 { Ok(bytes) } else { Err(format!("{who}, {name}: CUDA error {code}")) }
        };
        let bytes = call(0, 0)?.max(1);
        let scratch = self.cuda.zeroed::<u8>(bytes)?;
        self.on_device(who, case, &mut || Ok(call(scratch.as_device_ptr(), bytes).map(drop)?))?;
        self.stream.synchronize()?;
        check(&out.to_vec()?)
    }
}
