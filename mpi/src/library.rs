//! The functions of the MPI library that move bytes. Their codes become errors.
//!
//! The declarations are from the crate `mpi`. Its safe functions drop the codes. A buffer belongs to its request until
//! MPI is done with it, so an abandoned call leaves MPI no borrow.

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

/// An error of MPI, as text.
#[derive(Clone, Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }

    /// Turns the code of a function into a result.
    fn of(function: &str, code: c_int) -> Result<(), Self> {
        if code == ffi::MPI_SUCCESS as c_int {
            return Ok(());
        }
        let mut text = [0_u8; ffi::MPI_MAX_ERROR_STRING as usize];
        let mut len = 0;
        // SAFETY: `text` has the length that the library requires, and MPI is not finalized, because a call just returned `code`.
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

/// Fails if MPI is finalized.
fn check() -> Result<(), Failure> {
    if is_finalized() {
        return Err(Failure::new("MPI was finalized: keep what initialized it until the last call"));
    }
    Ok(())
}

/// A duplicated communicator. It stays on the thread that made it.
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
    /// Duplicates a communicator. All its ranks must call this within the limit. The duplicate returns codes for errors.
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
        // SAFETY: `of` is a live communicator. `new` is freed only below, after MPI is done with it.
        let code = unsafe { ffi::MPI_Comm_idup(of.as_raw(), new, &raw mut request) };
        Failure::of("MPI_Comm_idup", code)?;
        let begun = Instant::now();
        while !is_done(&mut request)? {
            if begun.elapsed() > limit {
                // `new` is leaked: MPI may still write to it.
                return Err(Failure::new(format!("not all ranks made their Mpi within {limit:?}")));
            }
            std::thread::sleep(Duration::from_micros(50));
        }
        // SAFETY: `new` came from a box, and MPI is done with it.
        let raw = *unsafe { Box::from_raw(new) };
        // SAFETY: `raw` is a live communicator now, and the handler a constant of the library.
        let code = unsafe { ffi::MPI_Comm_set_errhandler(raw, ffi::RSMPI_ERRORS_RETURN) };
        Failure::of("MPI_Comm_set_errhandler", code)?;
        Ok(Self { raw, stays: PhantomData })
    }

    /// Returns the number of this rank, and the number of ranks.
    pub(crate) fn place(&self) -> Result<(usize, usize), Failure> {
        check()?;
        let (mut rank, mut size) = (0, 0);
        // SAFETY: `raw` is live until `free`, and MPI is not finalized.
        Failure::of("MPI_Comm_rank", unsafe { ffi::MPI_Comm_rank(self.raw, &raw mut rank) })?;
        // SAFETY: as above.
        Failure::of("MPI_Comm_size", unsafe { ffi::MPI_Comm_size(self.raw, &raw mut size) })?;
        Ok((rank.max(0) as usize, size.max(0) as usize))
    }

    /// Starts a send.
    pub(crate) fn send(&self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<Request, Failure> {
        check()?;
        let mut request = Request::new(bytes);
        let (buffer, len) = (request.bytes.as_ptr().cast(), len_of(&request.bytes)?);
        // SAFETY: the buffer has `len` bytes and stays at its address until MPI is done, because `Request` frees it no
        // sooner. The communicator is live, and MPI is not finalized.
        let code = unsafe {
            let (bytes, to) = (ffi::RSMPI_UINT8_T, to as Rank);
            ffi::MPI_Isend(buffer, len, bytes, to, tag, self.raw, &raw mut request.raw)
        };
        Failure::of("MPI_Isend", code).map(|()| request)
    }

    /// Starts a receive of as many bytes as the buffer has.
    pub(crate) fn recv(&self, from: usize, tag: Tag, bytes: Vec<u8>) -> Result<Request, Failure> {
        check()?;
        let mut request = Request::new(bytes);
        let (buffer, len) = (request.bytes.as_mut_ptr().cast(), len_of(&request.bytes)?);
        // SAFETY: as in `send`; the request owns the buffer, so nothing else accesses it.
        let code = unsafe {
            let (bytes, from) = (ffi::RSMPI_UINT8_T, from as Rank);
            ffi::MPI_Irecv(buffer, len, bytes, from, tag, self.raw, &raw mut request.raw)
        };
        Failure::of("MPI_Irecv", code).map(|()| request)
    }

    /// Returns the next message that has arrived, from one rank or from any, without receiving it.
    pub(crate) fn probe(&self, from: Option<usize>, tag: Tag) -> Result<Option<Arrived>, Failure> {
        check()?;
        // SAFETY: a constant of the library.
        let any = unsafe { ffi::RSMPI_ANY_SOURCE };
        let from = from.map_or(any, |from| from as Rank);
        // SAFETY: a struct of integers, for which all zeros are a value.
        let mut status: ffi::MPI_Status = unsafe { mem::zeroed() };
        let (mut is_there, mut len) = (0, 0);
        // SAFETY: the communicator is live, MPI is not finalized, and both pointers are to local variables.
        let code = unsafe { ffi::MPI_Iprobe(from, tag, self.raw, &raw mut is_there, &raw mut status) };
        Failure::of("MPI_Iprobe", code)?;
        if is_there == 0 {
            return Ok(None);
        }
        // SAFETY: `MPI_Iprobe` just set the status.
        let code = unsafe { ffi::MPI_Get_count(&raw const status, ffi::RSMPI_UINT8_T, &raw mut len) };
        Failure::of("MPI_Get_count", code)?;
        Ok(Some(Arrived { from: status.MPI_SOURCE.max(0) as usize, len: len.max(0) as usize }))
    }

    /// Frees the communicator. No message may be under way in it. Later calls are errors.
    pub(crate) fn free(&mut self) -> Result<(), Failure> {
        check()?;
        // SAFETY: `raw` is live; MPI sets it to the null communicator, which every function refuses.
        Failure::of("MPI_Comm_free", unsafe { ffi::MPI_Comm_free(&raw mut self.raw) })
    }
}

/// A message under way, with its bytes.
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

    /// Returns the buffer once MPI is done with it.
    pub(crate) fn test(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let is_done = is_done(&mut self.raw)?;
        Ok(is_done.then(|| mem::take(&mut self.bytes)))
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        // SAFETY: a constant of the library.
        if self.raw != unsafe { ffi::RSMPI_REQUEST_NULL } {
            // MPI may still read or write the buffer, so it is leaked.
            mem::forget(mem::take(&mut self.bytes));
        }
    }
}

/// Returns whether a request is done; MPI then sets it to the null request.
fn is_done(request: &mut ffi::MPI_Request) -> Result<bool, Failure> {
    check()?;
    let mut is_done = 0;
    // SAFETY: the request is null or from MPI, and MPI is not finalized.
    let code = unsafe { ffi::MPI_Test(request, &raw mut is_done, ffi::RSMPI_STATUS_IGNORE) };
    Failure::of("MPI_Test", code).map(|()| is_done != 0)
}

fn len_of(bytes: &[u8]) -> Result<c_int, Failure> {
    c_int::try_from(bytes.len()).map_err(|_| Failure::new("a message of more than 2^31 - 1 bytes"))
}
