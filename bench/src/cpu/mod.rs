//! `bench cpu`: the CPU backend against `iter().sum()`, ndarray, Arrow, NumPy, polars and the speed of reading memory.

mod answer;
mod contest;
mod operator;
mod peers;
mod python;
mod read;

use serde::Serialize;
use warpfold::Cpu;

pub(crate) use self::peers::argmax;
use self::{
    contest::{READ, Row, Threads, contest},
    operator::Operator,
    python::Python,
};
use crate::{
    Outcome,
    machine::Machine,
    parse,
    record::Files,
    table::{self, Table},
    with_causes,
};

/// The command line of `bench cpu`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Elements: digits, 2^27 or 1e8. Repeat for several sizes.
    #[arg(long, default_values = ["1000", "2^15", "2^20", "2^27"], value_parser = parse::elements)]
    n: Vec<usize>,
    /// Element types.
    #[arg(long, value_delimiter = ',', default_value = "f32,f64,i32,u32,i64,u64",
          value_parser = ["f32", "f64", "i32", "u32", "i64", "u64"])]
    types: Vec<String>,
    /// Operators.
    #[arg(long, value_delimiter = ',', default_value = "sum,max,argmax", value_enum)]
    ops: Vec<Operator>,
    /// Rounds. Every contender has one trial in each round.
    #[arg(long, default_value_t = 15)]
    trials: usize,
    /// A Python with NumPy and polars.
    #[arg(long, default_value = "python3")]
    python: String,
    #[command(flatten)]
    files: Files,
}

#[derive(Serialize)]
struct Record {
    machine: Machine,
    missing: Vec<String>,
    rows: Vec<Row>,
}

/// Measures, prints and records.
pub(crate) fn run(args: &Args) -> Outcome<()> {
    println!("{}\n", Machine::here());
    let table =
        Table::new(7, "n;type;op;by             ;threads;us;p25;p75;GB/s;of reading;x ours;at best;off by");
    println!("{}", table.header());
    let record = measure(args, |rows| print(&table, rows))?;
    for missing in &record.missing {
        println!("missing: {missing}");
    }
    args.files.write(&record, &record.machine, &record.rows)
}

/// Prints one line per contender of one array.
fn print(table: &Table, rows: &[Row]) {
    for row in rows {
        // One thread may read faster than several, since waking them takes time.
        let limits = rows
            .iter()
            .filter(|limit| limit.contender == READ && limit.op == row.op && limit.threads <= row.threads);
        let limit = limits.map(|limit| limit.gigabytes_per_second).reduce(f64::max);
        let us = |us| table::microseconds(Some(us));
        let cells = [
            table::elements(row.n as u64),
            row.element.into(),
            row.op.into(),
            row.contender.clone(),
            row.threads.to_string(),
            us(row.us.median),
            us(row.us.p25),
            us(row.us.p75),
            format!("{:.2}", row.gigabytes_per_second),
            table::ratio(limit.map(|limit| row.gigabytes_per_second / limit)),
            table::ratio(Some(row.times_ours)),
            table::ratio(Some(row.times_ours_at_best)),
            if row.off_by == 0.0 { "-".into() } else { format!("{:.0e}", row.off_by) },
        ];
        println!("{}", table.row(&cells));
    }
    println!();
}

/// Measures everything selected; shows the rows of each array as soon as they are measured.
fn measure(args: &Args, mut show: impl FnMut(&[Row])) -> Outcome<Record> {
    let mut record = Record { machine: Machine::here(), missing: Vec::new(), rows: Vec::new() };
    let python = match Python::start(&args.python) {
        Ok((python, missing)) => {
            record.missing = missing;
            Some(python)
        }
        Err(reason) => {
            record.missing.push(format!("NumPy and polars: {}", with_causes(reason.as_ref())));
            None
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build()?;
    let threads = Threads { one: Cpu::with_threads(1)?, all: Cpu::new(), pool };
    for &n in &args.n {
        for element in &args.types {
            let contest = match element.as_str() {
                "f32" => contest::<f32>,
                "f64" => contest::<f64>,
                "i32" => contest::<i32>,
                "u32" => contest::<u32>,
                "i64" => contest::<i64>,
                _ => contest::<u64>,
            };
            let rows = contest(n, &args.ops, args.trials, &threads, python.as_ref())?;
            show(&rows);
            record.rows.extend(rows);
        }
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::OURS;

    #[derive(clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn every_contender_is_measured() {
        let args = <Cli as clap::Parser>::parse_from(["", "--n", "5000", "--trials", "2"]).args;
        let record = measure(&args, |_| ()).unwrap();
        for op in ["sum", "max", "argmax"] {
            for element in ["f32", "f64", "i32", "u32", "i64", "u64"] {
                let rows = record.rows.iter().filter(|row| row.op == op && row.element == element);
                let names: Vec<_> = rows.map(|row| row.contender.as_str()).collect();
                assert!(names.contains(&OURS) && names.contains(&"ndarray") && names.contains(&READ));
                assert_eq!(names.contains(&"arrow"), op != "argmax");
                let python =
                    names.iter().filter(|name| name.starts_with("NumPy") || name.starts_with("polars"));
                let missing = record.missing.len();
                assert!(python.count() + missing >= 1, "{op} {element}: {names:?}, {:?}", record.missing);
            }
        }
        assert!(record.rows.iter().all(|row| row.us.min > 0.0 && row.us.trials == 2));
        let ours = record.rows.iter().filter(|row| row.contender == OURS && row.threads == 1);
        assert!(ours.clone().count() == 18 && ours.clone().all(|row| row.times_ours == 1.0));
    }
}
