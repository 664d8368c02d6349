//! The floats whose rows are softened and normed.

/// Calls `$stamp!` with lines `entry: element;` for all kernels of exponentials, softmax and norms of rows.
#[macro_export]
macro_rules! for_each_forward_kernel {
    ($stamp:ident) => {
        $stamp! {
            forward_f32: f32;
            forward_f64: f64;
            forward_f16: $crate::f16;
            forward_bf16: $crate::bf16;
        }
    };
}
