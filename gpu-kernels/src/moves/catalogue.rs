//! The kernels that move words without a look at what they mean, by the word.

/// Calls `$stamp!` with the rows `entry: word, ranking;` of all kernels that look at how numbers are ordered: as integers, or
/// as floats are.
#[macro_export]
macro_rules! for_each_ranked_kernel {
    ($stamp:ident) => {
        $stamp! {
            integers_1: u8, Integers;
            integers_2: u16, Integers;
            integers_4: u32, Integers;
            integers_8: u64, Integers;
            floats_2: u16, Floats;
            floats_4: u32, Floats;
            floats_8: u64, Floats;
        }
    };
}

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

/// Calls `$stamp!` with the rows `entry: word;` of all kernels that select by rank: how words are ranked is an argument.
#[macro_export]
macro_rules! for_each_select_kernel {
    ($stamp:ident) => {
        $stamp! {
            select_1: u8;
            select_2: u16;
            select_4: u32;
            select_8: u64;
        }
    };
}

/// Calls `$stamp!` with the rows `entry: key;` of all kernels that sort by digits: keys are unsigned integers of each size.
#[macro_export]
macro_rules! for_each_radix_kernel {
    ($stamp:ident) => {
        $stamp! {
            radix_1: u8;
            radix_2: u16;
            radix_4: u32;
            radix_8: u64;
        }
    };
}

/// Calls `$stamp!` with the rows `entry: key;` of all kernels of which a block sorts few elements.
#[macro_export]
macro_rules! for_each_leaf_kernel {
    ($stamp:ident) => {
        $stamp! {
            sort_1: u8;
            sort_2: u16;
            sort_4: u32;
            sort_8: u64;
            sort_16: u128;
        }
    };
}

/// Calls `$stamp!` with the rows `entry: key;` of all kernels that sort level by level: those of keys that are too wide for a
/// sort by digits.
#[macro_export]
macro_rules! for_each_level_kernel {
    ($stamp:ident) => {
        $stamp! {
            sort_16: u128;
        }
    };
}
