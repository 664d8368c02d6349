//! `bench operations`: every operation of the CPU backend against what Rust programmers would otherwise write
//! or call.

mod contest;
mod moves;
mod order;
mod parts;
mod whole;

use serde::Serialize;
use warpfold::Cpu;

use self::contest::{Bench, Row};
use crate::{
    Outcome,
    machine::Machine,
    parse,
    record::Files,
    spread::geometric_mean,
    table::{self, Table},
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
    #[command(flatten)]
    files: Files,
}

#[derive(Serialize)]
struct Record {
    machine: Machine,
    rows: Vec<Row>,
}

/// Measures, prints and records.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}\n", Machine::here());
    let table =
        Table::new(7, "operation           ;n;threads;us;best other           ;its threads;its us;x ours");
    println!("{}", table.header());
    let record = measure(args, Box::new(move |row| println!("{}", table.row(&cells(row)))))?;
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

/// Measures everything selected; shows each row as soon as it is measured.
fn measure(args: &Args, show: Box<dyn FnMut(&Row)>) -> Outcome<Record> {
    let all = args.threads.map_or_else(|| Ok(Cpu::new()), Cpu::with_threads)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(all.threads()).build()?;
    let mut bench = Bench {
        one: Cpu::with_threads(1)?,
        all,
        pool,
        trials: args.trials,
        only: args.only.clone(),
        rows: Vec::new(),
        show,
    };
    for &n in &args.n {
        whole::measure(&mut bench, n)?;
        parts::measure(&mut bench, n)?;
        moves::measure(&mut bench, n)?;
        order::measure(&mut bench, n)?;
    }
    Ok(Record { machine: Machine::here(), rows: bench.rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn every_answer_is_checked_and_measured() {
        let args = <Cli as clap::Parser>::parse_from(["", "--n", "5000", "--n", "1", "--trials", "2"]).args;
        let record = measure(&args, Box::new(|_| ())).unwrap();
        assert!(record.rows.len() >= 100, "{}", record.rows.len());
        assert!(record.rows.iter().all(|row| row.us.min > 0.0 && row.other_us.min > 0.0));
        for word in ["sum", "rows", "groups", "scan", "compact", "sort", "top_k", "median"] {
            assert!(record.rows.iter().any(|row| row.operation.contains(word)), "{word}");
        }
    }
}
