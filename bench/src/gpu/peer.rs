//! Peers: other reductions behind the C interface of peers/cub.cu, loaded at run time.

use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    path::Path,
};

use libloading::Library;

use super::driver::Handle;
use crate::Outcome;

/// A reduction of a peer: (scratch, bytes of scratch, input, output, n, stream) to a `cudaError_t`.
type Function =
    unsafe extern "C" fn(*mut c_void, *mut usize, *const c_void, *mut c_void, u64, Handle) -> c_int;

/// A reduction of a peer to the host: (input, host, n, stream) to a `cudaError_t`.
type ToHost = unsafe extern "C" fn(*const c_void, *mut c_void, u64, Handle) -> c_int;

/// Reads without reducing: (input, bytes, output, blocks, stream) to a `cudaError_t`.
type Read = unsafe extern "C" fn(*const c_void, u64, *mut c_void, c_uint, Handle) -> c_int;

/// Copies a result to the host: (host, device, bytes, stream) to a `cudaError_t`.
type Fetch = unsafe extern "C" fn(*mut c_void, *const c_void, usize, Handle) -> c_int;

/// A shared library of reductions.
pub(super) struct Peer {
    library: Library,
    /// Its name and version.
    pub name: String,
    /// The variants of its reductions.
    pub variants: Vec<Variant>,
}

/// A variant of a peer's reductions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variant {
    /// The name in its symbols.
    symbol: String,
    /// The name in tables and records.
    pub name: String,
}

/// Variants as `symbol=name`, separated by semicolons.
fn variants(text: &str) -> Vec<Variant> {
    let variant = |(symbol, name): (&str, &str)| Variant { symbol: symbol.into(), name: name.into() };
    text.split(';').filter_map(|text| text.split_once('=').map(variant)).collect()
}

impl Peer {
    /// Loads the library at `path` and opens the device `ordinal` in it.
    ///
    /// # Errors
    /// There is no library at `path`, it is not a peer, or it cannot use the device.
    pub(super) fn load(path: &Path, ordinal: usize) -> Outcome<Self> {
        if !path.exists() {
            return Err("is not there: compile it from peers/cub.cu".into());
        }
        // SAFETY: the user names a library built from peers/, whose initialisers are the CUDA runtime's.
        let library = unsafe { Library::new(path) }?;
        let text = |symbol: &str| -> Outcome<String> {
            // SAFETY: peers/cub.cu declares these functions with this type.
            let function =
                *unsafe { library.get::<unsafe extern "C" fn() -> *const c_char>(symbol.as_bytes()) }?;
            // SAFETY: takes nothing and returns a string constant.
            Ok(unsafe { CStr::from_ptr(function()) }.to_str()?.to_owned())
        };
        let name = text("peer_describe")?;
        let variants = variants(&text("peer_variants")?);
        let peer = Self { library, name, variants };
        // SAFETY: peers/cub.cu declares this function with this type.
        let open = *unsafe { peer.library.get::<unsafe extern "C" fn(c_int) -> c_int>(b"peer_open") }?;
        // SAFETY: takes any number.
        let code = unsafe { open(c_int::try_from(ordinal)?) };
        peer.check("opening the device", code)?;
        Ok(peer)
    }

    /// The reduction of `variant` by `op` of `element`; `None` if it has none.
    pub(super) fn reduction(&self, variant: &Variant, op: &str, element: &str) -> Option<Reduction<'_>> {
        let symbol = format!("peer_{}_{op}_{element}", variant.symbol);
        // SAFETY: peers/cub.cu declares every function with such a name with this type.
        let function = *unsafe { self.library.get::<Function>(symbol.as_bytes()) }.ok()?;
        // SAFETY: as above, with the suffix `_to_host`.
        let to_host = unsafe { self.library.get::<ToHost>(format!("{symbol}_to_host").as_bytes()) };
        Some(Reduction { peer: self, function, to_host: to_host.ok().map(|to_host| *to_host) })
    }

    /// Enqueues a kernel of `blocks` blocks that only reads `bytes` bytes at `input`.
    ///
    /// # Safety
    /// `input` is a device address with `bytes` bytes, `output` one with [`RESULT`] bytes; both stay until
    /// `stream`, which must be live in the context that the peer opened, has run it.
    pub(super) unsafe fn read(
        &self,
        input: u64,
        bytes: u64,
        output: u64,
        blocks: u32,
        stream: Handle,
    ) -> Outcome<()> {
        // SAFETY: peers/cub.cu declares this function with this type.
        let read = *unsafe { self.library.get::<Read>(b"peer_read") }?;
        // SAFETY: the caller vouches for the memory and the stream.
        let code = unsafe { read(input as *const c_void, bytes, output as *mut c_void, blocks, stream) };
        self.check("reading", code)
    }

    /// Page-locked host memory of 16 bytes for results.
    pub(super) fn landing(&self) -> Outcome<Landing<'_>> {
        // SAFETY: peers/cub.cu declares these functions with this type.
        let alloc =
            *unsafe { self.library.get::<unsafe extern "C" fn(usize) -> *mut c_void>(b"peer_host_alloc") }?;
        // SAFETY: as above.
        let fetch = *unsafe { self.library.get::<Fetch>(b"peer_fetch") }?;
        // SAFETY: takes any number.
        let host = unsafe { alloc(RESULT) };
        if host.is_null() {
            return Err("there is no page-locked host memory".into());
        }
        Ok(Landing { peer: self, host, fetch })
    }

    fn check(&self, during: &str, code: c_int) -> Outcome<()> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: peers/cub.cu declares this function with this type.
        let error =
            *unsafe { self.library.get::<unsafe extern "C" fn(c_int) -> *const c_char>(b"peer_error") }?;
        // SAFETY: takes any number and returns a string constant.
        let name = unsafe { CStr::from_ptr(error(code)) }.to_string_lossy();
        Err(format!("{during}: {name} ({code})").into())
    }
}

/// Bytes of a peer's result.
pub(super) const RESULT: usize = 16;

/// One reduction of a peer.
#[derive(Clone, Copy)]
pub(super) struct Reduction<'p> {
    peer: &'p Peer,
    function: Function,
    /// Its own reduction to the host, if it has one.
    to_host: Option<ToHost>,
}

impl Reduction<'_> {
    /// Bytes of scratch that it needs for `n` elements.
    pub(super) fn scratch(&self, n: u64) -> Outcome<usize> {
        let mut bytes = 0;
        let null = std::ptr::null_mut();
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
    /// which must be live in the context that the peer opened, has run it.
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
}

/// Page-locked host memory for results, kept until the process ends.
pub(super) struct Landing<'p> {
    peer: &'p Peer,
    host: *mut c_void,
    fetch: Fetch,
}

impl Landing<'_> {
    /// Copies the result at the device address `output` here and waits for it.
    ///
    /// # Safety
    /// `output` is a device address with [`RESULT`] bytes behind it; `stream` is live.
    pub(super) unsafe fn fetch(&mut self, output: u64, stream: Handle) -> Outcome<[u8; RESULT]> {
        // SAFETY: `host` has RESULT bytes; the caller vouches for the rest.
        let code = unsafe { (self.fetch)(self.host, output as *const c_void, RESULT, stream) };
        self.peer.check("fetching the result", code)?;
        // SAFETY: page-locked memory of RESULT bytes, just written, which nothing else refers to.
        Ok(unsafe { self.host.cast::<[u8; RESULT]>().read() })
    }

    /// Reduces to here by `reduction`'s own function for this, if it has one.
    ///
    /// # Safety
    /// `input` is a device address with `n` elements behind it; `stream` is live in the context that the peer
    /// opened.
    pub(super) unsafe fn reduce(
        &mut self,
        reduction: &Reduction<'_>,
        input: u64,
        n: u64,
        stream: Handle,
    ) -> Option<Outcome<[u8; RESULT]>> {
        let to_host = reduction.to_host?;
        // SAFETY: `host` has RESULT bytes; the caller vouches for the rest.
        let code = unsafe { to_host(input as *const c_void, self.host, n, stream) };
        let checked = self.peer.check("reducing to the host", code);
        // SAFETY: page-locked memory of RESULT bytes, which nothing else refers to; any bytes are a result.
        Some(checked.map(|()| unsafe { self.host.cast::<[u8; RESULT]>().read() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_have_a_symbol_and_a_name() {
        let found = variants("run_to_run=CUB;gpu_to_gpu=CUB gpu_to_gpu;nonsense");
        let names: Vec<(&str, &str)> =
            found.iter().map(|variant| (variant.symbol.as_str(), variant.name.as_str())).collect();
        assert_eq!(names, [("run_to_run", "CUB"), ("gpu_to_gpu", "CUB gpu_to_gpu")]);
    }
}
