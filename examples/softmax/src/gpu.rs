//! Runs the kernel on a device: cust loads and launches it on arrays of warpfold.

use std::error::Error;
use std::ptr;
use std::sync::Arc;
use std::time::Instant;

use cuda_std::Kernel;
use cust::context::Context;
use cust::device::Device;
use cust::launch::Launch;
use cust::module::Module;
use cust::stream::Stream;
use softmax::{THREADS, softmax_rows};
use warpfold::Cuda;

/// (entry, name of its kernel, the module that has the kernel)
const KERNELS: &[(&str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/entries.rs"));

/// Runs it on the first GPU, if there is one.
pub fn run() -> Result<(), Box<dyn Error>> {
    match Cuda::open(0) {
        Ok(cuda) => check(&cuda, &[(3, 1), (1000, 33), (500, 1000), (1000, 4096), (2, 3_000_001)]),
        Err(error) => {
            println!("{error}");
            Ok(())
        }
    }
}

/// Compares the device's rows with the host's, for some counts and lengths of rows.
fn check(cuda: &Cuda, shapes: &[(usize, usize)]) -> Result<(), Box<dyn Error>> {
    // The context is the device's primary one, which warpfold uses too, so both can use each other's arrays.
    let context = Context::open(Device::get_device(0)?)?;
    let stream = Stream::new(&context)?;
    let &(_, kernel, ptx) = KERNELS
        .iter()
        .find(|(entry, ..)| *entry == softmax_rows::NAME)
        .ok_or("the kernel is not in the PTX")?;
    // An emulated device runs the kernel itself, which must be offered before its module is loaded.
    #[cfg(feature = "emulator")]
    cust::emulated::offer(kernel, cuda_std::emulator::Entry::new(softmax_rows::RUN));
    let kernel = Arc::new(Module::from_ptx(&context, ptx, &[])?.get_function::<softmax_rows>(kernel)?);
    stream.add_observer(kernel.clone()); // it keeps the kernel as long as it lives

    for &(count, len) in shapes {
        let rows = crate::rows(count, len);
        let input = cuda.upload(&rows)?;
        let output = cuda.zeroed::<f32>(rows.len())?; // complete when it returns, so no stream need wait for it
        let started = Instant::now();
        let arguments = softmax_rows {
            input: ptr::without_provenance(input.as_device_ptr() as usize),
            len: len as u64,
            output: ptr::without_provenance_mut(output.as_device_ptr() as usize),
        };
        // SAFETY: one block per row; both arrays have as many rows of `len` numbers, and live until the stream
        // is done.
        unsafe { stream.launch(&kernel, Launch::new(count as u32, THREADS), arguments)? };
        stream.wait()?;
        let time = started.elapsed();
        let expected = crate::on_the_host(&rows, len)?;
        assert!(
            crate::bits(&output.to_vec()?).eq(crate::bits(&expected)),
            "{count} rows of {len} on the GPU"
        );
        println!("{}: {count} rows of {len}: the host's bits, {time:?}", cuda.properties().name);
    }
    Ok(())
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_has_the_hosts_bits_on_an_emulated_device() -> Result<(), Box<dyn Error>> {
        check(&Cuda::emulated()?, &[(3, 1), (20, 33), (5, 1000), (2, 20_001)])
    }
}
