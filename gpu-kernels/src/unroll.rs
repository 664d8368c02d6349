//! Loops that are unrolled whatever their body costs.

/// Runs `$body` for `$i` from 0 up to a constant of at most 16, as straight-line code. A loop that LLVM finds too
/// costly to unroll keeps its arrays in local memory, which is as slow as the input: a rule for heavy operators,
/// not an optimisation of light ones.
macro_rules! unrolled {
    ($i:ident < $n:expr => $body:block) => {
        unrolled!(@ $i, $n, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $i:ident, $n:expr, $body:block, $($at:literal)*) => {{
        const { assert!($n <= 16) }
        $( if $at < $n { let $i: usize = $at; $body } )*
    }};
}
pub(crate) use unrolled;
