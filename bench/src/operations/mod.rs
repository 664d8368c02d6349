//! `bench operations`: every operation of the CPU backend against what Rust programmers would otherwise write
//! or call, and a few also against Arrow, NumPy, polars and the speed of reading memory.

mod contest;
mod moves;
mod order;
mod parts;
mod python;
mod read;
mod whole;

use serde::Serialize;
use warpfold::Cpu;

use self::{
    contest::{Bench, Line, Row},
    python::Python,
};
use crate::{
    Outcome,
    machine::Machine,
    parse,
    record::Files,
    spread::geometric_mean,
    table::{self, Table},
    with_causes,
};

/// The command line of `bench operations`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Elements: digits, 2^24 or 1e7. Repeat for several sizes.
    #[arg(long, default_values = ["16", "100", "1000", "2^17", "2^24"], value_parser = parse::elements)]
    n: Vec<usize>,
    /// Only operations whose name contains this text.
    #[arg(long)]
    only: Option<String>,
    /// Threads of warpfold and rayon, in addition to one. All by default.
    #[arg(long)]
    threads: Option<usize>,
    /// Rounds. Every contender has one trial in each round.
    #[arg(long, default_value_t = 9)]
    trials: usize,
    /// Print every contender, among them Arrow, NumPy, polars and the speed of reading memory at sum, max and argmax of floats.
    #[arg(long)]
    peers: bool,
    /// A Python with NumPy and polars, for --peers.
    #[arg(long, default_value = "python3")]
    python: String,
    #[command(flatten)]
    files: Files,
}

#[derive(Serialize)]
struct Record {
    machine: Machine,
    missing: Vec<String>,
    /// With --peers.
    contenders: Vec<Line>,
    rows: Vec<Row>,
}

/// Measures, prints and records.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}\n", Machine::here());
    let headings = if args.peers {
        "operation           ;n;threads;by               ;us;p25;p75;GB/s;x ours"
    } else {
        "operation           ;n;threads;us;best other           ;its threads;its us;x ours"
    };
    let table = Table::new(7, headings);
    println!("{}", table.header());
    let (rows, lines) = (table.clone(), table);
    let show = Box::new(move |row: &Row| println!("{}", rows.row(&cells(row))));
    let record = measure(args, show, Box::new(move |line| println!("{}", lines.row(&of_contender(line)))))?;
    record.missing.iter().for_each(|missing| println!("missing: {missing}"));
    for threads in [1, record.rows.iter().map(|row| row.threads).max().unwrap_or(1)] {
        let rows = record.rows.iter().filter(|row| row.threads == threads);
        let ratios: Vec<f64> = rows.map(|row| row.times_ours).collect();
        let behind = ratios.iter().filter(|&&ratio| ratio < 1.0).count();
        let mean = table::ratio(geometric_mean(&ratios));
        println!(
            "threads {threads}: {} operations, {behind} below 1.00, geometric mean {mean}",
            ratios.len()
        );
    }
    args.files.write(&record, &record.machine, &record.rows)
}

fn cells(row: &Row) -> [String; 8] {
    [
        row.operation.clone(),
        table::elements(row.n as u64),
        row.threads.to_string(),
        table::microseconds(Some(row.us.median)),
        row.other.clone(),
        row.other_threads.to_string(),
        table::microseconds(Some(row.other_us.median)),
        table::ratio(Some(row.times_ours)),
    ]
}

fn of_contender(line: &Line) -> [String; 9] {
    let us = |us| table::microseconds(Some(us));
    [
        line.operation.clone(),
        table::elements(line.n as u64),
        line.threads.to_string(),
        line.contender.clone(),
        us(line.us.median),
        us(line.us.p25),
        us(line.us.p75),
        table::ratio(line.gigabytes_per_second),
        table::ratio(Some(line.times_ours)),
    ]
}

/// Measures everything selected; shows each result as soon as it is measured.
fn measure(args: &Args, show: Box<dyn FnMut(&Row)>, show_line: Box<dyn FnMut(&Line)>) -> Outcome<Record> {
    let all = args.threads.map_or_else(|| Ok(Cpu::new()), Cpu::with_threads)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(all.threads()).build()?;
    let (python, missing) = match args.peers.then(|| Python::start(&args.python)) {
        None => (None, Vec::new()),
        Some(Ok((python, missing))) => (Some(python), missing),
        Some(Err(reason)) => (None, vec![format!("NumPy and polars: {}", with_causes(reason.as_ref()))]),
    };
    let mut bench = Bench {
        one: Cpu::with_threads(1)?,
        all,
        pool,
        trials: args.trials,
        only: args.only.clone(),
        peers: args.peers,
        python,
        rows: Vec::new(),
        lines: Vec::new(),
        show,
        show_line,
    };
    for &n in &args.n {
        whole::measure(&mut bench, n)?;
        parts::measure(&mut bench, n)?;
        moves::measure(&mut bench, n)?;
        order::measure(&mut bench, n)?;
    }
    Ok(Record { machine: Machine::here(), missing, contenders: bench.lines, rows: bench.rows })
}

#[cfg(test)]
mod tests {
    use super::{contest::READ, *};
    use crate::figures::record::OURS;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    fn measured(line: &str) -> Record {
        let words = std::iter::once("").chain(line.split_whitespace());
        let args = <Cli as clap::Parser>::parse_from(words).args;
        measure(&args, Box::new(|_| ()), Box::new(|_| ())).unwrap()
    }

    #[test]
    fn every_answer_is_checked_and_measured() {
        let record = measured("--n 5000 --n 1 --trials 2");
        assert!(record.rows.len() >= 100 && record.contenders.is_empty(), "{}", record.rows.len());
        assert!(record.rows.iter().all(|row| row.us.min > 0.0 && row.other_us.min > 0.0));
        for word in ["sum", "rows", "groups", "scan", "compact", "sort", "top_k", "median"] {
            assert!(record.rows.iter().any(|row| row.operation.contains(word)), "{word}");
        }
    }

    #[test]
    fn peers_and_the_limit_are_measured_on_request() {
        let record = measured("--n 5000 --trials 2 --peers --only f32");
        for operation in ["sum f32", "max f32", "argmax f32"] {
            let lines = record.contenders.iter().filter(|line| line.operation == operation);
            let names: Vec<_> = lines.map(|line| line.contender.as_str()).collect();
            assert!(names.contains(&OURS) && names.contains(&READ), "{names:?}");
            assert_eq!(names.contains(&"arrow"), operation != "argmax f32");
            let python = names.iter().filter(|name| name.starts_with("NumPy") || name.starts_with("polars"));
            assert!(python.count() + record.missing.len() >= 1, "{names:?}, {:?}", record.missing);
        }
        assert!(record.contenders.iter().all(|line| line.us.min > 0.0 && line.us.trials == 2));
        assert!(record.rows.iter().all(|row| row.other != READ));
        let ours = record.contenders.iter().filter(|line| line.contender == OURS && line.threads == 1);
        assert!(ours.clone().count() > 5 && ours.clone().all(|line| line.times_ours == 1.0));
    }
}
