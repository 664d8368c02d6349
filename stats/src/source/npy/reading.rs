//! The elements of a .npy file: left there, or read into memory.

use std::num::NonZeroUsize;

use bytemuck::cast_slice_mut;

use super::Npy;
use crate::failure::Failure;
use crate::memory;
use crate::numbers::Array;
use crate::numbers::array::InFile;
use crate::numbers::numeric::Numeric;
use crate::progress::Progress;
use crate::statistics::threads::read;

/// How a file is read.
pub(super) struct Reading<'a, 'b> {
    pub(super) npy: &'a Npy,
    pub(super) threads: NonZeroUsize,
    pub(super) whole: bool,
    pub(super) progress: &'b Progress,
}

impl<'a> Reading<'a, '_> {
    /// The elements as they lie in the file, or in this machine's byte order if the file has the other.
    ///
    /// `T` is the type of the layout.
    pub(super) fn as_is<T: Numeric>(&self) -> Result<Array<'a, T>, Failure> {
        let Npy { layout, data, file, .. } = self.npy;
        self.array(move |x: &mut [T], at| {
            file.read(cast_slice_mut(x), data.start + (at * size_of::<T>()) as u64)?;
            if layout.swapped {
                x.iter_mut().for_each(|x| *x = x.swap_bytes());
            }
            Ok(())
        })
    }

    /// The elements converted to a wider type; their bytes are passed in little-endian order.
    pub(super) fn widened<const BYTES: usize, T: Numeric>(
        &self,
        number: impl Fn([u8; BYTES]) -> T + Send + Sync + 'a,
    ) -> Result<Array<'a, T>, Failure> {
        let Npy { layout, data, file, .. } = self.npy;
        let is_big = layout.swapped != cfg!(target_endian = "big");
        self.array(move |x: &mut [T], at| {
            let mut stored =
                memory::zeroed::<u8>(x.len() * BYTES, "a portion of the file is read at a time")?;
            file.read(&mut stored, data.start + (at * BYTES) as u64)?;
            for (x, bytes) in x.iter_mut().zip(stored.as_chunks_mut::<BYTES>().0) {
                if is_big {
                    bytes.reverse();
                }
                *x = number(*bytes);
            }
            Ok(())
        })
    }

    /// The elements, which `fill` reads from one with an index on.
    fn array<T: Numeric>(
        &self,
        fill: impl Fn(&mut [T], usize) -> Result<(), Failure> + Send + Sync + 'a,
    ) -> Result<Array<'a, T>, Failure> {
        let Npy { layout, data, file, .. } = self.npy;
        let len = ((data.end - data.start) / layout.stored.bytes()) as usize;
        let array = Array::File(InFile::new(file, len, fill));
        if !self.whole {
            return Ok(array);
        }
        self.progress.stage("reading", (len * size_of::<T>()) as u64);
        let what = "the elements are read into memory, for quantiles, a GPU or --mpi";
        let x = read(self.threads, &array, 0..len, what, &mut |bytes| self.progress.passed(bytes))?;
        Ok(Array::Memory(x.into()))
    }
}
