//! The parts of an array with missing elements, as segments and groups of the elements that are present.

use super::Gaps;
use crate::error::Error;
use crate::index_type::{IndexType, longest_segment};
use crate::layout::len_of;
use crate::memory::with_room;

impl Gaps<'_> {
    /// Returns the number of present elements before each of these positions.
    pub(crate) fn each_before(
        &self,
        positions: impl ExactSizeIterator<Item = usize>,
    ) -> Result<Vec<usize>, Error> {
        let mut before = with_room(positions.len())?;
        before.extend(positions.map(|position| self.before(position)));
        Ok(before)
    }

    /// Returns the offsets of segments among the present elements.
    ///
    /// # Errors
    /// [`Error::Offset`] if an offset is less than the one before it, negative, or more than the array's length.
    pub(crate) fn segments<I: IndexType>(&self, offsets: &[I]) -> Result<Vec<usize>, Error> {
        longest_segment(offsets, self.len())?;
        self.each_before(offsets.iter().map(|offset| offset.index().unwrap_or(0)))
    }

    /// Returns the offsets of a matrix's rows among the present elements.
    ///
    /// # Errors
    /// [`Error::Shape`] if the array has another number of elements than the matrix.
    pub(crate) fn rows(&self, shape: [usize; 2]) -> Result<Vec<usize>, Error> {
        self.check_shape(shape)?;
        let [rows, columns] = shape;
        let mut before = with_room(rows.saturating_add(1))?;
        before.extend((0..=rows).map(|row| self.before(row * columns)));
        Ok(before)
    }

    /// Returns the column of each present element of a matrix.
    ///
    /// # Errors
    /// [`Error::Shape`] if the array has another number of elements than the matrix.
    pub(crate) fn columns(&self, shape: [usize; 2]) -> Result<Vec<usize>, Error> {
        self.check_shape(shape)?;
        let mut columns = with_room(self.present())?;
        columns.extend(self.positions().map(|position| position % shape[1]));
        Ok(columns)
    }

    /// Returns the offsets of chunks of `len` elements among the present elements.
    ///
    /// # Errors
    /// [`Error::ChunkLength`] if `len` is 0.
    pub(crate) fn chunks(&self, len: usize) -> Result<Vec<usize>, Error> {
        if len == 0 {
            return Err(Error::ChunkLength);
        }
        let mut before = self.each_before((0..self.len()).step_by(len))?;
        before.push(self.present());
        Ok(before)
    }

    fn check_shape(&self, shape: [usize; 2]) -> Result<(), Error> {
        let given = self.len();
        if len_of(&shape) == Some(given) {
            Ok(())
        } else {
            Err(Error::Shape { shape: shape.into(), given: given as u64 })
        }
    }
}
