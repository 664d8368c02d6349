//! Which (operator, element) pairs have GPU kernels, and the PTX of those that this crate ships.

use gpu_kernels::{Element, Op};

/// A kernel entry point and the PTX module that holds it, alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Name of the `.visible .entry`.
    pub name: &'static str,
    /// PTX text of the module, for every GPU. On those of compute capability 9.0 and later its launches overlap if it
    /// waits for earlier ones (`cuda_std::grid`), as what `stamp_kernels!` stamps does.
    pub ptx: &'static str,
}

/// An operator that has GPU kernels for elements `T`.
///
/// Implemented for every row of gpu-kernels' catalogue, whether or not the feature `cuda` is on. A pair
/// without kernels still folds on the [`Cpu`](crate::Cpu).
///
/// # Safety
/// The three entries were stamped by `gpu_kernels::stamp_kernels!` for this very operator and element, with
/// the same definitions of both as this crate sees: the host launches them with arguments of those types, the operator
/// among them if it is not a unit struct. Then it is plain data: `ship_kernels!` sees to that.
#[diagnostic::on_unimplemented(
    message = "no GPU kernel is stamped for `{Self}` over `{T}`",
    label = "this pair has no row in the catalogue of kernels",
    note = "fold on the CPU, which takes any operator: `warpfold::Cpu::new().reduce::<{T}, {Self}>(..)`",
    note = "or add a row to gpu-kernels/src/catalogue.rs and run `cargo xtask ptx`"
)]
pub unsafe trait Kernel<T: Element>: Op<T> {
    /// Folds a few tiles in one block.
    const BLOCK: Entry;
    /// Folds any number of tiles in one launch.
    const GRID: Entry;
    /// Folds partial results in passes.
    const PARTIALS: Entry;
}

/// Ships kernels: implements [`Kernel`] for rows `entry: Operator, element;` from the PTX files
/// `<entry>_block.ptx`, `<entry>_grid.ptx` and `<entry>_partials.ptx` in a folder, which cuda_builder wrote.
///
/// The operators are the calling crate's own (only it may implement a foreign trait for them): the kernels crate both
/// stamps and ships, the latter with `cfg(not(target_arch = "nvptx64"))`.
///
/// The word `unsafe` stands for the promise of [`Kernel`]: these files were stamped by
/// `gpu_kernels::stamp_kernels!` from the same rows.
///
/// ```text
/// warpfold::ship_kernels! {
///     unsafe from concat!(env!("OUT_DIR"), "/ptx");
///     reduce_gcd_u32: Gcd, u32;
/// }
/// ```
#[macro_export]
macro_rules! ship_kernels {
    (unsafe from $folder:expr; $($row:ident: $op:ty, $element:ty;)*) => {
        $crate::ship_kernels! { @rows [$folder] $($row: $op, $element;)* }
    };
    (@rows $folder:tt $($row:ident: $op:ty, $element:ty;)*) => { $(
        // SAFETY: whoever wrote `unsafe` in the macro's call promised it.
        unsafe impl $crate::Kernel<$element> for $op {
            const BLOCK: $crate::Entry = $crate::ship_kernels!(@entry $folder $row, "_block");
            const GRID: $crate::Entry = $crate::ship_kernels!(@entry $folder $row, "_grid");
            const PARTIALS: $crate::Entry = $crate::ship_kernels!(@entry $folder $row, "_partials");
        }
    )* };
    (@entry [$folder:expr] $row:ident, $suffix:literal) => {
        $crate::Entry {
            name: concat!(stringify!($row), $suffix),
            ptx: include_str!(concat!($folder, "/", stringify!($row), $suffix, ".ptx")),
        }
    };
}

/// Whether an operator's parameters may be copied to a device: for `ship_kernels!`, which knows the type.
#[doc(hidden)]
pub mod kernel_parameters {
    use std::marker::PhantomData;

    /// The parameters of operator `O`.
    #[derive(Debug)]
    pub struct Of<O>(PhantomData<O>);

    /// What holds of types for which the constant of [`Of`] itself does not exist: a type's own comes before a trait's.
    pub trait Unknown {
        /// They may not be.
        const ARE_PLAIN: bool = false;
    }
    impl<O> Unknown for Of<O> {}

    impl<O: bytemuck::NoUninit> Of<O> {
        /// They may.
        pub const ARE_PLAIN: bool = true;
    }
}

macro_rules! stamp {
    ($($row:ident: $op:ty, $element:ty;)*) => {
        // `cargo xtask ptx` compiled these modules from the same rows, and CI checks that they match.
        ship_kernels! {
            unsafe from concat!(env!("CARGO_MANIFEST_DIR"), "/ptx");
            $($row: $op, $element;)*
        }

        /// Every entry that this crate ships.
        pub const SHIPPED: &[Entry] = &[
            $(<$op as Kernel<$element>>::BLOCK, <$op as Kernel<$element>>::GRID,
              <$op as Kernel<$element>>::PARTIALS,)*
        ];
    };
}
gpu_kernels::for_each_kernel!(stamp);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_in_its_module() {
        assert_eq!(SHIPPED.len(), 3 * 8 * 6);
        for entry in SHIPPED {
            let Entry { name, ptx } = entry;
            assert!(ptx.contains(&format!(".visible .entry {name}(")), "{name}");
            assert_eq!(ptx.matches(".entry ").count(), 1, "{name}");
            assert!(ptx.contains(".target sm_75"), "{name}");
            // The host lets these overlap: see `gpu_kernels::entry::raw`.
            let newer = cuda_std::ptx::for_sm_90(ptx).expect("every shipped entry has marks");
            let waits = |line: &&str| line.trim() == "griddepcontrol.wait;";
            assert_eq!(newer.lines().filter(waits).count(), 1, "{name}");
        }
    }
}
