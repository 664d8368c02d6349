//! The outputs of a run, one piece after the other.

/// Runs `$write` for each piece of `K` outputs of a run of `R` elements `$x`, in quads of `Q`. The first element has the index
/// `$first`, the `N` quads have the totals `$quads`, and `$start` is the prefix of the run. `T`, `O` and these numbers are the
/// caller's.
///
/// It is a macro, because with a function that takes a closure or a trait for the writing, the compiler generates other code
/// for the kernel that scans one array, with more registers (docs/tuning/registers.md).
macro_rules! each_piece {
    ($op:expr, $wanted:expr, ($x:expr, $quads:expr), $start:expr, $first:expr, |$piece:ident, $outs:ident| $write:block) => {
        let len = $wanted.before.wrapping_add($first).wrapping_add(u64::from($wanted.is_inclusive));
        // The prefix of each quad in the run.
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
