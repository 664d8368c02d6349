//! `bench host`: f32 Sum of arrays in host memory, pageable and page-locked, against the speed of copies to the
//! device, and the CPU on the same data.

use std::{cell::RefCell, num::NonZeroUsize, sync::Arc};

use cust::context::Context;
use cust::device::Device;
use cust::memory::{LockedBuffer, Memory};
use serde::Serialize;
use warpfold::{Cpu, Cuda, Feed, Sum, about, host};

use super::clock;
use crate::{
    Outcome,
    contest::{Rounds, spread, take_turns},
    datum,
    machine::Machine,
    record::Files,
    spread::Spread,
    table::{self, Table},
};

/// The command line of `bench host`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Least size: 2 to the power of this many bytes.
    #[arg(long, default_value_t = 26, value_parser = clap::value_parser!(u32).range(12..=40))]
    min: u32,
    /// Greatest size: 2 to the power of this many bytes.
    #[arg(long, default_value_t = 33, value_parser = clap::value_parser!(u32).range(12..=40))]
    max: u32,
    /// Chunk sizes to try, in MiB.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16,32,64")]
    chunks: Vec<usize>,
    /// Numbers of buffers to try.
    #[arg(long, value_delimiter = ',', default_value = "2,3,4,6")]
    buffers: Vec<usize>,
    /// Numbers of threads that fill page-locked memory to try, with our own chunks and buffers.
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,6,8,12,16,24")]
    threads: Vec<NonZeroUsize>,
    /// The size for these: 2 to the power of this many bytes.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(12..=40))]
    tried_at: u32,
    /// Rounds. Every contender has one trial in each round.
    #[arg(long, default_value_t = 9)]
    trials: usize,
    /// Which device.
    #[arg(long, default_value_t = 0)]
    device: usize,
    #[command(flatten)]
    files: Files,
}

/// One contender at one size.
#[derive(Serialize)]
struct Row {
    bytes: usize,
    contender: String,
    /// Whether the array was pageable or page-locked.
    memory: &'static str,
    /// The chunk size, if it is not our own choice.
    chunk_mib: Option<usize>,
    buffers: Option<usize>,
    threads: Option<usize>,
    gigabytes_per_second: f64,
    /// The share of the speed of copying a page-locked array of this size.
    of_copy: Option<f64>,
    #[serde(flatten)]
    us: Spread,
}

#[derive(Serialize)]
struct Record {
    machine: Machine,
    gpu: String,
    /// The basis of `warpfold::reduce`'s choice.
    auto: String,
    rows: Vec<Row>,
}

/// Something to time, once per call.
struct Contender<'a> {
    name: String,
    feed: Option<Feed>,
    call: Box<dyn FnMut() -> Outcome<()> + 'a>,
}

/// What the contenders share.
struct Arena<'a> {
    args: &'a Args,
    cuda: &'a Cuda,
    table: Table,
    copying: RefCell<Copying>,
}

/// Copies of page-locked memory to the device.
struct Copying {
    stream: cust::stream::Stream,
    from: LockedBuffer,
    to: Arc<Memory>,
}

const PAGE_LOCKED: &str = "page-locked";
const PAGEABLE: &str = "pageable";
const COPY: &str = "copy";
const OURS: &str = "Cuda::reduce";

/// Bytes that are copied at a time.
const PART: usize = 256 << 20;

/// Measures, prints and records.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let (machine, cuda) = (Machine::here(), Cuda::open(args.device)?);
    println!("{machine}\n{}\n", cuda.properties().name);
    let context = Context::open(Device::get_device(args.device)?)?;
    let stream = cust::stream::Stream::new(&context)?;
    let (from, to) = (LockedBuffer::new(&context, PART)?, Memory::zeroed(&stream, PART)?);
    let table =
        Table::new(6, "bytes;contender       ;memory     ;chunk MiB;buffers;threads;ms;p25;p75;GB/s;of copy");
    println!("{}", table.header());
    let arena = Arena { args, cuda: &cuda, table, copying: Copying { stream, from, to }.into() };

    let x = datum::make::<f32>((1 << args.max.max(args.tried_at)) / size_of::<f32>());
    let mut rows = Vec::new();
    let locked = arena.locked(&context, &x)?;
    arena.phase(PAGE_LOCKED, locked.received(0, x.len())?, &mut rows)?;
    drop(locked);
    arena.phase(PAGEABLE, &x, &mut rows)?;

    let (gpu, auto) = (cuda.properties().name.to_owned(), about().auto);
    println!("\nGB/s are 10^9 bytes per second.\nwarpfold::reduce: {auto}");
    let record = Record { machine, gpu, auto, rows };
    args.files.write(&record, &format!("{}\n{}", record.machine, record.gpu), &record.rows)
}

impl Arena<'_> {
    /// Measures all sizes; `memory` says whether the array is page-locked.
    fn phase(&self, memory: &'static str, x: &[f32], rows: &mut Vec<Row>) -> Outcome<()> {
        for log2 in self.args.min..=self.args.max {
            let x = &x[..(1 << log2) / size_of::<f32>()];
            let mut contenders = vec![self.ours(OURS, None, x)];
            if memory == PAGE_LOCKED {
                contenders.push(self.copy(x));
            } else {
                let cpu = Cpu::new();
                let name = format!("CPU, {} threads", cpu.threads());
                contenders.push(checked(name, None, x, move |x| Ok(cpu.reduce(Sum, x)?)));
                contenders.push(checked("reduce".into(), None, x, |x| Ok(warpfold::reduce::<f32, Sum>(x)?)));
            }
            self.measure(memory, x, contenders, rows)?;
            println!();
        }
        let x = &x[..(1 << self.args.tried_at) / size_of::<f32>()];
        let mut feeds = Vec::new();
        for &chunk in &self.args.chunks {
            for &buffers in &self.args.buffers {
                feeds.push(Feed::new(chunk.checked_mul(1 << 20).ok_or("--chunks are in MiB")?, buffers)?);
            }
        }
        if memory == PAGEABLE {
            feeds.extend(self.args.threads.iter().map(|&threads| Feed::default().with_threads(threads)));
        }
        // One after the other: the buffers of two feeds are kept, so a third would allocate in each trial.
        for feed in feeds {
            self.measure(memory, x, vec![self.ours(OURS, Some(feed), x)], rows)?;
        }
        println!();
        Ok(())
    }

    fn ours<'a>(&'a self, name: &str, feed: Option<Feed>, x: &'a [f32]) -> Contender<'a> {
        let by = feed.unwrap_or_default();
        checked(name.into(), feed, x, move |x| Ok(self.cuda.reduce(Sum, host(x).with_feed(by))?))
    }

    /// The same elements in page-locked memory, by way of the device.
    fn locked(&self, context: &Arc<Context>, x: &[f32]) -> Outcome<LockedBuffer> {
        let Copying { stream, .. } = &*self.copying.borrow();
        let mut locked = LockedBuffer::zeroed(context, size_of_val(x))?;
        for (part, at) in x.chunks(PART / size_of::<f32>()).zip((0..).step_by(PART)) {
            locked.receive(stream, Memory::uploaded(stream, part)?.whole(), at)?;
        }
        Ok(locked)
    }

    /// The limit: only the copy of as many bytes, in as few calls as possible.
    fn copy<'a>(&'a self, x: &'a [f32]) -> Contender<'a> {
        let call = move || {
            let Copying { stream, from, to } = &mut *self.copying.borrow_mut();
            for part in x.chunks(PART / size_of::<f32>()) {
                from.send(stream, size_of_val(part), to, 0)?;
            }
            Ok(stream.wait()?)
        };
        Contender { name: COPY.into(), feed: None, call: Box::new(call) }
    }

    fn measure(
        &self,
        memory: &'static str,
        x: &[f32],
        mut contenders: Vec<Contender<'_>>,
        rows: &mut Vec<Row>,
    ) -> Outcome<()> {
        let bytes = size_of_val(x);
        // The first round allocates buffers, loads kernels and, for `reduce`, measures speeds.
        let samples = take_turns(&mut contenders, Rounds::all(1, self.args.trials), |contender, _| {
            clock::on_host(&mut contender.call)
        });
        let first = rows.len();
        for (contender, samples) in contenders.iter().zip(samples) {
            let us = spread(&samples?)?;
            rows.push(Row {
                bytes,
                contender: contender.name.clone(),
                memory,
                chunk_mib: contender.feed.map(|feed| feed.chunk_bytes() >> 20),
                buffers: contender.feed.map(|feed| feed.buffers()),
                threads: contender.feed.map(|feed| feed.threads()),
                gigabytes_per_second: us.gigabytes_per_second(bytes as u64),
                of_copy: None,
                us,
            });
        }
        let copied = rows.iter().find(|row| row.contender == COPY && row.bytes == bytes);
        let copied = copied.map(|row| row.gigabytes_per_second);
        for row in rows.iter_mut().skip(first) {
            row.of_copy = copied.map(|copied| row.gigabytes_per_second / copied);
            let ms = |us: f64| format!("{:.3}", us / 1e3);
            let number =
                |number: Option<usize>| number.map_or_else(|| "-".into(), |number| number.to_string());
            let cells = [
                table::elements(bytes as u64),
                row.contender.clone(),
                row.memory.into(),
                number(row.chunk_mib),
                number(row.buffers),
                number(row.threads),
                ms(row.us.median),
                ms(row.us.p25),
                ms(row.us.p75),
                format!("{:.2}", row.gigabytes_per_second),
                table::ratio(row.of_copy),
            ];
            println!("{}", self.table.row(&cells));
        }
        Ok(())
    }
}

/// A contender whose results must all have the bits of the CPU on one thread.
fn checked<'a>(
    name: String,
    feed: Option<Feed>,
    x: &'a [f32],
    mut sum: impl FnMut(&[f32]) -> Outcome<f32> + 'a,
) -> Contender<'a> {
    let mut right = None;
    let call = move || {
        let found = sum(x)?.to_bits();
        let right = match right {
            Some(right) => right,
            None => *right.insert(Cpu::with_threads(1)?.reduce(Sum, x)?.to_bits()),
        };
        if found == right { Ok(()) } else { Err("the bits differ from the CPU backend's".into()) }
    };
    Contender { name, feed, call: Box::new(call) }
}
