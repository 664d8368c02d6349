//! Without the feature `cuda` there are no streams and no arrays in device memory.

use std::ffi::c_void;

use warpfold::{Error, Order, Unavailable};

use crate::failure::Failure;
use crate::outcome::Outcome;

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

    /// `warpfold_reduce`.
    pub(crate) fn reduce(&self, _: i32, _: i32, _: Input) -> Result<Outcome, Failure> {
        match *self {}
    }

    /// `warpfold_rows`.
    pub(crate) fn rows(&self, _: i32, _: i32, _: Input, _: [u64; 2]) -> Result<Array, Failure> {
        match *self {}
    }

    /// `warpfold_groups`.
    pub(crate) fn groups(&self, _: i32, _: i32, _: Input, _: Input, _: u64) -> Result<Array, Failure> {
        match *self {}
    }

    /// `warpfold_scan`.
    pub(crate) fn scan(&self, _: i32, _: i32, _: Input, _: bool) -> Result<Array, Failure> {
        match *self {}
    }

    /// `warpfold_sort`.
    pub(crate) fn sort(&self, _: i32, _: Input, _: Order) -> Result<Array, Failure> {
        match *self {}
    }

    /// `warpfold_argsort`.
    pub(crate) fn argsort(&self, _: i32, _: Input, _: Order) -> Result<Array, Failure> {
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
