//! Two sides, row by row, and the rule for slower and faster rows.

use std::collections::BTreeSet;

use super::record::{Case, Record, Row, Times};
use crate::{Outcome, figures::record::distinct};

/// The runs of one binary.
pub(super) struct Side {
    /// At least one.
    pub(super) records: Vec<Record>,
    /// Each case once, in order of measurement. Of several runs the lowest median and the outermost quartiles count, since runs differ
    /// more than the trials of one run.
    pub(super) rows: Vec<Row>,
}

impl Side {
    /// The side of these records.
    pub(super) fn new(records: Vec<Record>) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        for row in records.iter().flat_map(|record| &record.rows) {
            match rows.iter_mut().find(|known| known.case == row.case) {
                Some(Row { us, .. }) => {
                    let Times { p25, median, p75 } = row.us;
                    *us = Times { p25: us.p25.min(p25), median: us.median.min(median), p75: us.p75.max(p75) };
                }
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

/// A row that both sides have.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    pub(super) case: &'a Case,
    pub(super) old: Times,
    pub(super) new: Times,
}

impl Pair<'_> {
    /// The new median over the old one.
    pub(super) fn ratio(&self) -> f64 {
        self.new.median / self.old.median
    }
}

/// Two sides, row by row.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    /// In per cent.
    pub(super) limit: f64,
    /// Rows that both have, in order of measurement; at least one.
    pub(super) pairs: Vec<Pair<'a>>,
    /// Rows that only the old and only the new side has.
    pub(super) only: [Vec<&'a Case>; 2],
}

/// The rule: `slow` is slower than `fast` if its median is higher by more than `limit` per cent and its first
/// quartile is above the third quartile of `fast`.
fn is_slower(slow: &Times, fast: &Times, limit: f64) -> bool {
    slow.median > fast.median * (1.0 + limit / 100.0) && slow.p25 > fast.p75
}

impl<'a> Comparison<'a> {
    /// Compares the rows of two sides.
    pub(super) fn new(old: &'a Side, new: &'a Side, limit: f64) -> Outcome<Self> {
        let find = |side: &'a Side, case: &Case| side.rows.iter().find(|row| row.case == *case);
        let pair = |row: &'a Row| Some(Pair { case: &row.case, old: row.us, new: find(new, &row.case)?.us });
        let only = |side: &'a Side, other: &'a Side| -> Vec<&'a Case> {
            let cases = side.rows.iter().map(|row| &row.case);
            cases.filter(|case| find(other, case).is_none()).collect()
        };
        let pairs: Vec<_> = old.rows.iter().filter_map(pair).collect();
        if pairs.is_empty() {
            return Err("the old and the new records have no row in common".into());
        }
        Ok(Self { limit, pairs, only: [only(old, new), only(new, old)] })
    }

    /// Rows that are slower in the new side, the worst first, and rows that are faster, the best first.
    pub(super) fn changed(&self) -> [Vec<&Pair<'a>>; 2] {
        let changed = |is: &dyn Fn(&Pair<'a>) -> bool| {
            let mut changed: Vec<_> = self.pairs.iter().filter(|pair| is(pair)).collect();
            changed.sort_by(|left, right| left.ratio().total_cmp(&right.ratio()));
            changed
        };
        let mut slower = changed(&|pair| is_slower(&pair.new, &pair.old, self.limit));
        slower.reverse();
        [slower, changed(&|pair| is_slower(&pair.old, &pair.new, self.limit))]
    }

    /// The sets by one clock or on some threads, in order of measurement, with the ratios of their rows.
    pub(super) fn groups(&self) -> Vec<(String, Vec<f64>)> {
        let name = |case: &Case| format!("{}, {}", case.set, case.by);
        let groups = distinct(self.pairs.iter().map(|pair| name(pair.case))).into_iter().map(|group| {
            let pairs = self.pairs.iter().filter(|pair| name(pair.case) == group);
            let ratios = pairs.map(Pair::ratio).collect();
            (group, ratios)
        });
        groups.collect()
    }

    /// Fails if a row is slower.
    pub(super) fn outcome(&self) -> Outcome<()> {
        match self.changed()[0].len() {
            0 => Ok(()),
            slower => {
                let rows = self.pairs.len();
                Err(format!("slower by more than {} %: {slower} of {rows} rows", self.limit).into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::text;
    use super::*;

    fn side(texts: &[&str]) -> Side {
        Side::new(texts.iter().map(|text| Record::parse("a.csv", text).unwrap()).collect())
    }

    fn rows(rows: &[(&str, u64, f64, f64, f64)]) -> Side {
        side(&[&text(rows)])
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
        for (from, to, reason) in [
            ("A CPU, 16", "Another CPU, 16", "different machines"),
            ("GPU, 100", "GPU, 50", "different devices"),
            (",sizes,", ",catalogue,", "sets sizes, the new ones of catalogue"),
        ] {
            let there = here.replace(from, to);
            assert_ne!(there, here);
            for (old, new) in [(&[&*here][..], &[&*there][..]), (&[&*here], &[&*here, &*there])] {
                let error = are_alike(&side(old), &side(new)).err().map(|error| error.to_string());
                // A side with both sets has both names.
                let reason = if old.len() == new.len() { reason } else { reason.split(',').next().unwrap() };
                assert!(error.as_ref().is_some_and(|error| error.contains(reason)), "{error:?}");
            }
        }
        // Records that name no device, or other peers, are of any device.
        let unnamed =
            here.split_inclusive('\n').filter(|line| !line.starts_with("# GPU")).collect::<String>();
        let peers = here.replace("peers: none", "peers: CUB 3.5.0; CuPy 14");
        for there in [&here, &unnamed, &peers] {
            are_alike(&side(&[there]), &side(&[&here])).unwrap();
        }
        assert!(unnamed != here && peers != here);
    }

    #[test]
    fn rows_are_slower_beyond_the_limit_and_the_spread() {
        /// The numbers of slower and of faster rows, for one row with times `old` and then `new`, at 3 per cent.
        fn judged(old: [f64; 3], new: [f64; 3]) -> [usize; 2] {
            let side = |[p25, median, p75]: [f64; 3]| rows(&[("stream", 1024, p25, median, p75)]);
            let (old, new) = (side(old), side(new));
            let comparison = Comparison::new(&old, &new, 3.0).unwrap();
            let found = comparison.changed().map(|rows| rows.len());
            assert_eq!(comparison.outcome().is_err(), found[0] > 0);
            found
        }
        let (old, new) = ([99.0, 100.0, 101.0], [104.0, 105.0, 106.0]);
        for (old, new, found) in [
            (old, old, [0, 0]),
            (old, new, [1, 0]),
            (new, old, [0, 1]),
            // Beyond the limit, but the quartiles overlap.
            (old, [101.0, 105.0, 106.0], [0, 0]),
            ([101.0, 105.0, 106.0], old, [0, 0]),
            ([99.0, 100.0, 104.5], new, [0, 0]),
            // The quartiles are apart, but within the limit.
            (old, [102.0, 102.9, 103.0], [0, 0]),
        ] {
            assert_eq!(judged(old, new), found, "{old:?} {new:?}");
        }
    }

    #[test]
    fn the_worst_and_the_best_stand_first() {
        let row = |n: u64, us: f64| ("stream", n, us, us, us);
        let (old, new) = (
            rows(&[row(2, 10.0), row(4, 10.0), row(8, 10.0), row(16, 10.0), row(32, 10.0)]),
            rows(&[row(2, 11.0), row(4, 12.0), row(8, 9.0), row(16, 8.0), row(32, 10.0)]),
        );
        let comparison = Comparison::new(&old, &new, 3.0).unwrap();
        let names = comparison
            .changed()
            .map(|pairs| pairs.iter().map(|pair| pair.case.what.clone()).collect::<Vec<_>>());
        assert_eq!(names, [["sum f32 2^2", "sum f32 2^1"], ["sum f32 2^4", "sum f32 2^3"]]);
        assert_eq!(comparison.outcome().unwrap_err().to_string(), "slower by more than 3 %: 2 of 5 rows");
    }

    #[test]
    fn groups_are_of_each_clock_and_rows_of_one_side_are_apart() {
        let same = |clock, n, us| (clock, n, us, us, us);
        let old = rows(&[same("stream", 2, 1.0), same("graph", 2, 1.0), same("stream", 4, 1.0)]);
        let new = rows(&[same("graph", 2, 3.0), same("stream", 2, 2.0), same("stream", 8, 8.0)]);
        let comparison = Comparison::new(&old, &new, 3.0).unwrap();
        let expected = [("sizes, stream".to_owned(), vec![2.0]), ("sizes, graph".to_owned(), vec![3.0])];
        assert_eq!(comparison.groups(), expected);
        let only =
            comparison.only.each_ref().map(|cases| cases.iter().map(|case| &*case.what).collect::<Vec<_>>());
        assert_eq!(only, [["sum f32 2^2"], ["sum f32 2^3"]]);
        let other = rows(&[same("end to end", 2, 1.0)]);
        let error = Comparison::new(&old, &other, 3.0).unwrap_err().to_string();
        assert_eq!(error, "the old and the new records have no row in common");
    }
}
