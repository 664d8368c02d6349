//! The words that kernels move, or compare as numbers, by their size.

/// Calls `$stamp!` with lines `entry: word, ranking;` for all kernels that depend on how numbers are ordered: as integers, or
/// as floats.
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

/// Calls `$stamp!` with lines `entry: word;` for all kernels that compact by a formula, which knows how it reads a word.
#[macro_export]
macro_rules! for_each_satisfying_kernel {
    ($stamp:ident) => {
        $stamp! {
            formula_4: u32;
            formula_8: u64;
        }
    };
}

/// Calls `$stamp!` with lines `entry: word;` for all kernels that move data: one kernel of each kind serves every element that
/// consists of such words.
#[macro_export]
macro_rules! for_each_move_kernel {
    ($stamp:ident) => {
        $stamp! {
            move_1: u8;
            move_2: u16;
            move_4: u32;
            move_8: u64;
            move_16: $crate::word::Sixteen;
        }
    };
}

/// Calls `$stamp!` with lines `entry: word;` for all kernels that select by rank; the ranking is an argument.
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

/// Calls `$stamp!` with lines `entry: key;` for all kernels that sort by digits: keys are unsigned integers of each size.
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

/// Calls `$stamp!` with lines `entry: key;` for all kernels with which a block sorts few elements.
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

/// Calls `$stamp!` with lines `entry: key;` for all kernels that sort by levels: keys that are too wide for a sort by digits, and
/// long parts.
#[macro_export]
macro_rules! for_each_level_kernel {
    ($stamp:ident) => {
        $crate::for_each_leaf_kernel!($stamp);
    };
}
