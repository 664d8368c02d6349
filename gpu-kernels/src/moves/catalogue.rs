//! The kernels that move words without a look at what they mean, by the word.

/// Calls `$stamp!` with the rows `entry: word;` of all kernels that move data: one kernel of each kind serves every element
/// that is made of such words.
#[macro_export]
macro_rules! for_each_move_kernel {
    ($stamp:ident) => {
        $stamp! {
            move_1: u8;
            move_2: u16;
            move_4: u32;
            move_8: u64;
            move_16: $crate::moves::Sixteen;
        }
    };
}
