//! The keys in a column of Arrow's record batches.

use std::fmt::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType, Schema};

use super::check_size;
use crate::source::column::{Column, Keys, Unreadable};

/// The texts of `key`, and whether `column` has a value in each row. Nulls are not keys.
pub(in super::super) fn keys<E: std::error::Error>(
    what: &'static str,
    (column, key): (&Column, &Column),
    schema: &Schema,
    batches: impl Iterator<Item = Result<RecordBatch, E>>,
    mut passed: impl FnMut(&RecordBatch),
) -> Result<Keys, Unreadable> {
    let damaged = |cause: String| Unreadable::Damaged { what, cause };
    let found = schema.field_with_name(&key.name).map_err(|cause| damaged(cause.to_string()))?.data_type();
    if !is_text(found) {
        return Err(Unreadable::NotKeys { name: key.name.clone(), found: found.to_string() });
    }
    let mut keys = Keys::default();
    for batch in batches {
        let batch = batch.map_err(|cause| damaged(cause.to_string()))?;
        let named = |name| batch.column_by_name(name);
        named(&key.name)
            .zip(named(&column.name))
            .and_then(|(texts, values)| append(&mut keys, texts, values))
            .ok_or_else(|| damaged("a batch has not the columns of the file".into()))?;
        check_size(column, keys.bytes())?;
        passed(&batch);
    }
    Ok(keys)
}

/// Whether [`write()`] supports the type.
fn is_text(r#type: &DataType) -> bool {
    use DataType as D;
    match r#type {
        D::Dictionary(_, values) => is_text(values),
        D::Utf8 | D::LargeUtf8 | D::Utf8View | D::Boolean => true,
        D::Interval(_) => false,
        r#type => r#type.is_numeric() || r#type.is_temporal(),
    }
}

/// Adds the rows of a batch.
fn append(keys: &mut Keys, texts: &dyn Array, values: &dyn Array) -> Option<()> {
    let dictionary = texts.as_any_dictionary_opt();
    // If a dictionary has no values, every row is null.
    let places = dictionary.filter(|d| !d.values().is_empty()).map(|d| d.normalized_keys());
    let entries = dictionary.map_or(texts, |dictionary| dictionary.values());
    // A dictionary's entry may be null too.
    let present = values.logical_nulls();
    let mut text = String::new();
    for row in 0..texts.len() {
        let place = places.as_ref().map_or(row, |places| places[row]);
        let has_key = !texts.is_null(row) && !entries.is_null(place);
        text.clear();
        if has_key {
            write(&mut text, entries, place)?;
        }
        let has_value = present.as_ref().is_none_or(|present| present.is_valid(row));
        keys.push(has_key.then_some(&text), has_value);
    }
    Some(())
}

/// Writes an entry that is not null as text.
fn write(text: &mut String, array: &dyn Array, row: usize) -> Option<()> {
    match array.data_type() {
        DataType::Utf8 => text.push_str(array.as_string_opt::<i32>()?.value(row)),
        DataType::LargeUtf8 => text.push_str(array.as_string_opt::<i64>()?.value(row)),
        DataType::Utf8View => text.push_str(array.as_string_view_opt()?.value(row)),
        DataType::Boolean => text.push_str(if array.as_boolean_opt()?.value(row) { "true" } else { "false" }),
        DataType::Int8 => number::<Int8Type>(text, array, row)?,
        DataType::Int16 => number::<Int16Type>(text, array, row)?,
        DataType::Int32 => number::<Int32Type>(text, array, row)?,
        DataType::Int64 => number::<Int64Type>(text, array, row)?,
        DataType::UInt8 => number::<UInt8Type>(text, array, row)?,
        DataType::UInt16 => number::<UInt16Type>(text, array, row)?,
        DataType::UInt32 => number::<UInt32Type>(text, array, row)?,
        DataType::UInt64 => number::<UInt64Type>(text, array, row)?,
        DataType::Float16 => number::<Float16Type>(text, array, row)?,
        DataType::Float32 => number::<Float32Type>(text, array, row)?,
        DataType::Float64 => number::<Float64Type>(text, array, row)?,
        // Dates, times, durations and decimals.
        _ => text.push_str(&array_value_to_string(array, row).ok()?),
    }
    Some(())
}

/// Writes a float with the fewest digits that identify it, and at least one after the point.
fn number<P: ArrowPrimitiveType>(text: &mut String, array: &dyn Array, row: usize) -> Option<()> {
    write!(text, "{:?}", array.as_primitive_opt::<P>()?.value(row)).ok()
}
