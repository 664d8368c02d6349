//! The kernels of exponentials, softmax and norms of rows, shipped by this crate for each float.

use gpu_kernels::FloatElement;

use crate::kernel::entry::{Entry, emulated};
use crate::kernel::texts::{Texts, library_texts};

/// Kernels that `cargo xtask ptx` compiled from the same list.
const KERNELS: Texts = library_texts!(FORWARD);

/// Declares the family's struct.
macro_rules! declare {
    (() { $($constants:item)* } $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal, $body:path;)*) => {
        /// The kernels for rows of elements `T`.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct ForwardEntries<T: FloatElement> {
            $($(#[$about])* pub(crate) $field: Entry<$arguments>),*
        }

        impl<T: FloatElement> ForwardEntries<T> {
            /// Returns all entries without their arguments.
            #[cfg(test)]
            fn untyped(&self) -> Vec<Entry> {
                vec![$(self.$field.untyped()),*]
            }
        }
    };
}
gpu_kernels::forward_kernels!([declare!] ());

/// The entries for the element of `$row`.
macro_rules! entries {
    (($row:ident: $element:ty) { $($constants:item)* }
        $($(#[$about:meta])* $field:ident: $arguments:ty = $suffix:literal, $body:path;)*) => {{
        #[cfg(feature = "emulator")]
        type T = $element;
        $(
            #[cfg(feature = "emulator")]
            $constants
        )*
        ForwardEntries {
            $($field: emulated!(crate::ship_kernels!(@entry KERNELS, $row, $suffix, "for_each_forward_kernel"), $body)),*
        }
    }};
}

/// A float with the kernels of its rows.
pub(crate) trait ForwardKernel: FloatElement {
    /// The kernels.
    const FORWARD: ForwardEntries<Self>;
}

macro_rules! stamp {
    ($($row:ident: $element:ty;)*) => {
        $(
            impl ForwardKernel for $element {
                const FORWARD: ForwardEntries<Self> = gpu_kernels::forward_kernels!([entries!] ($row: $element));
            }
        )*

        /// Returns all entries that this crate ships for rows of floats.
        #[cfg(test)]
        pub(crate) fn shipped() -> Vec<Entry> {
            [$(<$element>::FORWARD.untyped()),*].concat()
        }
    };
}
gpu_kernels::for_each_forward_kernel!(stamp);
