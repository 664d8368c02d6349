//! The bytes that a device is fed with: sent from the input itself, or by way of page-locked memory.

use std::convert::Infallible;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

use crate::cpu::{self, share};
use crate::cuda::launch::{Lent, LockedBuffer, Memory, Queue};
use crate::error::Error;

/// Bytes that a thread copies to page-locked memory at a time. To be measured together with the numbers of
/// [`crate::cuda::Feed`].
const COPY_BYTES: usize = 512 << 10;

/// The source of chunks: our page-locked memory, filled in turn, or the input's own if there is none.
pub(crate) struct Source<'a> {
    lent: &'a Lent<'a>,
    staging: &'a mut [LockedBuffer],
    filled: usize,
    /// Number of threads that fill.
    threads: usize,
}

impl<'a> Source<'a> {
    /// Creates a source of the bytes of `lent`. They go by way of `staging` if that is not empty, filled by up to `threads`
    /// threads.
    pub(crate) fn new(lent: &'a Lent<'a>, staging: &'a mut [LockedBuffer], threads: usize) -> Self {
        Self { lent, staging, filled: 0, threads }
    }

    /// Enqueues the copy of `range` of the input's bytes to `to`, on the queue with number `which`.
    pub(crate) fn send(
        &mut self,
        which: usize,
        queue: &Queue,
        range: Range<usize>,
        to: &Arc<Memory>,
    ) -> Result<(), Error> {
        let Some(piece_bytes) = self.staging.first().map(LockedBuffer::bytes) else {
            return Ok(self.lent.send(which, range, to, 0)?);
        };
        let all = self.lent.bytes();
        let Some(bytes) = all.get(range.clone()) else {
            return Err(Error::OutOfBounds { range, len: all.len() });
        };
        for (piece, at) in bytes.chunks(piece_bytes).zip((0..).step_by(piece_bytes)) {
            let turn = self.filled % self.staging.len();
            let staging = &mut self.staging[turn];
            copy(piece, staging.room()?, self.threads);
            staging.send(queue, piece.len(), to, at)?;
            self.filled += 1;
        }
        Ok(())
    }
}

/// Copies with up to `threads` threads of the CPU backend.
fn copy(from: &[u8], to: &mut [MaybeUninit<u8>], threads: usize) {
    let tasks = to[..from.len()].chunks_mut(COPY_BYTES).zip(from.chunks(COPY_BYTES));
    let helpers = threads.saturating_sub(1).min(tasks.len().saturating_sub(1));
    let helpers = if helpers == 0 { 0 } else { helpers.min(cpu::threads(None)) };
    let Ok(()) = share(None, helpers, tasks, |(to, from)| {
        for (to, &from) in to.iter_mut().zip(from) {
            to.write(from);
        }
        Ok::<_, Infallible>(())
    });
}
