//! A CSV file of `bench gpu` or `bench operations`: its place of measurement, and our rows.

use std::{fs, path::Path};

use csv::StringRecord;

use crate::{Outcome, figures::record::OURS, table};

/// The kind of file required.
const WANTED: &str = "give a file that `bench gpu --csv` or `bench operations --csv` wrote";

/// The set of all rows of `bench operations`.
const OPERATIONS: &str = "operations";

/// A run.
#[derive(Debug)]
pub(super) struct Record {
    /// The file.
    pub(super) name: String,
    /// The start of the run, and the command line.
    pub(super) run: String,
    /// The processor, its threads and the system.
    pub(super) machine: String,
    /// The version of warpfold and the compiler.
    pub(super) build: String,
    /// The GPU and its driver; `None` for the CPU.
    pub(super) device: Option<String>,
    /// Rows of ours, in order of measurement; at least one.
    pub(super) rows: Vec<Row>,
}

/// What was measured: a row without its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    /// The set of rows that it belongs to.
    pub(super) set: String,
    /// The clock, or the number of threads.
    pub(super) by: String,
    /// The operation, the element type and the number of elements.
    pub(super) what: String,
}

/// Microseconds per call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    pub(super) p25: f64,
    pub(super) median: f64,
    pub(super) p75: f64,
}

/// One row of ours.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) case: Case,
    pub(super) us: Times,
}

impl Record {
    /// Reads the file at `path`.
    pub(super) fn read(path: &Path) -> Outcome<Self> {
        let name = path.display().to_string();
        let bytes = fs::read(path).map_err(|cause| format!("{name}: {cause}"))?;
        let text = String::from_utf8(bytes).map_err(|cause| {
            let valid = &cause.as_bytes()[..cause.utf8_error().valid_up_to()];
            let line = 1 + valid.iter().filter(|&&byte| byte == b'\n').count();
            format!("{name}, line {line}: is not UTF-8")
        })?;
        Self::parse(&name, &text)
    }

    /// Reads the text of the file `name`.
    pub(super) fn parse(name: &str, text: &str) -> Outcome<Self> {
        let told: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# ")).collect();
        let [run, machine, build, rest @ ..] = told.as_slice() else {
            let line = told.len() + 1;
            return Err(format!("{name}, line {line}: is no header line (`# ...`): {WANTED}").into());
        };
        // Peers do not affect our rows, so they need not match.
        let device = rest.first().and_then(|line| line.split("; peers: ").next());
        let table = Table { name, text, first: told.len() };
        Ok(Self {
            name: name.to_owned(),
            run: (*run).to_owned(),
            machine: (*machine).to_owned(),
            build: (*build).to_owned(),
            device: device.map(str::to_owned),
            rows: table.rows()?,
        })
    }
}

/// The lines below the header.
struct Table<'a> {
    name: &'a str,
    text: &'a str,
    /// The number of lines above it.
    first: usize,
}

impl Table<'_> {
    /// Our rows.
    fn rows(&self) -> Outcome<Vec<Row>> {
        let body: Vec<&str> = self.text.lines().skip(self.first).collect();
        let body = body.join("\n");
        let mut reader = csv::Reader::from_reader(body.as_bytes());
        let names = reader.headers().map_err(|cause| self.damaged(1, &cause.to_string()))?.clone();
        let of_operations = names.iter().any(|name| name == "operation");
        let mut rows = Vec::new();
        for cells in reader.records() {
            let cells = cells.map_err(|cause| match cause.kind() {
                csv::ErrorKind::UnequalLengths { pos, expected_len, len } => self.damaged(
                    pos.as_ref().map_or(1, csv::Position::line),
                    &format!("has {len} cells, and the table {expected_len} columns"),
                ),
                _ => self.damaged(1, &cause.to_string()),
            })?;
            let line = cells.position().map_or(1, csv::Position::line);
            let cells = Cells { names: &names, cells: &cells };
            let row = if of_operations { cells.operation() } else { cells.gpu() };
            rows.extend(row.map_err(|reason| self.damaged(line, &reason))?);
        }
        if rows.is_empty() {
            return Err(format!("{}: has no row of {OURS}: {WANTED}", self.name).into());
        }
        Ok(rows)
    }

    /// The error for line `line` of the table, counted from 1.
    fn damaged(&self, line: u64, reason: &str) -> String {
        format!("{}, line {}: {reason}", self.name, self.first as u64 + line)
    }
}

/// A line of the table.
struct Cells<'a> {
    names: &'a StringRecord,
    cells: &'a StringRecord,
}

impl Cells<'_> {
    /// A row of `bench gpu`; `None` for a row of a peer.
    fn gpu(&self) -> Result<Option<Row>, String> {
        if self.get("contender")? != OURS {
            return Ok(None);
        }
        let what =
            format!("{} {} {}", self.get("op")?, self.get("element")?, table::elements(self.count("n")?));
        let case = Case { set: self.get("set")?.to_owned(), by: self.get("clock")?.to_owned(), what };
        Ok(Some(Row { case, us: self.times("")? }))
    }

    /// A row of `bench operations`: all are ours, with the best other beside them.
    fn operation(&self) -> Result<Option<Row>, String> {
        let threads = self.count("threads")?;
        let by = format!("{threads} thread{}", if threads == 1 { "" } else { "s" });
        let what = format!("{}, {}", self.get("operation")?, table::elements(self.count("n")?));
        Ok(Some(Row { case: Case { set: OPERATIONS.to_owned(), by, what }, us: self.times("us_")? }))
    }

    /// The cell of a column.
    fn get(&self, column: &str) -> Result<&str, String> {
        let place = self.names.iter().position(|name| name == column);
        let cell = place.and_then(|place| self.cells.get(place));
        cell.ok_or_else(|| format!("there is no column `{column}`: {WANTED}"))
    }

    fn count(&self, column: &str) -> Result<u64, String> {
        let cell = self.get(column)?;
        cell.parse().map_err(|_| format!("`{column}` is `{cell}`, no number of digits"))
    }

    fn times(&self, prefix: &str) -> Result<Times, String> {
        let time = |column: &str| {
            let column = format!("{prefix}{column}");
            let cell = self.get(&column)?;
            let time = cell.parse::<f64>().ok().filter(|time| time.is_finite() && *time > 0.0);
            time.ok_or_else(|| format!("`{column}` is `{cell}`, no time in microseconds"))
        };
        let us = Times { p25: time("p25")?, median: time("median")?, p75: time("p75")? };
        if us.p25 <= us.median && us.median <= us.p75 {
            Ok(us)
        } else {
            Err(format!("p25, median and p75 are {}, {} and {}: not in order", us.p25, us.median, us.p75))
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::machine::Machine;

    const HEADER: &str = "# 2026-01-02T03:04:05Z  bench gpu --csv a.csv\n# A CPU, 16 threads, linux 6\n\
        # warpfold 0.1.0, tree 1, built by rustc 1\n# GPU, 100 multiprocessors, driver 1 (CUDA 13.0); peers: none\n";
    const COLUMNS: &str =
        "clock,contender,element,gigabytes_per_second,median,min,n,op,p25,p75,p99,set,trials\n";

    /// The text of a record of f32 Sums of ours: (clock, elements, p25, median, p75).
    pub(in crate::compare) fn text(rows: &[(&str, u64, f64, f64, f64)]) -> String {
        let line = |(clock, n, p25, median, p75): &(&str, u64, f64, f64, f64)| {
            format!("{clock},warpfold,f32,1.0,{median},{p25},{n},sum,{p25},{p75},{p75},sizes,15\n")
        };
        format!("{HEADER}{COLUMNS}{}", rows.iter().map(line).collect::<String>())
    }

    fn error(text: &str) -> String {
        Record::parse("a.csv", text).unwrap_err().to_string()
    }

    #[test]
    fn our_rows_are_read_and_peers_are_not() {
        let peer = "stream,CUB,f32,1.0,9.0,9.0,1024,sum,9.0,9.0,9.0,sizes,15\n";
        let record = Record::parse("a.csv", &(text(&[("end to end", 1024, 1.0, 2.0, 3.0)]) + peer)).unwrap();
        let case = Case { set: "sizes".into(), by: "end to end".into(), what: "sum f32 2^10".into() };
        assert_eq!(record.rows, [Row { case, us: Times { p25: 1.0, median: 2.0, p75: 3.0 } }]);
        assert_eq!(record.machine, "A CPU, 16 threads, linux 6");
        assert_eq!(record.device.as_deref(), Some("GPU, 100 multiprocessors, driver 1 (CUDA 13.0)"));
        assert_eq!(record.run, "2026-01-02T03:04:05Z  bench gpu --csv a.csv");
    }

    #[test]
    fn operations_are_read_by_their_threads() {
        let text = format!(
            "# {}\nn,operation,other,other_threads,other_us_median,threads,times_ours,us_median,us_min,us_p25,us_p75\n\
             16,\"rows, 4 x 4\",a loop,1,9.0,1,4.5,2.0,1.0,1.5,2.5\n16,sum,a loop,1,9.0,8,4.5,2.0,1.0,1.5,2.5\n",
            Machine::here().to_string().replace('\n', "\n# ")
        );
        let record = Record::parse("a.csv", &text).unwrap();
        let cases: Vec<_> = record.rows.iter().map(|row| (&*row.case.by, &*row.case.what)).collect();
        assert_eq!(cases, [("1 thread", "rows, 4 x 4, 2^4"), ("8 threads", "sum, 2^4")]);
        assert_eq!((record.rows[0].us.median, record.device), (2.0, None));
    }

    #[test]
    fn damage_is_told_with_its_file_and_line() {
        let right = text(&[("stream", 1024, 1.0, 2.0, 3.0), ("graph", 1024, 1.0, 2.0, 3.0)]);
        let cut = &right[..right.rfind(",sum").unwrap()];
        assert_eq!(error(cut), "a.csv, line 7: has 7 cells, and the table 13 columns");
        for (from, to, reason) in [
            ("graph,warpfold,f32,1.0,2", "graph,warpfold,f32,1.0,x", "`median` is `x`"),
            ("graph,warpfold,f32,1.0,2", "graph,warpfold,f32,1.0,-2", "`median` is `-2`"),
            ("graph,warpfold,f32,1.0,2", "graph,warpfold,f32,1.0,NaN", "`median` is `NaN`"),
            ("graph,warpfold,f32,1.0,2", "graph,warpfold,f32,1.0,4", "not in order"),
            ("graph,warpfold,f32,1.0,2,1,1024", "graph,warpfold,f32,1.0,2,1,1e3", "`n` is `1e3`"),
        ] {
            let damaged = right.replace(from, to);
            assert_ne!(damaged, right, "{from}");
            let error = error(&damaged);
            assert!(error.starts_with("a.csv, line 7: ") && error.contains(reason), "{error}");
        }
    }

    #[test]
    fn files_that_are_no_records_are_refused() {
        assert!(error("").starts_with("a.csv, line 1: is no header line"));
        assert!(error("{\n  \"machine\": {}\n}\n").starts_with("a.csv, line 1: is no header line"));
        assert!(error("# now\n# here\nclock\n").starts_with("a.csv, line 3: is no header line"));
        let peers = text(&[("stream", 1024, 1.0, 2.0, 3.0)]).replace("warpfold,", "CUB,");
        assert!(error(&peers).starts_with("a.csv: has no row of warpfold"), "{}", error(&peers));
        assert!(error(HEADER).starts_with("a.csv: has no row of warpfold"), "{}", error(HEADER));
        let other = text(&[("stream", 1024, 1.0, 2.0, 3.0)]).replace("clock,", "memory,");
        assert!(error(&other).starts_with("a.csv, line 6: there is no column `clock`"), "{}", error(&other));
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let error = Record::read(Path::new("no/such/file.csv")).unwrap_err().to_string();
        assert!(error.starts_with("no/such/file.csv: "), "{error}");
    }
}
