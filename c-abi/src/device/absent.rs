//! Without the feature `cuda` there are no streams and no arrays in device memory.

use std::ffi::c_void;

use warpfold::{Error, Unavailable};

use crate::failure::Failure;

/// `warpfold_stream`: has no values.
pub(crate) enum Stream {}

/// `warpfold_array`: has no values.
pub(crate) enum Array {}

/// An array to read.
pub(crate) struct Input;

impl Input {
    /// Returns `len` elements at `x`.
    ///
    /// # Safety
    /// None is needed here.
    pub(crate) unsafe fn new(_x: u64, _len: u64) -> Self {
        Self
    }
}

impl Stream {
    /// Returns an error.
    ///
    /// # Safety
    /// None is needed here.
    pub(crate) unsafe fn open(_device: i32, _stream: *mut c_void) -> Result<Self, Failure> {
        Err(Error::Unavailable { reason: Unavailable::NotBuilt }.into())
    }

    /// Runs no request.
    pub(crate) fn of_operator<A, R>(&self, _: i32, _: i32, _: R) -> Result<A, Failure> {
        match *self {}
    }

    /// Runs no request.
    pub(crate) fn of_dot<A, R>(&self, _: i32, _: R) -> Result<A, Failure> {
        match *self {}
    }

    /// Runs no request.
    pub(crate) fn of_type<A, R>(&self, _: i32, _: R) -> Result<A, Failure> {
        match *self {}
    }
}

impl Array {
    /// Returns the device address of the results.
    pub(crate) fn address(&self) -> u64 {
        match *self {}
    }

    /// Returns the number of results.
    pub(crate) fn len(&self) -> u64 {
        match *self {}
    }
}
