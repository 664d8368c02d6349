//! A tuning as text: a line with the format's version, a line for each part of its key, the number of rows, and a line
//! for each row.
//!
//! ```text
//! warpfold tuning 1
//! library 0.1.0
//! device NVIDIA H200
//! capability 9.0
//! multiprocessors 132
//! driver 580.159.04 for CUDA 13.0
//! rows 2
//! reduce_sum_f32_grid 16 block 1024 1 d5ab2f2c90d3e1f7 2531 2404
//! reduce_sum_f32_grid 20 grid 512 2 5a3bb4d8a7c6ee01 3891 3702
//! ```
//!
//! The fields of a row are the entry, the class (log2 of bytes), the passes (`block`, `grid`, `recursive:64`), threads
//! per block, blocks per multiprocessor, the stamp of the kernels and the beaten plan, and nanoseconds by the beaten
//! plan and by this configuration.

use std::fmt::Write as _;

use super::key::Key;
use super::{LaunchConfig, Row, Rows, class};
use crate::plan::Passes;

/// The first line.
const FORMAT: &str = "warpfold tuning 1";

/// Longest name of an entry.
const LONGEST_NAME: usize = 200;

/// The reason why a kept tuning is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Ignored {
    /// It is for another device, driver or library.
    #[error("it is for {what} {found:?}, and this is {here:?}")]
    Stale { what: &'static str, found: String, here: String },
    /// It is not a valid tuning.
    #[error("line {line} is not what it must be")]
    Damaged { line: usize },
}

/// Returns `rows` for `key` as text.
pub(super) fn write(key: &Key, rows: &Rows) -> String {
    let mut text = format!("{FORMAT}\n");
    // Writing to a string does not fail.
    for (what, value) in key.lines() {
        let _ = writeln!(text, "{what} {value}");
    }
    let _ = writeln!(text, "rows {}", rows.len());
    for ((name, class), row) in rows {
        let Row { config, stamp, default_ns, tuned_ns } = row;
        let (threads, blocks) = (config.threads(), config.blocks_per_multiprocessor());
        let passes = passes_text(config.passes());
        let _ =
            writeln!(text, "{name} {class} {passes} {threads} {blocks} {stamp:016x} {default_ns} {tuned_ns}");
    }
    text
}

/// Parses `text`. Fails unless it is a whole tuning for `key`.
pub(super) fn read(key: &Key, text: &str) -> Result<Rows, Ignored> {
    let damaged = |line| Ignored::Damaged { line };
    let last = text.split('\n').count();
    let whole = text.strip_suffix('\n').ok_or(damaged(last))?;
    let mut lines = whole.split('\n').enumerate();
    let mut next = || lines.next().map_or((last, ""), |(at, line)| (at + 1, line));
    let (line, first) = next();
    if first != FORMAT {
        return Err(damaged(line));
    }
    for (what, here) in key.lines() {
        let (line, text) = next();
        let value = text.strip_prefix(what).and_then(|text| text.strip_prefix(' '));
        let found = value.ok_or(damaged(line))?;
        if found != here {
            return Err(Ignored::Stale { what, found: found.chars().take(100).collect(), here });
        }
    }
    let (line, text) = next();
    let count: usize = text.strip_prefix("rows ").and_then(number).ok_or(damaged(line))?;
    let mut rows = Rows::new();
    for _ in 0..count {
        let (line, text) = next();
        let (class, row) = row(text).ok_or(damaged(line))?;
        if rows.insert(class, row).is_some() {
            return Err(damaged(line));
        }
    }
    match lines.next() {
        None => Ok(rows),
        Some((at, _)) => Err(damaged(at + 1)),
    }
}

fn row(line: &str) -> Option<((String, u32), Row)> {
    let fields: Vec<&str> = line.split(' ').collect();
    let &[name, class, passes, threads, blocks, stamp, default_ns, tuned_ns] = fields.as_slice() else {
        return None;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) {
        return None;
    }
    let class: u32 = number(class).filter(|&class| class <= class::GREATEST)?;
    let config = LaunchConfig::new(passes_of(passes)?, number(threads)?, number(blocks)?).ok()?;
    let hexadecimal = stamp.len() == 16 && stamp.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    let stamp = u64::from_str_radix(stamp, 16).ok().filter(|_| hexadecimal)?;
    let row = Row { config, stamp, default_ns: number(default_ns)?, tuned_ns: number(tuned_ns)? };
    Some(((name.to_owned(), class), row))
}

/// Parses decimal digits in their canonical form: no sign, no leading zeros.
fn number<N: std::str::FromStr + std::fmt::Display>(text: &str) -> Option<N> {
    text.parse::<N>().ok().filter(|number| number.to_string() == text)
}

fn passes_text(passes: Passes) -> String {
    match passes {
        Passes::Block => "block".into(),
        Passes::Grid => "grid".into(),
        Passes::Recursive { fan_in } => format!("recursive:{fan_in}"),
    }
}

fn passes_of(text: &str) -> Option<Passes> {
    match text {
        "block" => Some(Passes::Block),
        "grid" => Some(Passes::Grid),
        _ => Some(Passes::Recursive { fan_in: number(text.strip_prefix("recursive:")?)? }),
    }
}

#[cfg(test)]
mod tests;
