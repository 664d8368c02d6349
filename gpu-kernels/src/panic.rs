//! What a panic does on the device: it stops the launch, and the host sees an error.

use core::panic::PanicInfo;

#[panic_handler]
fn panic(_info: &PanicInfo<'_>) -> ! {
    // SAFETY: `trap` ends the launch (PTX ISA 9.7.19); nothing runs after it.
    unsafe { core::arch::asm!("trap;", "exit;", options(noreturn, nostack)) }
}
