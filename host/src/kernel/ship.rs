//! Kernels that a crate ships: the macros that give operators their kernels, and the kernels of this crate.

use gpu_kernels::addresses::Two;

use crate::kernel::entry::Entry;
use crate::kernel::texts::{Texts, library_texts};
use crate::kernel::{Kernel, RowsKernel, ScanKernel};

/// Ships kernels: implements [`Kernel`] for rows `entry: Operator, element;`. The PTX comes from the folder that
/// cuda_builder wrote: its `entries.rs` lists the modules. A row without a module is a compile error.
///
/// The operators must be the calling crate's own, because only that crate may implement a foreign trait for them. So
/// the kernels crate both stamps and ships, the latter with `cfg(not(target_arch = "nvptx64"))`.
///
/// With the word `unsafe` the caller guarantees what [`Kernel`] requires: these modules were stamped by
/// `gpu_kernels::stamp_kernels!` from the same pairs.
///
/// ```text
/// warpfold::ship_kernels! {
///     unsafe from concat!(env!("OUT_DIR"), "/ptx");
///     reduce_gcd_u32: Gcd, u32;
/// }
/// ```
///
/// A crate with many kernels may keep them in a pack, in the format of `warpfold-ptx`: then write `unsafe packed in`
/// and the pack's file instead. A pack is embedded only with the feature `cuda`, so a row missing from it is an error
/// only with that feature. With the feature `emulator` it is none: the emulated device runs it, and a GPU returns
/// [`Error::Kernel`](crate::Error::Kernel).
#[macro_export]
macro_rules! ship_kernels {
    (unsafe $($given:tt)*) => {
        $crate::ship_kernels! { @of array: $($given)* }
    };
    (@of $family:ident: from $folder:expr; $($rows:tt)*) => {
        $crate::ship_kernels! { @of $family: of $crate::Texts::Written(include!(concat!($folder, "/entries.rs"))); $($rows)* }
    };
    (@of $family:ident: packed in $file:expr; $($rows:tt)*) => {
        $crate::ship_kernels! { @of $family: of $crate::packed_texts!($file); $($rows)* }
    };
    // What implements a trait: the texts, the list of the family and its entries, the stamp; then of each row the trait, what
    // the entries are of besides the operator, the elements that are folded, and how kernels find them.
    (@of array: of $texts:expr; $($row:ident: $op:ty, $element:ty;)*) => {
        $crate::ship_kernels! {
            @implement ($texts, fold_kernels, FoldEntries, FOLD, "stamp_kernels");
            $($row: $op, Kernel<$element>, [$crate::addresses::Readable<$element>, $element], $element, $crate::addresses::Readable<$element>;)*
        }
        $crate::register_kernels! { $($op, $element;)* }
    };
    (@of arrays: of $texts:expr; $($row:ident: $op:ty, $element:ty;)*) => {
        $crate::ship_kernels! {
            @implement ($texts, fold_kernels, FoldEntries, FOLD, "stamp_zip_kernels");
            $($row: $op, Kernel<[$element; 2], $crate::addresses::Two<$element>>, [$crate::addresses::Two<$element>, [$element; 2]],
                [$element; 2], $crate::addresses::Two<$element>;)*
        }
    };
    (@of rows: of $texts:expr; $($row:ident: $op:ty, $element:ty;)*) => {
        $crate::ship_kernels! {
            @implement ($texts, rows_kernels, RowsEntries, ROWS, "stamp_rows_kernels");
            $($row: $op, RowsKernel<$element>, [$element], $element, $crate::addresses::Readable<$element>, {
                const GROUPS: ::core::option::Option<$crate::kernels::GroupEntries<$element, $op>> =
                    $crate::ship_kernels!(@groups $row: $op, $element);
            };)*
        }
    };
    (@of scans: of $texts:expr; $($row:ident: $op:ty, $element:ty;)*) => {
        $crate::ship_kernels! {
            @implement ($texts, scan_kernels, ScanEntries, SCAN, "stamp_scan_kernels");
            $($row: $op, ScanKernel<$element>, [$element], $element, $crate::addresses::Readable<$element>;)*
        }
    };
    (@implement ($texts:expr, $list:ident, $entries:ident, $const:ident, $stamp:literal);
        $($row:ident: $op:ty, $kernel:ident<$($given:ty),*>, [$($of:ty),*], $folded:ty, $input:ty $(, { $($more:item)* })?;)*) => {
        const _: () = {
            const KERNELS: $crate::Texts = $texts;
            $(
                assert!(
                    ::core::mem::size_of::<$op>() == 0 || {
                        #[allow(unused_imports)] // For operators that are not plain.
                        use $crate::kernel_parameters::Unknown;
                        $crate::kernel_parameters::Of::<$op>::ARE_PLAIN
                    },
                    "an operator with parameters goes to the device byte by byte: derive `bytemuck::NoUninit` for it"
                );
                // SAFETY: guaranteed by the `unsafe` in the macro's call.
                unsafe impl $crate::kernels::$kernel<$($given),*> for $op {
                    const $const: $crate::kernels::$entries<$($of,)* $op> =
                        $crate::gpu_kernels::$list!([$crate::entries_of!] ($entries, KERNELS, $row: $op, $folded, $input; $stamp));
                    $($($more)*)?
                }
                // Evaluated here, so that a missing entry is an error here rather than at its first use.
                let _ = <$op as $crate::kernels::$kernel<$($given),*>>::$const;
            )*
        };
    };
    // The library's kernel over groups, if it has one.
    (@groups $row:ident: $op:ty, $element:ty) => {{
        const KERNELS: $crate::Texts = $crate::kernels::MOVE_KERNELS;
        match <$op as $crate::Op<$element>>::ATOMIC {
            ::core::option::Option::Some(_)
                if $crate::kernels::Entry::<$crate::kernels::Untyped>::among(KERNELS, concat!(stringify!($row), "_groups")).is_some() =>
            {
                ::core::option::Option::Some($crate::gpu_kernels::atomic_kernels!([$crate::entries_of!]
                    (GroupEntries, KERNELS, $row: $op, $element, (); "stamp_atomic_kernels")))
            }
            _ => ::core::option::Option::None,
        }
    }};
    (@entry $kernels:ident, $row:ident, $suffix:literal, $stamp:expr) => {
        $crate::kernels::Entry::among($kernels, concat!(stringify!($row), $suffix)).expect(concat!(
            "no kernel of this name was built: `",
            stringify!($row),
            $suffix,
            "`; give `gpu_kernels::",
            $stamp,
            "!` the same pair"
        ))
    };
}

/// Registers kernels, so that [`Auto`](crate::Auto) finds them.
#[cfg(feature = "cuda")]
#[doc(hidden)]
#[macro_export]
macro_rules! register_kernels {
    ($($op:ty, $element:ty;)*) => {
        $crate::inventory::submit! {
            $crate::ShippedTogether(&[$($crate::Shipped::of::<$element, $op>()),*])
        }
    };
}
/// Without the feature `cuda` there is nothing to register.
#[cfg(not(feature = "cuda"))]
#[doc(hidden)]
#[macro_export]
macro_rules! register_kernels {
    ($($op:ty, $element:ty;)*) => {};
}

/// [`ship_kernels!`](crate::ship_kernels) for operators over pairs from two arrays: implements [`Kernel`] for rows
/// `entry: Operator, element;`, where `element` is the element of each array, as given to
/// `gpu_kernels::stamp_zip_kernels!`.
#[macro_export]
macro_rules! ship_zip_kernels {
    (unsafe $($given:tt)*) => {
        $crate::ship_kernels! { @of arrays: $($given)* }
    };
}

/// [`ship_kernels!`](crate::ship_kernels) for many rows at once: implements [`RowsKernel`] for rows `entry: Operator,
/// element;`, as given to `gpu_kernels::stamp_rows_kernels!`. Ship the same pairs with `ship_kernels!` too.
#[macro_export]
macro_rules! ship_rows_kernels {
    (unsafe $($given:tt)*) => {
        $crate::ship_kernels! { @of rows: $($given)* }
    };
}

/// [`ship_kernels!`](crate::ship_kernels) for scans: implements [`ScanKernel`] for rows `entry: Operator, element;`, as
/// given to `gpu_kernels::stamp_scan_kernels!`.
#[macro_export]
macro_rules! ship_scan_kernels {
    (unsafe $($given:tt)*) => {
        $crate::ship_kernels! { @of scans: $($given)* }
    };
}

/// Tells `ship_kernels!`, which knows the type, whether an operator's parameters may be copied to a device.
#[doc(hidden)]
pub mod kernel_parameters {
    use std::marker::PhantomData;

    /// The parameters of operator `O`.
    #[derive(Debug)]
    pub struct Of<O>(PhantomData<O>);

    /// Fallback for types for which [`Of`] itself has no such constant: an inherent constant comes before a trait's.
    pub trait Unknown {
        /// The parameters may not be copied.
        const ARE_PLAIN: bool = false;
    }
    impl<O> Unknown for Of<O> {}

    impl<O: bytemuck::NoUninit> Of<O> {
        /// The parameters may be copied.
        pub const ARE_PLAIN: bool = true;
    }
}

/// Kernels that `cargo xtask ptx` compiled from the catalogue, and the canary's.
pub(crate) const KERNELS: Texts = library_texts!(REDUCE);

/// Kernels that `cargo xtask ptx` compiled from the catalogue of kernels over rows, and the kernel that lists segments.
pub(crate) const ROWS_KERNELS: Texts = library_texts!(ROWS);

/// Kernels that `cargo xtask ptx` compiled from the catalogue of scans, and the kernel that lists segments for them.
pub(crate) const SCAN_KERNELS: Texts = library_texts!(SCAN);

/// Kernels that `cargo xtask ptx` compiled to move data, and from the catalogue of operators with an atomic instruction.
#[doc(hidden)]
pub const MOVE_KERNELS: Texts = library_texts!(MOVES);

/// Kernels that `cargo xtask ptx` compiled from the catalogue of operators over formulas.
pub(crate) const FORMULA_KERNELS: Texts = library_texts!(FORMULA);

/// Returns entries without what the emulator runs: a list of all of it would be compiled into every program.
pub(crate) const fn bare<const N: usize>(mut entries: [Entry; N]) -> [Entry; N] {
    let mut at = 0;
    while at < N {
        entries[at] = entries[at].bare();
        at += 1;
    }
    entries
}

/// Ships the rows of a list of the catalogue, and lists the entries of each row `op, element`.
macro_rules! ship {
    ($each:ident: $ship:ident from $texts:ident, $shipped:ident of |$op:ident, $element:ident| $entries:tt) => {
        ship! { ($) $each: $ship from $texts, $shipped of |$op, $element| $entries }
    };
    (($d:tt) $each:ident: $ship:ident from $texts:ident, $shipped:ident of |$op:ident, $element:ident| ($($entries:tt)*)) => {
        macro_rules! stamp {
            ($d($d row:ident: $d $op:ty, $d $element:ty;)*) => {
                // `cargo xtask ptx` compiled these modules from the same pairs, and CI checks that they match.
                $ship! {
                    unsafe of crate::kernel::ship::$texts;
                    $d($d row: $d $op, $d $element;)*
                }

                const $shipped: &[&[Entry]] = &[$d(&bare($($entries)*.untyped())),*];
            };
        }
        gpu_kernels::$each!(stamp);
    };
}
ship!(for_each_kernel: ship_kernels from KERNELS, SHIPPED of |op, element| (<$op as Kernel<$element>>::FOLD));
ship!(for_each_zip_kernel: ship_zip_kernels from KERNELS, SHIPPED_FOR_TWO of |op, element| (<$op as Kernel<[$element; 2], Two<$element>>>::FOLD));
ship!(for_each_rows_kernel: ship_rows_kernels from ROWS_KERNELS, SHIPPED_FOR_ROWS of |op, element| (<$op as RowsKernel<$element>>::ROWS));
ship!(for_each_scan_kernel: ship_scan_kernels from SCAN_KERNELS, SHIPPED_FOR_SCANS of |op, element| (<$op as ScanKernel<$element>>::SCAN));
ship!(for_each_formula_kernel: ship_kernels from FORMULA_KERNELS, SHIPPED_FOR_FORMULAS of |op, element| (<$op as Kernel<$element>>::FOLD));
ship!(for_each_formula_zip_kernel: ship_zip_kernels from FORMULA_KERNELS, SHIPPED_FOR_FORMULAS_OF_TWO of |op, element| (<$op as Kernel<[$element; 2], Two<$element>>>::FOLD));
ship!(for_each_formula_kernel: ship_rows_kernels from FORMULA_KERNELS, SHIPPED_FOR_FORMULAS_OF_ROWS of |op, element| (<$op as RowsKernel<$element>>::ROWS));
ship!(for_each_formula_scan_kernel: ship_scan_kernels from FORMULA_KERNELS, SHIPPED_FOR_FORMULAS_OF_SCANS of |op, element| (<$op as ScanKernel<$element>>::SCAN));

macro_rules! list_groups {
    ($($row:ident: $op:ty, $element:ty;)*) => {
        const SHIPPED_FOR_GROUPS: &[&[Entry]] = &[$(match <$op as RowsKernel<$element>>::GROUPS {
            Some(entries) => &bare(entries.untyped()),
            None => panic!(concat!("`ptx/moves` has no `", stringify!($row), "_groups`")),
        }),*];
    };
}
gpu_kernels::for_each_atomic_kernel!(list_groups);

/// Returns all entries that this crate ships for operators. Entries over one array come first.
///
/// ```
/// assert!(warpfold::kernels::shipped().any(|entry| entry.name == "reduce_sum_f32_grid"));
/// ```
pub fn shipped() -> impl Iterator<Item = Entry> {
    let of_formulas = [
        SHIPPED_FOR_FORMULAS,
        SHIPPED_FOR_FORMULAS_OF_TWO,
        SHIPPED_FOR_FORMULAS_OF_ROWS,
        SHIPPED_FOR_FORMULAS_OF_SCANS,
    ];
    [SHIPPED, SHIPPED_FOR_TWO, SHIPPED_FOR_ROWS, SHIPPED_FOR_GROUPS, SHIPPED_FOR_SCANS]
        .into_iter()
        .chain(of_formulas)
        .flatten()
        .copied()
        .flatten()
        .copied()
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use gpu_kernels::Sum;

    #[test]
    fn every_entry_is_in_its_module() {
        let all: Vec<Entry> = shipped()
            .chain(crate::kernel::moves::shipped())
            .chain(crate::kernel::forward::shipped())
            .collect();
        let names: std::collections::BTreeSet<_> = all.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), all.len());
        for entry in all {
            let (Entry { name, kernel, .. }, ptx) = (entry, entry.ptx().unwrap());
            assert!(ptx.contains(&format!(".visible .entry {kernel}(")), "{name}");
            assert_eq!(ptx.matches(".entry ").count(), 1, "{name}");
            assert!(ptx.contains(".target sm_75"), "{name}");
            // The host lets these overlap: see `gpu_kernels::entry::raw`.
            let newer = cuda_std::ptx::for_sm_90(&ptx).expect("marks for waiting");
            let waits = |line: &&str| line.trim() == "griddepcontrol.wait;";
            assert_eq!(newer.lines().filter(waits).count(), 1, "{name}");
        }
    }

    #[test]
    fn the_same_code_is_shipped_once() {
        let (signed, unsigned) = (<Sum as Kernel<i64>>::FOLD.grid, <Sum as Kernel<u64>>::FOLD.grid);
        assert_eq!((signed.name, unsigned.name), ("reduce_sum_i64_grid", "reduce_sum_u64_grid"));
        assert!(signed.kernel == unsigned.kernel && signed.untyped().is_at(&unsigned.untyped()));
        let other = <Sum as Kernel<f64>>::FOLD.grid;
        assert_ne!(signed.kernel, other.kernel);
    }
}
