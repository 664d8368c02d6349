//! Peers: other reductions behind the C interfaces of peers/, loaded at run time.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::ptr;

use libloading::Library;

use crate::Outcome;

/// A stream.
pub(super) type Handle = *mut c_void;

/// A reduction of a peer: (scratch, bytes of scratch, input, output, n, stream) to a `cudaError_t`.
type Function =
    unsafe extern "C" fn(*mut c_void, *mut usize, *const c_void, *mut c_void, u64, Handle) -> c_int;

/// A reduction of a peer to the host: (input, host, n, stream) to a `cudaError_t`.
type ToHost = unsafe extern "C" fn(*const c_void, *mut c_void, u64, Handle) -> c_int;

/// Reads without reducing: (input, bytes, output, blocks, stream) to a `cudaError_t`.
type Read = unsafe extern "C" fn(*const c_void, u64, *mut c_void, c_uint, Handle) -> c_int;

/// Copies a result to the host: (host, device, bytes, stream) to a `cudaError_t`.
type Fetch = unsafe extern "C" fn(*mut c_void, *const c_void, usize, Handle) -> c_int;

/// A shared library.
pub(super) struct Peer {
    library: Library,
    /// Its name and version.
    pub(super) name: String,
}

impl Peer {
    /// Loads the library at `path`.
    ///
    /// # Errors
    /// There is no library at `path`, or it is not a peer.
    pub(super) fn load(path: &Path) -> Outcome<Self> {
        if !path.exists() {
            return Err("is not there: compile it from peers/".into());
        }
        // SAFETY: the user names a library built from peers/, whose initialisers are the CUDA runtime's.
        let library = unsafe { Library::new(path) }?;
        let peer = Self { library, name: String::new() };
        Ok(Self { name: peer.text("peer_describe")?, ..peer })
    }

    /// The function `symbol`.
    ///
    /// # Safety
    /// It has the type `F`, a pointer to a function.
    pub(super) unsafe fn function<F: Copy>(&self, symbol: &str) -> Outcome<F> {
        // SAFETY: the caller's promise.
        Ok(*unsafe { self.library.get::<F>(symbol.as_bytes()) }?)
    }

    fn text(&self, symbol: &str) -> Outcome<String> {
        // SAFETY: the files of peers/ declare such functions with this type.
        let text = unsafe { self.function::<unsafe extern "C" fn() -> *const c_char>(symbol) }?;
        // SAFETY: takes nothing and returns a string constant.
        Ok(unsafe { CStr::from_ptr(text()) }.to_str()?.to_owned())
    }

    /// Every variant's reduction by `op` of `element`.
    pub(super) fn reductions(&self, op: &str, element: &str) -> Outcome<Vec<Reduction<'_>>> {
        let text = self.text("peer_variants")?;
        let mut reductions = Vec::new();
        for (variant, name) in variants(&text) {
            let symbol = format!("peer_{variant}_{op}_{element}");
            // SAFETY: peers/cub.cu declares every function with such a name with this type.
            let Ok(function) = (unsafe { self.function(&symbol) }) else { continue };
            // SAFETY: as above, with the suffix `_to_host`.
            let to_host = unsafe { self.function(&format!("{symbol}_to_host")) }.ok();
            // SAFETY: peers/cub.cu declares these functions with these types.
            let (alloc, fetch): (unsafe extern "C" fn(usize) -> *mut c_void, _) =
                unsafe { (self.function("peer_host_alloc")?, self.function("peer_fetch")?) };
            // SAFETY: takes any number.
            let host = unsafe { alloc(RESULT) };
            if host.is_null() {
                return Err("there is no page-locked host memory".into());
            }
            reductions.push(Reduction { name: name.into(), peer: self, function, to_host, host, fetch });
        }
        Ok(reductions)
    }

    /// Enqueues a kernel of `blocks` blocks that only reads `bytes` bytes at `input`.
    ///
    /// # Safety
    /// `input` is a device address with `bytes` bytes, `output` one with [`RESULT`] bytes; both stay until
    /// `stream`, which must be live in this thread's context, has run it.
    pub(super) unsafe fn read(
        &self,
        input: u64,
        bytes: u64,
        output: u64,
        blocks: u32,
        stream: Handle,
    ) -> Outcome<()> {
        // SAFETY: peers/cub.cu declares this function with this type.
        let read: Read = unsafe { self.function("peer_read") }?;
        // SAFETY: the caller vouches for the memory and the stream.
        let code = unsafe { read(input as *const c_void, bytes, output as *mut c_void, blocks, stream) };
        self.check("reading", code)
    }

    fn check(&self, during: &str, code: c_int) -> Outcome<()> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: peers/cub.cu declares this function with this type.
        let error: unsafe extern "C" fn(c_int) -> *const c_char = unsafe { self.function("peer_error") }?;
        // SAFETY: takes any number and returns a string constant.
        let name = unsafe { CStr::from_ptr(error(code)) }.to_string_lossy();
        Err(format!("{during}: {name} ({code})").into())
    }
}

/// Variants as `symbol=name`, separated by semicolons: the name in its symbols, and the name in tables and records.
fn variants(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(';').filter_map(|variant| variant.split_once('='))
}

/// Bytes of a peer's result.
pub(super) const RESULT: usize = 16;

/// One reduction of a peer.
pub(super) struct Reduction<'p> {
    /// The name in tables and records.
    pub(super) name: String,
    peer: &'p Peer,
    function: Function,
    /// Its own reduction to the host, if it has one.
    to_host: Option<ToHost>,
    /// Page-locked memory of [`RESULT`] bytes, kept until the process ends.
    host: *mut c_void,
    fetch: Fetch,
}

impl Reduction<'_> {
    /// Bytes of scratch that it needs for `n` elements.
    pub(super) fn scratch(&self, n: u64) -> Outcome<usize> {
        let mut bytes = 0;
        let null = ptr::null_mut();
        // SAFETY: with a null scratch it writes only `bytes`.
        let code = unsafe { (self.function)(null, &mut bytes, null, null, n, null) };
        self.peer.check("asking for its scratch", code)?;
        Ok(bytes.max(1))
    }

    /// Enqueues the reduction of `n` elements at `input` to `output`.
    ///
    /// # Safety
    /// `scratch` is a device address with `scratch_bytes` bytes, at least as many as [`scratch`](Self::scratch)
    /// returned, `input` one with `n` elements, `output` one with [`RESULT`] bytes; all stay until `stream`,
    /// which must be live in this thread's context, has run it.
    pub(super) unsafe fn enqueue(
        &self,
        (scratch, mut scratch_bytes): (u64, usize),
        input: u64,
        output: u64,
        n: u64,
        stream: Handle,
    ) -> Outcome<()> {
        let (scratch, output) = (scratch as *mut c_void, output as *mut c_void);
        // SAFETY: the caller vouches for the memory and the stream.
        let code = unsafe {
            (self.function)(scratch, &mut scratch_bytes, input as *const c_void, output, n, stream)
        };
        self.peer.check("reducing", code)
    }

    /// Copies the result at the device address `output` to the host and waits for it.
    ///
    /// # Safety
    /// `output` is a device address with [`RESULT`] bytes behind it; `stream` is live.
    pub(super) unsafe fn fetch(&mut self, output: u64, stream: Handle) -> Outcome<[u8; RESULT]> {
        // SAFETY: `host` has RESULT bytes; the caller vouches for the rest.
        let code = unsafe { (self.fetch)(self.host, output as *const c_void, RESULT, stream) };
        self.peer.check("fetching the result", code)?;
        Ok(self.landed())
    }

    /// Reduces to the host by its own function for this, if it has one.
    ///
    /// # Safety
    /// `input` is a device address with `n` elements behind it; `stream` is live in this thread's context.
    pub(super) unsafe fn land(
        &mut self,
        input: u64,
        n: u64,
        stream: Handle,
    ) -> Option<Outcome<[u8; RESULT]>> {
        // SAFETY: `host` has RESULT bytes; the caller vouches for the rest.
        let code = unsafe { self.to_host?(input as *const c_void, self.host, n, stream) };
        Some(self.peer.check("reducing to the host", code).map(|()| self.landed()))
    }

    fn landed(&self) -> [u8; RESULT] {
        // SAFETY: page-locked memory of RESULT bytes, which the last call wrote and nothing else refers to.
        unsafe { self.host.cast::<[u8; RESULT]>().read() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_have_a_symbol_and_a_name() {
        let found: Vec<_> = variants("run_to_run=CUB;gpu_to_gpu=CUB gpu_to_gpu;nonsense").collect();
        assert_eq!(found, [("run_to_run", "CUB"), ("gpu_to_gpu", "CUB gpu_to_gpu")]);
    }
}
