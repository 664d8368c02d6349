//! The element types of .npy files, and the types that they are reduced as.

use crate::numbers::numeric::Dtype;

/// An element type in a file. Types that cannot be reduced are converted to the next wider type that can and
/// holds all their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    Bool,
    I8,
    U8,
    I16,
    U16,
    F16,
    Bf16,
    AsIs(Dtype),
}

impl Stored {
    /// The type with a name, as NumPy's `dtype` takes it.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "int8" | "byte" => Self::I8,
            "uint8" | "ubyte" => Self::U8,
            "int16" | "short" => Self::I16,
            "uint16" | "ushort" => Self::U16,
            "float16" | "half" => Self::F16,
            "int32" | "intc" => Self::AsIs(Dtype::I32),
            "uint32" | "uintc" => Self::AsIs(Dtype::U32),
            "int64" | "longlong" => Self::AsIs(Dtype::I64),
            "uint64" | "ulonglong" => Self::AsIs(Dtype::U64),
            "float32" | "single" => Self::AsIs(Dtype::F32),
            "float64" | "double" | "float" => Self::AsIs(Dtype::F64),
            _ => return None,
        })
    }

    /// The type that NumPy gives a character.
    pub(super) fn coded(code: char) -> Option<Self> {
        Some(match code {
            '?' => Self::Bool,
            'b' => Self::I8,
            'B' => Self::U8,
            'h' => Self::I16,
            'H' => Self::U16,
            'e' => Self::F16,
            'i' => Self::AsIs(Dtype::I32),
            'I' => Self::AsIs(Dtype::U32),
            'q' => Self::AsIs(Dtype::I64),
            'Q' => Self::AsIs(Dtype::U64),
            'f' => Self::AsIs(Dtype::F32),
            'd' => Self::AsIs(Dtype::F64),
            _ => return None,
        })
    }

    /// Its name in NumPy.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I8 => "int8",
            Self::U8 => "uint8",
            Self::I16 => "int16",
            Self::U16 => "uint16",
            Self::F16 => "float16",
            Self::Bf16 => "bfloat16",
            Self::AsIs(Dtype::I32) => "int32",
            Self::AsIs(Dtype::U32) => "uint32",
            Self::AsIs(Dtype::I64) => "int64",
            Self::AsIs(Dtype::U64) => "uint64",
            Self::AsIs(Dtype::F32) => "float32",
            Self::AsIs(Dtype::F64) => "float64",
        }
    }

    /// Size of an element in the file.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::Bool | Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::AsIs(dtype) => dtype.bytes(),
        }
    }

    /// The type that it is reduced as.
    pub(crate) fn folded_as(self) -> Dtype {
        match self {
            Self::I8 | Self::I16 => Dtype::I32,
            Self::Bool | Self::U8 | Self::U16 => Dtype::U32,
            Self::F16 | Self::Bf16 => Dtype::F32,
            Self::AsIs(dtype) => dtype,
        }
    }
}
