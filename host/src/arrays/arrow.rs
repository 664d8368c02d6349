//! Arrays of Arrow.

use arrow_array::{Array, ArrowPrimitiveType, BooleanArray, PrimitiveArray};

use gpu_kernels::Element;

use super::elements::copied_or_ended;
use super::{AsElements, Elements};
use crate::error::Error;
use crate::memory;

/// Arrays of numbers, and of times and decimals as the integers that Arrow stores. Nulls are skipped.
///
/// An array without nulls is borrowed. With nulls, the other elements are copied, and [`Elements::position`] returns the
/// index in the array, counting nulls.
///
/// ```
/// use arrow_array::Float32Array;
/// use warpfold::{ArgMin, AsElements, Elements, Sum, reduce};
///
/// let a = Float32Array::from(vec![None, Some(2.0), None, Some(0.5)]);
/// let x = a.elements();
/// assert_eq!(reduce::<f32, Sum>(&x)?, 2.5);
/// let least = reduce::<f32, ArgMin>(&x)?;
/// assert_eq!(least.and_then(|at| x.position(at.index)), Some(3));
///
/// // A column in several batches.
/// let b = Float32Array::from(vec![8.0, 0.25]);
/// let column = Elements::concat([&a, &b]);
/// let least = reduce::<f32, ArgMin>(&column)?;
/// assert_eq!(least.and_then(|at| column.position(at.index)), Some(5));
/// # Ok::<(), warpfold::Error>(())
/// ```
///
/// A column of a record batch is one of these by its type:
///
/// ```
/// # use std::sync::Arc;
/// use arrow_array::cast::AsArray;
/// use arrow_array::types::Int64Type;
/// # use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// use warpfold::{Elements, Sum, reduce};
///
/// # let column = || Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])) as ArrayRef;
/// # let batch = || RecordBatch::try_from_iter([("n", column())]);
/// # let batches = [batch()?, batch()?];
/// let column = Elements::concat(batches.iter().map(|batch| batch["n"].as_primitive::<Int64Type>()));
/// assert_eq!((reduce::<i64, Sum>(&column)?, column.missing()), (8, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cfg_attr(docsrs, doc(cfg(feature = "arrow")))]
impl<P: ArrowPrimitiveType<Native: Element>> AsElements for PrimitiveArray<P> {
    type Element = P::Native;

    fn elements(&self) -> Elements<'_, P::Native> {
        copied_or_ended(self.try_elements())
    }

    fn try_elements(&self) -> Result<Elements<'_, P::Native>, Error> {
        let values = &self.values()[..];
        let Some(nulls) = self.nulls().filter(|nulls| nulls.null_count() > 0) else {
            return Ok(values.into());
        };
        let mut elements = Elements::default();
        elements.reserve(values.len() - nulls.null_count(), values.len() as u64)?;
        let masks = nulls.inner().bit_chunks();
        for (values, mask) in values.chunks(64).zip(masks.iter_padded()) {
            elements.append_where(values, mask);
        }
        Ok(elements)
    }

    fn elements_in_place(&self) -> Result<&[P::Native], Error> {
        match self.null_count() {
            0 => Ok(self.values()),
            _ => Err(Error::NotInPlace { why: "the array has nulls" }),
        }
    }
}

/// Arrays of Booleans. Arrow stores eight of them in a byte, so they are copied. Nulls are skipped.
#[cfg_attr(docsrs, doc(cfg(feature = "arrow")))]
impl AsElements for BooleanArray {
    type Element = bool;

    fn elements(&self) -> Elements<'_, bool> {
        copied_or_ended(self.try_elements())
    }

    fn try_elements(&self) -> Result<Elements<'_, bool>, Error> {
        if self.null_count() == 0 {
            return Ok(memory::collected(self.values().iter())?.into());
        }
        let mut elements = Elements::default();
        elements.try_extend(self.iter())?;
        Ok(elements)
    }

    fn elements_in_place(&self) -> Result<&[bool], Error> {
        Err(Error::NotInPlace { why: "Arrow keeps eight truth values in a byte" })
    }
}
