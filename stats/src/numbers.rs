//! Elements of any of the six types.

pub(crate) mod naive;
pub(crate) mod numeric;
pub(crate) mod total;
pub(crate) mod value;

use warpfold::Elements;

/// Elements of a type that is known at run time.
pub(crate) enum Numbers<'a> {
    I32(Elements<'a, i32>),
    U32(Elements<'a, u32>),
    I64(Elements<'a, i64>),
    U64(Elements<'a, u64>),
    F32(Elements<'a, f32>),
    F64(Elements<'a, f64>),
}

/// Elements as they were read.
pub(crate) struct Loaded<'a> {
    pub(crate) numbers: Numbers<'a>,
    pub(crate) rounded: Rounded,
}

/// Whole numbers in text that are not exact in f64: their number, and the first of them.
#[derive(Clone, Default)]
pub(crate) struct Rounded {
    pub(crate) count: u64,
    pub(crate) first: String,
}

impl<'a> From<Numbers<'a>> for Loaded<'a> {
    fn from(numbers: Numbers<'a>) -> Self {
        Self { numbers, rounded: Rounded::default() }
    }
}

impl Numbers<'_> {
    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::I32(x) => x.len(),
            Self::U32(x) => x.len(),
            Self::I64(x) => x.len(),
            Self::U64(x) => x.len(),
            Self::F32(x) => x.len(),
            Self::F64(x) => x.len(),
        }
    }

    /// Whether they are the mapped file itself.
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
