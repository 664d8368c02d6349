//! Elements of any of the six types.

use warpfold::Elements;

/// Elements whose type is known when the program runs.
pub(crate) enum Numbers<'a> {
    I32(Elements<'a, i32>),
    U32(Elements<'a, u32>),
    I64(Elements<'a, i64>),
    U64(Elements<'a, u64>),
    F32(Elements<'a, f32>),
    F64(Elements<'a, f64>),
}
