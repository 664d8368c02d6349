//! Copies of many results from a device, by way of page-locked memory: the host reads one piece while the next one is
//! copied. A copy to memory that is not page-locked goes through page-locked memory of the driver at a fraction of the
//! speed, and a copy to newly allocated memory waits for each of its pages.

use bytemuck::AnyBitPattern;
use cust::error::CudaError;
use cust::memory::{LockedBuffer, Region};

use crate::cuda::launch::Queue;
use crate::error::Error;

/// Results of a piece, each with its offset. With more, the host would wait longer before it reads the first; with
/// fewer, it would wait more often. To be compared: 2^14 to 2^17, at 10^6 results of 4 bytes.
const PIECE: usize = 1 << 16;

/// Least bytes of a buffer, so that one serves several kinds of results.
const LEAST_BYTES: usize = (1 << 20) + 4096;

/// Two page-locked buffers, used in turns.
pub(in crate::cuda::launch) type Arrivals = [LockedBuffer; 2];

impl Queue {
    /// Copies `count` values of `A` from the beginning of `values`, and `count + 1` u64 of `offsets`, if given. Passes
    /// them to `take` piece by piece: some values, and their offsets with the one after the last.
    pub(crate) fn collect<A: AnyBitPattern>(
        &self,
        values: Region<'_>,
        offsets: Option<Region<'_>>,
        count: usize,
        mut take: impl FnMut(&[A], &[u64]),
    ) -> Result<(), Error> {
        if self.is_recording() {
            return Err(Error::Capturing { during: "copying results from the device" });
        }
        values.array_of::<*mut A>(count as u64)?;
        if let Some(offsets) = offsets {
            offsets.array_of::<*mut u64>((count as u64).saturating_add(1))?;
        }
        // The offsets come first, so that the values are aligned to 16.
        let before = (PIECE + 2) * size_of::<u64>();
        let bytes = (before + PIECE * size_of::<A>()).max(LEAST_BYTES);
        let arrivals = if count <= PIECE / 8 { None } else { self.page_locked(bytes)? };
        let Some(mut arrivals) = arrivals else {
            let values = values.download::<A>(self, count)?;
            let offsets = match offsets {
                Some(offsets) => offsets.download::<u64>(self, count + 1)?,
                None => Vec::new(),
            };
            take(&values, &offsets);
            return Ok(());
        };
        let copied = self.copy(&mut arrivals, (values, offsets, before), count, &mut take);
        if copied.is_err() {
            // Waits before it reports the error: copies may still be under way.
            let _waited = self.wait();
        }
        copied?;
        self.arrivals().replace(Some(arrivals));
        Ok(())
    }

    /// Returns buffers of at least `bytes` bytes, or `None` if the system cannot lock more memory.
    fn page_locked(&self, bytes: usize) -> Result<Option<Arrivals>, Error> {
        let large = |arrivals: &Arrivals| arrivals.iter().all(|buffer| buffer.bytes() >= bytes);
        if let Some(arrivals) = self.arrivals().take().filter(large) {
            return Ok(Some(arrivals));
        }
        let buffer = || LockedBuffer::zeroed(self.context(), bytes);
        match buffer().and_then(|first| Ok([first, buffer()?])) {
            Ok(arrivals) => Ok(Some(arrivals)),
            Err(CudaError::Driver { code, .. }) if !code.is_sticky() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Copies piece by piece, to the two buffers in turns.
    fn copy<A: AnyBitPattern>(
        &self,
        arrivals: &mut Arrivals,
        (values, offsets, before): (Region<'_>, Option<Region<'_>>, usize),
        count: usize,
        take: &mut impl FnMut(&[A], &[u64]),
    ) -> Result<(), Error> {
        let pieces = count.div_ceil(PIECE);
        let len = |piece: usize| PIECE.min(count - piece * PIECE);
        for piece in 0..=pieces {
            if piece < pieces {
                let (first, len, buffer) = ((piece * PIECE) as u64, len(piece), &mut arrivals[piece % 2]);
                if let Some(offsets) = offsets {
                    buffer.receive(self, offsets.part(first, len as u64 + 1, size_of::<u64>())?, 0)?;
                }
                buffer.receive(self, values.part(first, len as u64, size_of::<A>())?, before)?;
            }
            // Reads this piece while the next one is copied.
            if let Some(piece) = piece.checked_sub(1) {
                let buffer = &mut arrivals[piece % 2];
                let of_offsets = if offsets.is_some() { len(piece) + 1 } else { 0 };
                let offsets = buffer.received::<u64>(0, of_offsets)?;
                let values = buffer.received::<A>(before, len(piece))?;
                take(values, offsets);
            }
        }
        // Lets go of what was kept: all copies have ended.
        Ok(self.wait()?)
    }
}
