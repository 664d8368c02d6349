//! Families of kernels: what is shipped for one operator and element, by name.
//!
//! The lists of gpu-kernels (`families/operators.rs`) name a family's kernels. These lists determine the struct with an
//! entry for each kernel, the entries of a shipped row, and which kernels are loaded together.

use gpu_kernels::formula::{Operation, Program};
use gpu_kernels::{Element, Op, Storable};

use crate::kernel::entry::Entry;

/// The entries of a family for the row `$row` of the catalogue, each found among `$texts`.
#[cfg(not(feature = "emulator"))]
#[doc(hidden)]
#[macro_export]
macro_rules! entries_of {
    (($family:ident, $texts:ident, $row:ident: $op:ty, $element:ty, $input:ty; $stamp:literal) { $($constants:item)* }
        $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal, $body:path;)*) => {
        $crate::kernels::$family { $($field: $crate::ship_kernels!(@entry $texts, $row, $suffix, $stamp)),* }
    };
}
/// The entries of a family for the row `$row` of the catalogue, each found among `$texts`, with what the emulator runs.
#[cfg(feature = "emulator")]
#[doc(hidden)]
#[macro_export]
macro_rules! entries_of {
    (($family:ident, $texts:ident, $row:ident: $op:ty, $element:ty, $input:ty; $stamp:literal) { $($constants:item)* }
        $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal, $body:path;)*) => {{
        type T = $element;
        type O = $op;
        #[allow(dead_code)] // Some families have no form of addresses.
        type I = $input;
        $($constants)*
        $crate::kernels::$family { $(
            $field: $crate::ship_kernels!(@entry $texts, $row, $suffix, $stamp).emulated_by($crate::kernels::Emulated::new::<$arguments>($body))
        ),* }
    }};
}

/// Declares a family's struct.
#[doc(hidden)]
#[macro_export]
macro_rules! declare_entries {
    (($(#[$doc:meta])* $family:ident<$($of:ident),*> [$($bounds:tt)*], cast to <$($to:ident),*> [$($to_bounds:tt)*])
        { $($constants:item)* }
        $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal, $body:path;)*) => {
        $(#[$doc])*
        pub struct $family<$($bounds)*> {
            $($(#[$about])* pub $field: Entry<$arguments>),*
        }

        impl<$($bounds)*> Clone for $family<$($of),*> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$($bounds)*> Copy for $family<$($of),*> {}

        impl<$($bounds)*> std::fmt::Debug for $family<$($of),*> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($family))$(.field(stringify!($field), &self.$field))*.finish()
            }
        }

        impl<$($bounds)*> $family<$($of),*> {
            /// Returns all entries without their arguments, for loading and comparing.
            #[must_use]
            pub const fn untyped(self) -> [Entry; { let all: &[&str] = &[$($suffix),*]; all.len() }] {
                [$(self.$field.untyped()),*]
            }

            /// Returns the same kernels with other arguments, which the caller knows to have the same layout.
            #[allow(dead_code, reason = "some families are never cast")]
            pub(crate) const fn cast<$($to_bounds)*>(self) -> $family<$($to),*> {
                $family { $($field: self.$field.cast()),* }
            }

            /// Returns the same kernels with a formula in the places of their marks.
            #[allow(dead_code, reason = "some families have no marks")]
            pub(crate) const fn after(self, formula: fn() -> Program) -> Self {
                Self { $($field: self.$field.after(formula)),* }
            }

            /// Returns the same kernels with an operation in the places of their marks.
            #[allow(dead_code, reason = "some families have no marks")]
            pub(crate) const fn combining_by<B: Operation>(self) -> Self {
                Self { $($field: self.$field.combining_by::<B>()),* }
            }
        }
    };
}

gpu_kernels::fold_kernels!([declare_entries!] (
    /// The kernels of operator `O` over elements `T`, which they address by `I`.
    FoldEntries<I, T, O> [I: Copy, T: Element, O: Op<T>], cast to <J, U, P> [J: Copy, U: Element, P: Op<U>]
));
gpu_kernels::rows_kernels!([declare_entries!] (
    /// The kernels of operator `O` over many rows, columns and segments of elements `T`.
    RowsEntries<T, O> [T: Element, O: Op<T, Out: Storable>], cast to <U, P> [U: Element, P: Op<U, Out: Storable>]
));
gpu_kernels::atomic_kernels!([declare_entries!] (
    /// The kernel over groups of elements `T` of operator `O`, which has an atomic instruction.
    GroupEntries<T, O> [T: Element, O: Op<T>], cast to <U, P> [U: Element, P: Op<U>]
));
gpu_kernels::scan_kernels!([declare_entries!] (
    /// The kernels that scan elements `T` with operator `O`.
    ScanEntries<T, O> [T: Element, O: Op<T, Out: Storable>], cast to <U, P> [U: Element, P: Op<U, Out: Storable>]
));
