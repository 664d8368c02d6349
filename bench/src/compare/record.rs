//! A CSV file of `bench gpu` or `bench operations`: its place of measurement, and our rows.

use std::{fs, path::Path};

use serde::Deserialize;

use crate::{Outcome, figures::record::OURS, table};

/// The kind of file required.
const WANTED: &str = "give a file that `bench gpu --csv` or `bench operations --csv` wrote";

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
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
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

/// A line of the table: of `bench gpu`, or of `bench operations`, whose rows are all ours, with the best other beside them.
#[derive(Deserialize)]
struct Line {
    set: Option<String>,
    clock: Option<String>,
    #[serde(default = "ours")]
    contender: String,
    op: Option<String>,
    element: Option<String>,
    operation: Option<String>,
    threads: Option<u64>,
    n: u64,
    #[serde(alias = "us_p25")]
    p25: f64,
    #[serde(alias = "us_median")]
    median: f64,
    #[serde(alias = "us_p75")]
    p75: f64,
}

fn ours() -> String {
    OURS.to_owned()
}

impl Line {
    /// `None` if a column is missing.
    fn case(&self) -> Option<Case> {
        let n = table::elements(self.n);
        if let (Some(operation), Some(threads)) = (&self.operation, self.threads) {
            let by = format!("{threads} thread{}", if threads == 1 { "" } else { "s" });
            return Some(Case { set: "operations".to_owned(), by, what: format!("{operation}, {n}") });
        }
        let what = format!("{} {} {n}", self.op.as_ref()?, self.element.as_ref()?);
        Some(Case { set: self.set.clone()?, by: self.clock.clone()?, what })
    }
}

impl Record {
    /// Reads the file at `path`.
    pub(super) fn read(path: &Path) -> Outcome<Self> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|cause| format!("{name}: {cause}"))?;
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
        let rows = rows(text).map_err(|cause| format!("{name}: {cause}"))?;
        if rows.is_empty() {
            return Err(format!("{name}: has no row of {OURS}: {WANTED}").into());
        }
        Ok(Self {
            name: name.to_owned(),
            run: (*run).to_owned(),
            machine: (*machine).to_owned(),
            build: (*build).to_owned(),
            device: device.map(str::to_owned),
            rows,
        })
    }
}

/// Our rows in a file's text.
fn rows(text: &str) -> Outcome<Vec<Row>> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    let names = reader.headers()?.clone();
    let mut rows = Vec::new();
    for cells in reader.records() {
        let cells = cells?;
        let number = cells.position().map_or(0, csv::Position::line);
        let line: Line = cells.deserialize(Some(&names))?;
        let Line { p25, median, p75, .. } = line;
        if !(0.0 < p25 && p25 <= median && median <= p75 && p75.is_finite()) {
            return Err(format!(
                "line {number}: p25, median and p75 are {p25}, {median} and {p75}: not in order"
            )
            .into());
        }
        let case = line.case().ok_or_else(|| format!("line {number}: a column is missing: {WANTED}"))?;
        if line.contender == OURS {
            rows.push(Row { case, us: Times { p25, median, p75 } });
        }
    }
    Ok(rows)
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
        let damaged = |from: &str, to: &str| {
            let at = right.rfind(from).unwrap();
            right[..at].to_owned() + to + &right[at + from.len()..]
        };
        for (text, place, reason) in [
            (String::new(), "a.csv, line 1", "is no header line"),
            ("{\n  \"machine\": {}\n}\n".into(), "a.csv, line 1", "is no header line"),
            ("# now\n# here\nclock\n".into(), "a.csv, line 3", "is no header line"),
            (HEADER.into(), "a.csv: ", "has no row of warpfold"),
            (right.replace("warpfold,", "CUB,"), "a.csv: ", "has no row of warpfold"),
            (right.replace("clock,", "memory,"), "line 6", "a column is missing"),
            (damaged(",sum,1,3,3,sizes,15\n", ""), "line: 7", "7 fields, but the previous record has 13"),
            (damaged("f32,1.0,2", "f32,1.0,x"), "line: 7", "invalid float"),
            (damaged("f32,1.0,2", "f32,1.0,-2"), "line 7", "not in order"),
            (damaged("f32,1.0,2", "f32,1.0,NaN"), "line 7", "not in order"),
            (damaged("f32,1.0,2", "f32,1.0,4"), "line 7", "not in order"),
            (damaged("f32,1.0,2,1,1024", "f32,1.0,2,1,1e3"), "line: 7", "invalid digit"),
        ] {
            let error = Record::parse("a.csv", &text).unwrap_err().to_string();
            assert!(error.starts_with("a.csv") && error.contains(place) && error.contains(reason), "{error}");
        }
        let error = Record::read(Path::new("no/such/file.csv")).unwrap_err().to_string();
        assert!(error.starts_with("no/such/file.csv: "), "{error}");
    }
}
