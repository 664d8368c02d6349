//! `bench cpu`: f32 Sum on the CPU backend against `iter().sum()`, NumPy and the speed of reading memory.

mod numpy;
mod read;

use std::{hint::black_box, num::NonZeroUsize, path::PathBuf, time::Instant};

use serde::Serialize;
use warpfold::{Cpu, Sum};

use crate::{
    Outcome, datum,
    machine::Machine,
    record,
    spread::Spread,
    table::{self, Table},
};

/// Elements that a trial folds at least, so that a clock's step does not matter.
const TRIAL: usize = 1 << 22;

/// The command line of `bench cpu`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Elements: digits, 2^27 or 1e8. Repeat for several sizes.
    #[arg(long, default_values = ["2^10", "2^20", "2^27"], value_parser = elements)]
    n: Vec<usize>,
    /// Trials of each contender.
    #[arg(long, default_value_t = 15)]
    trials: usize,
    /// Also write every figure to this file, as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Also write every figure to this file, as CSV.
    #[arg(long)]
    csv: Option<PathBuf>,
}

/// One contender at one size.
#[derive(Serialize)]
struct Row {
    n: usize,
    contender: String,
    threads: usize,
    gigabytes_per_second: f64,
    #[serde(flatten)]
    us: Spread,
}

#[derive(Serialize)]
struct Record {
    machine: Machine,
    missing: Vec<String>,
    rows: Vec<Row>,
}

/// Something that takes some calls one after another and says how many microseconds each took.
type Trial<'a> = Box<dyn FnMut(usize) -> Outcome<f64> + 'a>;

struct Contender<'a> {
    name: String,
    threads: usize,
    trial: Trial<'a>,
}

/// Measures, prints and records.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    let machine = Machine::here();
    println!("{machine}\n");
    let mut record = Record { machine, missing: Vec::new(), rows: Vec::new() };
    let table =
        Table::new(8, &["n", "f32 Sum by             ", "threads", "us", "p25", "p75", "GB/s", "of reading"]);
    println!("{}", table.header());
    for &n in &args.n {
        let rows = measure(n, args.trials, &mut record.missing)?;
        for row in &rows {
            // One thread may read faster than several do together: waking them costs something.
            let limits = rows.iter().filter(|limit| limit.contender == READ && limit.threads <= row.threads);
            let limit = limits.map(|limit| limit.gigabytes_per_second).reduce(f64::max);
            let us = |us| table::microseconds(Some(us));
            println!(
                "{}",
                table.row(&[
                    table::elements(n as u64),
                    row.contender.clone(),
                    row.threads.to_string(),
                    us(row.us.median),
                    us(row.us.p25),
                    us(row.us.p75),
                    format!("{:.2}", row.gigabytes_per_second),
                    table::ratio(limit.map(|limit| row.gigabytes_per_second / limit)),
                ])
            );
        }
        println!();
        record.rows.extend(rows);
    }
    for missing in &record.missing {
        println!("missing: {missing}");
    }
    record::json(args.json.as_deref(), &record)?;
    record::csv(args.csv.as_deref(), &record.machine, &record.rows)
}

const READ: &str = "reading memory";

fn measure(n: usize, trials: usize, missing: &mut Vec<String>) -> Outcome<Vec<Row>> {
    let x = datum::make::<f32>(n);
    let threads = rayon::current_num_threads();
    let (one, all) = (Cpu::with_threads(NonZeroUsize::MIN)?, Cpu::new());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    // As many bytes as `x`, rounded up to a word.
    let words = datum::make::<u64>(n.div_ceil(2));

    let sum = one.reduce::<f32, Sum>(&x)?;
    let exact: f64 = x.iter().map(|&x| f64::from(x)).sum();
    check("warpfold on all threads", f64::from(all.reduce::<f32, Sum>(&x)?), f64::from(sum), 0.0)?;
    check("warpfold", f64::from(sum), exact, 1e-6)?;

    let mut contenders = vec![
        ours("warpfold", &one, &x),
        Contender {
            name: "iter().sum()".into(),
            threads: 1,
            trial: Box::new(|reps| Ok(timed(reps, || black_box(&x).iter().sum::<f32>()))),
        },
        reading(1, |streams| read::read(black_box(&words), streams)),
    ];
    if threads > 1 {
        contenders.push(ours("warpfold", &all, &x));
        contenders.push(reading(threads, |streams| read::read_by(&pool, black_box(&words), streams)));
    }
    match numpy::NumPy::start(n) {
        Ok(mut numpy) => {
            check("NumPy", numpy.ready.sum, exact, 1e-5)?;
            let name = format!("NumPy {}", numpy.ready.numpy);
            contenders
                .insert(1, Contender { name, threads: 1, trial: Box::new(move |reps| numpy.trial(reps)) });
        }
        Err(reason) => {
            let reason = format!("NumPy: {reason}");
            if !missing.contains(&reason) {
                missing.push(reason);
            }
        }
    }

    let reps = (TRIAL / n.max(1)).max(1);
    let mut samples = vec![Vec::new(); contenders.len()];
    for trial in 0..=trials {
        for (contender, samples) in contenders.iter_mut().zip(&mut samples) {
            let us = (contender.trial)(reps)?;
            // The first round warms caches, threads and page tables.
            if trial > 0 {
                samples.push(us);
            }
        }
    }
    let bytes = size_of_val(x.as_slice()) as u64;
    contenders.iter().zip(&samples).map(|(contender, samples)| row(n, bytes, contender, samples)).collect()
}

fn row(n: usize, bytes: u64, contender: &Contender<'_>, samples: &[f64]) -> Outcome<Row> {
    let us = Spread::of(samples).ok_or("no trials: --trials must be at least 1")?;
    let (contender, threads) = (contender.name.clone(), contender.threads);
    Ok(Row { n, contender, threads, gigabytes_per_second: us.gigabytes_per_second(bytes), us })
}

fn ours<'a>(name: &str, cpu: &'a Cpu, x: &'a [f32]) -> Contender<'a> {
    let trial = move |reps| {
        let mut failed = None;
        let us = timed(reps, || cpu.reduce::<f32, Sum>(black_box(x)).map_err(|error| failed = Some(error)));
        failed.map_or(Ok(us), |error| Err(error.into()))
    };
    Contender { name: name.into(), threads: cpu.threads(), trial: Box::new(trial) }
}

/// The best of one, two and four streams in each trial: a limit is the most that the machine can do.
fn reading<'a>(threads: usize, read: impl Fn(usize) -> u64 + 'a) -> Contender<'a> {
    let best = move |reps| {
        let trials = [1, 2, 4].map(|streams| timed(reps, || read(streams)));
        Ok(trials.into_iter().fold(f64::INFINITY, f64::min))
    };
    Contender { name: READ.into(), threads, trial: Box::new(best) }
}

/// Microseconds per call of `reps` calls one after another.
fn timed<R>(reps: usize, mut call: impl FnMut() -> R) -> f64 {
    let start = Instant::now();
    for _ in 0..reps {
        black_box(call());
    }
    start.elapsed().as_secs_f64() * 1e6 / reps as f64
}

/// Fails unless `sum` is within a relative `tolerance` of `expected`.
fn check(who: &str, sum: f64, expected: f64, tolerance: f64) -> Outcome<()> {
    if (sum - expected).abs() <= tolerance * expected.abs() {
        return Ok(());
    }
    Err(format!("{who} sums to {sum} where {expected} is right: no figure is worth printing").into())
}

/// A number of elements: digits, a power `2^27`, or a whole float `1e8`.
fn elements(text: &str) -> Result<usize, String> {
    let power = text
        .split_once('^')
        .map(|(base, exponent)| base.parse::<usize>().ok()?.checked_pow(exponent.parse().ok()?));
    let digits = || text.parse().ok();
    let float = || {
        text.parse::<f64>().ok().filter(|n| n.fract() == 0.0 && (0.0..9e15).contains(n)).map(|n| n as usize)
    };
    let n = power.unwrap_or_else(|| digits().or_else(float));
    n.filter(|&n| n > 0)
        .ok_or_else(|| format!("{text:?} is no number of elements: write digits, 2^27 or 1e8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_elements() {
        assert_eq!(elements("1000"), Ok(1000));
        assert_eq!(elements("2^27"), Ok(1 << 27));
        assert_eq!(elements("1e8"), Ok(100_000_000));
        for bad in ["", "0", "-1", "1.5", "2^", "2^64", "^3", "nan", "1e300", "1k"] {
            assert!(elements(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn wrong_answers_are_refused() {
        assert!(check("x", 10.0, 10.0, 0.0).is_ok());
        assert!(check("x", 10.1, 10.0, 1e-3).is_err());
        assert!(check("x", f64::NAN, 10.0, 1e-3).is_err());
    }

    #[test]
    fn every_contender_is_measured() {
        let mut missing = Vec::new();
        let rows = measure(5000, 2, &mut missing).unwrap();
        let names: Vec<_> = rows.iter().map(|row| row.contender.as_str()).collect();
        assert!(names.contains(&"warpfold") && names.contains(&"iter().sum()") && names.contains(&READ));
        assert_eq!(names.iter().any(|name| name.starts_with("NumPy")), missing.is_empty());
        assert!(rows.iter().all(|row| row.us.min > 0.0 && row.us.trials == 2));
    }
}
