//! The result as text.

use std::fmt::Write;
use std::time::Duration;

use crate::column::Column;
use crate::lesson;
use crate::naive::Accurate;
use crate::npy::{Npy, tuple};
use crate::source::Source;
use crate::statistics::{Outcome, Place, Timed};
use crate::value::{Value, grouped};

/// The whole text.
pub(crate) fn render(source: &Source, outcome: &Outcome) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "input    {}", input(source, outcome));
    let _ = writeln!(text, "backend  {}", backend(outcome));
    for note in notes(source, outcome) {
        let _ = writeln!(text, "note     {note}");
    }
    let _ =
        writeln!(text, "\n{}", table(["operator", "result", "time", "rate"], &statistics(source, outcome)));
    let _ = writeln!(text, "{}", table(["the sum by", "result", "off by", "time"], &sums(outcome)));
    for line in lesson::lines(outcome) {
        let _ = writeln!(text, "  {line}");
    }
    let _ = writeln!(text, "\n  {}", times(source, outcome));
    text
}

fn input(source: &Source, outcome: &Outcome) -> String {
    let (count, dtype, size) = (grouped(outcome.count), outcome.dtype.name(), bytes(outcome.bytes));
    match source {
        Source::Npy(Npy { path, layout, .. }) => {
            format!("{}: {count} {dtype}, shape {}, {size}", path.display(), tuple(&layout.shape))
        }
        Source::Column(Column { path, name, r#type, .. }) => {
            let r#type = r#type.as_ref().map(|found| format!(", {found}")).unwrap_or_default();
            format!("{}: column `{name}`{type}: {count} {dtype}, {size}", path.display())
        }
        Source::Synthetic(synthetic) => {
            format!("{count} synthetic {dtype}, uniform in [0, 1), seed {}, {size}", synthetic.seed)
        }
    }
}

fn backend(outcome: &Outcome) -> String {
    let threads =
        if outcome.threads == 1 { "1 thread".into() } else { format!("{} threads", outcome.threads) };
    match &outcome.device {
        Some(device) => format!("GPU, {device}: {}", outcome.why),
        None => format!("CPU, {threads}: {}", outcome.why),
    }
}

fn notes(source: &Source, outcome: &Outcome) -> Vec<String> {
    let mut notes = Vec::new();
    if let Source::Npy(Npy { layout, ignored, .. }) = source {
        if layout.swapped {
            notes.push("the file is of the other byte order: converted in a copy".into());
        }
        if layout.fortran {
            notes.push(
                "Fortran order: indices count in memory order, and of equal elements the first there wins"
                    .into(),
            );
        }
        if *ignored > 0 {
            notes.push(format!(
                "ignored the {} bytes after the last element, as numpy.load does",
                grouped(ignored)
            ));
        }
    }
    if outcome.missing > 0 {
        let (missing, rows) = (grouped(outcome.missing), grouped(outcome.count + outcome.missing));
        notes.push(format!("{missing} of {rows} rows have no value and are skipped; the index counts them"));
    }
    if outcome.nan > 0 && outcome.nan == outcome.count {
        notes.push("every element is NaN, so every result is".into());
    } else if outcome.nan > 0 {
        let (nan, count) = (grouped(outcome.nan), grouped(outcome.count));
        notes.push(format!(
            "NaN: {nan} of {count} elements; so the sum is, while min, max, argmin and argmax skip them"
        ));
    }
    notes
}

/// A table's row: its name, and three columns of numbers.
struct Row([String; 4]);

fn statistics(source: &Source, outcome: &Outcome) -> Vec<Row> {
    let rate = |time: Duration, passes: u64| {
        let rate = (passes * outcome.bytes) as f64 / time.as_secs_f64().max(1e-9) / 1e9;
        // Of a handful of bytes only the call is timed.
        if outcome.bytes < 1 << 16 { "-".into() } else { format!("{rate:.1} GB/s") }
    };
    let row = |name: &str, time: Duration, result: String| {
        Row([name.into(), result, duration(time), rate(time, 1)])
    };
    let value = |name: &str, found: Timed<Option<Value>>| row(name, found.time, some(found.result));
    let place = |name: &str, found: Timed<Option<Place>>| {
        row(name, found.time, some(found.result.map(|place| located(source, place))))
    };
    vec![
        Row(["count".into(), grouped(outcome.count), String::new(), String::new()]),
        row("sum", outcome.sum.time, outcome.sum.result.to_string()),
        value("min", outcome.min),
        value("max", outcome.max),
        place("argmin", outcome.argmin),
        place("argmax", outcome.argmax),
        Row([
            "five passes".into(),
            String::new(),
            duration(outcome.operators()),
            rate(outcome.operators(), 5),
        ]),
    ]
}

fn some(result: Option<impl ToString>) -> String {
    result.map_or("none: there are no elements".into(), |result| result.to_string())
}

/// The index, and the coordinates where they say more.
fn located(source: &Source, place: Place) -> String {
    let coordinates = source.coordinates(place.index);
    match coordinates.len() {
        1 => grouped(place.index),
        _ => format!("{} = {}", tuple(&coordinates), grouped(place.index)),
    }
}

fn sums(outcome: &Outcome) -> Vec<Row> {
    let (sum, naive, accurate) = (outcome.sum.result, outcome.naive.result, outcome.accurate.result);
    let (method, text) = match accurate {
        Accurate::Exact(sum) => ("exact", grouped(sum)),
        Accurate::Compensated(sum) => ("compensated loop, f64", Value::F64(sum).to_string()),
    };
    let [by_tree, by_loop, text] = with_points_aligned([sum.to_string(), naive.to_string(), text]);
    let row = |name: &str, text, off, time| Row([name.into(), text, off, duration(time)]);
    let off = |value: Value| lesson::off(value, accurate);
    vec![
        row(&format!("warpfold's tree, {}", sum.type_name()), by_tree, off(sum), outcome.sum.time),
        row(&format!("naive loop, {}", naive.type_name()), by_loop, off(naive), outcome.naive.time),
        row(method, text, String::new(), outcome.accurate.time),
    ]
}

/// Pads numbers on the right so that, flush right, their decimal points stand in one column.
fn with_points_aligned<const N: usize>(numbers: [String; N]) -> [String; N] {
    let behind = |number: &String| number.find('.').map_or(0, |point| number.len() - point);
    let longest = numbers.iter().map(behind).max().unwrap_or(0);
    numbers.map(|number| format!("{number}{}", " ".repeat(longest - behind(&number))))
}

/// Names flush left, the rest flush right.
fn table(head: [&str; 4], rows: &[Row]) -> String {
    let head = Row(head.map(String::from));
    let rows = || std::iter::once(&head).chain(rows);
    let [a, b, c, d] = std::array::from_fn(|i| rows().map(|row| row.0[i].chars().count()).max().unwrap_or(0));
    let mut text = String::new();
    for Row([name, result, third, fourth]) in rows() {
        let line = format!("  {name:a$}  {result:>b$}  {third:>c$}  {fourth:>d$}");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn times(source: &Source, outcome: &Outcome) -> String {
    let made = match source {
        Source::Npy(_) => "converting the elements",
        Source::Column(_) => "reading the column",
        Source::Synthetic(_) => "making the elements",
    };
    let loops = outcome.naive.time + outcome.accurate.time;
    let parts = [
        outcome.load.map(|time| (made, time)),
        Some(("five passes", outcome.operators())),
        Some(("two loops on one thread", loops)),
    ];
    let parts: Vec<_> =
        parts.into_iter().flatten().map(|(name, time)| format!("{name} {}", duration(time))).collect();
    format!("total {}: {}", duration(outcome.total), parts.join(", "))
}

/// Three digits and a unit.
fn duration(time: Duration) -> String {
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

fn bytes(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b if b >= 1e4 => format!("{:.1} kB", b / 1e3),
        _ => format!("{} bytes", grouped(bytes)),
    }
}
