//! The arguments of a launch, as types.

use core::ffi::c_void;

/// The arguments of a kernel: a struct with a field for each parameter. [`kernel!`](crate::kernel) and
/// [`arguments!`](crate::arguments) declare such structs.
///
/// A kernel on the device has a parameter for each of the types `P0` to `P23` that has a size. The types after the last
/// field's are `()`, so a struct of any length up to 24 fields has one way to become parameters.
///
/// # Safety
/// `P0`, `P1` and so on are the types of the fields, in order, and [`with_pointers`](Self::with_pointers) passes pointers to
/// all fields of non-zero size, in that order.
#[allow(missing_docs, reason = "the types are numbered")]
pub unsafe trait Arguments: Copy {
    type P0;
    type P1;
    type P2;
    type P3;
    type P4;
    type P5;
    type P6;
    type P7;
    type P8;
    type P9;
    type P10;
    type P11;
    type P12;
    type P13;
    type P14;
    type P15;
    type P16;
    type P17;
    type P18;
    type P19;
    type P20;
    type P21;
    type P22;
    type P23;

    /// The fields, in order.
    #[cfg(not(target_arch = "nvptx64"))]
    const FIELDS: &'static [Field];

    /// Makes the struct of its fields, in order. For [`kernel!`](crate::kernel).
    #[doc(hidden)]
    #[allow(clippy::too_many_arguments, reason = "a kernel's parameters are passed one by one")]
    fn of(
        _: Self::P0,
        _: Self::P1,
        _: Self::P2,
        _: Self::P3,
        _: Self::P4,
        _: Self::P5,
        _: Self::P6,
        _: Self::P7,
        _: Self::P8,
        _: Self::P9,
        _: Self::P10,
        _: Self::P11,
        _: Self::P12,
        _: Self::P13,
        _: Self::P14,
        _: Self::P15,
        _: Self::P16,
        _: Self::P17,
        _: Self::P18,
        _: Self::P19,
        _: Self::P20,
        _: Self::P21,
        _: Self::P22,
        _: Self::P23,
    ) -> Self;

    /// Calls `launch` with a pointer to each argument, in order, as `cuLaunchKernel` takes them. Arguments of size 0
    /// are left out, because the kernel has no parameter for them on the device.
    fn with_pointers<R>(self, launch: impl FnOnce(&mut [*mut c_void]) -> R) -> R;

    /// Copies the arguments from pointers to them.
    ///
    /// # Safety
    /// `pointers` are those that [`with_pointers`](Self::with_pointers) passes for arguments of this type.
    unsafe fn from_pointers(pointers: &[*mut c_void]) -> Self;
}

/// What is known of an argument.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The bytes of the argument. Kernels have no parameter for an argument without bytes.
    pub bytes: usize,
    /// Whether it is the address of memory that the kernel [writes](crate::memory::Pointer::IS_WRITTEN).
    pub is_written: bool,
}

/// Tells [`arguments!`](crate::arguments) whether a type is the address of memory that is written.
#[cfg(not(target_arch = "nvptx64"))]
#[doc(hidden)]
pub mod field {
    use core::marker::PhantomData;

    use crate::memory::Pointer;

    /// A field of a type.
    #[derive(Debug)]
    pub struct Of<T>(PhantomData<T>);

    /// Fallback for types for which [`Of`] itself has no such constant: an inherent constant comes before a trait's.
    pub trait Other {
        /// It is not an address of memory that is written.
        const IS_WRITTEN: bool = false;
    }
    impl<T> Other for Of<T> {}

    impl<P: Pointer> Of<P> {
        /// What the pointer says.
        pub const IS_WRITTEN: bool = P::IS_WRITTEN;
    }
}

/// Moves the pointers to fields of non-zero size to the front, and returns these. For [`arguments!`](crate::arguments): apart, so that
/// it is compiled once and not for each struct.
#[doc(hidden)]
#[must_use]
pub fn of_some_size<'a>(sizes: &[usize], pointers: &'a mut [*mut c_void]) -> &'a mut [*mut c_void] {
    let mut count = 0;
    for (field, _) in sizes.iter().enumerate().filter(|(_, size)| **size > 0) {
        pointers.swap(count, field);
        count += 1;
    }
    &mut pointers[..count]
}

/// The arguments of one named kernel. [`kernel!`](crate::kernel) declares such a struct beside the kernel.
///
/// # Safety
/// [`NAME`](Self::NAME) is the name of an entry point whose parameters are the fields, in order.
pub unsafe trait Kernel: Arguments {
    /// The name of the entry point.
    const NAME: &'static str;
    /// The kernel itself, which the emulator runs.
    #[cfg(not(target_arch = "nvptx64"))]
    const RUN: unsafe fn(Self);
}

/// Declares structs of arguments for kernels that are stamped from generic bodies. All kernels with the same parameters
/// share one struct. [`kernel!`](crate::kernel) makes entry points that take it.
///
/// ```
/// use cuda_std::memory::{Readable, Writable};
///
/// cuda_std::arguments! {
///     /// The arguments of a kernel that scales numbers.
///     pub struct Scale<T: Copy> {
///         input: Readable<T>,
///         len: u64,
///         factor: T,
///         output: Writable<T>,
///     }
/// }
///
/// /// Scales the first of some numbers.
/// ///
/// /// # Safety
/// /// Both arrays have `len` numbers, at least one.
/// unsafe fn scale<T: Copy + core::ops::Mul<Output = T>>(a: Scale<T>) {
///     // SAFETY: by this function's contract; one thread writes.
///     let (input, output) = unsafe { (a.input.slice(a.len), a.output.cells(a.len)) };
///     output.write(0, input.read(0) * a.factor);
/// }
///
/// cuda_std::kernel! {
///     /// Scales the first of some floats.
///     ///
///     /// # Safety
///     /// The contract of [`scale`].
///     pub unsafe fn scale_f32 => scale::<f32>: Scale<f32>;
/// }
/// ```
#[macro_export]
macro_rules! arguments {
    ($($(#[$attribute:meta])* $vis:vis struct $name:ident $(<$($generic:ident: $bound:path),+>)? {
        $($(#[$about:meta])* $arg:ident: $type:ty),* $(,)?
    })*) => { $(
        $(#[$attribute])*
        #[allow(missing_docs, reason = "the kernel says what its parameters are")]
        #[repr(C)]
        $vis struct $name $(<$($generic: $bound),+>)? {
            $($(#[$about])* pub $arg: $type),*
        }

        impl $(<$($generic: $bound),+>)? Clone for $name $(<$($generic),+>)? {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl $(<$($generic: $bound),+>)? Copy for $name $(<$($generic),+>)? {}

        // SAFETY: this macro writes types and pointers from one list, the fields.
        unsafe impl $(<$($generic: $bound),+>)? $crate::Arguments for $name $(<$($generic),+>)? {
            $crate::arguments! { @parameters
                [p0 P0 p1 P1 p2 P2 p3 P3 p4 P4 p5 P5 p6 P6 p7 P7 p8 P8 p9 P9 p10 P10 p11 P11 p12 P12 p13 P13 p14 P14
                 p15 P15 p16 P16 p17 P17 p18 P18 p19 P19 p20 P20 p21 P21 p22 P22 p23 P23]
                [$($arg $type,)*] []
            }

            #[cfg(not(target_arch = "nvptx64"))]
            const FIELDS: &'static [$crate::Field] = {
                #[allow(unused_imports, reason = "where all fields are written")]
                use $crate::field::Other;
                &[$($crate::Field {
                    bytes: ::core::mem::size_of::<$type>(),
                    is_written: $crate::field::Of::<$type>::IS_WRITTEN,
                }),*]
            };

            fn with_pointers<R>(
                #[allow(unused_mut, reason = "of a kernel without parameters")] mut self,
                launch: impl FnOnce(&mut [*mut ::core::ffi::c_void]) -> R,
            ) -> R {
                let pointers: &mut [*mut ::core::ffi::c_void] = &mut [$((&raw mut self.$arg).cast()),*];
                launch($crate::of_some_size(&[$(::core::mem::size_of::<$type>()),*], pointers))
            }

            unsafe fn from_pointers(pointers: &[*mut ::core::ffi::c_void]) -> Self {
                let mut next = pointers.iter();
                Self { $($arg: {
                    let pointer = match ::core::mem::size_of::<$type>() {
                        0 => ::core::ptr::NonNull::<$type>::dangling().as_ptr(),
                        _ => next.next().map_or(::core::ptr::null_mut(), |pointer| pointer.cast::<$type>()),
                    };
                    // SAFETY: by this function's contract it points to the field; a value of no size is read from any address.
                    unsafe { pointer.read_unaligned() }
                }),* }
            }
        }
    )* };

    // Pairs each field with the next parameter.
    (@parameters [$p:ident $P:ident $($left:ident)*] [$arg:ident $type:ty, $($fields:tt)*] [$($pairs:tt)*]) => {
        $crate::arguments! { @parameters [$($left)*] [$($fields)*] [$($pairs)* ($p $P $arg $type)] }
    };
    (@parameters [$($p:ident $P:ident)*] [] [$(($q:ident $Q:ident $arg:ident $type:ty))*]) => {
        $(type $Q = $type;)*
        $(type $P = ();)*

        #[inline(always)]
        fn of($($q: Self::$Q,)* $($p: Self::$P,)*) -> Self {
            $(let () = $p;)*
            Self { $($arg: $q),* }
        }
    };
}
