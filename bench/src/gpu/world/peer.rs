//! NCCL's own all_reduce, on the same memory and stream.

use std::env;
use std::ffi::{c_int, c_void};
use std::ptr;

use libloading::Library;
use warpfold::{Communicator as _, DeviceValues, Stream, Threads};

use crate::Outcome;

/// `ncclUniqueId`.
type Id = [u8; 128];

#[repr(C)]
#[derive(Clone, Copy)]
struct ById(Id);

type AllReduce =
    unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, *mut c_void, *mut c_void) -> c_int;

/// `ncclFloat32`, `ncclSum`.
const FLOAT: c_int = 7;
const SUM: c_int = 0;

/// A blocking communicator of NCCL, as most programs have.
pub(super) struct Peer {
    communicator: *mut c_void,
    all_reduce: AllReduce,
    version: c_int,
    destroy: unsafe extern "C" fn(*mut c_void) -> c_int,
    _library: Library,
}

impl Peer {
    /// Joins all ranks. Each has made its device's context current.
    pub(super) fn join(rank: &Threads) -> Outcome<Self> {
        let name = env::var_os("WARPFOLD_NCCL").unwrap_or_else(|| "libnccl.so.2".into());
        // SAFETY: NCCL may be loaded at any time; nccl.h declares the functions with these types. Each writes to locals.
        unsafe {
            let library = Library::new(name)?;
            let get_id = *library.get::<unsafe extern "C" fn(*mut ById) -> c_int>(b"ncclGetUniqueId\0")?;
            let init = *library.get::<unsafe extern "C" fn(*mut *mut c_void, c_int, ById, c_int) -> c_int>(
                b"ncclCommInitRank\0",
            )?;
            let all_reduce = *library.get::<AllReduce>(b"ncclAllReduce\0")?;
            let destroy = *library.get(b"ncclCommDestroy\0")?;
            let ask = *library.get::<unsafe extern "C" fn(*mut c_int) -> c_int>(b"ncclGetVersion\0")?;
            let (mut id, mut version, mut communicator) = (ById([0; 128]), 0, ptr::null_mut());
            fine(ask(&raw mut version))?;
            if rank.rank() == 0 {
                fine(get_id(&raw mut id))?;
            }
            let ids = rank.all_gather(&id.0)?;
            let id = ById(ids[0].as_slice().try_into()?);
            fine(init(&raw mut communicator, rank.size() as c_int, id, rank.rank() as c_int))?;
            Ok(Self { communicator, all_reduce, version, destroy, _library: library })
        }
    }

    /// NCCL's version.
    pub(super) fn version(&self) -> c_int {
        self.version
    }

    /// Enqueues an all_reduce in place.
    pub(super) fn all_reduce(&self, stream: &Stream, x: &mut DeviceValues<f32>) -> Outcome<()> {
        let address = ptr::without_provenance_mut(x.as_device_ptr() as usize);
        // SAFETY: the values are that many floats, and nothing else uses them until the stream was waited for.
        let code = unsafe {
            (self.all_reduce)(address, address, x.len(), FLOAT, SUM, self.communicator, stream.as_raw())
        };
        fine(code)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // SAFETY: made by `join`, and all work has ended.
        unsafe { (self.destroy)(self.communicator) };
    }
}

fn fine(code: c_int) -> Outcome<()> {
    if code == 0 { Ok(()) } else { Err(format!("NCCL returned {code}").into()) }
}
