//! Many results from a device: by way of page-locked memory, of which the host reads one piece while the next one is copied.
//! A copy to memory that is not page-locked goes through some of the driver's, at a fraction of the speed, and to memory that
//! is new it waits for every page of it.

use std::slice;
use std::sync::Arc;

use bytemuck::AnyBitPattern;

use super::staging::{Mark, Room};
use super::{Context, Queue, Region, raw};
use crate::Element;
use crate::error::Error;

/// Results of a piece, each with what stands beside it: to be compared are 2^14 to 2^17, at 10^6 results of 4 bytes. More are
/// copied for longer before the first is read, fewer are waited for more often.
const PIECE: usize = 1 << 16;

/// Bytes of a buffer, at least, so that one serves several kinds of results.
const LEAST_BYTES: usize = (1 << 20) + 4096;

const DURING: &str = "copying results from the device";

/// Two page-locked buffers, to be read and written in turns.
#[derive(Debug)]
pub(super) struct Arrivals {
    buffers: [Buffer; 2],
    bytes: usize,
}

/// One of them, and when the last copy to it has ended.
#[derive(Debug)]
struct Buffer {
    room: Arc<Room>,
    copied: Mark,
}

impl Arrivals {
    fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, Error> {
        let buffer =
            || Ok::<_, Error>(Buffer { room: Room::new(context, bytes)?, copied: Mark::new(context)? });
        Ok(Self { buffers: [buffer()?, buffer()?], bytes })
    }
}

impl Queue {
    /// Copies `count` values of `A` from the beginning of `values`, and of `offsets`, if given, one u64 more, and gives them
    /// to `take` piece by piece: so many values, and their offsets with that behind the last.
    pub(in crate::cuda) fn collect<A: Element + AnyBitPattern>(
        &self,
        values: Region<'_>,
        offsets: Option<Region<'_>>,
        count: usize,
        mut take: impl FnMut(&[A], &[u64]),
    ) -> Result<(), Error> {
        if self.is_recording() {
            return Err(Error::Capturing { during: DURING });
        }
        values.array_of::<A>(count as u64)?;
        if let Some(offsets) = offsets {
            offsets.array_of::<u64>((count as u64).saturating_add(1))?;
        }
        // The offsets first: what follows them is aligned to 16.
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
        let copied = arrivals.copy(self, (values, offsets, before), count, &mut take);
        if copied.is_err() {
            // First the wait, then the report: copies may still be under way.
            let _waited = self.wait();
        }
        copied?;
        self.arrivals().replace(Some(arrivals));
        Ok(())
    }
}

impl Queue {
    /// Buffers of at least so many bytes; none if the system has no memory that it would lock.
    fn page_locked(&self, bytes: usize) -> Result<Option<Arrivals>, Error> {
        if let Some(arrivals) = self.arrivals().take().filter(|arrivals| arrivals.bytes >= bytes) {
            return Ok(Some(arrivals));
        }
        match Arrivals::new(self.context(), bytes) {
            Ok(arrivals) => Ok(Some(arrivals)),
            Err(Error::OutOfMemory { .. }) => Ok(None),
            Err(Error::Driver { code, .. }) if !code.is_sticky() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Arrivals {
    fn copy<A: Element + AnyBitPattern>(
        &mut self,
        queue: &Queue,
        (values, offsets, before): (Region<'_>, Option<Region<'_>>, usize),
        count: usize,
        take: &mut impl FnMut(&[A], &[u64]),
    ) -> Result<(), Error> {
        let pieces = count.div_ceil(PIECE);
        let len = |piece: usize| PIECE.min(count - piece * PIECE);
        for piece in 0..=pieces {
            if piece < pieces {
                let (first, len, buffer) = ((piece * PIECE) as u64, len(piece), &mut self.buffers[piece % 2]);
                if let Some(offsets) = offsets {
                    buffer.receive::<u64>(queue, offsets.part(first, len as u64 + 1, 8)?, 0)?;
                }
                let values = values.part(first, len as u64, size_of::<A>())?;
                buffer.receive::<A>(queue, values, before)?;
                buffer.copied.set(queue)?;
            }
            // While the next one is under way.
            if let Some(piece) = piece.checked_sub(1) {
                let buffer = &mut self.buffers[piece % 2];
                buffer.copied.wait()?;
                let of_offsets = if offsets.is_some() { len(piece) + 1 } else { 0 };
                // SAFETY: so many were copied to these places, by copies that have ended (waited for above); what is
                // under way goes to the other buffer.
                let (offsets, values) = unsafe {
                    (buffer.received::<u64>(0, of_offsets)?, buffer.received::<A>(before, len(piece))?)
                };
                take(values, offsets);
            }
        }
        // Lets go what was kept: all copies have ended.
        queue.wait()
    }
}

impl Buffer {
    /// Enqueues the copy of values of `A` to its bytes from `at` on.
    fn receive<A>(&self, queue: &Queue, from: Region<'_>, at: usize) -> Result<(), Error> {
        let (bytes, end) = (from.len(), at.saturating_add(from.len()));
        if end > self.room.bytes {
            return Err(Error::OutOfBounds { range: at..end, len: self.room.bytes });
        }
        let address = from.array_of::<A>((bytes / size_of::<A>()) as u64)?.addr() as raw::Address;
        queue.keep_memory(from.memory())?;
        queue.keep(&self.room);
        queue.enqueue(DURING, |stream| {
            // SAFETY: the region has that many bytes and the room has place for them (above); the queue keeps both, and
            // nothing reads the room until the copy's end is marked and waited for.
            unsafe { raw::cuMemcpyDtoHAsync_v2(self.room.host.wrapping_byte_add(at), address, bytes, stream) }
        })
    }

    /// The `count` values of `A` from byte `at` on.
    ///
    /// # Safety
    /// They were copied there, in whole, and the copies have ended; none begins while the slice is there.
    unsafe fn received<A: AnyBitPattern>(&self, at: usize, count: usize) -> Result<&[A], Error> {
        let end = count.saturating_mul(size_of::<A>()).saturating_add(at);
        let place = self.room.host.wrapping_byte_add(at).cast::<A>();
        if end > self.room.bytes || !place.is_aligned() {
            return Err(Error::OutOfBounds { range: at..end, len: self.room.bytes });
        }
        // SAFETY: within the room and aligned (above), initialised and not written, by this function's contract; any bits
        // are an `A`. The room is not null.
        Ok(unsafe { slice::from_raw_parts(place, count) })
    }
}
