//! The figures of a table, and its printed form.

use crate::spread::Spread;

/// The sums that every contender computes.
pub(super) struct Case {
    /// The name in the table and for the peers.
    pub(super) name: String,
    /// The least bytes to read and write.
    pub(super) bytes: u64,
}

/// The times of one contender for a case.
pub(super) struct Figure {
    pub(super) who: String,
    /// The name of the case.
    pub(super) case: String,
    pub(super) time: Spread,
}

/// The prefix of our own contenders.
pub(super) const OURS: &str = "warpfold";

impl Figure {
    fn is_ours(&self) -> bool {
        self.who.starts_with(OURS)
    }
}

/// Prints a line per case and contender, then one per case: the best peer's time over ours, which is above 1 if
/// ours is faster. `peak` is the memory's peak bandwidth in 10^9 bytes per second; without it no shares are
/// printed.
pub(super) fn report(head: &str, cases: &[Case], figures: &[Figure], peak: Option<f64>) {
    print!("{}", text(head, cases, figures, peak));
}

fn text(head: &str, cases: &[Case], figures: &[Figure], peak: Option<f64>) -> String {
    let of =
        |case: &Case| -> Vec<&Figure> { figures.iter().filter(|figure| figure.case == case.name).collect() };
    let mut text = format!("| {head} | who | us | spread | GB/s | share of peak | times ours |\n");
    text += "|---|---|---:|---:|---:|---:|---:|\n";
    for case in cases {
        let here = of(case);
        let ours = here.iter().find(|figure| figure.is_ours());
        for Figure { who, time, .. } in &here {
            let speed = time.gigabytes_per_second(case.bytes);
            let ratio = ours.map_or(f64::NAN, |ours| time.median / ours.time.median);
            let share = peak.map_or_else(|| "-".to_owned(), |peak| format!("{:.1} %", 100.0 * speed / peak));
            text += &format!(
                "| {} | {who} | {:.1} | {:.1} to {:.1} | {speed:.0} | {share} | {ratio:.3} |\n",
                case.name, time.median, time.min, time.p75
            );
        }
    }
    text += &format!("\n| {head} | our GB/s | best peer | its time / ours |\n|---|---:|---|---:|\n");
    for case in cases {
        let here = of(case);
        let Some(ours) = here.iter().find(|figure| figure.is_ours()) else { continue };
        let peers = here.iter().filter(|figure| !figure.is_ours());
        let best = peers.min_by(|a, b| a.time.median.total_cmp(&b.time.median));
        let (who, ratio) =
            best.map_or(("none measured", f64::NAN), |best| (&best.who, best.time.median / ours.time.median));
        let speed = ours.time.gigabytes_per_second(case.bytes);
        text += &format!("| {} | {speed:.0} | {who} | {ratio:.3} |\n", case.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cases of 48,000 bytes, and their figures.
    fn measured() -> Option<([Case; 2], Vec<Figure>)> {
        let figure = |who: &str, case: &str, us: f64| {
            Some(Figure { who: who.to_owned(), case: case.to_owned(), time: Spread::of(&[us])? })
        };
        let figures: Option<Vec<Figure>> = [
            figure("slow", "2 x 3", 30.0),
            figure("warpfold (a plan)", "2 x 3", 10.0),
            figure("quick", "2 x 3", 15.0),
            figure("warpfold", "4 x 5", 8.0),
        ]
        .into_iter()
        .collect();
        Some((["2 x 3", "4 x 5"].map(|name| Case { name: name.to_owned(), bytes: 48_000 }), figures?))
    }

    #[test]
    fn the_best_peer_is_set_against_ours() {
        let (cases, figures) = measured().unwrap();
        let text = text("shape", &cases, &figures, Some(8.0));
        assert!(
            text.starts_with("| shape | who | us | spread | GB/s | share of peak | times ours |\n"),
            "{text}"
        );
        assert!(text.contains("| 2 x 3 | quick | 15.0 | 15.0 to 15.0 | 3 | 40.0 % | 1.500 |"), "{text}");
        assert!(text.contains("| 2 x 3 | 5 | quick | 1.500 |"), "{text}");
        assert!(text.contains("| 4 x 5 | 6 | none measured | NaN |"), "{text}");
    }

    #[test]
    fn without_a_peak_there_are_no_shares() {
        let (cases, figures) = measured().unwrap();
        let text = text("shape", &cases, &figures, None);
        assert!(text.contains("| 2 x 3 | quick | 15.0 | 15.0 to 15.0 | 3 | - | 1.500 |"), "{text}");
        assert!(!text.contains('%'), "{text}");
    }
}
