//! `bench gpu`: ours against the peers on the same device buffers, the same stream, by the same clock.

mod answer;
mod clock;
mod contender;
mod contest;
mod driver;
pub(crate) mod host_slice;
mod limits;
mod ours;
mod peer;
mod report;
mod series;
mod shapes;
mod theirs;

use std::path::{Path, PathBuf};

use warpfold::{ArgMax, ArgMin, Cuda, Max, Min, Sum};

use self::{
    answer::Contest,
    clock::Clock,
    driver::Driver,
    peer::Peer,
    report::{Record, Versions},
    series::Series,
    shapes::Shapes,
};
use crate::{
    Outcome,
    datum::{self, Datum},
    machine::Machine,
    record, with_causes,
};

/// The command line of `bench gpu`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Least size: 2 to the power of this many elements.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=40))]
    min: u32,
    /// Greatest size: 2 to the power of this many elements.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(0..=40))]
    max: u32,
    /// Steps between sizes, in powers of 2.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..))]
    step: u32,
    /// Element types.
    #[arg(long, value_delimiter = ',', default_value = "f32",
          value_parser = ["f32", "f64", "i32", "u32", "i64", "u64"])]
    types: Vec<String>,
    /// Operators.
    #[arg(long, value_delimiter = ',', default_value = "sum",
          value_parser = ["sum", "min", "max", "argmin", "argmax"])]
    ops: Vec<String>,
    /// A library of peers, built from peers/. Repeat for several. Without any, libpeer_cub.so beside this
    /// program is taken if it is there.
    #[arg(long)]
    peer: Vec<PathBuf>,
    /// Instead of peers, try plans of our own: all, or lists like
    /// threads=256|512|1024,blocks_per_sm=2|4|8,kind=block|grid|recursive
    #[arg(long)]
    plans: Option<Shapes>,
    /// Rounds, in each of which every contender has one trial by each clock.
    #[arg(long, default_value_t = 31)]
    trials: usize,
    /// GiB of device memory that the input rotates over, so that no cache serves it.
    #[arg(long, default_value_t = 4)]
    buffer_gib: usize,
    /// Which device.
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// Also write every figure to this file, as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Also write every figure to this file, as CSV.
    #[arg(long)]
    csv: Option<PathBuf>,
}

/// What all contests of a run share.
struct Arena<'a> {
    args: &'a Args,
    driver: &'a Driver,
    cuda: &'a Cuda,
    peers: &'a [Peer],
}

/// Measures, prints and records.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let machine = Machine::here();
    let driver = Driver::open(args.device)?;
    let cuda = Cuda::open(args.device)?;
    let (peers, missing) = if args.plans.is_some() { (vec![], vec![]) } else { peers(args) };
    let versions = Versions {
        gpu: cuda.name().to_owned(),
        multiprocessors: cuda.multiprocessors(),
        driver: driver_version(),
        cuda: driver.version()?,
        peers: peers.iter().map(|peer| peer.name.clone()).collect(),
    };
    println!("{machine}\n{versions}\n");

    let arena = Arena { args, driver: &driver, cuda: &cuda, peers: &peers };
    let mut record = Record::new(machine, versions, missing);
    let outcome = args.types.iter().try_for_each(|element| match element.as_str() {
        "f32" => elements::<f32>(&arena, &mut record),
        "f64" => elements::<f64>(&arena, &mut record),
        "i32" => elements::<i32>(&arena, &mut record),
        "u32" => elements::<u32>(&arena, &mut record),
        "i64" => elements::<i64>(&arena, &mut record),
        _ => elements::<u64>(&arena, &mut record),
    });
    // What was measured before a failure is still worth keeping.
    report::closing(&record);
    record::json(args.json.as_deref(), &record)?;
    record::csv(args.csv.as_deref(), &record.machine, &record.rows)?;
    outcome
}

/// The version of the kernel's driver, where it says.
fn driver_version() -> String {
    let told = ["/sys/module/nvidia/version", "/proc/driver/nvidia/version"];
    let told = told.iter().find_map(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let version = told
        .split_whitespace()
        .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()));
    version.unwrap_or("of unknown version").to_owned()
}

/// The peers that load, and for those that do not, why.
fn peers(args: &Args) -> (Vec<Peer>, Vec<String>) {
    let beside = std::env::current_exe().ok().and_then(|bench| Some(bench.parent()?.join("libpeer_cub.so")));
    let named = if args.peer.is_empty() { beside.into_iter().collect() } else { args.peer.clone() };
    let (mut peers, mut missing) = (Vec::new(), Vec::new());
    for path in &named {
        match Peer::load(path, args.device) {
            Ok(peer) => peers.push(peer),
            Err(reason) => missing.push(format!("{}: {}", file_name(path), with_causes(reason.as_ref()))),
        }
    }
    (peers, missing)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// All sizes and operators of one element type, over one buffer.
fn elements<T: Datum>(arena: &Arena<'_>, record: &mut Record) -> Outcome<()>
where
    Sum: Contest<T>,
    Min: Contest<T>,
    Max: Contest<T>,
    ArgMin: Contest<T>,
    ArgMax: Contest<T>,
{
    let bytes = arena.args.buffer_gib.checked_mul(1 << 30).ok_or("--buffer-gib is too large")?;
    let data = datum::make::<T>(bytes / size_of::<T>());
    let array = arena.cuda.upload(&data)?;
    let stream = arena.cuda.stream()?;
    // SAFETY: the stream is of the device's primary context, which Driver::open made current, and is dropped
    // after the clock.
    let clock = unsafe { Clock::new(arena.driver, stream.as_raw()) }?;
    let series = Series { arena, clock: &clock, stream: &stream, data: &data, array: &array };
    for op in &arena.args.ops {
        match op.as_str() {
            "sum" => series.run::<Sum>(record)?,
            "min" => series.run::<Min>(record)?,
            "max" => series.run::<Max>(record)?,
            "argmin" => series.run::<ArgMin>(record)?,
            _ => series.run::<ArgMax>(record)?,
        }
    }
    if record.limits.is_none() {
        let address = array.as_slice().as_device_ptr();
        // SAFETY: nothing reads the array after this, which is why it is measured last.
        let copy =
            unsafe { limits::copy(arena.driver, stream.as_raw(), address, size_of_val(data.as_slice())) }?;
        let datasheet = limits::datasheet(&record.versions.gpu);
        let by_clock = arena.driver.peak_bandwidth(arena.args.device)?;
        record.limits = Some(limits::Limits { datasheet, by_clock, copy });
    }
    Ok(())
}
