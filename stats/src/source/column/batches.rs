//! Arrow's record batches, the contents of Parquet and Arrow files, as numbers and as what is said of other values.

mod instants;
mod keys;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType, FieldRef, Schema};
use warpfold::{AsElements, Element, Elements};

use self::instants::Instants;
pub(super) use self::keys::keys;
use super::values::{Others, Texts, Values};
use super::{Column, Named, Unreadable};
use crate::numbers::{self, Numbers};

/// The bytes of a column, and how many times the file's size, up to which it is read without a question.
const MOST: u64 = 4 << 30;
const FACTOR: u64 = 1000;

/// The columns of a schema.
pub(super) fn columns(schema: &Schema) -> Vec<Named> {
    let column = |field: &FieldRef| Named {
        name: field.name().clone(),
        r#type: Some(field.data_type().to_string()),
        is_numbers: matches!(Read::of(field.data_type()), Read::Numbers(_)),
    };
    schema.fields().iter().map(column).collect()
}

/// Reads the columns of all batches in order. Each batch is dropped before the next is read.
pub(super) fn collect<E: std::error::Error>(
    what: &'static str,
    columns: &[Column],
    schema: &Schema,
    batches: impl Iterator<Item = Result<RecordBatch, E>>,
    mut passed: impl FnMut(&RecordBatch),
) -> Result<Vec<Values>, Unreadable> {
    let damaged = |cause: String| Unreadable::Damaged { what, cause };
    if schema.fields().len() != columns.len() {
        return Err(damaged("a column is gone".into()));
    }
    let mut read: Vec<Read> = schema.fields().iter().map(|field| Read::of(field.data_type())).collect();
    for batch in batches {
        let batch = batch.map_err(|cause| damaged(cause.to_string()))?;
        for ((read, column), x) in read.iter_mut().zip(columns).zip(batch.columns()) {
            check_size(column, read.bytes())?;
            read.append(x, column.skip_nan)
                .map_err(|cause| damaged(format!("a batch has a column as {}: {cause}", x.data_type())))?;
        }
        passed(&batch);
    }
    Ok(read.into_iter().map(Read::values).collect())
}

/// Refuses a column of `bytes` bytes if that is far more than the file has, and the user has not said that it is meant: a short file
/// may repeat one value any number of times.
pub(super) fn check_size(column: &Column, bytes: u64) -> Result<(), Unreadable> {
    let file = column.path.metadata().map_or(0, |metadata| metadata.len());
    let expands = bytes > MOST && bytes / FACTOR > file;
    if expands && !column.may_expand { Err(Unreadable::Expands { bytes, file }) } else { Ok(()) }
}

/// What was read of a column.
enum Read {
    /// Numbers: narrow types widened, decimals as f64, Booleans as 0 and 1, durations in their unit.
    Numbers(Numbers<'static>),
    Instants(Instants),
    Texts(Texts),
    /// Values that are only counted.
    Any(Others),
}

impl Read {
    /// Nothing, of this type.
    fn of(r#type: &DataType) -> Self {
        use DataType as D;
        match r#type {
            D::Boolean | D::UInt8 | D::UInt16 | D::UInt32 => Self::Numbers(Numbers::U32(none())),
            D::Int8 | D::Int16 | D::Int32 => Self::Numbers(Numbers::I32(none())),
            D::Int64 | D::Duration(_) => Self::Numbers(Numbers::I64(none())),
            D::UInt64 => Self::Numbers(Numbers::U64(none())),
            D::Float16 | D::Float32 => Self::Numbers(Numbers::F32(none())),
            D::Float64 | D::Decimal32(..) | D::Decimal64(..) | D::Decimal128(..) | D::Decimal256(..) => {
                Self::Numbers(Numbers::F64(none()))
            }
            D::Date32 | D::Date64 | D::Time32(_) | D::Time64(_) | D::Timestamp(..) => {
                Self::Instants(Instants::of(r#type))
            }
            D::Utf8 | D::LargeUtf8 | D::Utf8View => Self::Texts(Texts::default()),
            D::Dictionary(_, values) => Self::of(values),
            _ => Self::Any(Others::default()),
        }
    }

    /// The bytes that the values take.
    fn bytes(&self) -> u64 {
        match self {
            Self::Numbers(numbers) => numbers.bytes(),
            _ => 0,
        }
    }

    /// Adds an array of the same column.
    fn append(&mut self, array: &dyn Array, skip_nan: bool) -> Result<(), ArrowError> {
        match self {
            Self::Numbers(numbers) => match numbers {
                Numbers::I32(x) => copy::<Int32Type>(x, array, &DataType::Int32),
                Numbers::U32(x) => copy::<UInt32Type>(x, array, &DataType::UInt32),
                Numbers::I64(x) => copy::<Int64Type>(x, array, &DataType::Int64),
                Numbers::U64(x) => copy::<UInt64Type>(x, array, &DataType::UInt64),
                Numbers::F32(x) if skip_nan => {
                    copy_some::<Float32Type>(x, array, &DataType::Float32, |x| x.is_nan())
                }
                Numbers::F64(x) if skip_nan => {
                    copy_some::<Float64Type>(x, array, &DataType::Float64, |x| x.is_nan())
                }
                Numbers::F32(x) => copy::<Float32Type>(x, array, &DataType::Float32),
                Numbers::F64(x) => copy::<Float64Type>(x, array, &DataType::Float64),
            },
            Self::Instants(instants) => instants.append(array),
            Self::Texts(texts) => {
                let array = cast(array, &DataType::LargeUtf8)?;
                for text in array.as_string::<i64>() {
                    match text {
                        Some(text) => texts.push(text),
                        None => texts.skip(),
                    }
                }
                Ok(())
            }
            Self::Any(others) => {
                let missing = array.logical_null_count() as u64;
                others.missing += missing;
                others.count += array.len() as u64 - missing;
                Ok(())
            }
        }
    }

    fn values(self) -> Values {
        match self {
            Self::Numbers(numbers) => Values::Numbers(numbers.into()),
            Self::Instants(instants) => Values::Others(instants.said()),
            Self::Texts(texts) => Values::Others(texts.said()),
            Self::Any(others) => Values::Others(others),
        }
    }
}

fn none<T: Element>() -> numbers::Array<'static, T> {
    numbers::Array::Memory(Elements::default())
}

/// Adds an array as numbers of one type.
fn copy<P: ArrowPrimitiveType<Native: Element>>(
    x: &mut numbers::Array<'static, P::Native>,
    array: &dyn Array,
    r#type: &DataType,
) -> Result<(), ArrowError> {
    if let numbers::Array::Memory(x) = x {
        x.append(&cast(array, r#type)?.as_primitive::<P>().elements());
    }
    Ok(())
}

/// Adds an array as numbers of one type, of which some are missing.
fn copy_some<P: ArrowPrimitiveType<Native: Element>>(
    x: &mut numbers::Array<'static, P::Native>,
    array: &dyn Array,
    r#type: &DataType,
    is_missing: impl Fn(&P::Native) -> bool,
) -> Result<(), ArrowError> {
    if let numbers::Array::Memory(x) = x {
        let array = cast(array, r#type)?;
        x.extend(array.as_primitive::<P>().iter().map(|number| number.filter(|number| !is_missing(number))));
    }
    Ok(())
}
