//! A histogram as lines with bars.

use super::table::align_points;
use crate::numbers::value::grouped;
use crate::statistics::histogram::Histogram;

/// The longest bar, in characters.
const LONGEST: u64 = 40;

/// Returns a line for each bin, and for elements in none, if there are any.
pub(super) fn rows(histogram: &Histogram) -> Vec<Vec<String>> {
    let Histogram { edges, counts, below, above, nan } = histogram;
    let mut ends: Vec<String> = edges.iter().map(ToString::to_string).collect();
    align_points(ends.iter_mut());
    let width = ends.iter().map(|end| end.chars().count()).max().unwrap_or(0);
    let most = counts.iter().max().copied().unwrap_or(0).max(1);
    let bins = ends.windows(2).zip(counts).map(|(ends, &count)| {
        let bar = "#".repeat((u128::from(count) * u128::from(LONGEST) / u128::from(most)) as usize);
        // Cells are aligned on the right, bars on the left.
        let bar = format!("{bar:width$}", width = LONGEST as usize);
        vec![format!("{:>width$} to {:>width$}", ends[0], ends[1]), grouped(count), bar]
    });
    let outside =
        [("-inf", *below), ("inf", *above), ("NaN", *nan)].into_iter().filter(|&(_, count)| count > 0);
    bins.chain(outside.map(|(name, count)| vec![name.into(), grouped(count)])).collect()
}
