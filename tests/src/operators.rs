//! Computes docs/operators.md, the tables of operators and element types, from the catalogue.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

mod holes;
mod list;

/// The checked-in page.
pub const PAGE: &str = include_str!("../../docs/operators.md");

/// Columns of the tables, in order.
const ELEMENTS: [&str; 18] = [
    "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "isize", "usize", "i128", "u128", "f16",
    "bf16", "f32", "f64", "complex",
];

/// A table of the page, for one or more operations of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    /// Reduces one array.
    One,
    /// Reduces two arrays.
    Two,
    /// Reduces rows, columns, axes, chunks, segments, runs of keys and groups.
    Many,
    /// Scans arrays and segments.
    Scan,
}

impl Operation {
    const fn times(self) -> usize {
        match self {
            Self::One | Self::Two => 1,
            Self::Many => 7,
            Self::Scan => 2,
        }
    }
}

/// The elements that each operator has kernels for.
type Rows = BTreeMap<String, BTreeSet<String>>;

/// The page, computed from the catalogue.
///
/// # Panics
/// If a pair without kernels has no reason, or an operator no line in the list.
#[must_use]
pub fn page() -> String {
    // Arrays compile fast; a statement for each pair would take a minute.
    macro_rules! pairs {
        ($($row:ident: $op:ty, $element:ty;)*) => { &[$( (stringify!($op), stringify!($element)) ),*] };
    }
    let one = with_native(rows(gpu_kernels::for_each_kernel!(pairs)));
    let two = rows(gpu_kernels::for_each_zip_kernel!(pairs));
    let many = with_native(rows(gpu_kernels::for_each_rows_kernel!(pairs)));
    let scans = with_native(rows(gpu_kernels::for_each_scan_kernel!(pairs)));

    let tables = [
        (Operation::One, "One array", "`reduce` and its variants", &one),
        (Operation::Two, "Two arrays", "`reduce` of `zip`, for the element of both arrays", &two),
        (
            Operation::Many,
            "Many results",
            "`Cuda::reduce` of rows, columns, axes, chunks, segments, runs of equal keys and groups (seven operations)",
            &many,
        ),
        (Operation::Scan, "Scans", "`Cuda::scan` of an array and of segments (two operations)", &scans),
    ];
    let count = |(operation, _, _, rows): &(Operation, &str, &str, &Rows)| {
        operation.times() * rows.values().map(BTreeSet::len).sum::<usize>()
    };
    let mut page = format!(
        "# Operators and element types\n\n\
         ## Operators\n\n\
         Each operator with an example, where `cpu` is `Cpu::new()`. [The promise](promise.md#operators-and-their-results) has \
         the result for\nempty input and NaN.\n\n{}\n\
         ## Pairs with GPU kernels\n\n\
         A dot marks a pair with GPU kernels; a letter is [the reason why a pair has none](#why-there-is-none). The CPU \
         takes any operator over\nany element that it is implemented for.\n\n\
         A pair with a dot is tested on the CPU and on GPUs, bit for bit, and in the emulator by a pair with kernels of the\n\
         same shape (`tests/src/sampled.rs`). Pairs of one array have golden vectors (`tests/golden`). There are {} triples \
         of an operation, an\noperator and an element. `cargo run -p warpfold-tests --features write --bin write-operators` \
         writes this page from the catalogue\n(`gpu-kernels/src/catalogue/pairs.rs`); a test compares them.\n",
        list(&[&one, &two, &many, &scans]),
        tables.iter().map(count).sum::<usize>()
    );
    for (operation, name, what, rows) in tables {
        let _ = write!(page, "\n## {name}\n\n{} triples: {what}.\n\n", count(&(operation, name, what, rows)));
        table(&mut page, operation, rows, &one);
        others(&mut page, rows);
    }
    page.push_str("\n## Why there is none\n\n");
    for (letter, why) in holes::REASONS {
        let _ = writeln!(page, "- **{letter}**: {why}");
    }
    page
}

/// The list of operators.
fn list(catalogue: &[&Rows]) -> String {
    let unlisted = catalogue.iter().flat_map(|rows| rows.keys()).find(|operator| !list::has(operator));
    assert_eq!(unlisted, None, "tests/src/operators/list.rs has no line for it");
    let mut text = String::new();
    list::write(&mut text);
    text
}

/// The rows for pairs of an operator and an element.
fn rows(pairs: &[(&str, &str)]) -> Rows {
    let mut rows = Rows::new();
    for (op, element) in pairs {
        let element = short(element);
        let op = short(op).replace(&format!("<{element}>"), "<T>");
        rows.entry(op).or_default().insert(element);
    }
    rows
}

/// Adds usize and isize, which use the kernels of u64 and i64, for operators that do not name their element.
fn with_native(mut rows: Rows) -> Rows {
    for (op, elements) in &mut rows {
        for (native, fixed) in [("usize", "u64"), ("isize", "i64")] {
            if elements.contains(fixed) && !op.contains("<T>") {
                elements.insert(native.to_owned());
            }
        }
    }
    rows
}

/// Writes the table of the elements with a column and the operators with any kernels.
fn table(page: &mut String, operation: Operation, rows: &Rows, all: &Rows) {
    let used: Vec<&str> = if operation == Operation::Two {
        ELEMENTS.into_iter().filter(|name| rows.values().any(|elements| elements.contains(*name))).collect()
    } else {
        ELEMENTS.to_vec()
    };
    let _ = writeln!(page, "| operator | {} |", used.join(" | "));
    let _ = writeln!(page, "|---|{}", ":-:|".repeat(used.len()));
    let operators: BTreeSet<&String> =
        if operation == Operation::Two { rows.keys().collect() } else { all.keys().collect() };
    for op in operators {
        let columns = |rows: &Rows| -> BTreeSet<&str> {
            rows.get(op).into_iter().flatten().filter_map(|element| column(element)).collect()
        };
        let (here, flat) = (columns(rows), columns(all));
        if flat.is_empty() && here.is_empty() {
            continue;
        }
        let cells = used.iter().map(|name| {
            if here.contains(name) { "•" } else { holes::reason(operation, op, name, flat.contains(name)) }
        });
        let _ = writeln!(page, "| `{op}` | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

/// Writes the pairs whose elements have no column.
fn others(page: &mut String, rows: &Rows) {
    let odd = rows.iter().flat_map(|(op, elements)| {
        elements
            .iter()
            .filter(|element| column(element).is_none())
            .map(move |element| format!("`{op}` of `{element}`"))
    });
    let odd: Vec<String> = odd.collect();
    if !odd.is_empty() {
        let _ = writeln!(page, "\nOther elements: {}.", odd.join(", "));
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
