//! The kernels of exponentials, softmax, norms and gradients of rows, shipped by this crate for each float.

use gpu_kernels::FloatElement;
use gpu_kernels::arguments::{
    CrossEntropyGradient, Logarithms, Norm, NormGradient, Softmax, SoftmaxGradient,
};

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

/// The entries of a verb: by lanes, by a warp, by a tile, by a block.
macro_rules! by_length {
    ($($verb:ident: $arguments:ident = $($entry:ident),*;)*) => {
        impl<T: FloatElement> ForwardEntries<T> {
            $(
                /// Returns the entries, from those for the shortest rows to those for the longest.
                pub(crate) fn $verb(&self) -> [Entry<$arguments<T>>; 4] {
                    [$(self.$entry),*]
                }
            )*
        }
    };
}
by_length! {
    softmax: Softmax = softmax_by_lanes, softmax_by_warp, softmax_by_tile, softmax_by_block;
    logarithms: Logarithms = logarithms_by_lanes, logarithms_by_warp, logarithms_by_tile, logarithms_by_block;
    norm: Norm = norm_by_lanes, norm_by_warp, norm_by_tile, norm_by_block;
    softmax_gradient: SoftmaxGradient =
        softmax_gradient_by_lanes, softmax_gradient_by_warp, softmax_gradient_by_tile, softmax_gradient_by_block;
    norm_gradient: NormGradient =
        norm_gradient_by_lanes, norm_gradient_by_warp, norm_gradient_by_tile, norm_gradient_by_block;
    cross_entropy_gradient: CrossEntropyGradient =
        cross_entropy_gradient_by_lanes, cross_entropy_gradient_by_warp, cross_entropy_gradient_by_tile,
        cross_entropy_gradient_by_block;
}

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
