//! What the head of a .npy file says, checked: which elements, how many, and where they begin.
//!
//! The format is that of NumPy's `numpy.lib.format`: six bytes of magic, two of version, the length of a
//! Python dict literal, the dict. npyz reads the dict.

use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, TypeStr};

use super::Malformed;
use crate::numeric::Dtype;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Longest header that is read. An array of plain numbers has a header of about 128 bytes.
const LONGEST: u64 = 1 << 16;

/// Brackets within brackets that a header of plain numbers, or of a simple structured type, has at most.
/// npyz's parser takes time exponential in the depth: a second for 10 `{`.
const DEEPEST: u32 = 5;

/// The layout of a .npy file.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) version: (u8, u8),
    pub(crate) dtype: Dtype,
    /// Whether the elements' bytes stand in the other order than this machine's.
    pub(crate) swapped: bool,
    pub(crate) shape: Vec<u64>,
    /// Whether the first coordinate runs fastest, in an array where that makes a difference.
    pub(crate) fortran: bool,
    /// Number of elements.
    pub(crate) count: u64,
    /// Where the first element begins, in bytes.
    pub(super) offset: usize,
}

impl Layout {
    /// Reads the head of a file.
    pub(super) fn read(file: &[u8]) -> Result<Self, Malformed> {
        let (version, text) = preamble(file)?;
        let offset = text.end;
        if depth(&file[text]) > DEEPEST {
            return Err(Malformed::Nested);
        }
        // npyz multiplies the shape unchecked, which the root Cargo.toml allows it; `count` below is checked.
        let header = NpyHeader::from_reader(&file[..offset]).map_err(Malformed::Header)?;
        let shape = header.shape().to_vec();
        let (dtype, swapped) = element(&header.dtype())?;
        let bytes = || count(&shape)?.checked_mul(dtype.bytes());
        if bytes().is_none_or(|bytes| bytes > isize::MAX as u64) {
            return Err(Malformed::TooLarge { shape, dtype });
        }
        let fortran =
            header.order() == Order::Fortran && shape.iter().filter(|&&length| length > 1).count() > 1;
        let count = count(&shape).unwrap_or(0);
        Ok(Self { version, dtype, swapped, shape, fortran, count, offset })
    }

    /// The coordinates of the element that is `index` elements behind the first.
    pub(crate) fn coordinates(&self, index: u64) -> Vec<u64> {
        if !self.fortran {
            return coordinates(&self.shape, index);
        }
        let reversed: Vec<u64> = self.shape.iter().rev().copied().collect();
        let mut coordinates = coordinates(&reversed, index);
        coordinates.reverse();
        coordinates
    }
}

/// The coordinates of the element at an index that counts in row-major order.
pub(crate) fn coordinates(shape: &[u64], mut index: u64) -> Vec<u64> {
    let mut coordinates = vec![0; shape.len()];
    for (coordinate, &length) in coordinates.iter_mut().zip(shape).rev() {
        *coordinate = index % length.max(1);
        index /= length.max(1);
    }
    coordinates
}

/// The version and where the header's text lies.
fn preamble(file: &[u8]) -> Result<((u8, u8), std::ops::Range<usize>), Malformed> {
    let truncated = |needs: u64| Malformed::HeaderTruncated { needs, has: file.len() as u64 };
    if file.starts_with(b"PK\x03\x04") {
        return Err(Malformed::Npz);
    }
    if !file.starts_with(MAGIC) {
        let cut = !file.is_empty() && MAGIC.starts_with(file);
        return Err(if cut { truncated(10) } else { Malformed::NotNpy });
    }
    let &[major, minor, ref rest @ ..] = &file[MAGIC.len()..] else { return Err(truncated(10)) };
    let (start, length) = match ((major, minor), rest) {
        ((1, 0), &[a, b, ..]) => (10, u64::from(u16::from_le_bytes([a, b]))),
        ((2 | 3, 0), &[a, b, c, d, ..]) => (12, u64::from(u32::from_le_bytes([a, b, c, d]))),
        ((1, 0), _) => return Err(truncated(10)),
        ((2 | 3, 0), _) => return Err(truncated(12)),
        _ => return Err(Malformed::Version { major, minor }),
    };
    if length > LONGEST {
        return Err(Malformed::HeaderTooLong { bytes: length });
    }
    let end = start + length;
    match usize::try_from(end) {
        Ok(to) if to <= file.len() => Ok(((major, minor), start as usize..to)),
        _ => Err(truncated(end)),
    }
}

/// How deep brackets stand within brackets, at most. Those inside of strings count as well.
fn depth(text: &[u8]) -> u32 {
    let mut open = 0_u32;
    let mut deepest = 0;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

/// Number of elements, `None` beyond 2^64. A shape of no axes holds one.
fn count(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1_u64, |count, &length| count.checked_mul(length))
}

/// The element type, and whether its bytes have to be swapped.
fn element(dtype: &DType) -> Result<(Dtype, bool), Malformed> {
    let unsupported = |advice| Malformed::Dtype { descr: dtype.descr(), advice };
    let DType::Plain(plain) = dtype else {
        return Err(unsupported("save one field of it: numpy.save(file, a['field'])"));
    };
    let element = match (plain.type_char(), plain.size_field()) {
        (TypeChar::Int, 4) => Dtype::I32,
        (TypeChar::Uint, 4) => Dtype::U32,
        (TypeChar::Int, 8) => Dtype::I64,
        (TypeChar::Uint, 8) => Dtype::U64,
        (TypeChar::Float, 4) => Dtype::F32,
        (TypeChar::Float, 8) => Dtype::F64,
        (kind, _) => return Err(unsupported(advice(kind))),
    };
    Ok((element, is_swapped(plain)))
}

/// npyz refuses `|` for numbers of more than one byte.
fn is_swapped(plain: &TypeStr) -> bool {
    plain.endianness() != if cfg!(target_endian = "big") { Endianness::Big } else { Endianness::Little }
}

fn advice(kind: TypeChar) -> &'static str {
    match kind {
        TypeChar::Bool => "convert it: numpy.save(file, a.astype(numpy.int32))",
        TypeChar::Int | TypeChar::Uint => "convert it: numpy.save(file, a.astype(numpy.int64))",
        TypeChar::Float => "convert it: numpy.save(file, a.astype(numpy.float64))",
        TypeChar::Complex => "save its parts: numpy.save(file, a.real) and a.imag",
        TypeChar::Object => {
            "they are pickled Python objects; if they are numbers, convert them: \
                             numpy.save(file, a.astype(numpy.float64))"
        }
        TypeChar::DateTime | TypeChar::TimeDelta => {
            "save its integers: numpy.save(file, a.view(numpy.int64))"
        }
        _ => "there are no numbers to fold",
    }
}
