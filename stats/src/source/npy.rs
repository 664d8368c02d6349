//! Arrays in .npy files, reduced in the mapped file.

mod header;
mod layout;
mod stored;

use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use bytemuck::allocation::try_zeroed_vec;
use memmap2::Mmap;
use warpfold::f16;

pub(crate) use self::layout::{Layout, coordinates};
pub(crate) use self::stored::Stored;
use crate::failure::Failure;
use crate::numbers::Numbers;
use crate::numbers::numeric::{Dtype, Numeric};
use crate::numbers::value::grouped;
use crate::progress::Progress;

/// Elements copied between two reports of progress.
const BLOCK: usize = 1 << 20;

/// A .npy file whose header was read and agrees with the file's length.
pub(crate) struct Npy {
    pub(crate) path: PathBuf,
    pub(crate) layout: Layout,
    /// Bytes after the last element.
    pub(crate) ignored: u64,
    file: Mmap,
    /// The place of the elements in it.
    data: Range<usize>,
}

/// Why a file is not an array that can be reduced.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Malformed {
    #[error("not a .npy file: it does not begin with the bytes \\x93NUMPY")]
    NotNpy,
    #[error(
        "not a .npy file but a zip archive, such as .npz: unzip it, then name one of the .npy files in it"
    )]
    Npz,
    #[error("cut off within its header: it has {has} bytes, the header needs {needs}")]
    HeaderTruncated { needs: u64, has: u64 },
    #[error("format version {major}.{minor} is not known: 1.0, 2.0 and 3.0 are")]
    Version { major: u8, minor: u8 },
    #[error("damaged: the header claims {} bytes, which no array of numbers needs", grouped(bytes))]
    HeaderTooLong { bytes: u64 },
    #[error(
        "damaged, or of a deeply structured type: its header has brackets nested more than \
             5 deep; of a structured array save one field: numpy.save(file, a['field'])"
    )]
    Nested,
    #[error("damaged: {}", excerpt(.0))]
    Header(String),
    #[error(
        "elements of type {descr} are not supported, only bool, int8 to int64, uint8 to uint64 and float16 to \
             float64 are: {advice}"
    )]
    Dtype { descr: String, advice: &'static str },
    #[error("damaged: an array of shape {} of {} is larger than any memory", tuple(shape), stored.name())]
    TooLarge { shape: Vec<u64>, stored: Stored },
    #[error("cut off: {} elements of {} take {} bytes, the file has {} after its header",
            grouped(count), stored.name(), grouped(needs), grouped(has))]
    Truncated { count: u64, stored: Stored, needs: u64, has: u64 },
}

impl Npy {
    /// Maps the file and checks its header.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let failed = |cause| Failure::Open { path: path.into(), cause };
        let opened = File::open(path).map_err(failed)?;
        // SAFETY: the mapping is private and read-only, so this process does not change it. That no other
        // process changes the file meanwhile is up to the user; --help says so.
        let file = unsafe { Mmap::map(&opened) }.map_err(failed)?;
        let malformed = |cause: Malformed| Failure::content(path, cause);
        let layout = Layout::read(&file).map_err(malformed)?;
        let (count, stored) = (layout.count, layout.stored);
        let needs = count * stored.bytes();
        let has = (file.len() - layout.offset) as u64;
        match has.checked_sub(needs) {
            Some(ignored) => {
                let data = layout.offset..layout.offset + needs as usize;
                Ok(Self { path: path.into(), layout, ignored, file, data })
            }
            None => Err(malformed(Malformed::Truncated { count, stored, needs, has })),
        }
    }

    /// Limits `read` to one of `parts` parts of about the same length.
    #[cfg(feature = "mpi")]
    pub(crate) fn part(self, part: usize, parts: usize) -> Self {
        let bytes = self.layout.stored.bytes() as usize;
        let end = |part: usize| (self.layout.count as u128 * part as u128 / parts.max(1) as u128) as usize;
        let data = self.data.start + end(part) * bytes..self.data.start + end(part + 1) * bytes;
        Self { data, ..self }
    }

    /// The elements in memory order.
    pub(crate) fn read(&self, progress: &Progress) -> Result<Numbers<'_>, Failure> {
        Ok(match self.layout.stored {
            Stored::Bool => Numbers::U32(self.widened(progress, |[x]: [u8; 1]| u32::from(x != 0))?.into()),
            Stored::I8 => Numbers::I32(self.widened(progress, |x| i8::from_le_bytes(x).into())?.into()),
            Stored::U8 => Numbers::U32(self.widened(progress, |x| u8::from_le_bytes(x).into())?.into()),
            Stored::I16 => Numbers::I32(self.widened(progress, |x| i16::from_le_bytes(x).into())?.into()),
            Stored::U16 => Numbers::U32(self.widened(progress, |x| u16::from_le_bytes(x).into())?.into()),
            Stored::F16 => Numbers::F32(self.widened(progress, |x| f16::from_le_bytes(x).into())?.into()),
            Stored::AsIs(dtype) => self.as_is(dtype, progress)?,
        })
    }

    fn as_is(&self, dtype: Dtype, progress: &Progress) -> Result<Numbers<'_>, Failure> {
        Ok(match dtype {
            Dtype::I32 => Numbers::I32(self.elements(progress)?.into()),
            Dtype::U32 => Numbers::U32(self.elements(progress)?.into()),
            Dtype::I64 => Numbers::I64(self.elements(progress)?.into()),
            Dtype::U64 => Numbers::U64(self.elements(progress)?.into()),
            Dtype::F32 => Numbers::F32(self.elements(progress)?.into()),
            Dtype::F64 => Numbers::F64(self.elements(progress)?.into()),
        })
    }

    /// The elements in memory order: the file itself, or a copy if the file has the other byte order or the
    /// elements are not aligned in it.
    ///
    /// `T` is the type of the layout.
    fn elements<T: Numeric>(&self, progress: &Progress) -> Result<Cow<'_, [T]>, Failure> {
        let data = &self.file[self.data.clone()];
        match bytemuck::try_cast_slice(data) {
            Ok(elements) if !self.layout.swapped => Ok(Cow::Borrowed(elements)),
            _ => self.copy(data, progress).map(Cow::Owned),
        }
    }

    /// The elements converted to a wider type; their bytes are passed in little-endian order.
    fn widened<const BYTES: usize, T: Numeric>(
        &self,
        progress: &Progress,
        number: impl Fn([u8; BYTES]) -> T,
    ) -> Result<Vec<T>, Failure> {
        let (stored, _) = self.file[self.data.clone()].as_chunks::<BYTES>();
        let mut elements: Vec<T> = try_zeroed_vec(stored.len()).map_err(|()| Failure::Memory {
            bytes: stored.len() as u128 * size_of::<T>() as u128,
            what: "the file's elements must be converted to a wider type",
        })?;
        progress.stage("converting", size_of_val(stored) as u64);
        let is_big = self.layout.swapped != cfg!(target_endian = "big");
        for (elements, stored) in elements.chunks_mut(BLOCK).zip(stored.chunks(BLOCK)) {
            for (element, &bytes) in elements.iter_mut().zip(stored) {
                let mut bytes = bytes;
                if is_big {
                    bytes.reverse();
                }
                *element = number(bytes);
            }
            progress.passed(size_of_val(stored) as u64);
        }
        Ok(elements)
    }

    fn copy<T: Numeric>(&self, data: &[u8], progress: &Progress) -> Result<Vec<T>, Failure> {
        let bytes = data.len() as u128;
        let mut elements: Vec<T> = try_zeroed_vec(data.len() / size_of::<T>()).map_err(|()| {
            Failure::Memory { bytes, what: "the file's bytes must be put in this machine's order" }
        })?;
        progress.stage("converting", data.len() as u64);
        for (elements, data) in elements.chunks_mut(BLOCK).zip(data.chunks(BLOCK * size_of::<T>())) {
            bytemuck::cast_slice_mut(elements).copy_from_slice(data);
            if self.layout.swapped {
                elements.iter_mut().for_each(|x| *x = x.swap_bytes());
            }
            progress.passed(data.len() as u64);
        }
        Ok(elements)
    }
}

/// The beginning of a parser's message, which may quote the whole header.
fn excerpt(text: &str) -> String {
    let mut excerpt: String = text.trim_end().chars().take(600).collect();
    if excerpt.len() < text.trim_end().len() {
        excerpt.push_str("...");
    }
    excerpt
}

/// A shape in Python's notation.
pub(crate) fn tuple(shape: &[u64]) -> String {
    match shape {
        [length] => format!("({length},)"),
        _ => format!("({})", shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    }
}
