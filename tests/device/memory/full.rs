//! A device whose memory is full to the last byte: every operation has its bits or is an error, and all is as before once
//! memory is free.

use std::cell::RefCell;
use std::sync::Arc;

use cust::context::Context;
use cust::device::Device;
use cust::error::CudaError;
use cust::memory::Memory;
use warpfold::Order::Descending;
use warpfold::{Cpu, DriverCode, Error, Max, Min, Product, Scan, rows};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{cuda, on_gpu_or_emulated, samples};

use crate::operations::{Inputs, Operation};
use crate::{alone, show};

/// Free bytes that one round may cost: the driver counts in pieces of 2 MiB. What a call loses is lost in every round.
const PIECE: u64 = 2 << 20;

/// The memory of another owner, which leaves nothing to us.
struct Filled {
    context: Arc<Context>,
    memory: Vec<Memory>,
}

impl Filled {
    /// Takes all that is free, in pieces that halve down to one byte.
    fn top_up(&mut self) {
        let mut bytes = usize::try_from(self.context.free_bytes().unwrap()).unwrap().max(1);
        loop {
            match Memory::allocate(&self.context, bytes) {
                Ok(memory) => self.memory.push(memory),
                Err(CudaError::OutOfMemory { .. }) if bytes > 1 => bytes /= 2,
                Err(CudaError::OutOfMemory { .. }) => return,
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// Takes also what the library keeps for later calls: it gives that up where it needs more, and in vain.
    fn take_all(&mut self) {
        let total = cuda().properties().memory_bytes;
        let Err(error) = cuda().zeroed::<u8>(usize::try_from(total).unwrap()) else {
            panic!("all of a full device")
        };
        assert!(is_out_of_memory(&error), "{error}");
        self.top_up();
    }
}

/// The context of the other owner, on the open device.
fn context() -> Arc<Context> {
    Context::open(Device::get_device(cuda().properties().ordinal).unwrap()).unwrap()
}

/// Whether the device lacked memory. Only calls that ask for a number of bytes know how many.
fn is_out_of_memory(error: &Error) -> bool {
    matches!(error, Error::OutOfMemory { bytes: 1.. } | Error::Driver { code: DriverCode::OUT_OF_MEMORY, .. })
}

/// Returns whether the call did with the memory that there is.
fn has_its_bits_or_lacks_memory((name, call): &Operation<'_>, expected: &[u8]) -> bool {
    match call() {
        Ok(found) => assert!(found == expected, "{name}: other bits on a full device"),
        Err(error) => {
            assert!(is_out_of_memory(&error), "{name}: {error}");
            return false;
        }
    }
    true
}

#[test]
fn on_a_full_device_calls_fail_and_all_is_as_before_once_memory_is_free() {
    let _alone = alone();
    let inputs = Inputs::new(cuda()).unwrap();
    let context = context();
    let (of_a_device, of_a_stream) = (inputs.of_a_device(cuda()), inputs.of_a_stream(cuda()).unwrap());
    let both = || of_a_device.iter().chain(&of_a_stream);
    let expected: Vec<Vec<u8>> =
        both().map(|(name, call)| call().unwrap_or_else(|error| panic!("{name}: {error}"))).collect();
    let mut free = Vec::new();
    for round in 0..on_gpu_or_emulated(4, 2) {
        let mut filled = Filled { context: context.clone(), memory: Vec::new() };
        let (mut with_lanes, mut without) = (Vec::new(), Vec::new());
        // With the lanes and the scratch memory of calls before.
        for (operation, expected) in both().zip(&expected) {
            filled.top_up();
            if has_its_bits_or_lacks_memory(operation, expected) {
                with_lanes.push(operation.0);
            }
        }
        for (i, (operation, expected)) in both().zip(&expected).enumerate() {
            filled.take_all();
            if has_its_bits_or_lacks_memory(operation, expected) {
                without.push(operation.0);
                assert!(i >= of_a_device.len(), "{}: no error, and there is no memory", operation.0);
            }
        }
        if round == 0 {
            show(&format!("{} pieces fill the device", filled.memory.len()));
            show(&format!("of {} calls have their bits with lanes: {with_lanes:?}", expected.len()));
            show(&format!("without: {without:?}"));
        }
        drop(filled);
        for ((name, call), expected) in both().zip(&expected) {
            let found = call().unwrap_or_else(|error| panic!("{name}, with free memory again: {error}"));
            assert!(found == *expected, "{name}: other bits than before");
        }
        free.push(context.free_bytes().unwrap());
    }
    show(&format!("free bytes after each round: {free:?}"));
    assert!(free[1..].iter().all(|&now| now + PIECE >= free[0]), "{free:?}");
    assert_eq!(cuda().failed_frees(), 0);
}

/// Kernels that no call has used are loaded when there is no memory for them, or else later.
#[test]
fn kernels_that_a_full_device_does_not_load_are_loaded_once_memory_is_free() {
    let _alone = alone();
    let x = samples::<f64>(Ordinary, 103, 1000);
    let (device, stream) = (cuda().upload(&x).unwrap(), cuda().stream().unwrap());
    let context = context();
    let products = RefCell::new(cuda().results::<f64, Product>(10).unwrap());
    let (scanned, sorted) =
        (RefCell::new(cuda().values(1000).unwrap()), RefCell::new(cuda().values(1000).unwrap()));
    let bytes = |x: &[f64]| bytemuck::cast_slice::<f64, u8>(x).to_vec();
    let calls: [Operation<'_>; 5] = [
        ("prepare", Box::new(|| cuda().prepare(Min, rows(&device, [10, 100])).map(|()| Vec::new()))),
        ("reduce", Box::new(|| Ok(format!("{:?}", stream.reduce(Max, &device)?).into()))),
        (
            "reduce of rows",
            Box::new(|| {
                let out = &mut *products.borrow_mut();
                stream.reduce_into(Product, rows(&device, [10, 100]), out)?;
                Ok(bytes(&out.to_vec()?))
            }),
        ),
        (
            "scan",
            Box::new(|| {
                let out = &mut *scanned.borrow_mut();
                stream.scan_into(Product, &device, out, Scan::inclusive())?;
                Ok(bytes(&out.to_vec()?))
            }),
        ),
        (
            "sort",
            Box::new(|| {
                let out = &mut *sorted.borrow_mut();
                stream.sort_into(&device, out, Descending)?;
                Ok(bytes(&out.to_vec()?))
            }),
        ),
    ];
    let mut in_order = x.clone();
    Cpu::new().sort(&mut in_order, Descending).unwrap();
    let expected = [
        Vec::new(),
        format!("{:?}", Cpu::new().reduce(Max, &x).unwrap()).into(),
        bytes(&Cpu::new().reduce(Product, rows(&x, [10, 100])).unwrap()),
        bytes(&Cpu::new().scan(Product, &x, Scan::inclusive()).unwrap()),
        bytes(&in_order),
    ];
    let mut filled = Filled { context, memory: Vec::new() };
    for (call, expected) in calls.iter().zip(&expected) {
        filled.take_all();
        let now = has_its_bits_or_lacks_memory(call, expected);
        show(&format!(
            "{}: {}",
            call.0,
            if now { "loaded on a full device" } else { "not loaded on a full device" }
        ));
    }
    drop(filled);
    for (call, expected) in calls.iter().zip(&expected) {
        assert!(has_its_bits_or_lacks_memory(call, expected), "{}: no memory, and there is some", call.0);
    }
}
