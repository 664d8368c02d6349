//! Where the bytes come from that a device is fed with: from where they lie, or by way of page-locked memory.

use std::convert::Infallible;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

use crate::cpu::{self, share};
use crate::cuda::launch::{Lent, LockedBuffer, Memory, Queue};
use crate::error::Error;

/// Bytes that a thread copies to page-locked memory at a time. To be measured together with [`crate::cuda::Feed`]'s numbers.
const COPY_BYTES: usize = 512 << 10;

/// Where chunks come from: page-locked memory of ours, filled in turn, or, where there is none, the input's own.
pub(in crate::cuda) struct Source<'a> {
    lent: &'a Lent<'a>,
    staging: &'a mut [LockedBuffer],
    filled: usize,
    /// Threads that fill.
    threads: usize,
}

impl<'a> Source<'a> {
    /// The bytes that are lent, by way of `staging`, if there is any, which up to `threads` threads fill.
    pub(in crate::cuda) fn new(lent: &'a Lent<'a>, staging: &'a mut [LockedBuffer], threads: usize) -> Self {
        Self { lent, staging, filled: 0, threads }
    }

    /// Enqueues the copy of some of the input's bytes, on the queue with number `which`.
    pub(in crate::cuda) fn send(
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

/// Copies by up to `threads` threads, those of the CPU backend.
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
