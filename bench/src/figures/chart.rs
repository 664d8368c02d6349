//! The pictures of a record: times against the peers', bandwidth against the limits, latency.

use std::path::Path;

use super::{
    catalogue::PEER,
    picture::{Axis, Kind, Lines, Picture, Series, power_of_two},
    record::{OURS, Record, Row, SIZES, Timing, distinct},
};
use crate::{Outcome, record};

/// A picture that was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Drawn {
    /// The SVG file's name in its folder.
    pub file: String,
    /// What it shows.
    pub title: String,
}

/// Draws `records` into the folder `out`, each picture from the first record that has its rows.
pub(crate) fn draw(records: &[Record], out: &Path) -> Outcome<Vec<Drawn>> {
    let mut drawn = Vec::new();
    for (name, picture) in pictures(records) {
        let file = format!("{name}.svg");
        record::write(&out.join(&file), picture.svg().as_bytes())?;
        drawn.push(Drawn { file, title: picture.title });
    }
    Ok(drawn)
}

fn pictures(records: &[Record]) -> Vec<(String, Picture)> {
    let first = |draw: &dyn Fn(&Record) -> Option<Picture>| records.iter().find_map(draw);
    let by = |clock| {
        [
            (format!("peers-{clock}"), first(&|record| against_peers(record, clock))),
            (format!("types-{clock}"), first(&|record| by_type(record, clock))),
        ]
    };
    let ([peers, types], [peers_by_graph, types_by_graph]) = (by(Timing::Stream), by(Timing::Graph));
    let others = [("bandwidth".to_owned(), first(&bandwidth)), ("latency".to_owned(), first(&latency))];
    let all = [peers, peers_by_graph, types, types_by_graph].into_iter().chain(others);
    all.filter_map(|(name, picture)| Some((name, picture?))).collect()
}

/// The peers' times over ours, f32 Sum.
fn against_peers(record: &Record, clock: Timing) -> Option<Picture> {
    let peers = contenders(record, clock).into_iter().filter(|peer| peer != OURS);
    let series = peers.map(|peer| Series { points: ratios(record, "f32", &peer, clock), name: peer });
    ratio_chart(record, format!("f32 Sum by {clock}: the peers' time over warpfold's"), series.collect())
}

/// CUB's times over ours, Sum of every type.
fn by_type(record: &Record, clock: Timing) -> Option<Picture> {
    let elements = distinct(sums(record, clock).map(|row| row.element.clone()));
    let series = elements.into_iter().map(|name| Series { points: ratios(record, &name, PEER, clock), name });
    let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
    // A single type is already in the picture of all peers.
    let title = format!("Sum by {clock}: CUB's time over warpfold's");
    if series.len() > 1 { ratio_chart(record, title, series) } else { None }
}

fn ratio_chart(record: &Record, title: String, mut series: Vec<Series>) -> Option<Picture> {
    series.retain(|series| !series.points.is_empty());
    let near = series.iter().flat_map(|series| &series.points).all(|point| point.1 < 3.0);
    let y = if near { Axis::NearOne } else { Axis::Ratio };
    (!series.is_empty()).then(|| Picture {
        title,
        subtitle: format!("above 1 warpfold is faster; {}", subtitle(record)),
        y_label: "times as long as warpfold",
        kind: Kind::Lines(Lines { y, series, levels: vec![(1.0, "warpfold".into())] }),
    })
}

/// Bandwidth of all contenders, f32 Sum by stream launches, and the memory's limits.
fn bandwidth(record: &Record) -> Option<Picture> {
    let rows = || sums(record, Timing::Stream).filter(|row| row.element == "f32");
    let series = contenders(record, Timing::Stream).into_iter().map(|name| Series {
        points: rows()
            .filter(|row| row.contender == name)
            .map(|row| (log2(row.n), row.gigabytes_per_second / 1e3))
            .collect(),
        name,
    });
    let series: Vec<Series> = series.collect();
    let limits = record.limits.iter().flat_map(|limits| {
        let copy = Some(limits.copy);
        [(limits.peak, "peak"), (limits.read, "reading, measured"), (copy, "copying, measured")]
    });
    let levels = limits.filter_map(|(limit, name)| Some((limit? / 1e3, name.to_owned()))).collect();
    (!series.is_empty()).then(|| Picture {
        title: "f32 Sum by stream: bytes of input per time".into(),
        subtitle: subtitle(record),
        y_label: "TB/s",
        kind: Kind::Lines(Lines { y: Axis::FromZero, series, levels }),
    })
}

/// Microseconds from the call to the scalar on the host, f32 Sum at three sizes.
fn latency(record: &Record) -> Option<Picture> {
    let group = |power: u32| {
        let rows = sums(record, Timing::EndToEnd).filter(|row| row.element == "f32" && row.n == 1 << power);
        let bars: Vec<_> = rows.map(|row| (row.contender.clone(), row.us.median)).collect();
        (!bars.is_empty()).then(|| (format!("n = {}", power_of_two(f64::from(power))), bars))
    };
    let groups: Vec<_> = [10, 16, 20].into_iter().filter_map(group).collect();
    (!groups.is_empty()).then(|| Picture {
        title: "f32 Sum, device slice to host scalar: median time".into(),
        subtitle: subtitle(record),
        y_label: "microseconds",
        kind: Kind::Bars(groups),
    })
}

fn subtitle(record: &Record) -> String {
    let day = record.machine.date.get(..10).unwrap_or(&record.machine.date);
    format!("{}, driver {}, {day}", record.versions.gpu, record.versions.driver)
}

fn sums(record: &Record, clock: Timing) -> impl Iterator<Item = &Row> {
    record.rows.iter().filter(move |row| row.set == SIZES && row.op == "sum" && row.clock == clock)
}

/// The contenders that summed f32, ours first, then in order of measurement.
fn contenders(record: &Record, clock: Timing) -> Vec<String> {
    let rows = sums(record, clock).filter(|row| row.element == "f32");
    let mut contenders = distinct(rows.map(|row| row.contender.clone()));
    contenders.sort_by_key(|contender| contender != OURS);
    contenders
}

/// (log2 n, the peer's time over ours) by size.
fn ratios(record: &Record, element: &str, peer: &str, clock: Timing) -> Vec<(f64, f64)> {
    let ours = sums(record, clock).filter(|row| row.element == element && row.contender == OURS);
    let mut points: Vec<_> = ours.filter_map(|row| Some((log2(row.n), record.ratio(row, peer)?))).collect();
    points.sort_by(|left, right| left.0.total_cmp(&right.0));
    points
}

fn log2(n: u64) -> f64 {
    (n as f64).log2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::tests::synthetic;
    use std::fs;

    /// A new folder that is removed on drop.
    struct Folder(std::path::PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("warpfold-bench-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_record_with_everything_gives_every_picture() {
        let mut rows = Vec::new();
        for element in ["f32", "i64"] {
            for power in [10, 16, 20, 28] {
                for (who, us) in [(OURS, 2.0), ("CUB", 3.0), ("PyTorch", 9.0)] {
                    for clock in Timing::ALL {
                        rows.push((SIZES, "sum", element, power, who, clock, us * f64::from(power)));
                    }
                }
            }
        }
        let folder = Folder::new("pictures");
        let drawn = draw(&[synthetic(&[]), synthetic(&rows)], &folder.0).unwrap();
        let files: Vec<&str> = drawn.iter().map(|drawn| drawn.file.as_str()).collect();
        let expected = ["peers-stream", "peers-graph", "types-stream", "types-graph", "bandwidth", "latency"];
        assert_eq!(files, expected.map(|name| format!("{name}.svg")));
        let text = |file: &str| fs::read_to_string(folder.0.join(file)).unwrap();
        for label in ["PyTorch", "CUB", "2¹⁰", "2²⁸", "times as long"] {
            assert!(text("peers-stream.svg").contains(label), "{label}");
        }
        for label in ["TB/s", "peak", "reading, measured", "copying, measured"] {
            assert!(text("bandwidth.svg").contains(label), "{label}");
        }
        assert!(text("latency.svg").contains("microseconds"));
    }

    #[test]
    fn what_was_not_measured_is_not_drawn() {
        let rows = [(SIZES, "sum", "f32", 10, OURS, Timing::Stream, 2.0)];
        let files =
            |rows: &[_]| pictures(&[synthetic(rows)]).into_iter().map(|drawn| drawn.0).collect::<Vec<_>>();
        assert_eq!(files(&rows), ["bandwidth"]);
        assert_eq!(files(&[]), Vec::<String>::new());
    }

    #[test]
    fn points_are_in_order_of_size() {
        let stream = Timing::Stream;
        let record = synthetic(&[
            (SIZES, "sum", "f32", 20, "CUB", stream, 3.0),
            (SIZES, "sum", "f32", 20, OURS, stream, 2.0),
            (SIZES, "sum", "f32", 10, "CUB", stream, 4.0),
            (SIZES, "sum", "f32", 10, OURS, stream, 2.0),
            (SIZES, "sum", "f32", 12, "CUB", stream, 4.0),
        ]);
        assert_eq!(ratios(&record, "f32", "CUB", stream), [(10.0, 2.0), (20.0, 1.5)]);
        assert_eq!(contenders(&record, stream), [OURS, "CUB"]);
    }
}
