//! The streams that use memory, one after the other.

use std::sync::Arc;

use crate::cuda::launch::StreamHandle;
use crate::error::Error;
use crate::sync::{Mutex, MutexGuard, PoisonError};

/// The contents `L` of some memory, and the stream that used it last. The next stream that uses it waits for that
/// one.
#[derive(Debug, Default)]
pub(crate) struct Turns<L>(Mutex<State<L>>);

#[derive(Debug, Default)]
struct State<L> {
    /// What is stored, or will be once the user is done.
    content: L,
    /// The last stream that wrote or read it.
    user: Option<Arc<StreamHandle>>,
}

impl<L> State<L> {
    /// Makes `user` the stream that the next user waits for, after waiting for the previous one.
    fn hand_to(&mut self, user: &Arc<StreamHandle>) -> Result<(), Error> {
        if let Some(before) = self.user.as_ref().filter(|before| !Arc::ptr_eq(before, user)) {
            before.wait()?;
        }
        self.user = Some(user.clone());
        Ok(())
    }
}

impl<L> Turns<L> {
    fn state(&self) -> MutexGuard<'_, State<L>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `call` with the present or future contents, without waiting.
    pub(crate) fn content<R>(&self, call: impl FnOnce(&L) -> R) -> R {
        call(&self.state().content)
    }

    /// Waits for the last user, and calls `call`. The memory does not change until it returns.
    pub(crate) fn settled<R>(&self, call: impl FnOnce(&L) -> Result<R, Error>) -> Result<R, Error> {
        // The lock is held while waiting, so a graph launched by another thread writes either before or after this
        // call.
        let state = self.state();
        if let Some(user) = &state.user {
            user.wait()?;
        }
        call(&state.content)
    }

    /// Enqueues with `enqueue`, which writes `content` on `writer`. Waits first for another stream that used the memory
    /// before, so that results arrive in the order of the calls.
    pub(crate) fn write(
        &self,
        writer: &Arc<StreamHandle>,
        content: L,
        enqueue: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut state = self.state();
        state.hand_to(writer)?;
        enqueue()?;
        state.content = content;
        Ok(())
    }

    /// Calls `enqueue` to enqueue work on `reader` that reads the memory. Waits first for another stream that used it
    /// before. Later writers wait for `reader` as for a writer, so nothing is written before it has read.
    pub(crate) fn lend(
        &self,
        reader: &Arc<StreamHandle>,
        enqueue: impl FnOnce(&L) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut state = self.state();
        state.hand_to(reader)?;
        enqueue(&state.content)
    }
}
