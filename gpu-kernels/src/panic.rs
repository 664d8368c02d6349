//! The panic handler of the device: it stops the launch, and the host gets an error.

use core::panic::PanicInfo;

#[panic_handler]
fn panic(_info: &PanicInfo<'_>) -> ! {
    // SAFETY: `trap` ends the launch (PTX ISA, "trap"); nothing runs after it.
    unsafe { core::arch::asm!("trap;", "exit;", options(noreturn, nostack)) }
}
