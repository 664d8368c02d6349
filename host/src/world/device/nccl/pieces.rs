//! Large arrays, piece by piece: each rank gets its share of a piece from all others, folds it, and sends the
//! results.
//!
//! In one step the shares of a piece are moved, and the results of the piece before the last one. Meanwhile the last
//! piece is folded. So the devices' connections are in use all the time.

use std::sync::Arc;

use cust::nccl::Move;

use gpu_kernels::{Element, StoredOf};

use crate::cuda::Cuda;
use crate::cuda::array::lens::Lens;
use crate::cuda::executor::Executor;
use crate::cuda::launch::{Input, Memory, Region};
use crate::error::Error;
use crate::kernel::RowsKernel;
use crate::plan::columns::Columns;
use crate::world::device::nccl::Channel;
use crate::world::device::nccl::parts::Shares;

/// Folds of rows. Each rank has sent one row.
#[derive(Clone, Copy)]
pub(super) struct Fold<'a, T, O> {
    pub(super) op: O,
    pub(super) cuda: &'a Cuda,
    pub(super) ranks: usize,
    /// The byte of the scratch memory at which accumulators begin.
    pub(super) accs: usize,
    pub(super) element: std::marker::PhantomData<T>,
}

/// Returns the bytes of rows of `pitch` elements in `buffers` buffers, and the bytes with the accumulators. The
/// accumulators begin after the rows.
pub(super) fn scratch_bytes<T: Element, O: RowsKernel<T>>(
    ranks: usize,
    pitch: usize,
    buffers: usize,
) -> (usize, usize) {
    let rows = buffers.saturating_mul(ranks).saturating_mul(pitch).saturating_mul(size_of::<T>());
    let accs = rows.checked_next_multiple_of(256).unwrap_or(usize::MAX);
    (accs, accs.saturating_add(pitch.saturating_mul(size_of::<O::Acc>())))
}

impl<T: Element, O: RowsKernel<T>> Fold<'_, T, O> {
    /// Enqueues a fold of the first `len` columns of the rows that begin at an element of the scratch memory, `pitch` elements
    /// apart, to `to`.
    pub(super) fn enqueue(
        &self,
        executor: &Executor,
        (scratch, first, pitch): (&Arc<Memory>, usize, usize),
        len: usize,
        to: Region<'_>,
    ) -> Result<(), Error> {
        let rows = Input::<T>::new(scratch, first, (self.ranks - 1) * pitch + len)?;
        let shape = Columns {
            batches: 1,
            rows: self.ranks as u64,
            columns: len as u64,
            batch_pitch: 0,
            row_pitch: pitch as u64,
        };
        let accs = scratch.region(self.accs, len * size_of::<O::Acc>())?;
        executor.enqueue_columns(self.op, self.cuda, None, rows, shape, accs)?;
        executor.enqueue_finish::<T, O>(self.cuda, (accs, to), len as u64, &Lens::Same(self.ranks as u64))
    }
}

impl Channel {
    /// Enqueues a fold of the shares of all ranks. `to` gets the results of this rank's share or, if they are gathered, of
    /// all shares.
    pub(super) fn fold_pieces<T: Element, O: RowsKernel<T>>(
        &self,
        executor: &Executor,
        fold: Fold<'_, T, O>,
        scratch: &Arc<Memory>,
        (x, shares): (Input<'_, T>, &Shares),
        (to, is_gathered): (Region<'_>, bool),
    ) -> Result<(), Error> {
        let (queue, pieces) = (executor.queue(), shares.pieces());
        if pieces == 0 {
            return Ok(());
        }
        let own = self.communicator.rank();
        let before = if is_gathered { 0 } else { shares.share(own).start };
        let results = |piece, rank| {
            let part = shares.part(piece, rank);
            to.part((part.start - before) as u64, part.len() as u64, size_of::<StoredOf<T, O>>())
        };
        let signals = &self.signals;
        self.in_turn(queue, || {
            queue.give(&signals.begun)?;
            self.side.await_signal(&signals.begun)?;
            for step in 0..if is_gathered { pieces + 2 } else { pieces } {
                let piece = Some(step).filter(|&step| step < pieces);
                let folded = step.checked_sub(2).filter(|_| is_gathered);
                if piece.or(folded).is_none() {
                    continue;
                }
                let buffer = step % 2 * fold.ranks * shares.step();
                let mut moves = Vec::with_capacity(4 * fold.ranks);
                if let Some(piece) = piece {
                    let part = shares.part(piece, own);
                    let row = |rank| {
                        let first = (buffer + rank * shares.step()) * size_of::<T>();
                        scratch.region(first, part.len() * size_of::<T>())
                    };
                    if !part.is_empty() {
                        let from = x.within(part.start as u64, part.len() as u64)?.region();
                        from.enqueue_copy(queue, row(own)?)?;
                    }
                    for peer in self.peers() {
                        let theirs = shares.part(piece, peer);
                        if !theirs.is_empty() {
                            let from = x.within(theirs.start as u64, theirs.len() as u64)?.region();
                            moves.push(Move::Send { to: peer, from });
                        }
                        if !part.is_empty() {
                            moves.push(Move::Receive { from: peer, to: row(peer)? });
                        }
                    }
                }
                if let Some(piece) = folded {
                    let own = results(piece, own)?;
                    for peer in self.peers() {
                        let theirs = results(piece, peer)?;
                        if own.bytes() > 0 {
                            moves.push(Move::Send { to: peer, from: own });
                        }
                        if theirs.bytes() > 0 {
                            moves.push(Move::Receive { from: peer, to: theirs });
                        }
                    }
                }
                if step >= 2 {
                    // Its results are to be sent, and its buffer is to be used again.
                    self.side.await_signal(&signals.folded[step % 2])?;
                }
                queue.exchange(&self.communicator, Some(&self.side), &moves)?;
                self.side.give(&signals.moved[step % 2])?;
                queue.await_signal(&signals.moved[step % 2])?;
                if let Some(piece) = piece {
                    let part = shares.part(piece, own);
                    if !part.is_empty() {
                        let rows = (scratch, buffer, shares.step());
                        fold.enqueue(executor, rows, part.len(), results(piece, own)?)?;
                    }
                    queue.give(&signals.folded[step % 2])?;
                }
            }
            Ok(())
        })
    }
}
