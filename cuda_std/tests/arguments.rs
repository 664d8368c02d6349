//! The arguments of a launch: a pointer to each field that is not zero-sized, in the order of the kernel's
//! parameters. A kernel makes the struct of its parameters again.
#![allow(missing_docs)]

use std::ffi::c_void;

use cuda_std::{Arguments, Kernel};

/// An operator without parameters.
#[derive(Clone, Copy)]
struct Unit;

cuda_std::arguments! {
    /// The arguments of kernels that fold.
    struct Fold<T: Copy, O: Copy> { input: *const T, op: O, len: u64, scale: T, base: u32 }

    /// As many as a kernel may have.
    struct Most {
        f0: u64, f1: u64, f2: u64, f3: u64, f4: u64, f5: u64, f6: u64, f7: u64,
        f8: u64, f9: u64, f10: u64, f11: u64, f12: u64, f13: u64, f14: u64, f15: u64,
        f16: u64, f17: u64, f18: u64, f19: u64, f20: u64, f21: u64, f22: u64, f23: u64,
    }
}

/// The body of kernels that are stamped. It adds up what it is given.
///
/// # Safety
/// `input` is valid for a float that nothing else uses.
unsafe fn sum<O: Copy>(Fold { input, len, scale, base, .. }: Fold<f32, O>) {
    // SAFETY: valid by this function's contract.
    unsafe { *input.cast_mut() = *input + len as f32 + scale + base as f32 }
}

cuda_std::kernel! {
    /// Takes nothing.
    ///
    /// # Safety
    /// None is needed.
    unsafe fn nothing() {}

    /// Shares a struct of arguments and the body of a function, and has a separate name in PTX.
    ///
    /// # Safety
    /// The contract of [`sum`].
    unsafe fn stamped as "sum_f32" => sum::<Unit>: Fold<f32, Unit>;

    /// Shares a struct of arguments.
    ///
    /// # Safety
    /// `input` is valid for a float that nothing else uses.
    unsafe fn with_a_body as concat!("product", "_f32") =>
        |a: Fold<f32, u16>| {
        // SAFETY: valid by this function's contract.
        unsafe { *a.input.cast_mut() = *a.input * f32::from(a.op) * a.len as f32 * a.scale * a.base as f32 }
    }

    /// Has its own struct of arguments.
    ///
    /// # Safety
    /// `second` is valid for a number that nothing else uses.
    unsafe fn named as concat!("named", "_f32") => (first: u8, second: *mut u8, third: [u64; 2]) {
        // SAFETY: valid by this function's contract.
        unsafe { *second = first + third[1] as u8 }
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
fn kernels_that_share_a_struct_take_it() {
    let mut x = 1.5f32;
    let input = &raw mut x;
    // SAFETY: `x` lives as long as the calls, and nothing else uses it.
    unsafe {
        stamped(Fold { input, op: Unit, len: 7, scale: 2.5, base: 9 });
        assert_eq!(*input, 1.5 + 7.0 + 2.5 + 9.0);
        with_a_body(Fold { input, op: 3, len: 2, scale: 0.5, base: 5 });
        assert_eq!(*input, 20.0 * 3.0 * 2.0 * 0.5 * 5.0);
    }
}

#[test]
fn a_kernel_has_a_struct_of_its_name() {
    let mut sum = 0;
    let arguments = named { first: 1, second: &raw mut sum, third: [2, 3] };
    arguments.with_pointers(|pointers| {
        let &mut [first, second, third] = pointers else { panic!("{} pointers", pointers.len()) };
        assert_eq!((read::<u8>(first), read::<[u64; 2]>(third)), (1, [2, 3]));
        assert_eq!(read::<*mut u8>(second), &raw mut sum);
    });
    assert_eq!((named::NAME, nothing::NAME), ("named_f32", "nothing"));
    assert_eq!(nothing {}.with_pointers(|pointers| pointers.len()), 0);
    // SAFETY: `sum` lives as long as the calls, and nothing else uses it.
    unsafe {
        nothing(nothing {});
        named(arguments);
    }
    assert_eq!(sum, 1 + 3);
}

#[test]
fn each_field_is_the_parameter_in_its_place() {
    let most = Most::of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
    let Most { f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, .. } = most;
    assert_eq!([f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    let Most { f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, .. } = most;
    assert_eq!(
        [f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23],
        [12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]
    );
    let read: Vec<u64> = most.with_pointers(|pointers| pointers.iter().map(|&at| read(at)).collect());
    assert!(read.into_iter().eq(0..24));
    // The parameters behind the last field are nothing.
    let n = ();
    let input = std::ptr::dangling::<f32>();
    let fold: Fold<f32, u16> =
        Fold::of(input, 3, 7, 2.5, 9, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n);
    assert_eq!((fold.input, fold.op, fold.len, fold.scale, fold.base), (input, 3, 7, 2.5, 9));
}
