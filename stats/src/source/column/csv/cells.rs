//! The cells of CSV columns, each as the first type that holds all of them.

use csv::ByteRecord;
use warpfold::Elements;

use super::records::Records;
use super::{QUOTED, advice_on_cell, float, is_rounded};
use crate::numbers::{Array, Loaded, Numbers, Rounded};
use crate::progress::Progress;
use crate::source::column::values::{Texts, Values};
use crate::source::column::{Column, Unreadable};
use crate::source::format::Csv;

/// The types that cells are tried as, in this order.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Kind {
    Whole,
    Natural,
    Real,
    Text,
}

impl Kind {
    /// The first of these types behind `self` that holds a cell.
    fn next(self, cell: &str, decimal_comma: bool) -> Self {
        if self < Self::Natural && cell.parse::<u64>().is_ok() {
            Self::Natural
        } else if self < Self::Real && float(cell, decimal_comma).is_some() {
            Self::Real
        } else {
            Self::Text
        }
    }
}

/// The cells of a column so far.
enum Cells {
    Whole(Elements<'static, i64>),
    Natural(Elements<'static, u64>),
    Real(Elements<'static, f64>, Rounded),
    Text(Texts),
}

impl Cells {
    /// `missing` cells without a value.
    fn new(kind: Kind, missing: u64) -> Self {
        fn absent<T: warpfold::Element>(missing: u64) -> Elements<'static, T> {
            let mut none = Elements::default();
            none.skip(missing);
            none
        }
        match kind {
            Kind::Whole => Self::Whole(absent(missing)),
            Kind::Natural => Self::Natural(absent(missing)),
            Kind::Real => Self::Real(absent(missing), Rounded::default()),
            Kind::Text => Self::Text(Texts::after(missing)),
        }
    }

    /// The number of cells without a value, if there are no others.
    fn only_missing(&self) -> Option<u64> {
        match self {
            Self::Whole(x) => x.is_empty().then_some(x.missing()),
            Self::Natural(x) => x.is_empty().then_some(x.missing()),
            Self::Real(x, _) => x.is_empty().then_some(x.missing()),
            Self::Text(_) => None,
        }
    }

    fn skip(&mut self) {
        match self {
            Self::Whole(x) => x.skip(1),
            Self::Natural(x) => x.skip(1),
            Self::Real(x, _) => x.skip(1),
            Self::Text(texts) => texts.skip(),
        }
    }

    /// Adds a cell, if the type holds it.
    fn push(&mut self, cell: &str, of: &Column) -> Option<()> {
        match self {
            Self::Whole(x) => x.extend([Some(cell.parse().ok()?)]),
            Self::Natural(x) => x.extend([Some(cell.parse().ok()?)]),
            Self::Real(x, rounded) => {
                let number = float(cell, of.decimal_comma)?;
                x.extend([Some(number).filter(|number| !(of.skip_nan && number.is_nan()))]);
                if is_rounded(cell, number) {
                    if rounded.count == 0 {
                        rounded.first = cell.chars().take(QUOTED).collect();
                    }
                    rounded.count += 1;
                }
            }
            Self::Text(texts) => texts.push(cell),
        }
        Some(())
    }

    fn values(self, mixed: Option<String>) -> Values {
        match self {
            Self::Whole(x) => Values::Numbers(Numbers::I64(Array::Memory(x)).into()),
            Self::Natural(x) => Values::Numbers(Numbers::U64(Array::Memory(x)).into()),
            Self::Real(x, rounded) => {
                Values::Numbers(Loaded { numbers: Numbers::F64(Array::Memory(x)), rounded })
            }
            Self::Text(texts) => {
                Values::Others(crate::source::column::values::Others { mixed, ..texts.said() })
            }
        }
    }
}

/// A column in one pass over the file.
struct Reading<'a> {
    column: &'a Column,
    kind: Kind,
    cells: Cells,
    /// The type that holds a cell which `kind` does not: the column is read again as that.
    again: Option<Kind>,
    /// What was no number.
    mixed: Option<String>,
}

impl<'a> Reading<'a> {
    fn new(column: &'a Column, kind: Kind, mixed: Option<String>) -> Self {
        Self { column, kind, cells: Cells::new(kind, 0), again: None, mixed }
    }

    /// Adds the cell of a row. A cell that is no number is an error, unless there may be `texts`.
    fn push(
        &mut self,
        cell: &[u8],
        texts: bool,
        place: impl FnOnce() -> (u64, u64),
    ) -> Result<(), Unreadable> {
        let column = self.column;
        if column.is_null(cell) {
            self.cells.skip();
            return Ok(());
        }
        let text = String::from_utf8_lossy(cell);
        if self.cells.push(&text, column).is_some() {
            return Ok(());
        }
        let next = self.kind.next(&text, column.decimal_comma);
        if next == Kind::Text && (!texts || self.cells.only_missing().is_none()) {
            let (row, line) = place();
            let (name, cell) = (column.name.clone(), text.chars().take(QUOTED).collect());
            let wrong = if text.parse::<f64>().is_ok() {
                Unreadable::Range { name, row, line, text: cell }
            } else {
                let advice = advice_on_cell(&text);
                Unreadable::Cell { name, row, line, text: cell, advice }
            };
            if !texts {
                return Err(wrong);
            }
            self.mixed = Some(wrong.to_string());
        }
        match self.cells.only_missing() {
            Some(missing) => {
                (self.kind, self.cells) = (next, Cells::new(next, missing));
                // It holds the cell.
                let _ = self.cells.push(&text, column);
            }
            None => self.again = Some(next),
        }
        Ok(())
    }
}

/// The values of some columns. The file is read in one pass, and again for columns that begin with numbers of a type that
/// does not hold all: most often this happens in the first rows. A cell that is no number is an error, unless there may be
/// `texts`.
pub(in super::super) fn read(
    columns: &[Column],
    csv: Csv,
    texts: bool,
    progress: &Progress,
) -> Result<Vec<Values>, Unreadable> {
    let mut reading: Vec<Reading<'_>> =
        columns.iter().map(|column| Reading::new(column, Kind::Whole, None)).collect();
    let mut rest: Vec<&mut Reading<'_>> = reading.iter_mut().collect();
    while let Some(first) = rest.first() {
        pass(&first.column.path, csv, &mut rest, texts, progress)?;
        rest.retain_mut(|of| match of.again {
            Some(kind) => {
                **of = Reading::new(of.column, kind, of.mixed.take());
                true
            }
            None => false,
        });
    }
    Ok(reading.into_iter().map(|of| of.cells.values(of.mixed)).collect())
}

/// Reads all rows.
fn pass(
    path: &std::path::Path,
    csv: Csv,
    columns: &mut [&mut Reading<'_>],
    texts: bool,
    progress: &Progress,
) -> Result<(), Unreadable> {
    let mut rows = Records::rows(path, csv)?;
    progress.stage("reading", path.metadata().map_or(0, |metadata| metadata.len()));
    let mut record = ByteRecord::new();
    for row in 1.. {
        if !rows.next(&mut record)? || columns.iter().all(|column| column.again.is_some()) {
            break;
        }
        for column in columns.iter_mut().filter(|column| column.again.is_none()) {
            let cell = record.get(column.column.index).unwrap_or_default().trim_ascii();
            column.push(cell, texts, || (row, rows.line(&record)))?;
        }
        rows.report(progress);
    }
    Ok(())
}
