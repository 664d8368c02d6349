//! A number of any element type, and its text.

use std::fmt;

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
}

macro_rules! values {
    ($($number:ty: $variant:ident),*) => { $(
        impl From<$number> for Value {
            fn from(number: $number) -> Self {
                Self::$variant(number)
            }
        }
    )* };
}
values!(i32: I32, u32: U32, i64: I64, u64: U64, f32: F32, f64: F64);

impl Value {
    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Self::I32(_) => "i32",
            Self::U32(_) => "u32",
            Self::I64(_) => "i64",
            Self::U64(_) => "u64",
            Self::F32(_) => "f32",
            Self::F64(_) => "f64",
        }
    }

    /// The number's bits in hexadecimal, with all digits of the type.
    pub(crate) fn bits(self) -> String {
        match self {
            Self::I32(x) => format!("{x:#010x}"),
            Self::U32(x) => format!("{x:#010x}"),
            Self::I64(x) => format!("{x:#018x}"),
            Self::U64(x) => format!("{x:#018x}"),
            Self::F32(x) => format!("{:#010x}", x.to_bits()),
            Self::F64(x) => format!("{:#018x}", x.to_bits()),
        }
    }

    pub(crate) fn is_nan(self) -> bool {
        matches!(self.exactly(), Exactly::Float(x) if x.is_nan())
    }

    pub(crate) fn is_finite(self) -> bool {
        !matches!(self.exactly(), Exactly::Float(x) if !x.is_finite())
    }

    /// The same number in the widest type of its kind.
    pub(crate) fn exactly(self) -> Exactly {
        match self {
            Self::I32(x) => Exactly::Integer(x.into()),
            Self::U32(x) => Exactly::Integer(x.into()),
            Self::I64(x) => Exactly::Integer(x.into()),
            Self::U64(x) => Exactly::Integer(x.into()),
            Self::F32(x) => Exactly::Float(x.into()),
            Self::F64(x) => Exactly::Float(x),
        }
    }
}

/// An integer or a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Exactly {
    Integer(i128),
    Float(f64),
}

/// The shortest digits that identify the number, with thousands separated.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `{:?}` of a float is the shortest text that reads back as the same number.
        let text = match self {
            Self::I32(x) => x.to_string(),
            Self::U32(x) => x.to_string(),
            Self::I64(x) => x.to_string(),
            Self::U64(x) => x.to_string(),
            Self::F32(x) => format!("{x:?}"),
            Self::F64(x) => format!("{x:?}"),
        };
        f.pad(&grouped(text))
    }
}

/// Puts commas between the thousands of the whole part of a decimal number.
pub(crate) fn grouped(number: impl ToString) -> String {
    let text = number.to_string();
    let start = text.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let (sign, number) = text.split_at(start);
    let (whole, rest) = number.split_at(number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len()));
    let mut out = String::from(sign);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}
