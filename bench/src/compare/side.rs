//! The runs of one binary, with each row once, and their places of measurement.

use std::collections::BTreeSet;

use super::record::{Record, Row, Times};
use crate::Outcome;

/// The records of one binary.
pub(super) struct Side {
    /// At least one.
    pub(super) records: Vec<Record>,
    /// Each case once, in order of measurement, with the times of all its runs.
    pub(super) rows: Vec<Row>,
}

impl Times {
    /// Combines several runs: the lowest median, and the outermost quartiles, since runs differ more than the
    /// trials of one run.
    fn with(self, other: Self) -> Self {
        Self {
            p25: self.p25.min(other.p25),
            median: self.median.min(other.median),
            p75: self.p75.max(other.p75),
        }
    }
}

impl Side {
    /// The side of these records.
    pub(super) fn new(records: Vec<Record>) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        for row in records.iter().flat_map(|record| &record.rows) {
            match rows.iter_mut().find(|known| known.case == row.case) {
                Some(known) => known.us = known.us.with(row.us),
                None => rows.push(row.clone()),
            }
        }
        Self { records, rows }
    }

    /// The names of the sets of its rows.
    fn sets(&self) -> String {
        let sets: BTreeSet<&str> = self.rows.iter().map(|row| row.case.set.as_str()).collect();
        sets.into_iter().collect::<Vec<_>>().join(", ")
    }
}

/// Fails unless all records are of one machine and one device, where they name them, and both sides have the same sets.
pub(super) fn are_alike(old: &Side, new: &Side) -> Outcome<()> {
    let all: Vec<&Record> = old.records.iter().chain(&new.records).collect();
    one("machine", &all, |record| Some(&record.machine))?;
    one("device", &all, |record| record.device.as_ref())?;
    let (sets, others) = (old.sets(), new.sets());
    if sets != others {
        return Err(format!(
            "the old records hold rows of the sets {sets}, the new ones of {others}: measure both with the same options, or \
             give --any-machine"
        )
        .into());
    }
    Ok(())
}

/// Fails unless all records that have this value have the same.
fn one(what: &str, records: &[&Record], place: fn(&Record) -> Option<&String>) -> Outcome<()> {
    let mut placed = records.iter().filter_map(|&record| Some((record, place(record)?)));
    let Some((first, here)) = placed.next() else { return Ok(()) };
    match placed.find(|(_, there)| *there != here) {
        None => Ok(()),
        Some((other, there)) => Err(format!(
            "the records are of different {what}s: {} is of {here}, and {} of {there}. Compare runs of one {what}, or give \
             --any-machine",
            first.name, other.name
        )
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::text;
    use super::*;

    fn side(texts: &[&str]) -> Side {
        Side::new(texts.iter().map(|text| Record::parse("a.csv", text).unwrap()).collect())
    }

    #[test]
    fn the_lowest_median_and_the_outermost_quartiles_of_all_runs_count() {
        let (one, other) =
            (text(&[("stream", 1024, 5.0, 6.0, 7.0)]), text(&[("stream", 1024, 4.0, 4.5, 6.5)]));
        for side in [side(&[&one, &other]), side(&[&other, &one])] {
            assert_eq!(side.rows.len(), 1);
            assert_eq!(side.rows[0].us, Times { p25: 4.0, median: 4.5, p75: 7.0 });
        }
    }

    #[test]
    fn other_machines_devices_and_sets_are_refused() {
        let here = text(&[("stream", 1024, 1.0, 2.0, 3.0)]);
        let others = [
            ("A CPU, 16", "Another CPU, 16", "different machines"),
            ("GPU, 100", "GPU, 50", "different devices"),
            (",sizes,", ",catalogue,", "sets sizes, the new ones of catalogue"),
        ];
        are_alike(&side(&[&here]), &side(&[&here])).unwrap();
        for (from, to, reason) in others {
            let there = here.replace(from, to);
            assert_ne!(there, here);
            for (old, new) in [(&[&*here][..], &[&*there][..]), (&[&*here], &[&*here, &*there])] {
                let error = are_alike(&side(old), &side(new)).err().map(|error| error.to_string());
                // A side with both sets has both names.
                let reason = if old.len() == new.len() { reason } else { reason.split(',').next().unwrap() };
                assert!(error.as_ref().is_some_and(|error| error.contains(reason)), "{error:?}");
            }
        }
    }

    #[test]
    fn a_record_that_names_no_device_fits_any() {
        let here = text(&[("stream", 1024, 1.0, 2.0, 3.0)]);
        let unnamed: String = here
            .lines()
            .filter(|line| !line.starts_with("# GPU"))
            .map(|line| line.to_owned() + "\n")
            .collect();
        assert_ne!(unnamed, here);
        are_alike(&side(&[&unnamed]), &side(&[&here])).unwrap();
    }

    #[test]
    fn peers_make_no_other_device() {
        let here = text(&[("stream", 1024, 1.0, 2.0, 3.0)]);
        are_alike(&side(&[&here]), &side(&[&here.replace("peers: none", "peers: CUB 3.5.0; CuPy 14")]))
            .unwrap();
    }
}
