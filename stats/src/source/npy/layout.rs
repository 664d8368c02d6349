//! The checked header of a .npy file: the type, number and offset of the elements.
//!
//! NumPy's `numpy.lib.format` defines the format: six magic bytes, two bytes of version, the length of a
//! Python dict literal, the dict.

use super::header::Header;
use super::{Malformed, Stored};
use crate::numbers::numeric::Dtype;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header that is read. The header of an array of numbers has about 128 bytes.
const LONGEST: u64 = 1 << 16;

/// The most bytes before the first element.
pub(super) const MOST: u64 = 12 + LONGEST;

/// The deepest nesting of brackets in a header of numbers, or of a simple structured type.
const DEEPEST: u32 = 5;

/// The layout of a .npy file.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) version: (u8, u8),
    pub(crate) stored: Stored,
    /// Whether the elements have the byte order that this machine does not.
    pub(crate) swapped: bool,
    pub(crate) shape: Vec<u64>,
    /// Whether the array is in column-major order, and this differs from row-major order.
    pub(crate) fortran: bool,
    /// Number of elements.
    pub(crate) count: u64,
    /// The offset of the first element in bytes.
    pub(super) offset: u64,
}

impl Layout {
    /// Reads the header of a file that begins with the given bytes: all of them, or [`MOST`]. Elements of two bytes of a type that
    /// NumPy does not know are `raw`.
    pub(super) fn read(file: &[u8], raw: Option<Stored>) -> Result<Self, Malformed> {
        let (version, text) = preamble(file)?;
        let offset = text.end as u64;
        if depth(&file[text.clone()]) > DEEPEST {
            return Err(Malformed::Nested);
        }
        let header = Header::read(&file[text])?;
        let (stored, swapped) = element(&header, raw)?;
        if raw.is_some_and(|raw| raw != stored) {
            return Err(Malformed::Typed { descr: header.descr });
        }
        let shape = header.shape;
        let bytes = || count(&shape)?.checked_mul(stored.folded_as().bytes());
        if bytes().is_none_or(|bytes| bytes > isize::MAX as u64) {
            return Err(Malformed::TooLarge { shape, stored });
        }
        let fortran = header.fortran_order && shape.iter().filter(|&&length| length > 1).count() > 1;
        let count = count(&shape).unwrap_or(0);
        Ok(Self { version, stored, swapped, shape, fortran, count, offset })
    }

    /// The coordinates of the element at `index` in memory order.
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

/// The coordinates of the element at an index in row-major order.
pub(crate) fn coordinates(shape: &[u64], mut index: u64) -> Vec<u64> {
    let mut coordinates = vec![0; shape.len()];
    for (coordinate, &length) in coordinates.iter_mut().zip(shape).rev() {
        *coordinate = index % length.max(1);
        index /= length.max(1);
    }
    coordinates
}

/// The version and the place of the header's text.
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

/// The deepest nesting of brackets, including brackets in strings.
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

/// The number of elements, `None` beyond 2^64. A shape without axes has one element.
fn count(shape: &[u64]) -> Option<u64> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1_u64, |count, &length| count.checked_mul(length))
}

/// The element type, and whether its bytes must be swapped.
fn element(header: &Header, raw: Option<Stored>) -> Result<(Stored, bool), Malformed> {
    let unsupported = |advice| Malformed::Dtype { descr: header.descr.clone(), advice };
    let Some(simple) = &header.simple else {
        return Err(unsupported("save one field of it: numpy.save(file, a['field'])"));
    };
    if let Some(stored) = Stored::named(simple) {
        return Ok((stored, false));
    }
    let damaged = || Malformed::Header(format!("'descr' is {}, which is no type of NumPy's", header.descr));
    // Without an order, and with `|`, which NumPy writes if a byte is all, the order is the machine's.
    let order = simple.chars().next().filter(|order| matches!(order, '<' | '>' | '=' | '|'));
    let mut characters = simple[order.map_or(0, char::len_utf8)..].chars();
    let kind = characters.next().ok_or_else(damaged)?;
    let stored = match (kind, characters.as_str()) {
        ('b', "1") => Stored::Bool,
        ('i', "1") => Stored::I8,
        ('u', "1") => Stored::U8,
        ('i', "2") => Stored::I16,
        ('u', "2") => Stored::U16,
        ('i', "4") => Stored::AsIs(Dtype::I32),
        ('u', "4") => Stored::AsIs(Dtype::U32),
        ('i', "8") => Stored::AsIs(Dtype::I64),
        ('u', "8") => Stored::AsIs(Dtype::U64),
        ('f', "2") => Stored::F16,
        ('f', "4") => Stored::AsIs(Dtype::F32),
        ('f', "8") => Stored::AsIs(Dtype::F64),
        ('f', "12" | "16") => {
            return Err(unsupported("convert it: numpy.save(file, a.astype(numpy.float64))"));
        }
        ('c', _) => return Err(unsupported("save its parts: numpy.save(file, a.real) and a.imag")),
        ('O', _) => {
            return Err(unsupported(
                "they are pickled Python objects; if they are numbers, convert them: \
                 numpy.save(file, a.astype(numpy.float64))",
            ));
        }
        ('M' | 'm', _) => {
            return Err(unsupported("save its integers: numpy.save(file, a.view(numpy.int64))"));
        }
        // NumPy writes types that it does not know, such as bfloat16, as that many bytes.
        ('V', "2") => raw.ok_or_else(|| {
            unsupported(
                "these are bytes of a type that NumPy does not know; if it is bfloat16, add --type bf16",
            )
        })?,
        ('V', _) => {
            return Err(unsupported(
                "these are bytes of a type that NumPy does not know: numpy.save(file, a.astype(numpy.float32))",
            ));
        }
        ('S' | 'a' | 'U', _) => return Err(unsupported("there are no numbers to fold")),
        (_, "") => Stored::coded(kind).ok_or_else(damaged)?,
        _ => return Err(damaged()),
    };
    let is_other = if cfg!(target_endian = "big") { order == Some('<') } else { order == Some('>') };
    // One byte has no order.
    Ok((stored, is_other && stored.bytes() > 1))
}
