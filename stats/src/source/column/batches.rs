//! Arrow's record batches, the contents of Parquet and Arrow files, as numbers.

mod keys;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Schema};
use warpfold::{AsElements, Element, Elements};

pub(super) use self::keys::keys;
use super::{Column, Named, Unreadable};
use crate::numbers::{self, Numbers};

/// The bytes of a column, and how many times the file's size, up to which it is read without a question.
const MOST: u64 = 4 << 30;
const FACTOR: u64 = 1000;

/// The columns of a schema.
pub(super) fn columns(schema: &Schema) -> Vec<Named> {
    let column = |field: &arrow_schema::FieldRef| Named {
        name: field.name().clone(),
        r#type: Some(field.data_type().to_string()),
        is_numbers: empty(field.data_type()).is_some(),
    };
    schema.fields().iter().map(column).collect()
}

/// Reads the only column of all batches in order. Each batch is dropped before the next is read.
pub(super) fn collect<E: std::error::Error>(
    what: &'static str,
    column: &Column,
    schema: &Schema,
    batches: impl Iterator<Item = Result<RecordBatch, E>>,
    mut passed: impl FnMut(&RecordBatch),
) -> Result<Numbers<'static>, Unreadable> {
    let damaged = |cause: String| Unreadable::Damaged { what, cause };
    let first = schema.fields().first().and_then(|field| empty(field.data_type()));
    let mut numbers = first.ok_or_else(|| damaged("the column is gone".into()))?;
    for batch in batches {
        let batch = batch.map_err(|cause| damaged(cause.to_string()))?;
        check_size(column, numbers.bytes())?;
        for x in batch.columns() {
            append(&mut numbers, x)
                .ok_or_else(|| damaged(format!("a batch has the column as {}", x.data_type())))?;
        }
        passed(&batch);
    }
    Ok(numbers)
}

/// Refuses a column of `bytes` bytes if that is far more than the file has, and the user has not said that it is meant: a short file
/// may repeat one value any number of times.
pub(super) fn check_size(column: &Column, bytes: u64) -> Result<(), Unreadable> {
    let file = column.path.metadata().map_or(0, |metadata| metadata.len());
    let expands = bytes > MOST && bytes / FACTOR > file;
    if expands && !column.may_expand { Err(Unreadable::Expands { bytes, file }) } else { Ok(()) }
}

/// Empty numbers of the type that holds all values of an Arrow type; `None` if that has no numbers.
fn empty(r#type: &DataType) -> Option<Numbers<'static>> {
    Some(match r#type {
        DataType::Int8 | DataType::Int16 | DataType::Int32 => Numbers::I32(none()),
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => Numbers::U32(none()),
        DataType::Int64 => Numbers::I64(none()),
        DataType::UInt64 => Numbers::U64(none()),
        DataType::Float16 | DataType::Float32 => Numbers::F32(none()),
        DataType::Float64 => Numbers::F64(none()),
        _ => return None,
    })
}

fn none<T: Element>() -> numbers::Array<'static, T> {
    numbers::Array::Memory(Elements::default())
}

/// Adds an array of the same column.
fn append(numbers: &mut Numbers<'static>, array: &dyn Array) -> Option<()> {
    match (numbers, array.data_type()) {
        (Numbers::I32(numbers::Array::Memory(x)), DataType::Int8) => widen::<Int8Type, Int32Type>(x, array),
        (Numbers::I32(numbers::Array::Memory(x)), DataType::Int16) => widen::<Int16Type, Int32Type>(x, array),
        (Numbers::I32(numbers::Array::Memory(x)), DataType::Int32) => copy::<Int32Type>(x, array),
        (Numbers::U32(numbers::Array::Memory(x)), DataType::UInt8) => {
            widen::<UInt8Type, UInt32Type>(x, array)
        }
        (Numbers::U32(numbers::Array::Memory(x)), DataType::UInt16) => {
            widen::<UInt16Type, UInt32Type>(x, array)
        }
        (Numbers::U32(numbers::Array::Memory(x)), DataType::UInt32) => copy::<UInt32Type>(x, array),
        (Numbers::I64(numbers::Array::Memory(x)), DataType::Int64) => copy::<Int64Type>(x, array),
        (Numbers::U64(numbers::Array::Memory(x)), DataType::UInt64) => copy::<UInt64Type>(x, array),
        (Numbers::F32(numbers::Array::Memory(x)), DataType::Float16) => {
            widen::<Float16Type, Float32Type>(x, array)
        }
        (Numbers::F32(numbers::Array::Memory(x)), DataType::Float32) => copy::<Float32Type>(x, array),
        (Numbers::F64(numbers::Array::Memory(x)), DataType::Float64) => copy::<Float64Type>(x, array),
        _ => None,
    }
}

fn copy<P: ArrowPrimitiveType<Native: Element>>(
    x: &mut Elements<'_, P::Native>,
    array: &dyn Array,
) -> Option<()> {
    x.append(&array.as_primitive_opt::<P>()?.elements());
    Some(())
}

fn widen<P, Q>(x: &mut Elements<'_, Q::Native>, array: &dyn Array) -> Option<()>
where
    P: ArrowPrimitiveType,
    Q: ArrowPrimitiveType<Native: Element + From<P::Native>>,
{
    x.append(&array.as_primitive_opt::<P>()?.unary::<_, Q>(Into::into).elements());
    Some(())
}
