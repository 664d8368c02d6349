//! warpfold's goals against its peers, as data, and whether a record meets them.

use super::{
    catalogue::{Catalogue, PEER},
    record::{OURS, Record, SIZES, Timing},
    types::{self, CLOCKS},
};
use crate::{spread::geometric_mean, table::Table};

/// One goal.
#[derive(Debug)]
pub(crate) struct Goal {
    /// The measured quantity, for the reader.
    pub what: &'static str,
    /// The measured quantity, for the program.
    measure: Measure,
    /// The required bound.
    bound: Bound,
}

#[derive(Clone, Copy, Debug)]
enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

/// Sums of these types, at sizes of these powers of two in elements, against a peer, by a clock.
#[derive(Debug)]
struct Sums {
    peer: &'static str,
    clock: Timing,
    elements: &'static [&'static str],
    powers: &'static [u32],
}

#[derive(Debug)]
enum Measure {
    /// The least ratio of the peer's time to ours.
    Least(Sums),
    /// The geometric mean of the peer's time over ours.
    Mean(Sums),
    /// The greatest ratio of our time to the peer's.
    Share(Sums),
    /// The least ratio of the peer's time to ours, f32, over all sizes at which both were measured.
    Ahead { peer: &'static str },
    /// Our f32 sum's bandwidth by stream launches, as a share of the memory's peak.
    OfPeak { power: u32 },
    /// The greatest ratio of the 99th percentile to the median, ours end to end, of at least 10,000 calls.
    Tail { powers: &'static [u32] },
    /// The geometric mean of the catalogue by stream launches.
    CatalogueMean,
    /// The least ratio of the catalogue by stream launches.
    CatalogueLeast,
    /// The least ratio of our bandwidth to that of our Sum, at 2^30 bytes, for operators over elements, by
    /// stream and by graph.
    OfSum(&'static [Operators]),
    /// The least ratio of the peer's time to ours at 2^30 bytes, over all of its rows, by stream and by graph.
    TypesLeast,
}

/// Operators, each combined with each of the elements.
type Operators = (&'static [&'static str], &'static [&'static str]);

/// The state of a goal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    /// The figure, from the rows that were measured.
    pub value: Option<f64>,
    /// The row that decides.
    pub at: String,
    /// The number of missing rows.
    pub absent: usize,
    /// Whether the goal is met; `None` if rows are missing and the others meet it.
    pub met: Option<bool>,
}

const FOUR: &[&str] = &["f32", "f64", "i32", "i64"];
const FLOATS: &[&str] = &["f32", "f64"];
const ALL_SIZES: &[u32] = &[10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];

const fn by_stream(powers: &'static [u32]) -> Sums {
    Sums { peer: PEER, clock: Timing::Stream, elements: FOUR, powers }
}

const fn by_graph() -> Sums {
    Sums { peer: PEER, clock: Timing::Graph, elements: FOUR, powers: ALL_SIZES }
}

const fn same_bits(powers: &'static [u32]) -> Sums {
    Sums { peer: "CUB gpu_to_gpu", clock: Timing::Stream, elements: FLOATS, powers }
}

const LATENCY: Sums = Sums { peer: PEER, clock: Timing::EndToEnd, elements: &["f32"], powers: &[10, 16, 20] };

const EXTREMA: &[&str] = &["min", "max"];
const PLACES: &[&str] = &["argmin", "argmax"];
const BYTES_1_2: &[&str] = &["i8", "u8", "i16", "u16", "f16", "bf16"];

/// Sums of 16-bit floats are carried in f32 and compared in f32: see `SumIn<f32>` in gpu/answer.rs.
const NARROW: &[Operators] =
    &[(&["sum"], &["i8", "u8", "i16", "u16"]), (&["sum_in_f32"], &["f16", "bf16"]), (EXTREMA, BYTES_1_2)];
const WIDE_PLACES: &[Operators] = &[(PLACES, &["f32", "i32", "u32", "f64", "i64", "u64"])];
const NARROW_PLACES: &[Operators] = &[(PLACES, BYTES_1_2)];
const STATISTICS: &[Operators] =
    &[(&["minmax", "mean", "variance", "min_max_sum"], &["f32"]), (&["variance"], &["f64", "i32"])];

const fn goal(what: &'static str, measure: Measure, bound: Bound) -> Goal {
    Goal { what, measure, bound }
}

/// All goals.
pub(crate) const GOALS: &[Goal] = &[
    goal("stream, x CUB, 2^14-2^18", Measure::Least(by_stream(&[14, 16, 18])), Bound::AtLeast(1.8)),
    goal("stream, x CUB, 2^20", Measure::Least(by_stream(&[20])), Bound::AtLeast(1.4)),
    goal("stream, x CUB, 2^22", Measure::Least(by_stream(&[22])), Bound::AtLeast(1.25)),
    goal("stream, x CUB, 2^24", Measure::Least(by_stream(&[24])), Bound::AtLeast(1.08)),
    goal("stream, x CUB, 2^28-2^30", Measure::Least(by_stream(&[28, 30])), Bound::AtLeast(1.02)),
    goal("stream, f32 2^30, of the peak bandwidth", Measure::OfPeak { power: 30 }, Bound::AtLeast(0.966)),
    goal("graph, x CUB, 2^10-2^30", Measure::Least(by_graph()), Bound::AtLeast(1.0)),
    goal("graph, x CUB, geometric mean", Measure::Mean(by_graph()), Bound::AtLeast(1.1)),
    goal("stream, x gpu_to_gpu, 2^14-2^18", Measure::Least(same_bits(&[14, 16, 18])), Bound::AtLeast(3.0)),
    goal("stream, x gpu_to_gpu, 2^26", Measure::Least(same_bits(&[26])), Bound::AtLeast(1.7)),
    goal("stream, x gpu_to_gpu, 2^28", Measure::Least(same_bits(&[28])), Bound::AtLeast(1.4)),
    goal("end to end, share of CUB's, 2^10 2^16 2^20", Measure::Share(LATENCY), Bound::AtMost(0.45)),
    goal("end to end, p99 over median", Measure::Tail { powers: LATENCY.powers }, Bound::AtMost(2.0)),
    goal("catalogue, stream, x CUB, geometric mean", Measure::CatalogueMean, Bound::AtLeast(1.25)),
    goal("catalogue, stream, x CUB, least", Measure::CatalogueLeast, Bound::AtLeast(1.0)),
    goal("Sum, Min, Max of 1, 2 bytes, of f32 Sum's GB/s", Measure::OfSum(NARROW), Bound::AtLeast(0.9)),
    goal("ArgMin, ArgMax of 4, 8 bytes, of Sum's", Measure::OfSum(WIDE_PLACES), Bound::AtLeast(0.95)),
    goal("ArgMin, ArgMax of 1, 2 bytes, of Sum's", Measure::OfSum(NARROW_PLACES), Bound::AtLeast(0.9)),
    goal("AccurateSum f32, of Sum's", Measure::OfSum(&[(&["accurate_sum"], &["f32"])]), Bound::AtLeast(0.95)),
    goal("ExactSum f32, of Sum's", Measure::OfSum(&[(&["exact_sum"], &["f32"])]), Bound::AtLeast(0.6)),
    goal("MinMax, Mean, Variance, tuple, of Sum's", Measure::OfSum(STATISTICS), Bound::AtLeast(0.9)),
    goal("types, 2^30 bytes, x CUB, least", Measure::TypesLeast, Bound::AtLeast(1.0)),
    goal("stream, x CubeCL, every size", Measure::Ahead { peer: "CubeCL" }, Bound::AtLeast(1.0)),
    goal("stream, x PyTorch, every size", Measure::Ahead { peer: "PyTorch" }, Bound::AtLeast(1.0)),
    goal("stream, x CuPy, every size", Measure::Ahead { peer: "CuPy" }, Bound::AtLeast(1.0)),
];

impl Goal {
    /// The state of this goal in `records`.
    pub(crate) fn standing(&self, records: &[Record]) -> Standing {
        let (figures, wanted) = self.measure.figures(records);
        let absent = wanted.saturating_sub(figures.len());
        let decisive = match (&self.measure, self.bound) {
            (Measure::Mean(_), _) => {
                let ratios: Vec<f64> = figures.iter().map(|figure| figure.0).collect();
                geometric_mean(&ratios).map(|mean| (mean, format!("{} rows", ratios.len())))
            }
            (_, Bound::AtLeast(_)) => figures.into_iter().min_by(|left, right| left.0.total_cmp(&right.0)),
            (_, Bound::AtMost(_)) => figures.into_iter().max_by(|left, right| left.0.total_cmp(&right.0)),
        };
        let Some((value, at)) = decisive else {
            return Standing { value: None, at: String::new(), absent, met: None };
        };
        let within = match self.bound {
            Bound::AtLeast(least) => value >= least,
            Bound::AtMost(most) => value <= most,
        };
        // A mean over some of the rows decides nothing; a single row that misses does.
        let open = absent > 0 && (within || matches!(self.measure, Measure::Mean(_)));
        Standing { value: Some(value), at, absent, met: (!open).then_some(within) }
    }

    /// The required bound, such as `>= 1.8`.
    pub(crate) fn wanted(&self) -> String {
        match self.bound {
            Bound::AtLeast(least) => format!(">= {least}"),
            Bound::AtMost(most) => format!("<= {most}"),
        }
    }
}

impl Measure {
    /// The measured figures, each with its row, and the number of figures that there should be.
    fn figures(&self, records: &[Record]) -> (Vec<(f64, String)>, usize) {
        match self {
            Self::Least(sums) | Self::Mean(sums) => sums.figures(records, |ratio| ratio),
            Self::Share(sums) => sums.figures(records, |ratio| ratio.recip()),
            Self::Ahead { peer } => {
                let elements = &["f32"];
                let sums = Sums { peer, clock: Timing::Stream, elements, powers: ALL_SIZES };
                let (figures, _) = sums.figures(records, |ratio| ratio);
                let wanted = figures.len().max(1);
                (figures, wanted)
            }
            Self::OfPeak { power } => {
                let share = |record: &Record| {
                    let row = record.row(SIZES, ("sum", "f32", 1 << *power), OURS, Timing::Stream)?;
                    Some((row.gigabytes_per_second / record.limits.as_ref()?.peak?, place("f32", *power)))
                };
                (records.iter().find_map(share).into_iter().collect(), 1)
            }
            Self::Tail { powers } => {
                let tail = |&power| {
                    let us = ours(records, power, Timing::EndToEnd)?.us;
                    (us.trials >= 10_000).then(|| (us.p99 / us.median, place("f32", power)))
                };
                (powers.iter().filter_map(tail).collect(), powers.len())
            }
            Self::CatalogueMean => {
                let catalogue = Catalogue::of(records, Timing::Stream);
                let mean =
                    catalogue.map(|catalogue| (catalogue.mean, format!("{} rows", catalogue.rows.len())));
                (mean.into_iter().collect(), 1)
            }
            Self::CatalogueLeast => {
                let catalogue = Catalogue::of(records, Timing::Stream);
                let least = catalogue.and_then(|catalogue| catalogue.rows.into_iter().next());
                (least.map(|row| (row.ratio, row.name)).into_iter().collect(), 1)
            }
            Self::OfSum(operators) => {
                let (mut figures, mut wanted) = (Vec::new(), 0);
                for (ops, elements) in *operators {
                    for (op, element) in ops.iter().flat_map(|op| elements.iter().map(move |e| (op, e))) {
                        wanted += CLOCKS.len();
                        let share = |clock| {
                            let share = types::share(records, op, element, clock)?;
                            Some((share, types::name(op, element, clock)))
                        };
                        figures.extend(CLOCKS.into_iter().filter_map(share));
                    }
                }
                (figures, wanted)
            }
            Self::TypesLeast => {
                let figures = types::ratios(records);
                let wanted = figures.len().max(1);
                (figures, wanted)
            }
        }
    }
}

impl Sums {
    fn figures(&self, records: &[Record], figure: impl Fn(f64) -> f64) -> (Vec<(f64, String)>, usize) {
        let mut figures = Vec::new();
        for &element in self.elements {
            for &power in self.powers {
                let case = ("sum", element, 1 << power);
                let ratio =
                    records.iter().find_map(|record| record.ratio(SIZES, case, self.peer, self.clock));
                figures.extend(ratio.map(|ratio| (figure(ratio), place(element, power))));
            }
        }
        (figures, self.elements.len() * self.powers.len())
    }
}

fn ours(records: &[Record], power: u32, clock: Timing) -> Option<&super::record::Row> {
    records.iter().find_map(|record| record.row(SIZES, ("sum", "f32", 1 << power), OURS, clock))
}

fn place(element: &str, power: u32) -> String {
    format!("{element} 2^{power}")
}

impl Standing {
    /// The figure, the row that decides it, and the verdict.
    pub(crate) fn cells(&self) -> [String; 3] {
        let value = self.value.map_or_else(
            || "-".to_owned(),
            |value| if value < 100.0 { format!("{value:.4}") } else { format!("{value:.0}") },
        );
        let verdict = match (self.met, self.value) {
            (Some(true), _) => "met".to_owned(),
            (Some(false), _) => "missed".to_owned(),
            (None, Some(_)) => format!("open: {} rows not measured", self.absent),
            (None, None) => "not measured".to_owned(),
        };
        [value, self.at.clone(), verdict]
    }
}

/// The state of all goals in `records`, for the terminal.
pub(crate) fn table(records: &[Record]) -> String {
    let table = Table::new(
        0,
        &[
            "goal                                         ",
            "wanted ",
            "measured",
            "at                ",
            "verdict",
        ],
    );
    let mut text = table.header() + "\n";
    for goal in GOALS {
        let [value, at, verdict] = goal.standing(records).cells();
        text += &(table.row(&[goal.what.to_owned(), goal.wanted(), value, at, verdict]) + "\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::{CATALOGUE, TYPES, tests::synthetic};

    fn find(what: &str) -> &'static Goal {
        GOALS.iter().find(|goal| goal.what == what).unwrap()
    }

    /// Sums of f32, f64, i32 and i64 at 2^20 by stream launches, with these ratios of CUB's time to ours.
    fn at_two_to_the_twenty(ratios: [f64; 4]) -> [Record; 1] {
        let mut rows = Vec::new();
        for (element, ratio) in FOUR.iter().zip(ratios) {
            rows.push((SIZES, "sum", *element, 20, OURS, Timing::Stream, 4.0));
            rows.push((SIZES, "sum", *element, 20, PEER, Timing::Stream, 4.0 * ratio));
        }
        [synthetic(&rows)]
    }

    #[test]
    fn the_worst_row_decides() {
        let goal = find("stream, x CUB, 2^20");
        let standing = goal.standing(&at_two_to_the_twenty([1.5, 2.0, 1.45, 1.75]));
        assert_eq!((standing.at.as_str(), standing.met, standing.absent), ("i32 2^20", Some(true), 0));
        assert!((standing.value.unwrap() - 1.45).abs() < 1e-12);
        assert_eq!(goal.standing(&at_two_to_the_twenty([1.5, 1.25, 1.5, 1.5])).met, Some(false));
    }

    #[test]
    fn rows_that_are_missing_leave_a_goal_open_unless_it_is_missed_already() {
        let goal = find("graph, x CUB, 2^10-2^30");
        let rows = |theirs| {
            [synthetic(&[
                (SIZES, "sum", "f32", 10, OURS, Timing::Graph, 1.0),
                (SIZES, "sum", "f32", 10, PEER, Timing::Graph, theirs),
            ])]
        };
        assert_eq!(goal.standing(&rows(1.25)).met, None);
        assert_eq!(goal.standing(&rows(1.25)).absent, 43);
        assert_eq!(goal.standing(&rows(0.75)).met, Some(false));
        assert_eq!(find("graph, x CUB, geometric mean").standing(&rows(0.75)).met, None);
        assert_eq!(goal.standing(&[]), Standing { value: None, at: String::new(), absent: 44, met: None });
    }

    #[test]
    fn latency_is_a_share_and_its_tail_needs_ten_thousand_calls() {
        let record = |trials| {
            let mut rows = Vec::new();
            for power in [10, 16, 20] {
                rows.push((SIZES, "sum", "f32", power, OURS, Timing::EndToEnd, 8.0));
                rows.push((SIZES, "sum", "f32", power, PEER, Timing::EndToEnd, 16.0 + f64::from(power)));
            }
            let mut record = synthetic(&rows);
            record.rows.iter_mut().for_each(|row| row.us.trials = trials);
            [record]
        };
        let share = find("end to end, share of CUB's, 2^10 2^16 2^20").standing(&record(20));
        assert_eq!((share.at.as_str(), share.met), ("f32 2^10", Some(true)));
        assert!((share.value.unwrap() - 8.0 / 26.0).abs() < 1e-12);
        let tail = find("end to end, p99 over median");
        assert_eq!(tail.standing(&record(9_999)).met, None);
        assert_eq!(tail.standing(&record(10_000)).value, Some(1.5));
    }

    #[test]
    fn a_ratio_is_never_made_of_two_records() {
        let ours = synthetic(&[(SIZES, "sum", "f32", 20, OURS, Timing::Stream, 4.0)]);
        let theirs = synthetic(&[(SIZES, "sum", "f32", 20, PEER, Timing::Stream, 8.0)]);
        assert_eq!(find("stream, x CUB, 2^20").standing(&[ours, theirs]).value, None);
    }

    #[test]
    fn operators_are_held_to_a_share_of_the_sum_by_both_clocks() {
        let goal = find("ExactSum f32, of Sum's");
        let record = |by_graph: f64| {
            let rows = [
                (TYPES, "sum", "f32", 28, OURS, Timing::Stream, 10.0),
                (TYPES, "sum", "f32", 28, OURS, Timing::Graph, 10.0),
                (TYPES, "exact_sum", "f32", 28, OURS, Timing::Stream, 12.5),
                (TYPES, "exact_sum", "f32", 28, OURS, Timing::Graph, by_graph),
            ];
            [synthetic(&rows)]
        };
        let standing = goal.standing(&record(16.0));
        assert_eq!(
            (standing.at.as_str(), standing.met, standing.absent),
            ("exact_sum f32 graph", Some(true), 0)
        );
        assert!((standing.value.unwrap() - 0.625).abs() < 1e-12);
        assert_eq!(goal.standing(&record(20.0)).met, Some(false));
        assert_eq!(find("ArgMin, ArgMax of 4, 8 bytes, of Sum's").standing(&record(16.0)).absent, 24);
        assert_eq!(find("Sum, Min, Max of 1, 2 bytes, of f32 Sum's GB/s").standing(&[]).absent, 36);
    }

    #[test]
    fn no_type_may_be_slower_than_the_peer() {
        let goal = find("types, 2^30 bytes, x CUB, least");
        let rows = |theirs| {
            [synthetic(&[
                (TYPES, "min", "i8", 30, OURS, Timing::Graph, 4.0),
                (TYPES, "min", "i8", 30, PEER, Timing::Graph, theirs),
            ])]
        };
        assert_eq!(goal.standing(&rows(4.0)).met, Some(true));
        assert_eq!(goal.standing(&rows(3.0)).met, Some(false));
        assert_eq!(goal.standing(&[]).met, None);
    }

    #[test]
    fn bandwidth_peers_and_catalogue_have_their_goals() {
        let stream = Timing::Stream;
        let records = [synthetic(&[
            (SIZES, "sum", "f32", 30, OURS, stream, 920.0),
            (SIZES, "sum", "f32", 30, "CuPy", stream, 900.0),
            (CATALOGUE, "sum", "f32", 14, OURS, stream, 2.0),
            (CATALOGUE, "sum", "f32", 14, PEER, stream, 3.0),
        ])];
        assert_eq!(find("stream, f32 2^30, of the peak bandwidth").standing(&records).met, Some(true));
        assert_eq!(find("stream, x CuPy, every size").standing(&records).met, Some(false));
        assert_eq!(find("stream, x PyTorch, every size").standing(&records).met, None);
        assert_eq!(find("catalogue, stream, x CUB, geometric mean").standing(&records).met, Some(true));
        let text = table(&records);
        assert_eq!(text.lines().count(), GOALS.len() + 2);
        assert!(text.contains("missed") && text.contains("not measured"), "{text}");
    }
}
