//! The arguments of a launch: a pointer to each field that is not zero-sized, in the order of the kernel's
//! parameters.
#![allow(missing_docs)]

use std::ffi::c_void;

use cuda_std::{Arguments, Kernel};

/// An operator without parameters.
#[derive(Clone, Copy)]
struct Unit;

cuda_std::arguments! {
    /// The arguments of kernels that fold.
    struct Fold<T: Copy, O: Copy> { input: *const T, op: O, len: u64, scale: T, base: u32 }
}

cuda_std::kernel! {
    /// Takes nothing.
    ///
    /// # Safety
    /// None is needed.
    unsafe fn nothing() {}

    /// Shares a struct of arguments, and has a separate name in PTX.
    ///
    /// # Safety
    /// None is needed.
    unsafe fn tied as "fold_f32" => (input: *const f32, op: Unit, len: u64, scale: f32, base: u32): Fold<f32, Unit> {
        let _ = (input, op, len, scale, base);
    }

    /// Passes its parameters on.
    ///
    /// # Safety
    /// The contract of [`tied`].
    unsafe fn passed(input: *const f32, op: Unit, len: u64, scale: f32, base: u32): Fold<f32, Unit> = tied;

    /// Has its own struct of arguments.
    ///
    /// # Safety
    /// None is needed.
    unsafe fn named as concat!("named", "_f32") => (first: u8, second: [u64; 2]) {
        let _ = (first, second);
    }
}

/// Reads an argument like a driver.
fn read<T: Copy>(pointer: *mut c_void) -> T {
    // SAFETY: a pointer to an argument of that type, which lives as long as the call that passed it.
    unsafe { pointer.cast::<T>().read() }
}

#[test]
fn pointers_are_to_the_parameters_in_order() {
    let x = [1.5f32];
    let arguments = Fold { input: x.as_ptr(), op: Unit, len: 7, scale: 2.5, base: 9 };
    arguments.with_pointers(|pointers| {
        // The operator is zero-sized, so it is not a parameter on the device.
        let &mut [input, len, scale, base] = pointers else { panic!("{} pointers", pointers.len()) };
        assert_eq!(read::<*const f32>(input), x.as_ptr());
        assert_eq!((read::<u64>(len), read::<f32>(scale), read::<u32>(base)), (7, 2.5, 9));
    });
    assert_eq!(Fold::<f32, Unit>::NAMES, ["input", "op", "len", "scale", "base"]);
    // SAFETY: they read nothing.
    unsafe {
        tied(x.as_ptr(), Unit, 7, 2.5, 9);
        passed(x.as_ptr(), Unit, 7, 2.5, 9);
    }
}

#[test]
fn an_operator_with_parameters_is_an_argument() {
    let arguments = Fold { input: std::ptr::null::<f32>(), op: [3u16, 4], len: 0, scale: 0.0, base: 0 };
    arguments.with_pointers(|pointers| {
        assert_eq!(pointers.len(), 5);
        assert_eq!(read::<[u16; 2]>(pointers[1]), [3, 4]);
    });
}

#[test]
fn a_kernel_has_a_struct_of_its_name() {
    let arguments = named { first: 1, second: [2, 3] };
    arguments.with_pointers(|pointers| {
        let &mut [first, second] = pointers else { panic!("{} pointers", pointers.len()) };
        assert_eq!((read::<u8>(first), read::<[u64; 2]>(second)), (1, [2, 3]));
    });
    assert_eq!((named::NAME, nothing::NAME), ("named_f32", "nothing"));
    assert_eq!(nothing {}.with_pointers(|pointers| pointers.len()), 0);
    // SAFETY: they read nothing.
    unsafe {
        nothing();
        named(1, [2, 3]);
    }
}
