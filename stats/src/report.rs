//! The result as text.

mod columns;
mod histogram;
mod input;
mod lesson;
mod rows;
mod table;

use std::fmt::{Arguments, Write};
use std::time::Duration;

pub(crate) use self::columns::render_columns;
use self::input::backend;
pub(crate) use self::rows::render_rows;
use self::table::{align_points, duration, table, with_points_aligned};
use crate::numbers::naive::Accurate;
use crate::numbers::value::{Exactly, Value, grouped};
use crate::source::Source;
use crate::source::npy::tuple;
use crate::statistics::loops::Loops;
use crate::statistics::quantiles::Quantile;
use crate::statistics::{Outcome, Place};
use crate::terminal;
use crate::timed::Timed;

/// The fewest bytes for which times are printed: a loop that adds floats one by one takes a quarter of a
/// millisecond for these.
const LEAST_TIMED: u64 = 1 << 20;

/// The shortest time that is printed.
const LEAST_TIME: Duration = Duration::from_millis(1);

/// The whole text.
pub(crate) fn render(source: &Source, outcome: &Outcome) -> String {
    let mut text = String::new();
    let input = input::line(source, outcome.dtype, outcome.count, outcome.bytes);
    put(&mut text, format_args!("input    {input}"));
    let backend = backend(outcome.threads, outcome.device.as_deref(), &outcome.why);
    put(&mut text, format_args!("backend  {backend}"));
    for note in notes(source, outcome) {
        put(&mut text, format_args!("note     {note}"));
    }
    // Writing to a string cannot fail.
    let shown = |head: &'static [&'static str], times: usize| {
        &head[..head.len() - if is_timed(outcome) { 0 } else { times }]
    };
    let head = shown(&["statistic", "result", "time", "rate"], 2);
    let _ = writeln!(text, "\n{}", table(head, &statistics(source, outcome)));
    if let Some(quantiles) = &outcome.quantiles {
        let head = shown(&["quantile", "result", "time"], 1);
        let _ = writeln!(text, "{}", table(head, &of_quantiles(outcome, quantiles)));
    }
    if let Some(histogram) = &outcome.histogram {
        let mut rows = histogram::rows(&histogram.result);
        if is_timed(outcome) {
            rows.push(vec!["by one pass".into(), String::new(), duration(histogram.time)]);
        }
        let _ = writeln!(text, "{}", table(&["elements", "count", ""], &rows));
    }
    if let Some(loops) = &outcome.loops {
        let head = shown(&["the sum by", "result", "off by", "time"], 1);
        let _ = writeln!(text, "{}", table(head, &sums(outcome, loops)));
        for line in lesson::lines(outcome, loops) {
            let _ = writeln!(text, "  {line}");
        }
        text.push('\n');
    }
    match times(source, outcome) {
        Some(times) => text + "  " + &times + "\n",
        None => text.trim_end().to_owned() + "\n",
    }
}

/// Adds a line. It may quote names and texts of a file, which must not control the terminal.
fn put(text: &mut String, line: Arguments<'_>) {
    *text += &terminal::line(&line.to_string());
    text.push('\n');
}

/// Whether there are enough elements for meaningful times. A short time is mostly spent on the calls and on
/// waking threads.
fn is_timed(outcome: &Outcome) -> bool {
    outcome.bytes >= LEAST_TIMED
}

fn notes(source: &Source, outcome: &Outcome) -> Vec<String> {
    let mut notes = input::notes(source, outcome.count, outcome.missing, &outcome.rounded);
    if source.is_fortran() {
        notes.push(
            "Fortran order: indices count in memory order, and of equal elements the first there wins".into(),
        );
    }
    if let (Exactly::Integer(sum), Some(exact)) = (outcome.sum.exactly(), outcome.exact_sum())
        && sum != exact
    {
        notes.push(format!("the sum does not fit 64 bits and wraps around there: it is {}", grouped(exact)));
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

fn statistics(source: &Source, outcome: &Outcome) -> Vec<Vec<String>> {
    let value = |value: Option<Value>| some(value);
    let few = || "none: of fewer than two elements".to_owned();
    let at = |place: Option<Place>| some(place.map(|place| located(source, place)));
    let mut rows = [
        ("count", grouped(outcome.count)),
        ("sum", outcome.sum.to_string()),
        ("mean", value(outcome.mean)),
        match outcome.sample_deviation {
            None => ("std dev", value(outcome.deviation)),
            Some(of_sample) => ("sample std dev", of_sample.map_or_else(few, |value| value.to_string())),
        },
        ("min", value(outcome.min.map(|place| place.value))),
        ("max", value(outcome.max.map(|place| place.value))),
        ("argmin", at(outcome.min)),
        ("argmax", at(outcome.max)),
    ]
    .map(|(name, result)| vec![name.into(), result])
    .to_vec();
    if outcome.count > 0 {
        align_points(rows.iter_mut().map(|row| &mut row[1]));
    }
    if is_timed(outcome) {
        let rate = outcome.bytes as f64 / outcome.pass.as_secs_f64().max(1e-9) / 1e9;
        rows.push(vec![
            passes(outcome).into(),
            String::new(),
            duration(outcome.pass),
            format!("{rate:.1} GB/s"),
        ]);
    }
    rows
}

/// How many times the elements were read for the statistics.
fn passes(outcome: &Outcome) -> &'static str {
    match (&outcome.device, outcome.sample_deviation) {
        (None, _) => "one pass",
        (Some(_), None) => "copy and four passes",
        (Some(_), Some(_)) => "copy and five passes",
    }
}

fn of_quantiles(outcome: &Outcome, quantiles: &Timed<Vec<Quantile>>) -> Vec<Vec<String>> {
    let row = |quantile: &Quantile| {
        let name = if quantile.q == 0.5 { "0.5, the median".into() } else { quantile.q.to_string() };
        vec![name, some(quantile.value)]
    };
    let mut rows: Vec<_> = quantiles.result.iter().map(row).collect();
    align_points(rows.iter_mut().map(|row| &mut row[1]));
    if is_timed(outcome) {
        rows.push(vec!["by selection".into(), String::new(), duration(quantiles.time)]);
    }
    rows
}

fn some(result: Option<impl ToString>) -> String {
    result.map_or("none: there are no elements".into(), |result| result.to_string())
}

/// The index, and the coordinates if they tell more.
fn located(source: &Source, place: Place) -> String {
    let coordinates = source.coordinates(place.index);
    match coordinates.len() {
        1 => grouped(place.index),
        _ => format!("{} = {}", tuple(&coordinates), grouped(place.index)),
    }
}

fn sums(outcome: &Outcome, loops: &Loops) -> Vec<Vec<String>> {
    let (sum, naive, accurate) = (outcome.sum, loops.naive.result, loops.accurate.result);
    let (method, text) = match accurate {
        Accurate::Exact(sum) => ("exact", grouped(sum)),
        Accurate::Compensated(sum) => ("compensated loop, f64", Value::F64(sum).to_string()),
    };
    let [by_tree, by_loop, text] = with_points_aligned([sum.to_string(), naive.to_string(), text]);
    let row = |name: &str, text, off, time| {
        let mut row = vec![name.into(), text, off];
        row.extend(is_timed(outcome).then_some(time));
        row
    };
    let off = |value: Value| lesson::off(value, accurate);
    let (naive_time, accurate_time) = (duration(loops.naive.time), duration(loops.accurate.time));
    vec![
        row(&format!("warpfold's tree, {}", sum.type_name()), by_tree, off(sum), "as above".into()),
        row(&format!("naive loop, {}", naive.type_name()), by_loop, off(naive), naive_time),
        row(method, text, String::new(), accurate_time),
    ]
}

/// The durations of the parts; empty if all were negligible, or there was only the pass, whose time the table has.
fn times(source: &Source, outcome: &Outcome) -> Option<String> {
    let made = match source {
        Source::Npy(_) => "reading the elements",
        Source::Column(_) => "reading the column",
        Source::Synthetic(_) => "making the elements",
    };
    let parts = [
        outcome.load.map(|time| (made, time)),
        Some((passes(outcome), outcome.pass)),
        outcome.quantiles.as_ref().map(|quantiles| ("quantiles", quantiles.time)),
        outcome.histogram.as_ref().map(|histogram| ("histogram", histogram.time)),
        outcome
            .loops
            .as_ref()
            .map(|loops| ("two loops on one thread", loops.naive.time + loops.accurate.time)),
    ];
    let told = |time: Duration| time >= LEAST_TIME && (is_timed(outcome) || Some(time) == outcome.load);
    let parts = parts.into_iter().flatten().filter(|&(_, time)| told(time));
    let parts: Vec<_> = parts.map(|(name, time)| format!("{name} {}", duration(time))).collect();
    (parts.len() > usize::from(outcome.load.is_none()))
        .then(|| format!("total {}: {}", duration(outcome.total), parts.join(", ")))
}
