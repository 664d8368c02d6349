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

impl Numbers<'_> {
    /// Whether they lie where the file lies in memory.
    pub(crate) fn is_borrowed(&self) -> bool {
        match self {
            Self::I32(x) => x.is_borrowed(),
            Self::U32(x) => x.is_borrowed(),
            Self::I64(x) => x.is_borrowed(),
            Self::U64(x) => x.is_borrowed(),
            Self::F32(x) => x.is_borrowed(),
            Self::F64(x) => x.is_borrowed(),
        }
    }
}
