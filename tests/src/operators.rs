//! Computes what is written from the catalogue's matrix: the lists of pairs, and the tables of operators and element types in the
//! documents.

use std::fmt::Write as _;

mod list;
mod matrix;
mod pairs;

use matrix::{Kernels, Pair, Row};

/// The files that are written from the matrix, from the root of the repository, with what they are to be.
///
/// # Panics
/// If an operator has no line in the list.
#[must_use]
pub fn files() -> [(&'static str, &'static str, String); 3] {
    const PAIRS: &str = include_str!("../../gpu-kernels/src/catalogue/pairs.rs");
    [
        ("docs/operators.md", include_str!("../../docs/operators.md"), page()),
        ("host/src/operators.md", include_str!("../../host/src/operators.md"), list::of_the_library()),
        ("gpu-kernels/src/catalogue/pairs.rs", PAIRS, pairs::lists(PAIRS, &atomic())),
    ]
}

/// Returns the entries of the pairs with kernels for many results whose operator has an atomic instruction.
fn atomic() -> Vec<&'static str> {
    macro_rules! of {
        ($($entry:ident: $op:ty, $element:ty;)*) => {
            vec![$((stringify!($entry), <$op as gpu_kernels::Op<$element>>::ATOMIC)),*]
        };
    }
    let all = gpu_kernels::for_each_rows_kernel!(of);
    all.into_iter().filter_map(|(entry, atomic)| atomic.map(|_| entry)).collect()
}

/// A table of the page, for one or more operations of the library.
struct Table {
    name: &'static str,
    what: &'static str,
    /// How many operations it is for.
    times: usize,
    /// The kernels that they need.
    kernels: Kernels,
    columns: &'static [&'static str],
}

const ONE: &[&str] = &[
    "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "isize", "usize", "i128", "u128", "f16",
    "bf16", "f32", "f64", "complex",
];
const TWO: &[&str] = &["i32", "u32", "i64", "u64", "f32", "f64"];

const TABLES: [Table; 4] = [
    Table {
        name: "One array",
        what: "`reduce` and its variants",
        times: 1,
        kernels: Kernels::One,
        columns: ONE,
    },
    Table {
        name: "Two arrays",
        what: "`reduce` of `zip`, for the element of both arrays",
        times: 1,
        kernels: Kernels::One,
        columns: TWO,
    },
    Table {
        name: "Many results",
        what: "`Cuda::reduce` of rows, columns, axes, chunks, segments, runs of equal keys and groups (seven operations)",
        times: 7,
        kernels: Kernels::Many,
        columns: ONE,
    },
    Table {
        name: "Scans",
        what: "`Cuda::scan` of an array and of segments (two operations)",
        times: 2,
        kernels: Kernels::Scan,
        columns: ONE,
    },
];

/// docs/operators.md.
fn page() -> String {
    let [one, two] = matrix::tables();
    let unlisted = one.iter().chain(&two).find(|row| !list::has(row.operator));
    assert_eq!(unlisted.map(|row| row.operator), None, "tests/src/operators/list.rs has no line for it");
    let tables = TABLES.map(|table| {
        let rows = if table.columns == TWO { &two } else { &one };
        let triples = table.times * rows.iter().map(|row| table.count(row)).sum::<usize>();
        (table, rows, triples)
    });
    let mut page = format!(
        "# Operators and element types\n\n\
         ## Operators\n\n\
         Each operator with an example, where `cpu` is `Cpu::new()`. `At` has `index` and `value`, `Extremes` has `min` and `max`.\n\n{}\n\
         ## Pairs with GPU kernels\n\n\
         A dot marks a pair with GPU kernels; a letter is [the reason why a pair has none](#why-there-is-none). The CPU \
         takes any operator over\nany element that it is implemented for.\n\n\
         A pair with a dot is tested on the CPU and on GPUs, bit for bit, and in the emulator by a pair with kernels of the\n\
         same shape. Pairs of one array have golden vectors (`tests/golden`). There are {} triples of an operation, an operator and \
         an\nelement. `cargo run -p warpfold-tests --features write --bin write-operators` writes this page from the \
         catalogue\n(`gpu-kernels/src/catalogue/matrix.txt`); a test compares them.\n",
        list::of_the_page(),
        tables.iter().map(|(.., triples)| triples).sum::<usize>()
    );
    for (table, rows, triples) in &tables {
        let _ = write!(page, "\n## {}\n\n{triples} triples: {}.\n\n", table.name, table.what);
        table.write(&mut page, rows);
    }
    page.push_str("\n## Why there is none\n\n");
    for (letter, why) in matrix::reasons() {
        let _ = writeln!(page, "- **{letter}**: {why}");
    }
    page
}

impl Table {
    fn has(&self, pair: &Pair) -> bool {
        pair.kernels() >= self.kernels
    }

    /// The elements of an operator that have kernels.
    fn count(&self, row: &Row) -> usize {
        let fixed = row.pairs.iter().filter(|(_, pair)| self.has(pair)).count();
        let native = self.columns.iter().filter(|column| ["isize", "usize"].contains(column));
        let native = native.filter(|column| self.cell(row, column) == "•").count();
        fixed + native
    }

    /// A dot or the letter of a reason.
    fn cell(&self, row: &Row, column: &str) -> &'static str {
        // usize and isize use the kernels of u64 and i64, for operators that do not name their element.
        let (named, is_native) = match column {
            "isize" => ("i64", true),
            "usize" => ("u64", true),
            "complex" => ("c32", false),
            _ => (column, false),
        };
        let Some((_, pair)) = row.pairs.iter().find(|(name, _)| row.is_over_columns && *name == named) else {
            return "";
        };
        match pair.kernels() {
            Kernels::None => pair.reason(),
            _ if is_native && row.operator.contains("<T>") => "e",
            _ if self.has(pair) => "•",
            _ if self.kernels == Kernels::Scan => "h",
            _ => pair.reason(),
        }
    }

    fn write(&self, page: &mut String, rows: &[Row]) {
        let _ = writeln!(page, "| operator | {} |", self.columns.join(" | "));
        let _ = writeln!(page, "|---|{}", ":-:|".repeat(self.columns.len()));
        for row in rows.iter().filter(|row| row.is_over_columns) {
            let cells: Vec<_> = self.columns.iter().map(|column| self.cell(row, column)).collect();
            let _ = writeln!(page, "| `{}` | {} |", row.operator.replace(',', ", "), cells.join(" | "));
        }
        let odd = rows.iter().filter(|row| !row.is_over_columns).flat_map(|row| &row.pairs);
        let odd = odd.filter(|(_, pair)| self.has(pair));
        let odd: Vec<_> = odd.map(|(_, pair)| format!("`{}` of `{}`", pair.operator, pair.element)).collect();
        if !odd.is_empty() {
            let _ = writeln!(page, "\nOther elements: {}.", odd.join(", "));
        }
    }
}
