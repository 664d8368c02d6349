//! The figures of a table, and its printed form.

use crate::{figures::record::distinct, spread::Spread, table};

/// What every contender computes, and their times.
pub(super) struct Case {
    /// The heading of its table's first column.
    pub(super) head: String,
    /// The name in the table and for the peers.
    pub(super) name: String,
    /// The least bytes to read and write.
    pub(super) bytes: u64,
    pub(super) figures: Vec<Figure>,
}

/// The times of one contender.
pub(super) struct Figure {
    pub(super) who: String,
    pub(super) time: Spread,
}

/// The prefix of our own contenders.
pub(super) const OURS: &str = "warpfold";

impl Figure {
    fn is_ours(&self) -> bool {
        self.who.starts_with(OURS)
    }
}

impl Case {
    fn ours(&self) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.is_ours())
    }

    /// A line per contender.
    fn lines(&self, peak: Option<f64>) -> impl Iterator<Item = Vec<String>> {
        self.figures.iter().map(move |Figure { who, time }| {
            let speed = time.gigabytes_per_second(self.bytes);
            let ratio = self.ours().map_or(f64::NAN, |ours| time.median / ours.time.median);
            vec![
                self.name.clone(),
                who.clone(),
                format!("{:.1}", time.median),
                format!("{:.1} to {:.1}", time.min, time.p75),
                format!("{speed:.0}"),
                peak.map_or_else(|| "-".to_owned(), |peak| format!("{:.1} %", 100.0 * speed / peak)),
                format!("{ratio:.3}"),
            ]
        })
    }

    /// The best peer's time over ours.
    fn best(&self) -> Option<Vec<String>> {
        let ours = self.ours()?.time;
        let peers = self.figures.iter().filter(|figure| !figure.is_ours());
        let best = peers.min_by(|a, b| a.time.median.total_cmp(&b.time.median));
        let (who, ratio) =
            best.map_or(("none measured", f64::NAN), |best| (&best.who, best.time.median / ours.median));
        let speed = format!("{:.0}", ours.gigabytes_per_second(self.bytes));
        Some(vec![self.name.clone(), speed, who.to_owned(), format!("{ratio:.3}")])
    }
}

/// For each heading a line per case and contender, then one per case: the best peer's time over ours, which is above 1
/// if ours is faster. `peak` is the memory's peak bandwidth in 10^9 bytes per second; without it no shares are printed.
pub(super) fn text(cases: &[Case], peak: Option<f64>) -> String {
    let mut tables = Vec::new();
    for head in distinct(cases.iter().map(|case| case.head.as_str())) {
        let cases = || cases.iter().filter(|case| case.head == head);
        let lines: Vec<_> = cases().flat_map(|case| case.lines(peak)).collect();
        let headings = [head, "who", "us", "spread", "GB/s", "share of peak", "times ours"];
        tables.push(table::markdown(2, &headings, &lines));
        let lines: Vec<_> = cases().filter_map(Case::best).collect();
        tables.push(table::markdown(1, &[head, "our GB/s", "best peer", "its time / ours"], &lines));
    }
    tables.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cases of 48,000 bytes.
    fn measured() -> [Case; 2] {
        let figure =
            |&(who, us): &(&str, f64)| Figure { who: who.to_owned(), time: Spread::of(&[us]).unwrap() };
        let case = |name: &str, figures: &[_]| Case {
            head: "shape".to_owned(),
            name: name.to_owned(),
            bytes: 48_000,
            figures: figures.iter().map(figure).collect(),
        };
        [
            case("2 x 3", &[("slow", 30.0), ("warpfold (a plan)", 10.0), ("quick", 15.0)]),
            case("4 x 5", &[("warpfold", 8.0)]),
        ]
    }

    #[test]
    fn the_best_peer_is_set_against_ours() {
        let text = text(&measured(), Some(8.0));
        for line in [
            "| shape | who | us | spread | GB/s | share of peak | times ours |",
            "| 2 x 3 | quick | 15.0 | 15.0 to 15.0 | 3 | 40.0 % | 1.500 |",
            "| 2 x 3 | 5 | quick | 1.500 |",
            "| 4 x 5 | 6 | none measured | NaN |",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }

    #[test]
    fn without_a_peak_there_are_no_shares() {
        let text = text(&measured(), None);
        assert!(text.contains("| 2 x 3 | quick | 15.0 | 15.0 to 15.0 | 3 | - | 1.500 |"), "{text}");
        assert!(!text.contains('%'), "{text}");
    }
}
