//! The source of the elements, in JSON.

use serde::Serialize;

use crate::source::Source;
use crate::source::column::Column;
use crate::source::format::Table;
use crate::source::npy::Npy;

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(super) enum Origin {
    Npy {
        path: String,
        version: String,
        r#type: &'static str,
        shape: Vec<u64>,
        fortran_order: bool,
        byte_swapped: bool,
        ignored_bytes: u64,
    },
    Csv(ColumnOf),
    Parquet(ColumnOf),
    Arrow(ColumnOf),
    Synthetic {
        shape: [u64; 1],
        seed: u64,
    },
}

#[derive(Serialize)]
pub(super) struct ColumnOf {
    path: String,
    column: String,
    r#type: Option<String>,
    /// Whether the names of a CSV file could be numbers of a first row.
    #[serde(skip_serializing_if = "Option::is_none")]
    names_are_numbers: Option<bool>,
    rows: u64,
}

/// The source of the elements. `rows` is the number of rows of a table.
pub(super) fn origin(source: &Source, rows: u64) -> Origin {
    match source {
        Source::Npy(Npy { path, layout, ignored, .. }) => Origin::Npy {
            path: path.to_string_lossy().into_owned(),
            version: format!("{}.{}", layout.version.0, layout.version.1),
            r#type: layout.stored.name(),
            shape: layout.shape.clone(),
            fortran_order: layout.fortran,
            byte_swapped: layout.swapped,
            ignored_bytes: *ignored,
        },
        Source::Column(Column { path, table, name, r#type, are_numbers, .. }) => {
            let column = ColumnOf {
                path: path.to_string_lossy().into_owned(),
                column: name.clone(),
                r#type: r#type.clone(),
                names_are_numbers: matches!(table, Table::Csv(_)).then_some(*are_numbers),
                rows,
            };
            match table {
                Table::Csv(_) => Origin::Csv(column),
                Table::Parquet => Origin::Parquet(column),
                Table::ArrowFile | Table::ArrowStream => Origin::Arrow(column),
            }
        }
        Source::Synthetic(synthetic) => Origin::Synthetic { shape: [synthetic.count], seed: synthetic.seed },
    }
}
