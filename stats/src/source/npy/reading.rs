//! The elements of a .npy file: left there, or read into memory.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use bytemuck::cast_slice_mut;

use super::Npy;
use crate::failure::Failure;
use crate::memory;
use crate::numbers::Array;
use crate::numbers::array::InFile;
use crate::numbers::numeric::Numeric;
use crate::progress::Progress;
use crate::statistics::threads::{Slot, share};

/// Elements read at once.
const BLOCK: usize = 1 << 18;

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
        if !layout.swapped && !self.whole {
            let len = (data.end - data.start) as usize / size_of::<T>();
            return Ok(Array::File(InFile::new(file, data.start, len)));
        }
        self.filled(|x: &mut [T], at| {
            file.read(cast_slice_mut(x), at)?;
            if layout.swapped {
                x.iter_mut().for_each(|x| *x = x.swap_bytes());
            }
            Ok(())
        })
    }

    /// The elements converted to a wider type; their bytes are passed in little-endian order.
    pub(super) fn widened<const BYTES: usize, T: Numeric>(
        &self,
        number: impl Fn([u8; BYTES]) -> T + Sync,
    ) -> Result<Array<'a, T>, Failure> {
        let Npy { layout, file, .. } = self.npy;
        let is_big = layout.swapped != cfg!(target_endian = "big");
        self.filled(|x: &mut [T], at| {
            let mut stored =
                memory::zeroed::<u8>(x.len() * BYTES, "a portion of the file is read at a time")?;
            file.read(&mut stored, at)?;
            for (x, bytes) in x.iter_mut().zip(stored.as_chunks_mut::<BYTES>().0) {
                if is_big {
                    bytes.reverse();
                }
                *x = number(*bytes);
            }
            Ok(())
        })
    }

    /// Elements in memory, which `fill` reads in portions, each from its byte of the file on.
    fn filled<T: Numeric>(
        &self,
        fill: impl Fn(&mut [T], u64) -> Result<(), Failure> + Sync,
    ) -> Result<Array<'a, T>, Failure> {
        let Npy { layout, data, .. } = self.npy;
        let bytes = layout.stored.bytes();
        let what = "the elements are read into memory, for quantiles, rows, a GPU, --mpi, or another type";
        let mut x: Vec<T> = memory::zeroed(((data.end - data.start) / bytes) as usize, what)?;
        self.progress.stage("reading", size_of_val(x.as_slice()) as u64);
        let portions: Vec<Mutex<&mut [T]>> = x.chunks_mut(BLOCK).map(Mutex::new).collect();
        let filled: Vec<Slot<Result<(), Failure>>> = Slot::empty(portions.len());
        let task = |number: usize| {
            let mut x = portions[number].lock().unwrap_or_else(PoisonError::into_inner);
            filled[number].fill(fill(&mut x, data.start + (number * BLOCK) as u64 * bytes));
        };
        let mut passed = |_| self.progress.passed((BLOCK * size_of::<T>()) as u64);
        share(self.threads.get(), portions.len(), &task, &mut passed)?;
        drop(portions);
        filled.into_iter().filter_map(Slot::result).collect::<Result<(), Failure>>()?;
        Ok(Array::Memory(x.into()))
    }
}
