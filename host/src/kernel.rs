//! Which (operator, element) pairs have GPU kernels, and the PTX of those that this crate ships.

use gpu_kernels::{Element, Op};

/// A kernel entry point and the PTX module that holds it, alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Name of the `.visible .entry`.
    pub name: &'static str,
    /// PTX text of the module, for every GPU.
    pub ptx: &'static str,
    /// The same compiled for compute capability 9.0 and later, where launches can overlap. Without it they do not.
    pub sm_90: Option<&'static str>,
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
///
/// With `, sm_90 from` a second folder, where the same crate was compiled for `NvvmArch::Compute90`, GPUs of compute
/// capability 9.0 and later take that.
#[macro_export]
macro_rules! ship_kernels {
    (unsafe from $folder:expr $(, sm_90 from $sm_90:expr)?; $($row:ident: $op:ty, $element:ty;)*) => {
        $crate::ship_kernels! { @rows [$folder $(, $sm_90)?] $($row: $op, $element;)* }
    };
    (@rows $folders:tt $($row:ident: $op:ty, $element:ty;)*) => { $(
        const _: () = assert!(
            ::core::mem::size_of::<$op>() == 0 || {
                use $crate::kernel_parameters::Unknown;
                $crate::kernel_parameters::Of::<$op>::ARE_PLAIN
            },
            "an operator with parameters goes to the device byte by byte: derive `bytemuck::NoUninit` for it"
        );
        // SAFETY: whoever wrote `unsafe` in the macro's call promised it.
        unsafe impl $crate::Kernel<$element> for $op {
            const BLOCK: $crate::Entry = $crate::ship_kernels!(@entry $folders $row, "_block");
            const GRID: $crate::Entry = $crate::ship_kernels!(@entry $folders $row, "_grid");
            const PARTIALS: $crate::Entry = $crate::ship_kernels!(@entry $folders $row, "_partials");
        }
    )* };
    (@entry [$folder:expr $(, $sm_90:expr)?] $row:ident, $suffix:literal) => {
        $crate::Entry {
            name: concat!(stringify!($row), $suffix),
            ptx: include_str!(concat!($folder, "/", stringify!($row), $suffix, ".ptx")),
            sm_90: $crate::ship_kernels!(@sm_90 $($sm_90)?; $row, $suffix),
        }
    };
    (@sm_90 ; $row:ident, $suffix:literal) => { None };
    (@sm_90 $folder:expr; $row:ident, $suffix:literal) => {
        Some(include_str!(concat!($folder, "/", stringify!($row), $suffix, ".ptx")))
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
            unsafe from concat!(env!("CARGO_MANIFEST_DIR"), "/ptx/sm_75"),
            sm_90 from concat!(env!("CARGO_MANIFEST_DIR"), "/ptx/sm_90");
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
        assert_eq!(SHIPPED.len(), 3 * 127);
        for entry in SHIPPED {
            let sm_90 = entry.sm_90.expect("every shipped entry has both");
            for (ptx, target) in [(entry.ptx, ".target sm_75"), (sm_90, ".target sm_90")] {
                assert!(ptx.contains(&format!(".visible .entry {}(", entry.name)), "{}", entry.name);
                assert_eq!(ptx.matches(".entry ").count(), 1, "{}", entry.name);
                assert!(ptx.contains(target), "{}", entry.name);
            }
            // The host lets these overlap: see `gpu_kernels::entry::raw`.
            assert_eq!(sm_90.matches("griddepcontrol.wait;").count(), 1, "{}", entry.name);
        }
    }
}
