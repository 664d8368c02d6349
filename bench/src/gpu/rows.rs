//! `bench rows`: f32 Sum of the rows of a matrix, against CUB's segmented sums, PyTorch and CuPy, at shapes from many short
//! rows to a few long ones.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use libloading::Library;
use warpfold::{Cpu, Cuda, DeviceArray, DeviceResults, Stream, Sum, Tuning};

use super::clock::Clock;
use super::driver::{Driver, Handle};
use crate::spread::Spread;
use crate::{Outcome, machine::Machine};

/// The command line of `bench rows`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which device.
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// CUB's sums: a library built from peers/rows.cu.
    #[arg(long)]
    peer: Option<PathBuf>,
    /// A Python that has PyTorch and CuPy, and the folder of peers/rows.py.
    #[arg(long, num_args = 2, value_names = ["PYTHON", "FOLDER"])]
    python: Option<Vec<PathBuf>>,
    /// Measurements of each.
    #[arg(long, default_value_t = 15)]
    trials: usize,
    /// Shapes, as 1024x256, instead of those of docs/performance.md.
    #[arg(long, value_parser = shape, value_delimiter = ',')]
    shapes: Vec<[usize; 2]>,
}

/// 2^27 or 2^28 elements each.
const SHAPES: [[usize; 2]; 7] = [
    [1 << 24, 8],
    [1 << 22, 32],
    [1 << 20, 256],
    [1 << 16, 1 << 12],
    [1 << 12, 1 << 16],
    [1 << 6, 1 << 22],
    [8, 1 << 25],
];

/// The datasheet's bandwidth of an H200, in 10^9 bytes per second.
const DATASHEET: f64 = 4800.0;

fn shape(text: &str) -> Result<[usize; 2], String> {
    let sides = text
        .split_once('x')
        .and_then(|(rows, columns)| Some([rows.trim().parse().ok()?, columns.trim().parse().ok()?]));
    sides.ok_or_else(|| format!("`{text}` is no shape: write rows and columns as 1024x256"))
}

/// A sum of CUB's: (scratch, bytes of scratch, input, output, rows, columns, stream) to a `cudaError_t`.
type Function =
    unsafe extern "C" fn(*mut c_void, *mut usize, *const c_void, *mut c_void, u64, u64, Handle) -> c_int;

/// One way to sum rows, measured.
struct Figure {
    name: String,
    shape: [usize; 2],
    time: Spread,
}

/// Measures every shape, and prints a table.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}", Machine::here());
    let shapes = if args.shapes.is_empty() { SHAPES.to_vec() } else { args.shapes.clone() };
    // Programs first: they must not find the memory taken.
    let mut figures = match &args.python {
        Some(python) => outsiders(python, args.trials, &shapes)?,
        None => Vec::new(),
    };
    let driver = Driver::open(args.device)?;
    let cuda = Cuda::open(args.device)?.with_tuning(Tuning::empty());
    println!("{}, CUDA {}", cuda.name(), driver.version()?);
    let peer = args.peer.as_ref().map(|path| {
        // SAFETY: the user names a library built from peers/rows.cu, whose initialisers are those of the CUDA runtime.
        unsafe { Library::new(path) }
    });
    let peer = peer.transpose()?;
    if let Some(peer) = &peer {
        // SAFETY: peers/rows.cu declares this function so.
        let describe = unsafe { peer.get::<unsafe extern "C" fn() -> *const c_char>(b"peer_describe") }?;
        // SAFETY: takes nothing and gives a string constant.
        println!("{}", unsafe { CStr::from_ptr(describe()) }.to_str()?);
    }
    let stream = cuda.stream()?;
    // SAFETY: the stream is of the device's primary context, which the driver has made current, and outlives the clock.
    let clock = unsafe { Clock::new(&driver, stream.as_raw()) }?;
    let longest = shapes.iter().map(|[rows, columns]| rows * columns).max().unwrap_or(0);
    let host: Vec<f32> =
        (0..longest as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 8) as f32 / 16_777_216.0).collect();
    let device = cuda.upload(&host)?;
    for &shape in &shapes {
        let bench = Bench { cuda: &cuda, stream: &stream, clock: &clock, trials: args.trials, shape };
        let (host, n) = (&host[..shape[0] * shape[1]], shape[0] * shape[1]);
        let mut sums = cuda.results::<f32, Sum>(shape[0])?;
        let slice = device.slice(..n)?;
        let plan = cuda.rows_plan::<f32, Sum>(&slice, shape)?;
        let name = format!("warpfold ({plan:?})");
        figures.push(bench.figure(name, &mut || Ok(stream.reduce_rows_into(&slice, shape, &mut sums)?))?);
        let right = check(&sums, host, shape)?;
        for variant in ["fixed", "offsets"] {
            let Some(peer) = &peer else { continue };
            // A segment's length is an int to CUB.
            if let Some(figure) = bench.peer(peer, variant, &device, &right)? {
                figures.push(figure);
            }
        }
    }
    report(&figures, &shapes);
    Ok(())
}

/// One shape.
struct Bench<'a> {
    cuda: &'a Cuda,
    stream: &'a Stream,
    clock: &'a Clock<'a>,
    trials: usize,
    shape: [usize; 2],
}

impl Bench<'_> {
    /// Times calls one at a time between two events: each reads more than caches hold.
    fn figure(&self, name: String, call: &mut dyn FnMut() -> Outcome<()>) -> Outcome<Figure> {
        for _ in 0..3 {
            call()?;
        }
        self.clock.settle()?;
        let times = (0..self.trials).map(|_| self.clock.on_device(call)).collect::<Outcome<Vec<_>>>()?;
        let time = Spread::of(&times).ok_or("give at least one trial")?;
        Ok(Figure { name, shape: self.shape, time })
    }

    fn peer(
        &self,
        peer: &Library,
        variant: &str,
        device: &DeviceArray<f32>,
        right: &[f32],
    ) -> Outcome<Option<Figure>> {
        let [rows, columns] = self.shape;
        // SAFETY: peers/rows.cu declares every function of such a name so.
        let function = *unsafe { peer.get::<Function>(format!("peer_rows_{variant}").as_bytes()) }?;
        let out = self.cuda.zeroed::<f32>(rows)?;
        let (from, to) = (device.as_device_ptr() as *const c_void, out.as_device_ptr() as *mut c_void);
        let call = |scratch: u64, mut bytes: usize| {
            // SAFETY: the input has the rows' elements and the output a float for each; the scratch has as many bytes as
            // were asked for, or is null and nothing is enqueued; all stay until the clock has settled.
            let code = unsafe {
                function(
                    scratch as *mut c_void,
                    &mut bytes,
                    from,
                    to,
                    rows as u64,
                    columns as u64,
                    self.stream.as_raw(),
                )
            };
            if code == 0 { Ok(bytes) } else { Err(format!("CUB by {variant}: error {code}")) }
        };
        let bytes = call(0, 0)?.max(1);
        let scratch = self.cuda.zeroed::<u8>(bytes)?;
        let figure = self.figure(format!("CUB, {variant}"), &mut || {
            call(scratch.as_device_ptr(), bytes)?;
            Ok(())
        })?;
        self.clock.settle()?;
        for (row, (ours, theirs)) in right.iter().zip(out.download()?).enumerate() {
            if (ours - theirs).abs() > ours * 1e-4 {
                return Err(format!("CUB by {variant}: row {row} is {theirs}, and not {ours}").into());
            }
        }
        Ok(Some(figure))
    }
}

/// Our sums, if some of them, the first and the last among them, have the CPU's bits.
fn check(sums: &DeviceResults<f32, Sum>, x: &[f32], [rows, columns]: [usize; 2]) -> Outcome<Vec<f32>> {
    let found = sums.get()?;
    let step = (rows / 1000).max(1);
    for row in (0..rows).step_by(step).chain([rows - 1]) {
        let right = Cpu::new().reduce::<f32, Sum>(&x[row * columns..(row + 1) * columns])?;
        if found.get(row).map(|found| found.to_bits()) != Some(right.to_bits()) {
            return Err(format!("row {row} of {rows} x {columns} differs from the CPU's bits").into());
        }
    }
    Ok(found)
}

/// What peers/rows.py measures.
fn outsiders(python: &[PathBuf], trials: usize, shapes: &[[usize; 2]]) -> Outcome<Vec<Figure>> {
    let [python, folder] = python else { return Err("give a Python and the folder of peers/rows.py".into()) };
    let shapes = shapes.iter().map(|[rows, columns]| format!("{rows}x{columns}"));
    let output = Command::new(python)
        .arg(folder.join("rows.py"))
        .arg(trials.to_string())
        .args(shapes)
        .stderr(Stdio::inherit())
        .output()?;
    let mut figures = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, rows, columns, times @ ..] = cells.as_slice() else {
            return Err(format!("peers/rows.py said `{line}`").into());
        };
        let times = times.iter().map(|time| time.parse()).collect::<Result<Vec<f64>, _>>()?;
        let time = Spread::of(&times).ok_or("peers/rows.py measured nothing")?;
        figures.push(Figure { name: (*name).to_owned(), shape: [rows.parse()?, columns.parse()?], time });
    }
    Ok(figures)
}

/// A line per shape and contender.
fn report(figures: &[Figure], shapes: &[[usize; 2]]) {
    println!("| rows x columns | who | us | spread | GB/s | share of the datasheet | times ours |");
    println!("|---|---|---:|---:|---:|---:|---:|");
    for shape in shapes {
        let here: Vec<&Figure> = figures.iter().filter(|figure| figure.shape == *shape).collect();
        let ours = here.iter().find(|figure| figure.name.starts_with("warpfold"));
        for Figure { name, time, .. } in &here {
            let speed =
                time.gigabytes_per_second(((shape[0] * shape[1] + shape[0]) * size_of::<f32>()) as u64);
            let ratio = ours.map_or(f64::NAN, |ours| time.median / ours.time.median);
            println!(
                "| {} x {} | {name} | {:.1} | {:.1} to {:.1} | {speed:.0} | {:.1} % | {ratio:.3} |",
                shape[0],
                shape[1],
                time.median,
                time.min,
                time.p75,
                100.0 * speed / DATASHEET
            );
        }
    }
}
