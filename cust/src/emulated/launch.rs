//! Launches of kernels.

use std::ffi::{c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{ptr, slice};

use cuda_std::Field;
use cuda_std::emulator::{Bound, Launch, Order};

use super::memory::hash;
use super::module::Function;
use super::state::{Answer, Driver, Id, answer, say};
use super::stream;
use super::work::Work;
use crate::sys::{self, Handle};

/// A launch that is enqueued.
#[derive(Clone)]
pub(super) struct Call {
    kernel: Bound,
    function: Function,
    blocks: [u32; 3],
    threads: [u32; 3],
    shared_bytes: u32,
    /// The arguments that are addresses of allocated memory.
    addresses: Vec<Reached>,
    context: Id,
}

/// Memory that an argument is the address of.
#[derive(Clone, Copy)]
struct Reached {
    /// The argument, counted from 0.
    argument: usize,
    address: usize,
    /// The number of the allocation.
    allocation: Id,
    is_written: bool,
}

impl Call {
    /// Returns the threads of a block.
    pub(super) fn threads(&self) -> u32 {
        self.threads.iter().product()
    }
}

impl Driver {
    /// Enqueues a launch.
    ///
    /// # Safety
    /// `arguments` point to the kernel's arguments, in order.
    unsafe fn launch(
        &mut self,
        function: Handle,
        ([blocks, threads], shared_bytes): ([[u32; 3]; 2], u32),
        stream: Handle,
        arguments: *mut *mut c_void,
        overlaps: bool,
    ) -> Answer {
        let function = self.function(function)?;
        let stream = stream::of(self, stream)?;
        if shared_bytes > function.most_shared.unsigned_abs() {
            return Err(sys::INVALID_VALUE);
        }
        let Some(module) = self.modules.get(&function.module) else { return Err(sys::INVALID_VALUE) };
        let (context, waits) = (module.context, module.waits());
        self.is_of(context)?;
        let of_stream = self.stream(stream)?.context;
        if of_stream != 0 {
            self.is_of(of_stream)?;
        }
        if overlaps && !waits {
            return Err(self.fault("overlapped a kernel that does not wait"));
        }
        if overlaps {
            self.log(|| "overlaps a launch".into());
        }
        // SAFETY: the caller's promise.
        let pointers = unsafe { slice::from_raw_parts(arguments, function.kernel.fields().count()) };
        let mut addresses = Vec::new();
        for (argument, (&pointer, field)) in pointers.iter().zip(function.kernel.fields()).enumerate() {
            if field.bytes == size_of::<usize>() {
                // SAFETY: it points to an argument of as many bytes.
                let address = unsafe { pointer.cast::<usize>().read_unaligned() };
                if let Some((_, found)) = self.allocation(address) {
                    let (allocation, is_written) = (found.number, field.is_written);
                    addresses.push(Reached { argument, address, allocation, is_written });
                }
            }
        }
        self.log(|| {
            // SAFETY: as above.
            let words = unsafe { words(pointers, function.kernel.fields()) };
            format!("launches {} in {} blocks of {}:{words}", function.name, blocks[0], threads[0])
        });
        self.may_fail("cuLaunchKernel")?;
        self.launches += 1;
        // SAFETY: as above.
        let kernel = unsafe { function.kernel.bind(pointers) };
        let call = Call { kernel, function, blocks, threads, shared_bytes, addresses, context };
        self.push(stream, Work::Kernel(call))?;
        self.hurry(stream)
    }

    /// Runs a kernel.
    pub(super) fn executes(&mut self, call: &Call) -> Answer {
        match self.may_fail("run") {
            Ok(()) => {}
            Err(sys::SUCCESS) => return Ok(()),
            Err(code) => return Err(code),
        }
        self.is_there(call, |_| true)?;
        self.runs += 1;
        let (name, number) = (&call.function.name, self.runs);
        let order = order(&self.settings.turn, number, name);
        let [[x, y, z], [threads_x, threads_y, threads_z]] = [call.blocks, call.threads];
        let mut launch = Launch::new((x, y, z), (threads_x, threads_y, threads_z))
            .order(order)
            .shared_bytes(call.shared_bytes);
        let reachable =
            self.memory.iter().filter(|(_, memory)| memory.context == call.context || !memory.is_device());
        for (&address, memory) in reachable {
            let bytes = ptr::slice_from_raw_parts(ptr::with_exposed_provenance::<u8>(address), memory.bytes);
            launch = match &memory.written {
                Some(written) => launch.register_unwritten(bytes, written),
                None => launch.register(bytes),
            };
        }
        // SAFETY: whoever enqueued the launch promised the kernel's contract; that memory is there is checked.
        let run = catch_unwind(AssertUnwindSafe(|| unsafe { call.kernel.run(&launch) }));
        match run {
            Ok(Ok(_)) => {}
            Ok(Err(misuse)) => {
                say(&format!("fault: the kernel {name} in run {number}, {order:?}: {misuse}"));
                return Err(sys::LAUNCH_FAILED);
            }
            Err(_) => {
                say(&format!("fault: the kernel {name} in run {number}, {order:?}, panicked"));
                return Err(sys::LAUNCH_FAILED);
            }
        }
        if let Some((kernel, argument, offset)) = &self.settings.corrupt
            && kernel == name
            && let Some(reached) = call.addresses.iter().find(|reached| reached.argument == *argument)
        {
            let byte = ptr::with_exposed_provenance_mut::<u8>(reached.address + offset);
            // SAFETY: the variable's setter says that the argument's memory has this byte.
            unsafe { byte.write(byte.read().wrapping_add(1)) };
        }
        Ok(())
    }

    /// Has a kernel leave the device, after which nobody needs its code and its memory. What it read may be gone: it had read it
    /// when it wrote its results.
    pub(super) fn leaves(&mut self, call: &Call) -> Answer {
        self.is_there(call, |reached| reached.is_written)
    }

    /// Fails unless a kernel's code is loaded, and the memory is allocated that `needed` says.
    fn is_there(&mut self, call: &Call, needed: impl Fn(&Reached) -> bool) -> Answer {
        let name = &call.function.name;
        if !self.modules.contains_key(&call.function.module) {
            return Err(self.fault(&format!("the kernel {name} was unloaded before it had ended")));
        }
        let is_there = |reached: &Reached| {
            self.allocation(reached.address).is_some_and(|(_, found)| found.number == reached.allocation)
        };
        if call.addresses.iter().filter(|reached| needed(reached)).all(is_there) {
            return Ok(());
        }
        Err(self.fault(&format!("memory of the kernel {name} was freed before it had ended")))
    }
}

/// Returns the order of the threads in the run of this number of a kernel with this name: one of the four kinds, and its seed. It
/// depends on nothing else, and neighbours have nothing in common, so no sequence of launches always meets the same orders.
fn order(turn: &str, number: u64, name: &str) -> Order {
    let seed = hash(format!("{turn} {number} {name}").as_bytes());
    match seed % 4 {
        0 => Order::InOrder,
        1 => Order::Reversed,
        2 => Order::Shuffled(seed),
        _ => Order::Interleaved(seed),
    }
}

/// Returns the arguments of at most 8 bytes as numbers, and the others as dashes.
///
/// # Safety
/// `pointers` point to arguments of these fields.
unsafe fn words(pointers: &[*mut c_void], fields: impl Iterator<Item = Field>) -> String {
    let word = |(&pointer, field): (&*mut c_void, Field)| {
        let mut bytes = [0; 8];
        let Some(room) = bytes.get_mut(..field.bytes) else { return " -".to_owned() };
        // SAFETY: it points to an argument of as many bytes.
        room.copy_from_slice(unsafe { slice::from_raw_parts(pointer.cast(), field.bytes) });
        format!(" {}", u64::from_le_bytes(bytes))
    };
    pointers.iter().zip(fields).map(word).collect()
}

pub unsafe extern "system" fn cuLaunchKernel(
    function: Handle,
    blocks_x: c_uint,
    blocks_y: c_uint,
    blocks_z: c_uint,
    threads_x: c_uint,
    threads_y: c_uint,
    threads_z: c_uint,
    shared_bytes: c_uint,
    stream: Handle,
    arguments: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> u32 {
    let shape = ([[blocks_x, blocks_y, blocks_z], [threads_x, threads_y, threads_z]], shared_bytes);
    // SAFETY: the caller's promise.
    answer(|driver| unsafe { driver.launch(function, shape, stream, arguments, false) })
}

pub(crate) unsafe extern "system" fn cuLaunchKernelEx(
    config: *const sys::LaunchConfig,
    function: Handle,
    arguments: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> u32 {
    // SAFETY: the caller's promise.
    let config = unsafe { &*config };
    let shape = ([config.blocks, config.threads], config.shared_bytes);
    // SAFETY: the caller's promise.
    answer(|driver| unsafe {
        driver.launch(function, shape, config.stream, arguments, config.attribute_count == 1)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::mem::discriminant;

    use super::*;

    #[test]
    fn an_order_follows_from_the_turn_the_number_and_the_name() {
        assert_eq!(order("3", 7, "sum"), order("3", 7, "sum"));
        let all = [("3", 7, "sum"), ("4", 7, "sum"), ("3", 8, "sum"), ("3", 7, "mean"), ("37", 0, "sum")];
        let seeds = all.map(|(turn, number, name)| hash(format!("{turn} {number} {name}").as_bytes()));
        for (i, seed) in seeds.iter().enumerate() {
            assert!(!seeds[..i].contains(seed), "{:?}", all[i]);
        }
    }

    /// However many launches a sequence has, each of them meets every kind of order within 64 repetitions.
    #[test]
    fn no_sequence_of_launches_falls_into_step_with_the_orders() {
        for turn in ["", "0", "1", "12345"] {
            for period in 1..=16 {
                for first in 1..=period {
                    let of_round = |round: u64| discriminant(&order(turn, first + round * period, "sum"));
                    let found: HashSet<_> = (0..64).map(of_round).collect();
                    assert_eq!(found.len(), 4, "turn {turn}, launch {first} of {period}");
                }
            }
        }
    }
}
