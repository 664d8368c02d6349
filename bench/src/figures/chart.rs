//! The pictures of a record: times against the peers', bandwidth against the limits, latency.

use std::{collections::BTreeMap, fs, path::Path};

use super::{
    picture::{Axis, Bars, Lines, Series, power_of_two},
    record::{OURS, Record, Row, SIZES, Timing},
};
use crate::Outcome;

/// A picture that was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Drawn {
    /// The SVG file's name in its folder.
    pub file: String,
    /// What it shows.
    pub title: String,
}

/// A picture before it is written.
enum Chart {
    Lines(Lines),
    Bars(Bars),
}

/// Draws `records` into the folder `out`, each picture from the first record that has its rows.
pub(crate) fn draw(records: &[Record], out: &Path, png: bool) -> Outcome<Vec<Drawn>> {
    let mut drawn = Vec::new();
    for (file, chart) in charts(records) {
        let (title, svg, raster) = match &chart {
            Chart::Lines(lines) => (&lines.title, lines.svg(), png.then(|| lines.png())),
            Chart::Bars(bars) => (&bars.title, bars.svg(), png.then(|| bars.png())),
        };
        write(&out.join(format!("{file}.svg")), svg.as_bytes())?;
        if let Some(raster) = raster {
            write(&out.join(format!("{file}.png")), &raster?)?;
        }
        drawn.push(Drawn { file: format!("{file}.svg"), title: title.clone() });
    }
    Ok(drawn)
}

fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    Ok(fs::write(path, bytes).map_err(|cause| format!("{}: {cause}", path.display()))?)
}

fn charts(records: &[Record]) -> Vec<(String, Chart)> {
    let mut charts = Vec::new();
    let first = |chart: &dyn Fn(&Record) -> Option<Chart>| records.iter().find_map(chart);
    for clock in [Timing::Stream, Timing::Graph] {
        charts.extend(first(&|r| against_peers(r, clock)).map(|chart| (format!("peers-{clock}"), chart)));
    }
    for clock in [Timing::Stream, Timing::Graph] {
        charts.extend(first(&|r| by_type(r, clock)).map(|chart| (format!("types-{clock}"), chart)));
    }
    charts.extend(first(&bandwidth).map(|chart| ("bandwidth".to_owned(), chart)));
    charts.extend(first(&latency).map(|chart| ("latency".to_owned(), chart)));
    charts
}

/// The peers' times over ours, f32 Sum.
fn against_peers(record: &Record, clock: Timing) -> Option<Chart> {
    let contenders = contenders(record, clock);
    let peers = contenders.into_iter().filter(|contender| contender != OURS);
    let series = peers.map(|peer| {
        let points = ratios(record, "f32", &peer, clock);
        Series { name: peer, points }
    });
    ratio_chart(record, format!("f32 Sum by {clock}: the peers' time over warpfold's"), series.collect())
}

/// CUB's times over ours, Sum of every type.
fn by_type(record: &Record, clock: Timing) -> Option<Chart> {
    let mut elements: Vec<&str> = Vec::new();
    for row in sums(record, clock) {
        if !elements.contains(&row.element.as_str()) {
            elements.push(&row.element);
        }
    }
    let series = elements.into_iter().map(|element| {
        let points = ratios(record, element, "CUB", clock);
        Series { name: element.to_owned(), points }
    });
    let series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
    // A single type is already in the picture of all peers.
    (series.len() > 1)
        .then(|| ratio_chart(record, format!("Sum by {clock}: CUB's time over warpfold's"), series))
        .flatten()
}

fn ratio_chart(record: &Record, title: String, series: Vec<Series>) -> Option<Chart> {
    let series: Vec<Series> = series.into_iter().filter(|series| !series.points.is_empty()).collect();
    let near = series.iter().flat_map(|series| &series.points).all(|point| point.1 < 3.0);
    (!series.is_empty()).then(|| {
        Chart::Lines(Lines {
            title,
            subtitle: format!("above 1 warpfold is faster; {}", subtitle(record)),
            y_label: "times as long as warpfold".into(),
            y: if near { Axis::NearOne } else { Axis::Ratio },
            series,
            levels: vec![(1.0, "warpfold".into())],
        })
    })
}

/// Bandwidth of all contenders, f32 Sum by stream launches, and the memory's limits.
fn bandwidth(record: &Record) -> Option<Chart> {
    let series = contenders(record, Timing::Stream).into_iter().map(|contender| {
        let rows =
            sums(record, Timing::Stream).filter(|row| row.element == "f32" && row.contender == contender);
        Series {
            points: rows.map(|row| (log2(row.n), row.gigabytes_per_second / 1e3)).collect(),
            name: contender,
        }
    });
    let series: Vec<Series> = series.collect();
    let mut levels = Vec::new();
    if let Some(limits) = &record.limits {
        levels.extend(limits.peak.map(|limit| (limit / 1e3, "peak".to_owned())));
        levels.extend(limits.read.map(|limit| (limit / 1e3, "reading, measured".to_owned())));
        levels.push((limits.copy / 1e3, "copying, measured".to_owned()));
    }
    (!series.is_empty()).then(|| {
        Chart::Lines(Lines {
            title: "f32 Sum by stream: bytes of input per time".into(),
            subtitle: subtitle(record),
            y_label: "TB/s".into(),
            y: Axis::FromZero,
            series,
            levels,
        })
    })
}

/// Microseconds from the call to the scalar on the host, f32 Sum at three sizes.
fn latency(record: &Record) -> Option<Chart> {
    let groups: Vec<(String, Vec<(String, f64)>)> = [10, 16, 20]
        .into_iter()
        .map(|power| {
            let rows =
                sums(record, Timing::EndToEnd).filter(|row| row.element == "f32" && row.n == 1 << power);
            let bars = rows.map(|row| (row.contender.clone(), row.us.median)).collect();
            (format!("n = {}", power_of_two(f64::from(power))), bars)
        })
        .filter(|(_, bars): &(_, Vec<_>)| !bars.is_empty())
        .collect();
    (!groups.is_empty()).then(|| {
        Chart::Bars(Bars {
            title: "f32 Sum, device slice to host scalar: median time".into(),
            subtitle: subtitle(record),
            y_label: "microseconds".into(),
            groups,
        })
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
    let mut contenders: Vec<String> = Vec::new();
    for row in sums(record, clock).filter(|row| row.element == "f32") {
        if !contenders.contains(&row.contender) {
            contenders.push(row.contender.clone());
        }
    }
    contenders.sort_by_key(|contender| contender != OURS);
    contenders
}

/// (log2 n, the peer's time over ours) by size.
fn ratios(record: &Record, element: &str, peer: &str, clock: Timing) -> Vec<(f64, f64)> {
    let mut points = BTreeMap::new();
    for row in sums(record, clock).filter(|row| row.element == element && row.contender == peer) {
        let ratio = record.ratio(SIZES, ("sum", element, row.n), peer, clock);
        points.extend(ratio.map(|ratio| (row.n, ratio)));
    }
    points.into_iter().map(|(n, ratio)| (log2(n), ratio)).collect()
}

fn log2(n: u64) -> f64 {
    (n as f64).log2()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::record::tests::synthetic;

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
        let drawn = draw(&[synthetic(&[]), synthetic(&rows)], &folder.0, true).unwrap();
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
        let png = fs::read(folder.0.join("latency.png")).unwrap();
        assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
    }

    #[test]
    fn what_was_not_measured_is_not_drawn() {
        let rows = [(SIZES, "sum", "f32", 10, OURS, Timing::Stream, 2.0)];
        let files =
            |rows: &[_]| charts(&[synthetic(rows)]).into_iter().map(|chart| chart.0).collect::<Vec<_>>();
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
