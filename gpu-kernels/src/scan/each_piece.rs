//! The outputs of a run, a piece at a time.

/// Runs `$write` for each piece of `K` outputs of a run of `R` elements `$x`, in quads of `Q`: the first element has the index
/// `$first`, the `N` quads fold to `$quads`, and to the left of all is `$start`. `T`, `O` and these numbers are the caller's.
///
/// A macro, because with a function that is given what writes, or a trait for it, the compiler makes other code of the kernel
/// that scans one array, with up to 17 registers more. [ptxas 13.0, sm_90, f64 Mean: 111 and 128.]
macro_rules! each_piece {
    ($op:expr, $wanted:expr, ($x:expr, $quads:expr), $start:expr, $first:expr, |$piece:ident, $outs:ident| $write:block) => {
        let len = $wanted.before.wrapping_add($first).wrapping_add(u64::from($wanted.is_inclusive));
        // What stands before each quad within the run.
        let mut in_run = [O::IDENTITY; N];
        unrolled!(quad < N, up to 4 => {
            if quad > 0 {
                in_run[quad] = O::combine(in_run[quad - 1], $quads[quad - 1]);
            }
        });
        let mut acc = $start;
        unrolled!($piece < R / K => {
            let mut $outs = [StoredOf::<T, O>::zeroed(); K];
            unrolled!(i < K => {
                let at = $piece * K + i;
                if at.is_multiple_of(Q) {
                    acc = O::combine($start, in_run[at / Q]);
                }
                let before = acc;
                acc = $op.append(acc, $x[at], $first + at as u64);
                let out = if $wanted.is_inclusive { acc } else { before };
                $outs[i] = O::finish(out, len.wrapping_add(at as u64)).store();
            });
            $write
        });
    };
}
pub(crate) use each_piece;
