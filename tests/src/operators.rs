//! The table of operators and element types, as docs/operators.md has it: written from the catalogue.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The checked-in page.
pub const PAGE: &str = include_str!("../../docs/operators.md");

/// Columns of the table, in order; elements that are not among these get the last one.
const ELEMENTS: [&str; 16] = [
    "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "i128", "u128", "f16", "bf16", "f32",
    "f64", "complex",
];

/// The page, computed from the catalogue.
#[must_use]
pub fn page() -> String {
    let mut rows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    macro_rules! add {
        ($($row:ident: $op:ty, $element:ty;)*) => { $(
            let element = short(stringify!($element));
            let op = short(stringify!($op)).replace(&format!("<{element}>"), "<T>");
            rows.entry(op).or_default().insert(element);
        )* };
    }
    gpu_kernels::for_each_kernel!(add);
    let mut pairs = std::mem::take(&mut rows);
    gpu_kernels::for_each_zip_kernel!(add);
    let zipped = std::mem::take(&mut rows);
    gpu_kernels::for_each_rows_kernel!(add);
    let batched = rows;

    let mut page = String::from(
        "# Operators and element types\n\n\
         Written by `cargo run -p warpfold-tests --features write --bin write-operators` from the catalogue \
         (`gpu-kernels/src/catalogue.rs`);\na test compares. A cell with a dot has kernels for GPUs, is tested on the CPU, \
         under the emulator and on GPUs, bit for\nbit, and has golden vectors (`tests/golden`). Where there is none, the \
         CPU still folds: any operator over any element\nthat it is implemented for. What each gives, of nothing and of \
         NaN, is in its documentation and in `tests/src/laws.rs`.\n\n",
    );
    let others: Vec<(String, String)> = pairs
        .iter_mut()
        .flat_map(|(op, elements)| {
            let odd: Vec<String> = elements.iter().filter(|e| column(e).is_none()).cloned().collect();
            odd.into_iter().map(move |element| (op.clone(), element))
        })
        .collect();
    table(&mut page, &pairs);
    page.push_str("\nOver elements of their own:\n\n| operator | element |\n|---|---|\n");
    for (op, element) in others {
        let _ = writeln!(page, "| `{op}` | `{element}` |");
    }
    page.push_str("\nOver two arrays, by `reduce_zip`, with the element of each:\n\n");
    table(&mut page, &zipped);
    page.push_str(
        "\nOver rows, columns, axes, chunks, segments, runs and groups in a GPU's memory, by `Cuda::reduce_rows` and its kin; \
         and over\nthose elements of their own but `Affine<u32>` and `Matrix2<u32>`:\n\n",
    );
    table(&mut page, &batched);
    page
}

/// A table of those elements that have a column.
fn table(page: &mut String, rows: &BTreeMap<String, BTreeSet<String>>) {
    let used: Vec<&str> = ELEMENTS
        .into_iter()
        .filter(|name| rows.values().flatten().any(|element| column(element) == Some(name)))
        .collect();
    let _ = writeln!(page, "| operator | {} |", used.join(" | "));
    let _ = writeln!(page, "|---|{}", ":-:|".repeat(used.len()));
    for (op, elements) in rows {
        let columns: BTreeSet<&str> = elements.iter().filter_map(|element| column(element)).collect();
        if !columns.is_empty() {
            let cells = used.iter().map(|name| if columns.contains(name) { "•" } else { " " });
            let _ = writeln!(page, "| `{op}` | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
    }
}

/// An element's column.
fn column(element: &str) -> Option<&'static str> {
    let name = if element.starts_with("Complex") { "complex" } else { element };
    ELEMENTS.into_iter().find(|&column| column == name)
}

/// A type's name without its paths.
fn short(name: &str) -> String {
    let plain: String = name.split_whitespace().collect();
    plain
        .split_inclusive(['<', '(', ',', '>', ')'])
        .map(|part| part.rsplit("::").next().unwrap_or(part))
        .collect::<String>()
        .replace(',', ", ")
}
