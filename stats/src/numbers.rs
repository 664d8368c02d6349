//! Elements of any of the six types.

pub(crate) mod array;
pub(crate) mod naive;
pub(crate) mod numeric;
pub(crate) mod total;
pub(crate) mod value;

pub(crate) use self::array::Array;
use self::array::Ranges;

/// Elements of a type that is known at run time.
pub(crate) enum Numbers<'a> {
    I32(Array<'a, i32>),
    U32(Array<'a, u32>),
    I64(Array<'a, i64>),
    U64(Array<'a, u64>),
    F32(Array<'a, f32>),
    F64(Array<'a, f64>),
}

/// Evaluates an expression of elements whose type is known at run time.
macro_rules! each_type {
    ($numbers:expr, $x:ident => $value:expr) => {
        match $numbers {
            $crate::numbers::Numbers::I32($x) => $value,
            $crate::numbers::Numbers::U32($x) => $value,
            $crate::numbers::Numbers::I64($x) => $value,
            $crate::numbers::Numbers::U64($x) => $value,
            $crate::numbers::Numbers::F32($x) => $value,
            $crate::numbers::Numbers::F64($x) => $value,
        }
    };
}
pub(crate) use each_type;

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

impl Loaded<'_> {
    /// The same, with the NaN of an array in memory as missing. Columns are read without NaN.
    #[must_use]
    pub(crate) fn without_nan(self) -> Self {
        let numbers = match self.numbers {
            Numbers::F32(x) => Numbers::F32(x.without(|x| x.is_nan())),
            Numbers::F64(x) => Numbers::F64(x.without(|x| x.is_nan())),
            whole => whole,
        };
        Self { numbers, ..self }
    }
}

impl Numbers<'_> {
    /// The number of elements.
    pub(crate) fn len(&self) -> usize {
        each_type!(self, x => x.len())
    }

    /// Their size in bytes.
    #[cfg(feature = "arrow")]
    pub(crate) fn bytes(&self) -> u64 {
        let size = match self {
            Self::I32(_) | Self::U32(_) | Self::F32(_) => 4,
            Self::I64(_) | Self::U64(_) | Self::F64(_) => 8,
        };
        self.len() as u64 * size
    }
}
