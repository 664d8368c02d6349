//! Tables, and numbers with units.

use std::time::Duration;

use crate::numbers::value::grouped;

/// Pads numbers on the right so that their decimal points are aligned when the column is right-aligned.
pub(crate) fn with_points_aligned<const N: usize>(mut numbers: [String; N]) -> [String; N] {
    align_points(numbers.iter_mut());
    numbers
}

/// [`with_points_aligned`] of a column of a table.
pub(crate) fn align_points<'a>(numbers: impl Iterator<Item = &'a mut String>) {
    let behind = |number: &str| number.find('.').map_or(0, |point| number.len() - point);
    let numbers: Vec<_> = numbers.collect();
    let longest = numbers.iter().map(|number| behind(number)).max().unwrap_or(0);
    for number in numbers {
        let padding = longest - behind(number);
        number.extend(std::iter::repeat_n(' ', padding));
    }
}

/// Formats a table with names left-aligned and other columns right-aligned.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().copied().map(String::from).collect();
    let rows = || std::iter::once(&head).chain(rows);
    let width = |i: usize| rows().filter_map(|row| row.get(i)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..head.len()).map(|i| width(i).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows() {
        let mut line = String::new();
        for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            line += &if i == 0 { format!("  {cell:width$}") } else { format!("  {cell:>width$}") };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Formats a number with three digits and a unit.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let (number, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "us"),
    };
    let decimals = if number >= 100.0 {
        0
    } else if number >= 10.0 {
        1
    } else {
        2
    };
    format!("{number:.decimals$} {unit}")
}

/// Formats a size in the unit that gives three or four digits.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b if b >= 1e4 => format!("{:.1} kB", b / 1e3),
        _ => format!("{} bytes", grouped(bytes)),
    }
}
