//! The functions of the MPI library that move bytes, with their codes as errors.
//!
//! These are the declarations of the crate `mpi`; its safe functions drop the codes. A buffer belongs to its request until MPI
//! is done with it, so no call that was broken off leaves MPI with a borrow.

use std::ffi::c_int;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::time::{Duration, Instant};

use mpi::environment::{is_finalized, is_initialized, threading_support};
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;
use mpi::{Rank, Tag, Threading};

/// What kept MPI from doing what it was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    /// What a function's code means.
    fn of(function: &str, code: c_int) -> Result<(), Self> {
        if code == ffi::MPI_SUCCESS as c_int {
            return Ok(());
        }
        let mut text = [0_u8; ffi::MPI_MAX_ERROR_STRING as usize];
        let mut len = 0;
        // SAFETY: the place has the length that the library asks for, and MPI is not finalized: `code` is a call's.
        let known = unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &raw mut len) };
        let text = &text[..(len.max(0) as usize).min(text.len())];
        let text = String::from_utf8_lossy(if known == 0 { text } else { b"an unknown code" });
        Err(Self(format!("{function} answered {code}: {text}")))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// Whether this thread may call MPI now.
fn check() -> Result<(), Failure> {
    if is_finalized() {
        return Err(Failure::new("MPI was finalized: keep what initialized it until the last call"));
    }
    Ok(())
}

/// A communicator of our own. It stays on the thread that made it.
#[derive(Debug)]
pub(crate) struct Channel {
    raw: ffi::MPI_Comm,
    stays: PhantomData<*mut ()>,
}

/// A message that has arrived.
pub(crate) struct Arrived {
    pub(crate) from: usize,
    pub(crate) len: usize,
}

impl Channel {
    /// Duplicates a communicator: all its ranks do, within the limit. Errors become codes.
    pub(crate) fn duplicate(of: &SimpleCommunicator, limit: Duration) -> Result<Self, Failure> {
        if !is_initialized() {
            return Err(Failure::new("MPI is not initialized"));
        }
        check()?;
        let mut is_main = 0;
        // SAFETY: MPI is initialized and not finalized.
        Failure::of("MPI_Is_thread_main", unsafe { ffi::MPI_Is_thread_main(&raw mut is_main) })?;
        if is_main == 0 && threading_support() != Threading::Multiple {
            let why = "MPI was initialized for calls from its main thread alone: make Mpi there, or initialize with \
                       Threading::Multiple";
            return Err(Failure::new(why));
        }
        // SAFETY: constants of the library.
        let (null, mut request) = unsafe { (ffi::RSMPI_COMM_NULL, ffi::RSMPI_REQUEST_NULL) };
        let new = Box::into_raw(Box::new(null));
        // SAFETY: `of` is a live communicator, and nobody frees the place before MPI is done with it.
        let code = unsafe { ffi::MPI_Comm_idup(of.as_raw(), new, &raw mut request) };
        Failure::of("MPI_Comm_idup", code)?;
        let begun = Instant::now();
        while !is_done(&mut request)? {
            if begun.elapsed() > limit {
                // The place stays MPI's.
                return Err(Failure::new(format!("not all ranks made their Mpi within {limit:?}")));
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        // SAFETY: MPI is done with the place, which was a box.
        let raw = *unsafe { Box::from_raw(new) };
        // SAFETY: `raw` is a live communicator now, and the handler a constant of the library.
        let code = unsafe { ffi::MPI_Comm_set_errhandler(raw, ffi::RSMPI_ERRORS_RETURN) };
        Failure::of("MPI_Comm_set_errhandler", code)?;
        Ok(Self { raw, stays: PhantomData })
    }

    /// The number of this rank, and that of all.
    pub(crate) fn place(&self) -> Result<(usize, usize), Failure> {
        check()?;
        let (mut rank, mut size) = (0, 0);
        // SAFETY: `raw` is live until `free`, and MPI is not finalized.
        Failure::of("MPI_Comm_rank", unsafe { ffi::MPI_Comm_rank(self.raw, &raw mut rank) })?;
        // SAFETY: as above.
        Failure::of("MPI_Comm_size", unsafe { ffi::MPI_Comm_size(self.raw, &raw mut size) })?;
        Ok((rank.max(0) as usize, size.max(0) as usize))
    }

    /// Begins to send.
    pub(crate) fn send(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<Request, Failure> {
        check()?;
        let mut request = Request::new(bytes);
        let (buffer, len) = (request.bytes.as_ptr().cast(), len_of(&request.bytes)?);
        // SAFETY: the buffer has `len` bytes and stays where it is until MPI is done: `Request` frees it no sooner. The
        // communicator is live, and MPI not finalized.
        let code = unsafe {
            let (bytes, to) = (ffi::RSMPI_UINT8_T, to as Rank);
            ffi::MPI_Isend(buffer, len, bytes, to, tag, self.raw, &raw mut request.raw)
        };
        Failure::of("MPI_Isend", code).map(|()| request)
    }

    /// Begins to receive as many bytes as the buffer has.
    pub(crate) fn recv(&self, from: usize, tag: Tag, bytes: Vec<u8>) -> Result<Request, Failure> {
        check()?;
        let mut request = Request::new(bytes);
        let (buffer, len) = (request.bytes.as_mut_ptr().cast(), len_of(&request.bytes)?);
        // SAFETY: as in `send`; nobody else has the buffer.
        let code = unsafe {
            let (bytes, from) = (ffi::RSMPI_UINT8_T, from as Rank);
            ffi::MPI_Irecv(buffer, len, bytes, from, tag, self.raw, &raw mut request.raw)
        };
        Failure::of("MPI_Irecv", code).map(|()| request)
    }

    /// Whether a message is there: from one rank, or from any.
    pub(crate) fn probe(&self, from: Option<usize>, tag: Tag) -> Result<Option<Arrived>, Failure> {
        check()?;
        // SAFETY: a constant of the library.
        let any = unsafe { ffi::RSMPI_ANY_SOURCE };
        let from = from.map_or(any, |from| from as Rank);
        // SAFETY: plain data of numbers, for which zeros are a value.
        let mut status: ffi::MPI_Status = unsafe { mem::zeroed() };
        let (mut is_there, mut len) = (0, 0);
        // SAFETY: the communicator is live, MPI not finalized, and both places are there.
        let code = unsafe { ffi::MPI_Iprobe(from, tag, self.raw, &raw mut is_there, &raw mut status) };
        Failure::of("MPI_Iprobe", code)?;
        if is_there == 0 {
            return Ok(None);
        }
        // SAFETY: the status is a message's.
        let code = unsafe { ffi::MPI_Get_count(&raw const status, ffi::RSMPI_UINT8_T, &raw mut len) };
        Failure::of("MPI_Get_count", code)?;
        Ok(Some(Arrived { from: status.MPI_SOURCE.max(0) as usize, len: len.max(0) as usize }))
    }

    /// Frees the communicator, in which nothing is under way. Calls after this are errors.
    pub(crate) fn free(&mut self) -> Result<(), Failure> {
        check()?;
        // SAFETY: it is live; MPI sets it to the null communicator, which every function refuses.
        Failure::of("MPI_Comm_free", unsafe { ffi::MPI_Comm_free(&raw mut self.raw) })
    }
}

/// A message under way, and its bytes.
#[derive(Debug)]
pub(crate) struct Request {
    raw: ffi::MPI_Request,
    bytes: Vec<u8>,
}

impl Request {
    fn new(bytes: Vec<u8>) -> Self {
        // SAFETY: a constant of the library.
        Self { raw: unsafe { ffi::RSMPI_REQUEST_NULL }, bytes }
    }

    /// The buffer, once MPI is done with it.
    pub(crate) fn test(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let is_done = is_done(&mut self.raw)?;
        Ok(is_done.then(|| mem::take(&mut self.bytes)))
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // SAFETY: a constant of the library.
        if self.raw != unsafe { ffi::RSMPI_REQUEST_NULL } {
            // MPI may still read or write there.
            mem::forget(mem::take(&mut self.bytes));
        }
    }
}

/// Whether a request is done; MPI then sets it to the null request.
fn is_done(request: &mut ffi::MPI_Request) -> Result<bool, Failure> {
    check()?;
    let mut is_done = 0;
    // SAFETY: MPI made the request, or it is null, and MPI is not finalized.
    let code = unsafe { ffi::MPI_Test(request, &raw mut is_done, ffi::RSMPI_STATUS_IGNORE) };
    Failure::of("MPI_Test", code).map(|()| is_done != 0)
}

fn len_of(bytes: &[u8]) -> Result<c_int, Failure> {
    c_int::try_from(bytes.len()).map_err(|_| Failure::new("a message of more than 2^31 - 1 bytes"))
}
