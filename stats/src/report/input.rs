//! The lines about the elements and the backend.

use super::table;
use crate::numbers::Rounded;
use crate::numbers::numeric::Dtype;
use crate::numbers::value::grouped;
use crate::source::Source;
use crate::source::column::Column;
use crate::source::npy::{Npy, Stored, tuple};

/// The line about the elements.
pub(super) fn line(source: &Source, dtype: Dtype, count: u64, bytes: u64) -> String {
    let (count, dtype, size) = (grouped(count), dtype.name(), table::bytes(bytes));
    match source {
        Source::Npy(Npy { path, layout, .. }) => {
            let from = match layout.stored {
                Stored::AsIs(_) => String::new(),
                narrow => format!(", converted from {}", narrow.name()),
            };
            format!("{}: {count} {dtype}{from}, shape {}, {size}", path.display(), tuple(&layout.shape))
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

/// The line about the backend.
pub(super) fn backend(threads: usize, device: Option<&str>, why: &str) -> String {
    let threads = if threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
    match device {
        Some(device) => format!("GPU, {device}: {why}"),
        None => format!("CPU, {threads}: {why}"),
    }
}

/// Notes about the file.
pub(super) fn notes(source: &Source, count: u64, missing: u64, rounded: &Rounded) -> Vec<String> {
    let mut notes = Vec::new();
    if let Source::Npy(Npy { layout, ignored, .. }) = source {
        if layout.swapped {
            notes.push("the file is of the other byte order: converted in a copy".into());
        }
        if *ignored > 0 {
            notes.push(format!(
                "ignored the {} bytes after the last element, as numpy.load does",
                grouped(ignored)
            ));
        }
    }
    if let Source::Column(Column { are_numbers: true, .. }) = source {
        notes.push(
            "the first line, which names the columns, has numbers alone: if it is a row, add --no-header"
                .into(),
        );
    }
    if missing > 0 {
        let (missing, rows) = (grouped(missing), grouped(count + missing));
        let what = if matches!(source, Source::Npy(_)) { "elements are NaN" } else { "rows have no value" };
        notes.push(format!("{missing} of {rows} {what} and are skipped; the index counts them"));
    }
    if rounded.count > 0 {
        let numbers = if rounded.count == 1 { "number" } else { "numbers" };
        notes.push(format!(
            "{} whole {numbers} beyond 2^53 lost digits as float64, such as {}; the column is not of whole numbers alone",
            grouped(rounded.count),
            rounded.first
        ));
    }
    notes
}
