//! Loops that are unrolled at any cost of their body.

/// Runs `$body` for `$i` from 0 up to a constant of at most 24, as straight-line code. A loop that LLVM finds too costly to
/// unroll keeps its arrays in local memory, which is as slow as the input. So heavy operators need this; light ones do not
/// profit.
///
/// The compiler checks each of the 16 copies, and 256 of a loop in a loop. Where the constant is at most 2, 4 or 8, write
/// `up to 2`, `up to 4` or `up to 8` behind it; where it is more than 16, `up to 24`.
#[doc(hidden)]
#[macro_export]
macro_rules! unrolled {
    ($i:ident < $n:expr => $body:block) => {
        $crate::unrolled!(@ 16, $i, $n, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($i:ident < $n:expr, up to 24 => $body:block) => {
        $crate::unrolled!(@ 24, $i, $n, $body, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)
    };
    ($i:ident < $n:expr, up to 8 => $body:block) => { $crate::unrolled!(@ 8, $i, $n, $body, 0 1 2 3 4 5 6 7) };
    ($i:ident < $n:expr, up to 4 => $body:block) => { $crate::unrolled!(@ 4, $i, $n, $body, 0 1 2 3) };
    ($i:ident < $n:expr, up to 2 => $body:block) => { $crate::unrolled!(@ 2, $i, $n, $body, 0 1) };
    (@ $most:literal, $i:ident, $n:expr, $body:block, $($at:literal)*) => {{
        const { assert!($n <= $most) }
        $( if $at < $n { let $i: usize = $at; $body } )*
    }};
}
