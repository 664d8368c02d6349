//! The device for the calls of some tables, their timing, and their figures.

use std::cell::RefCell;

use warpfold::plans::Tuning;
use warpfold::{Cuda, Stream};

use super::Options;
use super::cub::{Cub, Peer};
use super::python::{Line, Python};
use super::table::{self, Case, Figure, OURS};
use crate::Outcome;
use crate::contest::{Rounds, alone};
use crate::gpu::clock::Clock;
use crate::gpu::driver::Driver;
use crate::gpu::limits;
use crate::machine::Machine;

/// Untimed calls before the first timed one.
const WARM_UP: usize = 3;

/// The call to time.
type Call<'a> = &'a mut dyn FnMut() -> Outcome<()>;

/// A device, a stream on it and its clock, and what was measured there.
pub(super) struct Ground<'a> {
    pub(super) cuda: &'a Cuda,
    pub(super) stream: &'a Stream,
    /// The library of CUB, if one is named.
    pub(super) peer: Option<Peer>,
    clock: Clock<'a>,
    trials: usize,
    /// What the peers in a separate program measured before.
    lines: Vec<Line>,
    cases: RefCell<Vec<Case>>,
}

/// The peers of a table.
#[derive(Default)]
pub(super) struct Peers<'a> {
    pub(super) cub: Option<&'a Cub>,
    /// Also the script's name of the table, and of each case.
    pub(super) python: Option<(&'a Python, &'a str, Vec<String>)>,
}

/// The number of a case.
pub(super) type Number = usize;

/// Opens the device, prints its name, measures there, and prints the tables.
pub(super) fn tables(
    options: &Options,
    peers: Peers<'_>,
    measure: impl FnOnce(&Ground<'_>) -> Outcome<()>,
) -> Outcome<()> {
    println!("{}", Machine::here());
    // Before the device is opened here, so that the program finds the device's memory free.
    let lines = peers.python.map(|(python, table, cases)| python.lines(table, options.trials, &cases));
    let lines = lines.transpose()?.unwrap_or_default();
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
    let peer = peers.cub.map(Cub::load).transpose()?.flatten();
    let (trials, cases) = (options.trials, RefCell::default());
    let ground = Ground { cuda: &cuda, stream: &stream, peer, clock, trials, lines, cases };
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
        self.figure(who, case, &mut || self.clock.on_device(call))
    }

    /// Times calls that wait, by the host's clock.
    pub(super) fn on_host(&self, who: &str, case: Number, call: Call<'_>) -> Outcome<()> {
        self.figure(who, case, &mut || self.clock.on_host(call))
    }

    fn figure(&self, who: &str, case: Number, trial: &mut dyn FnMut() -> Outcome<f64>) -> Outcome<()> {
        let time = alone(Rounds::all(WARM_UP, self.trials), trial)?;
        let figure = Figure { who: who.to_owned(), time };
        self.cases.borrow_mut().get_mut(case).ok_or("there is no such case")?.figures.push(figure);
        Ok(())
    }

    /// Waits until everything enqueued has run.
    pub(super) fn settle(&self) -> Outcome<()> {
        self.clock.settle()
    }
}
