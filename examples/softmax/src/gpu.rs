//! The kernel on the first GPU, if there is one: loaded and launched by cust, on arrays of warpfold's.

use std::error::Error;
use std::time::Instant;

use cust::context::Context;
use cust::device::Device;
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use softmax::THREADS;
use warpfold::Cuda;

/// (entry, name of its kernel, the module that has the kernel)
const KERNELS: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/entries.rs"));

pub fn run() -> Result<(), Box<dyn Error>> {
    let cuda = match Cuda::open(0) {
        Ok(cuda) => cuda,
        Err(error) => {
            println!("{error}");
            return Ok(());
        }
    };
    // The context is the device's primary one, which warpfold uses too: arrays of the one are arrays of the other.
    let _context = Context::new(Device::get_device(0)?)?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let &(_, kernel, ptx) =
        KERNELS.iter().find(|(entry, ..)| *entry == "softmax_rows").ok_or("the kernel is not in the PTX")?;
    let module = Module::from_ptx(ptx, &[])?;
    let kernel = module.get_function(kernel)?;

    for (count, len) in [(3, 1), (1000, 33), (500, 1000), (1000, 4096), (2, 3_000_001)] {
        let rows = crate::rows(count, len);
        let input = cuda.upload(&rows)?;
        let output = cuda.zeroed::<f32>(rows.len())?; // complete when it returns, so no stream need wait for it
        let started = Instant::now();
        // SAFETY: a block per row; both arrays have as many rows of `len` numbers, and live until the stream is done.
        unsafe {
            cust::launch!(kernel<<<count as u32, THREADS, 0, stream>>>(
                input.as_device_ptr(), len as u64, output.as_device_ptr()
            ))?;
        }
        stream.synchronize()?;
        let time = started.elapsed();
        let expected = crate::on_the_host(&rows, len)?;
        assert!(
            crate::bits(&output.download()?).eq(crate::bits(&expected)),
            "{count} rows of {len} on the GPU"
        );
        println!("{}: {count} rows of {len}: the host's bits, {time:?}", cuda.name());
    }
    Ok(())
}
