//! warpfold's goals against its peers, as data, and whether a record meets them.

use self::Decides::{Least, Mean, Most};
use super::{
    catalogue::{self, PEER},
    record::{Record, Row, Timing},
    types::{self, CLOCKS},
};
use crate::spread::geometric_mean;

/// One goal.
#[derive(Debug)]
pub(crate) struct Goal {
    /// The measured quantity, for the reader.
    pub what: &'static str,
    decides: Decides,
    bound: f64,
    figures: fn(&[Record]) -> Figures,
}

/// The figure that is compared with the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Decides {
    /// The least must reach it.
    Least,
    /// The geometric mean must reach it.
    Mean,
    /// The greatest must not exceed it.
    Most,
}

/// The measured figures, each with its row, and the number of figures that there should be.
type Figures = (Vec<(f64, String)>, usize);

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
const ALL_SIZES: &[u32] = &[10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30];
/// The sizes for times from the call to the scalar on the host.
const SMALL: &[u32] = &[10, 16, 20];

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

const fn goal(decides: Decides, what: &'static str, bound: f64, figures: fn(&[Record]) -> Figures) -> Goal {
    Goal { what, decides, bound, figures }
}

/// All goals.
pub(crate) const GOALS: &[Goal] = &[
    goal(Least, "stream, x CUB, 2^14-2^18", 1.8, |all| by_stream(all, &[14, 16, 18])),
    goal(Least, "stream, x CUB, 2^20", 1.4, |all| by_stream(all, &[20])),
    goal(Least, "stream, x CUB, 2^22", 1.25, |all| by_stream(all, &[22])),
    goal(Least, "stream, x CUB, 2^24", 1.08, |all| by_stream(all, &[24])),
    goal(Least, "stream, x CUB, 2^28-2^30", 1.02, |all| by_stream(all, &[28, 30])),
    goal(Least, "stream, f32 2^30, of the peak bandwidth", 0.966, of_peak),
    goal(Least, "graph, x CUB, 2^10-2^30", 1.0, by_graph),
    goal(Mean, "graph, x CUB, geometric mean", 1.1, by_graph),
    goal(Least, "stream, x gpu_to_gpu, 2^14-2^18", 3.0, |all| same_bits(all, &[14, 16, 18])),
    goal(Least, "stream, x gpu_to_gpu, 2^26", 1.7, |all| same_bits(all, &[26])),
    goal(Least, "stream, x gpu_to_gpu, 2^28", 1.4, |all| same_bits(all, &[28])),
    goal(Most, "end to end, share of CUB's, 2^10 2^16 2^20", 0.45, share_of_latency),
    goal(Most, "end to end, p99 over median", 2.0, tail),
    goal(Mean, "catalogue, stream, x CUB, geometric mean", 1.25, of_catalogue),
    goal(Least, "catalogue, stream, x CUB, least", 1.0, of_catalogue),
    goal(Least, "Sum, Min, Max of 1, 2 bytes, of f32 Sum's GB/s", 0.9, |all| of_sum(all, NARROW)),
    goal(Least, "ArgMin, ArgMax of 4, 8 bytes, of Sum's", 0.95, |all| of_sum(all, WIDE_PLACES)),
    goal(Least, "ArgMin, ArgMax of 1, 2 bytes, of Sum's", 0.9, |all| of_sum(all, NARROW_PLACES)),
    goal(Least, "AccurateSum f32, of Sum's", 0.95, |all| of_sum(all, &[(&["accurate_sum"], &["f32"])])),
    goal(Least, "ExactSum f32, of Sum's", 0.6, |all| of_sum(all, &[(&["exact_sum"], &["f32"])])),
    goal(Least, "MinMax, Mean, Variance, tuple, of Sum's", 0.9, |all| of_sum(all, STATISTICS)),
    goal(Least, "types, 2^30 bytes, x CUB, least", 1.0, |all| every(types::ratios(all))),
    goal(Least, "stream, x CubeCL, every size", 1.0, |all| ahead(all, "CubeCL")),
    goal(Least, "stream, x PyTorch, every size", 1.0, |all| ahead(all, "PyTorch")),
    goal(Least, "stream, x CuPy, every size", 1.0, |all| ahead(all, "CuPy")),
];

impl Goal {
    /// The state of this goal in `records`.
    pub(crate) fn standing(&self, records: &[Record]) -> Standing {
        let (figures, wanted) = (self.figures)(records);
        let absent = wanted.saturating_sub(figures.len());
        let by_value = |left: &(f64, String), right: &(f64, String)| left.0.total_cmp(&right.0);
        let decisive = match self.decides {
            Mean => {
                let ratios: Vec<f64> = figures.iter().map(|figure| figure.0).collect();
                geometric_mean(&ratios).map(|mean| (mean, format!("{} rows", ratios.len())))
            }
            Least => figures.into_iter().min_by(by_value),
            Most => figures.into_iter().max_by(by_value),
        };
        let Some((value, at)) = decisive else {
            return Standing { value: None, at: String::new(), absent, met: None };
        };
        let within = if self.decides == Most { value <= self.bound } else { value >= self.bound };
        // A mean over some of the rows decides nothing; a single row that misses does.
        let open = absent > 0 && (within || self.decides == Mean);
        Standing { value: Some(value), at, absent, met: (!open).then_some(within) }
    }
}

/// CUB's time over ours for sums of four types of these sizes, by stream launches.
fn by_stream(records: &[Record], powers: &[u32]) -> Figures {
    of_sums(records, FOUR, powers, Timing::Stream, |record, row| record.ratio(row, PEER))
}

/// The same of all sizes, by graph replay.
fn by_graph(records: &[Record]) -> Figures {
    of_sums(records, FOUR, ALL_SIZES, Timing::Graph, |record, row| record.ratio(row, PEER))
}

/// The time over ours of CUB's sums of floats that have the same bits on other GPUs.
fn same_bits(records: &[Record], powers: &[u32]) -> Figures {
    of_sums(records, &["f32", "f64"], powers, Timing::Stream, |record, row| {
        record.ratio(row, "CUB gpu_to_gpu")
    })
}

/// A peer's time over ours, f32 by stream, at all sizes at which both were measured.
fn ahead(records: &[Record], peer: &str) -> Figures {
    every(of_sums(records, &["f32"], ALL_SIZES, Timing::Stream, |record, row| record.ratio(row, peer)).0)
}

/// Our f32 sum's bandwidth by stream launches, as a share of the memory's peak.
fn of_peak(records: &[Record]) -> Figures {
    of_sums(records, &["f32"], &[30], Timing::Stream, |record, row| {
        Some(row.gigabytes_per_second / record.limits.as_ref()?.peak?)
    })
}

/// Our time end to end over CUB's.
fn share_of_latency(records: &[Record]) -> Figures {
    of_sums(records, &["f32"], SMALL, Timing::EndToEnd, |record, row| record.ratio(row, PEER).map(f64::recip))
}

/// The 99th percentile over the median, ours end to end, of at least 10,000 calls.
fn tail(records: &[Record]) -> Figures {
    of_sums(records, &["f32"], SMALL, Timing::EndToEnd, |_, Row { us, .. }| {
        (us.trials >= 10_000).then_some(us.p99 / us.median)
    })
}

fn of_catalogue(records: &[Record]) -> Figures {
    every(catalogue::ratios(records, Timing::Stream))
}

/// Our bandwidth divided by our Sum's, at 2^30 bytes, for operators over elements, by stream and by graph.
fn of_sum(records: &[Record], operators: &[Operators]) -> Figures {
    let wanted = |op: &str, element: &str| {
        operators.iter().any(|(ops, elements)| ops.contains(&op) && elements.contains(&element))
    };
    let mut figures: Vec<(f64, String)> = Vec::new();
    for (share, name) in types::shares(records, wanted) {
        // The first record that has it counts.
        if figures.iter().all(|(_, known)| *known != name) {
            figures.push((share, name));
        }
    }
    let pairs = operators.iter().map(|(ops, elements)| ops.len() * elements.len()).sum::<usize>();
    (figures, pairs * CLOCKS.len())
}

/// All that were measured, and at least one.
fn every(figures: Vec<(f64, String)>) -> Figures {
    let wanted = figures.len().max(1);
    (figures, wanted)
}

/// A figure of each of our sums, from the first record that has it, and the number of figures that there should be.
fn of_sums(
    records: &[Record],
    elements: &[&str],
    powers: &[u32],
    clock: Timing,
    figure: impl Fn(&Record, &Row) -> Option<f64>,
) -> Figures {
    let mut figures = Vec::new();
    for &element in elements {
        for &power in powers {
            let of = |record| figure(record, Record::sum(record, element, 1 << power, clock)?);
            figures
                .extend(records.iter().find_map(of).map(|figure| (figure, format!("{element} 2^{power}"))));
        }
    }
    (figures, elements.len() * powers.len())
}

/// The headings of [`cells`].
pub(crate) const HEADINGS: [&str; 5] = ["goal", "wanted", "measured", "at", "verdict"];

/// Each goal, the bound, the figure, the row that decides it, and the verdict.
pub(crate) fn cells(records: &[Record]) -> Vec<Vec<String>> {
    let line = |goal: &Goal| {
        let Standing { value, at, absent, met } = goal.standing(records);
        let wanted = format!("{} {}", if goal.decides == Most { "<=" } else { ">=" }, goal.bound);
        let verdict = match (met, value) {
            (Some(true), _) => "met".to_owned(),
            (Some(false), _) => "missed".to_owned(),
            (None, Some(_)) => format!("open: {absent} rows not measured"),
            (None, None) => "not measured".to_owned(),
        };
        let value = value.map_or_else(
            || "-".to_owned(),
            |value| if value < 100.0 { format!("{value:.4}") } else { format!("{value:.0}") },
        );
        vec![goal.what.to_owned(), wanted, value, at, verdict]
    };
    GOALS.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::{CATALOGUE, OURS, SIZES, TYPES, tests::synthetic};

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
        let verdicts: Vec<String> = cells(&records).into_iter().filter_map(|mut line| line.pop()).collect();
        assert_eq!(verdicts.len(), GOALS.len());
        assert!(
            ["met", "missed", "not measured"].iter().all(|one| verdicts.iter().any(|verdict| verdict == one))
        );
    }
}
