//! NCCL's functions, looked up at the first use. Signatures and meanings: nccl.h.
#![allow(non_snake_case, reason = "the functions have NCCL's names")]

use std::env;
use std::ffi::{OsString, c_char, c_int, c_void};
use std::sync::{Arc, OnceLock};

use libloading::Library;

use super::NcclFault;
use super::communicator::UniqueId;
use crate::error::{CudaError, CudaResult};
use crate::sys::Handle;

/// `ncclSuccess`.
pub(crate) const SUCCESS: u32 = 0;
/// `ncclSystemError`.
pub(super) const SYSTEM_ERROR: u32 = 2;
/// `ncclInProgress`: the call goes on, and `ncclCommGetAsyncError` tells how it ends. This is not an error.
pub(crate) const IN_PROGRESS: u32 = 7;
/// `ncclUint8`, the type of everything that is moved.
pub(super) const BYTES: c_int = 1;

/// The first version that splits communicators.
const OLDEST: u32 = 21_801;
/// The version whose configuration is passed.
const CONFIG_VERSION: u32 = 21_400;

/// The environment variable that names another library.
const VARIABLE: &str = "WARPFOLD_NCCL";
/// The library's usual names.
const NAMES: [&str; 2] = ["libnccl.so.2", "libnccl.so"];

/// `ncclConfig_t` of version 2.14. Later versions have more fields, and take the shorter struct by its size.
#[repr(C)]
pub(crate) struct Config {
    size: usize,
    magic: u32,
    version: u32,
    blocking: c_int,
}

impl Config {
    /// The configuration of communicators that do not block.
    pub(crate) const NON_BLOCKING: Self =
        Self { size: size_of::<Self>(), magic: 0xcafe_beef, version: CONFIG_VERSION, blocking: 0 };

    /// The configuration of communicators that block.
    pub(crate) const BLOCKING: Self = Self { blocking: 1, ..Self::NON_BLOCKING };

    /// Returns whether both say the same.
    #[cfg(feature = "emulator")]
    pub(crate) fn is(&self, other: &Self) -> bool {
        (self.size, self.magic, self.version, self.blocking)
            == (other.size, other.magic, other.version, other.blocking)
    }
}

/// Declares the functions: a table of those that were found.
macro_rules! functions {
    ($(fn $name:ident($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions of the library.
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> $result,)*
            /// Keeps the functions loaded. It is never dropped, because the table is a `static`. The emulated NCCL has none.
            _library: Option<Library>,
        }

        impl Functions {
            /// Returns the functions of the emulated NCCL.
            #[cfg(feature = "emulator")]
            fn emulated() -> Self {
                use crate::emulated::nccl;
                Self { $($name: nccl::$name,)* _library: None }
            }

            /// Looks up the functions. Returns `None` if one is missing.
            fn of(library: Library) -> Option<Self> {
                $(
                    // SAFETY: nccl.h declares the function of this name with this type.
                    let found = unsafe {
                        library.get::<unsafe extern "C" fn($($argument),*) -> $result>(
                            concat!(stringify!($name), "\0").as_bytes(),
                        )
                    };
                    let $name = *found.ok()?;
                )*
                Some(Self { $($name,)* _library: Some(library) })
            }
        }
    };
}

functions! {
    fn ncclGetUniqueId(*mut UniqueId) -> u32;
    fn ncclCommInitRankConfig(*mut Handle, c_int, UniqueId, c_int, *mut Config) -> u32;
    fn ncclCommSplit(Handle, c_int, c_int, *mut Handle, *mut Config) -> u32;
    fn ncclCommGetAsyncError(Handle, *mut u32) -> u32;
    fn ncclCommFinalize(Handle) -> u32;
    fn ncclCommDestroy(Handle) -> u32;
    fn ncclCommAbort(Handle) -> u32;
    fn ncclGetErrorString(u32) -> *const c_char;
    fn ncclGroupStart() -> u32;
    fn ncclGroupEnd() -> u32;
    fn ncclSend(*const c_void, usize, c_int, c_int, Handle, Handle) -> u32;
    fn ncclRecv(*mut c_void, usize, c_int, c_int, Handle, Handle) -> u32;
    fn ncclAllGather(*const c_void, *mut c_void, usize, c_int, Handle, Handle) -> u32;
}

static LOADED: OnceLock<Result<(Functions, u32), NcclFault>> = OnceLock::new();

/// Returns the library's version as NCCL counts it: 22203 is 2.22.3. Loads the library.
///
/// # Errors
/// [`CudaError::Nccl`] if there is no library, or one before 2.18.
pub fn version() -> CudaResult<u32> {
    found().map(|(_, version)| *version)
}

/// Returns the functions. Loads the library.
pub(super) fn loaded() -> CudaResult<&'static Functions> {
    found().map(|(functions, _)| functions)
}

fn found() -> CudaResult<&'static (Functions, u32)> {
    let fault = |fault: &NcclFault| CudaError::Nccl { during: "loading NCCL", fault: fault.clone() };
    LOADED.get_or_init(load).as_ref().map_err(fault)
}

fn load() -> Result<(Functions, u32), NcclFault> {
    #[cfg(feature = "emulator")]
    if let Some(version) = crate::emulated::nccl::version().filter(|_| crate::emulated::is_in_use()) {
        return if version < OLDEST {
            Err(NcclFault::TooOld { found: version })
        } else {
            Ok((Functions::emulated(), version))
        };
    }
    let names: Vec<OsString> = match env::var_os(VARIABLE).filter(|name| !name.is_empty()) {
        Some(name) => vec![name],
        None => NAMES.map(Into::into).to_vec(),
    };
    // SAFETY: NCCL's library may be loaded at any time and from any thread; it stays loaded.
    let library = names.iter().find_map(|name| unsafe { Library::new(name) }.ok());
    let Some(library) = library else {
        let tried: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
        return Err(NcclFault::Missing { tried: Arc::from(tried.join(" or ")) });
    };
    let version = version_of(&library);
    match Functions::of(library) {
        Some(functions) if version >= OLDEST => Ok((functions, version)),
        _ => Err(NcclFault::TooOld { found: version }),
    }
}

/// Returns a library's version, or 0 if it tells none.
fn version_of(library: &Library) -> u32 {
    let mut version: c_int = 0;
    // SAFETY: nccl.h declares the function of this name with this type.
    let Ok(ask) = (unsafe { library.get::<unsafe extern "C" fn(*mut c_int) -> u32>(b"ncclGetVersion\0") })
    else {
        return 0;
    };
    // SAFETY: writes one number to a local.
    let code = unsafe { ask(&raw mut version) };
    if code == SUCCESS { u32::try_from(version).unwrap_or(0) } else { 0 }
}
