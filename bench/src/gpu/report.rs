//! Rows added to the record of a GPU run, and the tables printed from it.

use super::contest::Times;
use crate::{
    datum::Datum,
    figures::record::{OURS, Record, Row, Timing, distinct},
    spread::geometric_mean,
    table::{self, Table},
};

impl Record {
    /// Adds a contender's times and prints them on standard error; tables follow at the end of a series.
    pub(super) fn add<T: Datum>(&mut self, set: &str, op: &str, n: u64, contender: &str, times: Times) {
        let spreads = [Some(times.stream), times.graph, times.end_to_end];
        for (clock, us) in Timing::ALL.into_iter().zip(spreads) {
            let Some(us) = us else { continue };
            let gigabytes_per_second = us.gigabytes_per_second(n * size_of::<T>() as u64);
            let (set, op, element) = (set.to_owned(), op.to_owned(), T::NAME.to_owned());
            let contender = contender.to_owned();
            self.rows.push(Row { set, op, element, n, contender, clock, gigabytes_per_second, us });
        }
        let [stream, graph, end_to_end] = spreads.map(|us| table::microseconds(us.map(|us| us.median)));
        let n = table::elements(n);
        if let Some(reason) = times.no_graph {
            self.miss(format!("{} {op} {n}: {contender} in a graph: {reason}", T::NAME));
        }
        eprintln!(
            "{} {op} {n}: {contender}: {stream} stream, {graph} graph, {end_to_end} end to end",
            T::NAME
        );
    }

    /// Records once that something is missing.
    pub(super) fn miss(&mut self, what: String) {
        if !self.missing.contains(&what) {
            eprintln!("missing: {what}");
            self.missing.push(what);
        }
    }
}

/// The distinct sizes and contenders of `rows`, in order, without ours.
fn axes(rows: &[Row]) -> (Vec<u64>, Vec<&str>) {
    let peers = rows.iter().map(|row| row.contender.as_str()).filter(|&contender| contender != OURS);
    (distinct(rows.iter().map(|row| row.n)), distinct(peers))
}

fn find<'r>(rows: &'r [Row], n: u64, contender: &str, clock: Timing) -> Option<&'r Row> {
    rows.iter().find(|row| row.n == n && row.contender == contender && row.clock == clock)
}

/// Prints a table against each peer; without peers, one of ours.
pub(super) fn peers(rows: &[Row]) {
    let Some(Row { op, element, .. }) = rows.first() else { return };
    let (sizes, contenders) = axes(rows);
    if contenders.is_empty() {
        println!("\n{element} {op}: warpfold alone; median microseconds");
        against(rows, &sizes, None);
    }
    for peer in contenders {
        println!(
            "\n{element} {op}: warpfold against {peer}; median microseconds, and how many times ours is faster"
        );
        against(rows, &sizes, Some(peer));
    }
}

fn against(rows: &[Row], sizes: &[u64], peer: Option<&str>) {
    let table = Table::new(
        7,
        "n;stream;graph;e2e;| stream;graph;e2e;| x stream;x graph;x e2e;| GB/s stream;GB/s graph;spread %",
    );
    println!("{}", table.header());
    let mut ratios = Timing::ALL.map(|_| Vec::new());
    for &n in sizes {
        let mine = Timing::ALL.map(|clock| find(rows, n, OURS, clock));
        let theirs = Timing::ALL.map(|clock| peer.and_then(|peer| find(rows, n, peer, clock)));
        let ratio = [0, 1, 2].map(|i| Some(theirs[i]?.us.median / mine[i]?.us.median));
        for (ratios, ratio) in ratios.iter_mut().zip(ratio) {
            ratios.extend(ratio);
        }
        let us = |row: Option<&Row>| table::microseconds(row.map(|row| row.us.median));
        let rate = |row: Option<&Row>| {
            row.map_or_else(|| "-".into(), |row| format!("{:.0}", row.gigabytes_per_second))
        };
        let mut cells = vec![table::elements(n)];
        cells.extend(mine.map(us));
        cells.extend(theirs.map(us));
        cells.extend(ratio.map(table::ratio));
        cells.extend([rate(mine[0]), rate(mine[1]), format!("{:.1}", widest(&[mine, theirs].concat()))]);
        println!("{}", table.row(&cells));
    }
    if peer.is_some() {
        let means = ratios.map(|ratios| table::ratio(geometric_mean(&ratios)));
        println!("geometric mean: {} stream, {} graph, {} end to end", means[0], means[1], means[2]);
    }
}

/// The widest spread of some rows: the distance of the quartiles, in per cent of the median.
fn widest(rows: &[Option<&Row>]) -> f64 {
    let spreads = rows.iter().flatten().map(|row| (row.us.p75 - row.us.p25) / row.us.median * 100.0);
    spreads.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{figures::record::SIZES, spread::Spread};

    fn row(n: u64, contender: &str, clock: Timing, median: f64) -> Row {
        let us = Spread::of(&[median * 0.99, median, median * 1.02]).unwrap();
        Row {
            set: SIZES.into(),
            op: "sum".into(),
            element: "f32".into(),
            n,
            contender: contender.into(),
            clock,
            gigabytes_per_second: 1.0,
            us,
        }
    }

    #[test]
    fn axes_are_in_order_of_measurement() {
        let rows = [
            row(4, OURS, Timing::Stream, 1.0),
            row(4, "CUB", Timing::Stream, 2.0),
            row(8, "CUB", Timing::Graph, 2.0),
        ];
        assert_eq!(axes(&rows), (vec![4, 8], vec!["CUB"]));
        assert_eq!(find(&rows, 8, "CUB", Timing::Graph).map(|row| row.us.median), Some(2.0));
        assert!(find(&rows, 8, "CUB", Timing::Stream).is_none());
    }

    #[test]
    fn the_widest_spread_is_of_all_rows() {
        let (narrow, wide) = (row(4, OURS, Timing::Stream, 10.0), row(4, "CUB", Timing::Stream, 1.0));
        assert!((widest(&[Some(&narrow), None, Some(&wide)]) - 1.5).abs() < 1e-9);
        assert_eq!(widest(&[]), 0.0);
    }
}
