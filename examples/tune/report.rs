//! The output.

use std::fmt::Write as _;

use warpfold::Cuda;
use warpfold::plans::{Passes, Plan};

use crate::contest::Outcome;

/// The result of one row.
pub(crate) struct Row {
    pub(crate) operator: &'static str,
    pub(crate) dtype: &'static str,
    pub(crate) class: u32,
    /// `None` if there was no time for a decision.
    pub(crate) outcome: Option<Outcome>,
}

/// `2^class` bytes as text.
pub(crate) fn size(class: u32) -> String {
    match class {
        0..10 => format!("{} B", 1 << class),
        10..20 => format!("{} KiB", 1 << (class - 10)),
        20..30 => format!("{} MiB", 1 << (class - 20)),
        _ => format!("{} GiB", 1_u64 << (class - 30)),
    }
}

/// A plan as short text.
fn short(plan: &Plan) -> String {
    let (threads, blocks) = (plan.threads(), plan.blocks());
    match plan.passes() {
        Passes::Block => format!("block {threads}"),
        Passes::Recursive { fan_in } => format!("{blocks} x {threads}, {fan_in} to 1"),
        _ => format!("grid {blocks} x {threads}"),
    }
}

/// The table, and a summary.
pub(crate) fn render(cuda: &Cuda, rows: &[Row]) -> String {
    let mut text = format!(
        "{}, compute capability {}, {} multiprocessors; microseconds per call: by graph replay, and by stream launches\n\n",
        cuda.properties().name,
        cuda.properties().compute_capability,
        cuda.properties().multiprocessors
    );
    let head = [
        "operator",
        "of",
        "size",
        "default plan",
        "graph",
        "stream",
        "fastest other",
        "graph",
        "stream",
        "gain",
    ];
    let mut lines = vec![head.map(String::from)];
    lines.extend(rows.iter().map(line));
    let widths: [usize; 10] = std::array::from_fn(|column| {
        lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    });
    for line in &lines {
        let mut row = String::new();
        for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
            // Text is left-aligned, numbers are right-aligned.
            let _ = match column {
                0 | 1 | 3 | 6 => write!(row, "  {cell:width$}"),
                _ => write!(row, "  {cell:>width$}"),
            };
        }
        let _ = writeln!(text, "{}", row.trim_end());
    }
    let decided = rows.iter().filter(|row| row.outcome.is_some()).count();
    let better =
        rows.iter().filter(|row| row.outcome.as_ref().is_some_and(|outcome| outcome.is_better)).count();
    let _ = writeln!(
        text,
        "\nof {} rows {better} have a better plan, {} keep the default one, and for {} there was too little time",
        rows.len(),
        decided - better,
        rows.len() - decided
    );
    text
}

fn line(row: &Row) -> [String; 10] {
    let [mut usual, mut other] = [const { [const { String::new() }; 3] }; 2];
    let mut gain = "no time".to_owned();
    if let Some(outcome) = &row.outcome {
        let us = |us: f64| format!("{us:.3}");
        let (plan, times) = &outcome.usual;
        usual = [short(plan), us(times.graph.median), us(times.stream.median)];
        gain = "-".into();
        if let Some((_, plan, found)) = &outcome.other {
            other = [short(plan), us(found.graph.median), us(found.stream.median)];
            if outcome.is_better {
                gain = format!("{:.1} %", 100.0 * (1.0 - found.graph.median / times.graph.median));
            }
        }
    }
    let ([a, b, c], [d, e, f]) = (usual, other);
    [row.operator.into(), row.dtype.into(), size(row.class), a, b, c, d, e, f, gain]
}
