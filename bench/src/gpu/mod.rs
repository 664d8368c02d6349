//! `bench gpu`: ours against the peers on the same device buffers, the same stream, by the same clock.

mod answer;
pub(crate) mod batch;
mod bits;
mod clock;
mod contenders;
mod contest;
mod driver;
pub(crate) mod first_use;
pub(crate) mod host_slice;
mod jobs;
mod limits;
mod menu;
mod peer;
mod report;
mod request;
mod series;
pub(crate) mod world;

use std::{
    cell::RefCell,
    env,
    path::{Path, PathBuf},
    process::Command,
};

use clap::builder::PossibleValuesParser;
use cust::device::CudaApiVersion;
use warpfold::Cuda;

use self::{jobs::Job, menu::Menu, peer::Peer, request::Hello, series::Series};
use crate::{
    Outcome, datum,
    figures::{
        self, chart,
        record::{Limits, Record, Versions},
    },
    machine::Machine,
    outsider::Outsider,
    record::Files,
    with_causes,
};

/// The script for PyTorch and CuPy.
const SCRIPT: &str = include_str!("../../peers/torch_cupy.py");

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
    #[arg(long, value_delimiter = ',', default_value = "f32", value_parser = PossibleValuesParser::new(jobs::elements()))]
    types: Vec<String>,
    /// Operators.
    #[arg(long, value_delimiter = ',', default_value = "sum", value_parser = PossibleValuesParser::new(jobs::ops()))]
    ops: Vec<String>,
    /// What to measure. given: the sizes, types and operators given. goals: Sum of f32, f64, i32 and i64 from
    /// 2^10 to 2^30, for most goals. catalogue: every operator of CUB over every type of 4 and 8 bytes at 2^16
    /// to 2^30 bytes. types: types of 1 and 2 bytes and operators that CUB lacks at 2^30 bytes.
    #[arg(long, value_delimiter = ',', default_value = "given", value_parser = ["given", "goals", "catalogue", "types"])]
    rows: Vec<String>,
    /// The peers. CUB and Thrust are in a library built from peers/cub.cu; PyTorch and CuPy belong to python3, or to
    /// the Python that the environment variable PYTHON names; CubeCL is a program built from peers/cubecl.
    #[arg(long, value_delimiter = ',', default_value = "cub,thrust",
          value_parser = ["all", "none", "cub", "thrust", "torch", "cupy", "cubecl"])]
    peers: Vec<String>,
    /// The library of CUB and Thrust; libpeer_cub.so beside this program if it is not given.
    #[arg(long)]
    peer: Option<PathBuf>,
    /// The program of CubeCL; peer_cubecl beside this program if it is not given.
    #[arg(long)]
    cubecl: Option<PathBuf>,
    /// The most rounds. Every contender has one trial by each clock in each round.
    #[arg(long, default_value_t = 31)]
    trials: usize,
    /// GiB of device memory that the input rotates over, so that no cache serves it; more if the largest size
    /// needs it.
    #[arg(long, default_value_t = 4)]
    buffer_gib: usize,
    /// The device's number.
    #[arg(long, default_value_t = 0)]
    device: usize,
    #[command(flatten)]
    files: Files,
    /// Also draw into this folder, as SVG.
    #[arg(long)]
    charts: Option<PathBuf>,
}

/// What all contests of a run share.
struct Arena<'a> {
    args: &'a Args,
    cuda: &'a Cuda,
    peers: &'a [Peer],
    /// Peers in separate processes, until one fails.
    outsiders: RefCell<Vec<Outsider>>,
}

impl Arena<'_> {
    /// Whether to measure this contender of the peers' library.
    fn wants(&self, contender: &str) -> bool {
        self.args.wants(if contender.starts_with("thrust") { "thrust" } else { "cub" })
    }
}

impl Args {
    fn wants(&self, peer: &str) -> bool {
        self.peers.iter().any(|wanted| wanted == peer || wanted == "all")
    }
}

/// Measures, prints and records.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let machine = Machine::here();
    let cuda = Cuda::open(args.device)?;
    driver::make_current(args.device)?;
    let (mut missing, mut named) = (Vec::new(), Vec::new());
    let peers = library(args, &mut missing);
    named.extend(peers.iter().map(|peer| peer.name.clone()));
    let outsiders = outsiders(args, &mut missing, &mut named);
    let versions = Versions {
        gpu: cuda.properties().name.to_owned(),
        multiprocessors: cuda.properties().multiprocessors,
        driver: driver_version(),
        cuda: cuda_version()?,
        peers: named,
    };
    println!("{machine}\n{versions}\n");

    let outsiders = RefCell::new(outsiders);
    let arena = Arena { args, cuda: &cuda, peers: &peers, outsiders };
    let mut record = Record { machine, versions, limits: None, missing, rows: Vec::new() };
    let outcome = jobs::jobs(args).iter().try_for_each(|job| menu::run(&arena, job, &mut record));
    // Results from before a failure are still worth saving.
    args.files.write(&record, &record.place(), &record.rows)?;
    closing(args, record)?;
    outcome
}

/// The limits, the missing peers, the state of the goals; the pictures.
fn closing(args: &Args, record: Record) -> Outcome<()> {
    let records = [record];
    let [record] = &records;
    println!();
    if let Some(limits) = &record.limits {
        println!("{limits}");
    }
    for missing in &record.missing {
        println!("missing: {missing}");
    }
    if args.rows.iter().any(|rows| rows != "given") {
        println!("\n{}", figures::standing(&records));
    }
    if let Some(folder) = &args.charts {
        chart::draw(&records, folder)?;
    }
    Ok(())
}

/// The version of the kernel's driver, if known.
fn driver_version() -> String {
    let told = ["/sys/module/nvidia/version", "/proc/driver/nvidia/version"];
    let told = told.iter().find_map(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    let version = told
        .split_whitespace()
        .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()));
    version.unwrap_or("of unknown version").to_owned()
}

/// The CUDA version that the driver speaks, as `13.0`.
fn cuda_version() -> Outcome<String> {
    let CudaApiVersion { major, minor } = CudaApiVersion::get()?;
    Ok(format!("{major}.{minor}"))
}

/// The library of CUB and Thrust, if selected and loadable.
fn library(args: &Args, missing: &mut Vec<String>) -> Vec<Peer> {
    if !args.wants("cub") && !args.wants("thrust") {
        return vec![];
    }
    let path = args.peer.clone().or_else(|| beside("libpeer_cub.so")).unwrap_or_default();
    match Peer::load(&path) {
        Ok(peer) => vec![peer],
        Err(reason) => {
            missing.push(format!("CUB and Thrust: {}: {}", file_name(&path), with_causes(reason.as_ref())));
            vec![]
        }
    }
}

/// The peers that are separate programs and start.
fn outsiders(args: &Args, missing: &mut Vec<String>, named: &mut Vec<String>) -> Vec<Outsider> {
    let mut outsiders = Vec::new();
    let mut start = |name: &str, command: &mut Command| match Outsider::start(name, command) {
        Ok((outsider, Hello { peers, missing: absent })) => {
            missing.extend(absent.iter().map(|absent| format!("{}: {}", absent.peer, absent.reason)));
            named.extend(peers);
            outsiders.push(outsider);
        }
        Err(reason) => missing.push(with_causes(reason.as_ref())),
    };
    let libraries: Vec<&str> = ["torch", "cupy"].into_iter().filter(|name| args.wants(name)).collect();
    if !libraries.is_empty() {
        let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        start("PyTorch and CuPy", Command::new(python).args(["-c", SCRIPT]).args(libraries));
    }
    if args.wants("cubecl") {
        let program = args.cubecl.clone().or_else(|| beside("peer_cubecl")).unwrap_or_default();
        let mut command = Command::new(program);
        // It loads NVRTC by name and compiles with the toolkit's headers.
        let toolkit = env::var("CUDA_PATH").unwrap_or_else(|_| "/usr/local/cuda".to_owned());
        let libraries = env::var("LD_LIBRARY_PATH").unwrap_or_default();
        command.env("LD_LIBRARY_PATH", format!("{toolkit}/lib64:{libraries}")).env("CUDA_PATH", toolkit);
        start("CubeCL", command.arg(args.device.to_string()));
    }
    outsiders
}

/// The file with this name in this program's folder.
fn beside(name: &str) -> Option<PathBuf> {
    Some(env::current_exe().ok()?.parent()?.join(name))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// All sizes and operators of a job: first those over uniform elements, then those over factors.
fn elements<T: Menu>(arena: &Arena<'_>, job: &Job, record: &mut Record) -> Outcome<()> {
    let largest = job.sizes.iter().copied().max().unwrap_or(0);
    let n = usize::try_from((job.buffer / size_of::<T>() as u64).max(largest))?;
    let (products, others): (Vec<&str>, Vec<&str>) =
        job.ops.iter().map(String::as_str).partition(|op| *op == "product");
    if !others.is_empty() {
        operators(arena, job, &others, &datum::make::<T>(n), record)?;
    }
    if !products.is_empty() {
        operators(arena, job, &products, &datum::make_factors::<T>(n), record)?;
    }
    Ok(())
}

/// Measures some operators of a job over `data`, on the host and on the device.
fn operators<T: Menu>(
    arena: &Arena<'_>,
    job: &Job,
    ops: &[&str],
    data: &[T],
    record: &mut Record,
) -> Outcome<()> {
    let array = arena.cuda.upload(data)?;
    let stream = arena.cuda.stream()?;
    let series = Series { arena, job, stream: &stream, data, array: &array };
    for &op in ops {
        if !T::measure(&series, op, record)? {
            record.miss(format!("{} {op}: is not measured", T::NAME));
        }
    }
    if record.limits.is_none() {
        let read = arena.peers.first().map(|peer| limits::read(&stream, peer, &array));
        let read = read.unwrap_or_else(|| Err("its kernel is in the library of CUB and Thrust".into()));
        let read = read
            .map_err(|reason| record.miss(format!("reading bandwidth: {}", with_causes(reason.as_ref()))));
        let (peak, copy) =
            (limits::peak_bandwidth(arena.args.device), limits::copy(arena.args.device, data)?);
        record.limits = Some(Limits { peak, read: read.ok(), copy });
    }
    Ok(())
}
