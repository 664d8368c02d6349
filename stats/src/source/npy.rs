//! Arrays in .npy files, which are read in portions.

mod header;
mod layout;
mod reading;
mod stored;

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

use warpfold::{bf16, f16};

pub(crate) use self::layout::{Layout, coordinates};
use self::reading::Reading;
pub(crate) use self::stored::Stored;
use crate::failure::Failure;
use crate::numbers::Numbers;
use crate::numbers::numeric::Dtype;
use crate::numbers::value::grouped;
use crate::progress::Progress;
use crate::source::opened::Opened;

/// A .npy file whose header was read and agrees with the file's length.
pub(crate) struct Npy {
    pub(crate) path: PathBuf,
    pub(crate) layout: Layout,
    /// Bytes after the last element.
    pub(crate) ignored: u64,
    file: Opened,
    /// The bytes of the elements in it.
    data: Range<u64>,
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
    #[error("elements are of type {descr}: --type says what elements of type '<V2' are: leave it out")]
    Typed { descr: String },
    #[error("damaged: an array of shape {} of {} is larger than any memory", tuple(shape), stored.name())]
    TooLarge { shape: Vec<u64>, stored: Stored },
    #[error("cut off: {} elements of {} take {} bytes, the file has {} after its header",
            grouped(count), stored.name(), grouped(needs), grouped(has))]
    Truncated { count: u64, stored: Stored, needs: u64, has: u64 },
}

impl Npy {
    /// Opens the file and checks its header. Elements of two bytes of a type that NumPy does not know are `raw`.
    pub(crate) fn open(path: &Path, raw: Option<Stored>) -> Result<Self, Failure> {
        let file = Opened::open(path)?;
        let malformed = |cause: Malformed| Failure::content(path, cause);
        let mut head = vec![0; file.len().min(layout::MOST) as usize];
        file.read(&mut head, 0)?;
        let layout = Layout::read(&head, raw).map_err(malformed)?;
        let (count, stored) = (layout.count, layout.stored);
        let needs = count * stored.bytes();
        let has = file.len() - layout.offset;
        match has.checked_sub(needs) {
            Some(ignored) => {
                let data = layout.offset..layout.offset + needs;
                Ok(Self { path: path.into(), layout, ignored, file, data })
            }
            None => Err(malformed(Malformed::Truncated { count, stored, needs, has })),
        }
    }

    /// Limits `read` to one of `parts` parts of about the same length.
    #[cfg(feature = "mpi")]
    pub(crate) fn part(self, part: usize, parts: usize) -> Self {
        let bytes = self.layout.stored.bytes();
        let end = |part: usize| {
            (u128::from(self.layout.count) * part as u128 / parts.max(1) as u128) as u64 * bytes
        };
        let data = self.data.start + end(part)..self.data.start + end(part + 1);
        Self { data, ..self }
    }

    /// The elements in memory order. They stay in the file, unless the `whole` array is wanted in memory.
    pub(crate) fn read(
        &self,
        threads: NonZeroUsize,
        whole: bool,
        progress: &Progress,
    ) -> Result<Numbers<'_>, Failure> {
        let read = Reading { npy: self, threads, whole, progress };
        let numbers = match self.layout.stored {
            Stored::Bool => Numbers::U32(read.widened(|[x]: [u8; 1]| u32::from(x != 0))?),
            Stored::I8 => Numbers::I32(read.widened(|x| i8::from_le_bytes(x).into())?),
            Stored::U8 => Numbers::U32(read.widened(|x| u8::from_le_bytes(x).into())?),
            Stored::I16 => Numbers::I32(read.widened(|x| i16::from_le_bytes(x).into())?),
            Stored::U16 => Numbers::U32(read.widened(|x| u16::from_le_bytes(x).into())?),
            Stored::F16 => Numbers::F32(read.widened(|x| f16::from_le_bytes(x).into())?),
            Stored::Bf16 => Numbers::F32(read.widened(|x| bf16::from_le_bytes(x).into())?),
            Stored::AsIs(Dtype::I32) => Numbers::I32(read.as_is()?),
            Stored::AsIs(Dtype::U32) => Numbers::U32(read.as_is()?),
            Stored::AsIs(Dtype::I64) => Numbers::I64(read.as_is()?),
            Stored::AsIs(Dtype::U64) => Numbers::U64(read.as_is()?),
            Stored::AsIs(Dtype::F32) => Numbers::F32(read.as_is()?),
            Stored::AsIs(Dtype::F64) => Numbers::F64(read.as_is()?),
        };
        self.file.unchanged()?;
        Ok(numbers)
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
