//! Dates and times: how many, the earliest and the latest.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array};
use arrow_cast::cast;
use arrow_cast::display::array_value_to_string;
use arrow_schema::{ArrowError, DataType};

use crate::source::column::values::{Distinct, Others};

/// Dates or times of one type. They are compared as the integers that stand for them.
pub(super) struct Instants {
    r#type: DataType,
    known: Distinct<i64>,
    count: u64,
    missing: u64,
    ends: Option<[i64; 2]>,
}

impl Instants {
    pub(super) fn of(r#type: &DataType) -> Self {
        Self { r#type: r#type.clone(), known: Distinct::default(), count: 0, missing: 0, ends: None }
    }

    /// The integers that stand for dates and times have the width of the type.
    fn integer(&self) -> DataType {
        match self.r#type {
            DataType::Date32 | DataType::Time32(_) => DataType::Int32,
            _ => DataType::Int64,
        }
    }

    /// Adds an array, which may be a dictionary of them.
    pub(super) fn append(&mut self, array: &dyn Array) -> Result<(), ArrowError> {
        let array = cast(&cast(&cast(array, &self.r#type)?, &self.integer())?, &DataType::Int64)?;
        let array = array.as_primitive::<Int64Type>();
        self.missing += array.null_count() as u64;
        for at in array.iter().flatten() {
            self.count += 1;
            self.known.add(&at, || at);
            let [first, last] = self.ends.unwrap_or([at; 2]);
            self.ends = Some([first.min(at), last.max(at)]);
        }
        Ok(())
    }

    pub(super) fn said(self) -> Others {
        let text = |at: i64| {
            let integer = cast(&Int64Array::from(vec![at]), &self.integer()).ok()?;
            array_value_to_string(&cast(&integer, &self.r#type).ok()?, 0).ok()
        };
        let [least, greatest] = match self.ends {
            Some(ends) => ends.map(text),
            None => [None, None],
        };
        let distinct = Some(self.known.count());
        Others { count: self.count, missing: self.missing, distinct, least, greatest, mixed: None }
    }
}
