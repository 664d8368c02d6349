//! Peers in a separate program: peers/batch.py measures PyTorch and CuPy.

use std::process::{Command, Stdio};

use super::Options;
use crate::Outcome;
use crate::spread::Spread;

/// What the script measures of `cases` for its table `table`; nothing if no Python was named.
pub(super) fn lines(options: &Options, table: &str, cases: &[String]) -> Outcome<Vec<Line>> {
    let Some(python) = &options.python else { return Ok(Vec::new()) };
    let [python, folder] = python.as_slice() else {
        return Err("give --python a Python and the folder of peers/batch.py".into());
    };
    let script = folder.join("batch.py");
    if !script.is_file() {
        let script = script.display();
        return Err(format!("{script} is not there: give --python the folder of peers/batch.py").into());
    }
    let output = Command::new(python)
        .arg(&script)
        .args([table, &options.trials.to_string()])
        .args(cases)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("{}: {error}: give --python a Python that runs", python.display()))?;
    if !output.status.success() {
        return Err(format!("{}: {}; its own words are above", script.display(), output.status).into());
    }
    String::from_utf8(output.stdout)?.lines().map(line).collect()
}

/// A line of the script: the peer, the case, and the microseconds of each trial.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    pub(super) who: String,
    pub(super) case: String,
    pub(super) time: Spread,
}

fn line(line: &str) -> Outcome<Line> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [who, case, times @ ..] = cells.as_slice() else {
        return Err(format!("peers/batch.py said `{line}`").into());
    };
    let times = times.iter().map(|time| time.parse()).collect::<Result<Vec<f64>, _>>()?;
    let time =
        Spread::of(&times).ok_or_else(|| format!("peers/batch.py said `{line}`, which has no time"))?;
    Ok(Line { who: (*who).to_owned(), case: (*case).to_owned(), time })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_others_refused() {
        let time = Spread::of(&[3.5, 1.5, 2.5]).unwrap();
        let expected = Line { who: "PyTorch 2.9".to_owned(), case: "8x16".to_owned(), time };
        assert_eq!(line("PyTorch 2.9\t8x16\t3.5\t1.5\t2.5").ok(), Some(expected));
        for wrong in ["", "PyTorch", "PyTorch\t8x16", "PyTorch\t8x16\tfast"] {
            assert!(line(wrong).is_err(), "{wrong}");
        }
    }
}
