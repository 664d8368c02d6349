//! The result as text.

mod input;
mod rows;

use std::fmt::Write;
use std::time::Duration;

use self::input::backend;
pub(crate) use self::rows::render_rows;
use crate::lesson;
use crate::naive::Accurate;
use crate::npy::tuple;
use crate::quantiles::Quantile;
use crate::source::Source;
use crate::statistics::{Outcome, Place, Timed};
use crate::table::{align_points, duration, table, with_points_aligned};
use crate::value::{Value, grouped};

/// The whole text.
pub(crate) fn render(source: &Source, outcome: &Outcome) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(text, "input    {}", input::line(source, outcome.dtype, outcome.count, outcome.bytes));
    let _ = writeln!(text, "backend  {}", backend(outcome.threads, outcome.device.as_deref(), &outcome.why));
    for note in notes(source, outcome) {
        let _ = writeln!(text, "note     {note}");
    }
    let _ =
        writeln!(text, "\n{}", table(["operator", "result", "time", "rate"], &statistics(source, outcome)));
    if let Some(quantiles) = &outcome.quantiles {
        let _ = writeln!(text, "{}", table(["quantile", "result", "time"], &of_quantiles(quantiles)));
    }
    let _ = writeln!(text, "{}", table(["the sum by", "result", "off by", "time"], &sums(outcome)));
    for line in lesson::lines(outcome) {
        let _ = writeln!(text, "  {line}");
    }
    let _ = writeln!(text, "\n  {}", times(source, outcome));
    text
}

fn notes(source: &Source, outcome: &Outcome) -> Vec<String> {
    let mut notes = input::notes(source, outcome.count, outcome.missing);
    if source.is_fortran() {
        notes.push(
            "Fortran order: indices count in memory order, and of equal elements the first there wins".into(),
        );
    }
    if outcome.nan > 0 && outcome.nan == outcome.count {
        notes.push("every element is NaN, so every result is".into());
    } else if outcome.nan > 0 {
        let (nan, count) = (grouped(outcome.nan), grouped(outcome.count));
        let what = if outcome.quantiles.is_some() { "the sum is, and quantiles are" } else { "the sum is" };
        notes.push(format!(
            "NaN: {nan} of {count} elements; so {what}, while min, max, argmin and argmax skip them"
        ));
    }
    notes
}

fn statistics(source: &Source, outcome: &Outcome) -> Vec<[String; 4]> {
    let rate = |time: Duration, passes: u64| {
        let rate = (passes * outcome.bytes) as f64 / time.as_secs_f64().max(1e-9) / 1e9;
        // Of a handful of bytes only the call is timed.
        if outcome.bytes < 1 << 16 { "-".into() } else { format!("{rate:.1} GB/s") }
    };
    let row =
        |name: &str, time: Duration, result: String| [name.into(), result, duration(time), rate(time, 1)];
    let value = |name: &str, found: Timed<Option<Value>>| row(name, found.time, some(found.result));
    let place = |name: &str, found: Timed<Option<Place>>| {
        row(name, found.time, some(found.result.map(|place| located(source, place))))
    };
    vec![
        ["count".into(), grouped(outcome.count), String::new(), String::new()],
        row("sum", outcome.sum.time, outcome.sum.result.to_string()),
        value("min", outcome.min),
        value("max", outcome.max),
        place("argmin", outcome.argmin),
        place("argmax", outcome.argmax),
        ["five passes".into(), String::new(), duration(outcome.operators()), rate(outcome.operators(), 5)],
    ]
}

fn of_quantiles(quantiles: &Timed<Vec<Quantile>>) -> Vec<[String; 3]> {
    let row = |quantile: &Quantile| {
        let name = if quantile.q == 0.5 { "0.5, the median".into() } else { quantile.q.to_string() };
        [name, some(quantile.value), String::new()]
    };
    let mut rows: Vec<_> = quantiles.result.iter().map(row).collect();
    align_points(rows.iter_mut().map(|row| &mut row[1]));
    rows.push(["by selection".into(), String::new(), duration(quantiles.time)]);
    rows
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

fn sums(outcome: &Outcome) -> Vec<[String; 4]> {
    let (sum, naive, accurate) = (outcome.sum.result, outcome.naive.result, outcome.accurate.result);
    let (method, text) = match accurate {
        Accurate::Exact(sum) => ("exact", grouped(sum)),
        Accurate::Compensated(sum) => ("compensated loop, f64", Value::F64(sum).to_string()),
    };
    let [by_tree, by_loop, text] = with_points_aligned([sum.to_string(), naive.to_string(), text]);
    let row = |name: &str, text, off, time| [name.into(), text, off, duration(time)];
    let off = |value: Value| lesson::off(value, accurate);
    vec![
        row(&format!("warpfold's tree, {}", sum.type_name()), by_tree, off(sum), outcome.sum.time),
        row(&format!("naive loop, {}", naive.type_name()), by_loop, off(naive), outcome.naive.time),
        row(method, text, String::new(), outcome.accurate.time),
    ]
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
        outcome.quantiles.as_ref().map(|quantiles| ("quantiles", quantiles.time)),
        Some(("two loops on one thread", loops)),
    ];
    let parts: Vec<_> =
        parts.into_iter().flatten().map(|(name, time)| format!("{name} {}", duration(time))).collect();
    format!("total {}: {}", duration(outcome.total), parts.join(", "))
}
