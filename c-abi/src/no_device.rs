//! Without GPU support there is no stream.

use std::ffi::c_void;

use warpfold::{Error, Unavailable};

use crate::failure::Failure;
use crate::outcome::Outcome;

/// `warpfold_stream`: there is none.
pub(crate) enum Stream {}

impl Stream {
    /// Says so.
    ///
    /// # Safety
    /// None is needed; the other one's is.
    pub(crate) unsafe fn open(_device: i32, _stream: *mut c_void) -> Result<Self, Failure> {
        Err(Error::Unavailable { reason: Unavailable::NotBuilt }.into())
    }

    /// Is never called.
    ///
    /// # Safety
    /// As above.
    pub(crate) unsafe fn reduce(&self, _: i32, _: i32, _: u64, _: u64) -> Result<Outcome, Failure> {
        match *self {}
    }
}
