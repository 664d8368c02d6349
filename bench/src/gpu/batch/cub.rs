//! Peers in a library: CUB's sums, scans, selections and sorts.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;

use bytemuck::Pod;
use libloading::Library;

use super::agree;
use super::ground::{Ground, Number};
use crate::Outcome;
use crate::gpu::driver::Handle;

/// The option that names a peer.
#[derive(clap::Args)]
pub(super) struct Cub {
    /// A library with CUB, built from the file of peers/ with the table's name, or for `select` from sort.cu.
    #[arg(long)]
    peer: Option<PathBuf>,
}

/// A loaded library.
pub(super) struct Peer(Library);

/// One of its functions: (scratch, bytes of scratch, input, output, two values for the case, stream) to a
/// `cudaError_t`. With a null scratch it returns the bytes that it needs and enqueues nothing.
///
/// The two values for the case are, for rows, their number and their length; for segments, their number and the
/// address of the offsets; for running sums and sorts, the number of elements and nothing; for selections, the
/// number of elements and the threshold.
type Function =
    unsafe extern "C" fn(*mut c_void, *mut usize, *const c_void, *mut c_void, u64, u64, Handle) -> c_int;

impl Cub {
    /// Loads the library, if one is named, and prints its description.
    pub(super) fn load(&self) -> Outcome<Option<Peer>> {
        let Some(path) = &self.peer else { return Ok(None) };
        // SAFETY: the user names a library built from one of peers/, whose initialisers are the CUDA runtime's.
        let library = unsafe { Library::new(path) }
            .map_err(|error| format!("--peer {}: {error}: build it as peers/ says", path.display()))?;
        // SAFETY: each file of peers/ declares this function with this type.
        let describe = unsafe { library.get::<unsafe extern "C" fn() -> *const c_char>(b"peer_describe") }?;
        // SAFETY: takes nothing and returns a string constant.
        println!("{}", unsafe { CStr::from_ptr(describe()) }.to_str()?);
        Ok(Some(Peer(library)))
    }
}

impl Peer {
    /// Times the function `name` on device memory `from`, and compares its sums with ours, `right`.
    ///
    /// # Safety
    /// The library has a function with that name and with the type called here, which reads at `from` and
    /// writes a float for each of `right`; the memory stays until the stream has settled, and so does that in
    /// `what`.
    pub(super) unsafe fn sums(
        &self,
        ground: &Ground<'_>,
        (name, who): (&str, &str),
        case: Number,
        (from, what): (u64, [u64; 2]),
        right: &[f32],
    ) -> Outcome<()> {
        // SAFETY: the caller's promise.
        let sums = unsafe { self.outputs::<f32>(ground, (name, who), case, (from, what), right.len()) }?;
        agree(&format!("{who}, {name}"), right, &sums)
    }

    /// Times the function `name` on device memory `from`, and returns its outputs.
    ///
    /// # Safety
    /// As for [`sums`](Self::sums), and it writes `count` outputs of type `T`.
    pub(super) unsafe fn outputs<T: Pod + Send + Sync>(
        &self,
        ground: &Ground<'_>,
        (name, who): (&str, &str),
        case: Number,
        (from, what): (u64, [u64; 2]),
        count: usize,
    ) -> Outcome<Vec<T>> {
        let out = ground.cuda.zeroed::<T>(count)?;
        // SAFETY: the caller's promise.
        let function = *unsafe { self.0.get::<Function>(name.as_bytes()) }.map_err(|error| {
            format!("--peer: {error}: it is built from another file of peers/, or from an older one")
        })?;
        let (from, to) = (from as *const c_void, out.as_device_ptr() as *mut c_void);
        let stream = ground.stream.as_raw();
        let call = |scratch: u64, mut bytes: usize| {
            // SAFETY: the caller's promise; the memory has room for every output; the scratch has as many bytes as
            // requested, or is null and nothing is enqueued. All stay until the stream has settled.
            let code =
                unsafe { function(scratch as *mut c_void, &mut bytes, from, to, what[0], what[1], stream) };
            if code == 0 { Ok(bytes) } else { Err(format!("{who}, {name}: CUDA error {code}")) }
        };
        let bytes = call(0, 0)?.max(1);
        let scratch = ground.cuda.zeroed::<u8>(bytes)?;
        ground.on_device(who, case, &mut || Ok(call(scratch.as_device_ptr(), bytes).map(drop)?))?;
        ground.settle()?;
        Ok(out.to_vec()?)
    }
}
