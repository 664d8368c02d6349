//! The rule for slower and faster rows, and the rows that it finds.

use super::record::{Case, Row, Times};
use super::side::Side;
use crate::{Outcome, figures::record::distinct};

/// A row that both sides have.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    pub(super) case: &'a Case,
    pub(super) old: Times,
    pub(super) new: Times,
}

/// Two sides, row by row.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    /// In per cent.
    pub(super) limit: f64,
    /// Rows that both have, in order of measurement; at least one.
    pub(super) pairs: Vec<Pair<'a>>,
    /// Rows that only the old side has.
    pub(super) only_old: Vec<&'a Case>,
    /// Rows that only the new side has.
    pub(super) only_new: Vec<&'a Case>,
}

impl Pair<'_> {
    /// The new median over the old one.
    pub(super) fn ratio(&self) -> f64 {
        self.new.median / self.old.median
    }
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
        Ok(Self { limit, pairs, only_old: only(old, new), only_new: only(new, old) })
    }

    /// Rows that are slower in the new side, the worst first.
    pub(super) fn slower(&self) -> Vec<&Pair<'a>> {
        let mut slower: Vec<_> =
            self.pairs.iter().filter(|pair| is_slower(&pair.new, &pair.old, self.limit)).collect();
        slower.sort_by(|left, right| right.ratio().total_cmp(&left.ratio()));
        slower
    }

    /// Rows that are faster in the new side, the best first.
    pub(super) fn faster(&self) -> Vec<&Pair<'a>> {
        let mut faster: Vec<_> =
            self.pairs.iter().filter(|pair| is_slower(&pair.old, &pair.new, self.limit)).collect();
        faster.sort_by(|left, right| left.ratio().total_cmp(&right.ratio()));
        faster
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
        match self.slower().len() {
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
    use super::super::record::{Record, tests::text};
    use super::*;

    fn side(rows: &[(&str, u64, f64, f64, f64)]) -> Side {
        Side::new(vec![Record::parse("a.csv", &text(rows)).unwrap()])
    }

    /// The numbers of slower and of faster rows, for one row with times `old` and then `new`, at 3 per cent.
    fn judged(old: [f64; 3], new: [f64; 3]) -> (usize, usize) {
        let side = |[p25, median, p75]: [f64; 3]| side(&[("stream", 1024, p25, median, p75)]);
        let (old, new) = (side(old), side(new));
        let comparison = Comparison::new(&old, &new, 3.0).unwrap();
        let (slower, faster) = (comparison.slower().len(), comparison.faster().len());
        assert_eq!(comparison.outcome().is_err(), slower > 0);
        (slower, faster)
    }

    #[test]
    fn rows_are_slower_beyond_the_limit_and_the_spread() {
        let old = [99.0, 100.0, 101.0];
        assert_eq!(judged(old, old), (0, 0));
        assert_eq!(judged(old, [104.0, 105.0, 106.0]), (1, 0));
        // Beyond the limit, but the quartiles overlap.
        assert_eq!(judged(old, [101.0, 105.0, 106.0]), (0, 0));
        assert_eq!(judged([99.0, 100.0, 104.5], [104.0, 105.0, 106.0]), (0, 0));
        // The quartiles are apart, but within the limit.
        assert_eq!(judged(old, [102.0, 102.9, 103.0]), (0, 0));
    }

    #[test]
    fn what_is_slower_one_way_is_faster_the_other() {
        let (old, new) = ([99.0, 100.0, 101.0], [104.0, 105.0, 106.0]);
        assert_eq!(judged(new, old), (0, 1));
        assert_eq!(judged([101.0, 105.0, 106.0], old), (0, 0));
    }

    #[test]
    fn the_worst_and_the_best_stand_first() {
        let row = |n: u64, us: f64| ("stream", n, us, us, us);
        let (old, new) = (
            side(&[row(2, 10.0), row(4, 10.0), row(8, 10.0), row(16, 10.0), row(32, 10.0)]),
            side(&[row(2, 11.0), row(4, 12.0), row(8, 9.0), row(16, 8.0), row(32, 10.0)]),
        );
        let comparison = Comparison::new(&old, &new, 3.0).unwrap();
        let names =
            |pairs: Vec<&Pair<'_>>| pairs.iter().map(|pair| pair.case.what.clone()).collect::<Vec<_>>();
        assert_eq!(names(comparison.slower()), ["sum f32 2^2", "sum f32 2^1"]);
        assert_eq!(names(comparison.faster()), ["sum f32 2^4", "sum f32 2^3"]);
        assert_eq!(comparison.outcome().unwrap_err().to_string(), "slower by more than 3 %: 2 of 5 rows");
    }

    #[test]
    fn groups_are_of_each_clock() {
        let (old, new) = (
            side(&[("stream", 2, 1.0, 1.0, 1.0), ("graph", 2, 1.0, 1.0, 1.0), ("stream", 4, 1.0, 1.0, 1.0)]),
            side(&[("graph", 2, 3.0, 3.0, 3.0), ("stream", 2, 2.0, 2.0, 2.0), ("stream", 4, 8.0, 8.0, 8.0)]),
        );
        let comparison = Comparison::new(&old, &new, 3.0).unwrap();
        let expected = [("sizes, stream".to_owned(), vec![2.0, 8.0]), ("sizes, graph".to_owned(), vec![3.0])];
        assert_eq!(comparison.groups(), expected);
    }

    #[test]
    fn rows_of_one_side_are_named_and_none_in_common_is_an_error() {
        let (old, new) = (
            side(&[("stream", 2, 1.0, 1.0, 1.0), ("stream", 4, 1.0, 1.0, 1.0)]),
            side(&[("stream", 2, 1.0, 1.0, 1.0), ("stream", 8, 1.0, 1.0, 1.0)]),
        );
        let comparison = Comparison::new(&old, &new, 3.0).unwrap();
        assert_eq!((comparison.pairs.len(), comparison.only_old.len(), comparison.only_new.len()), (1, 1, 1));
        assert_eq!(
            (&*comparison.only_old[0].what, &*comparison.only_new[0].what),
            ("sum f32 2^2", "sum f32 2^3")
        );
        let other = side(&[("graph", 2, 1.0, 1.0, 1.0)]);
        let error = Comparison::new(&old, &other, 3.0).unwrap_err().to_string();
        assert_eq!(error, "the old and the new records have no row in common");
    }
}
