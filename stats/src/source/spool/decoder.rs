//! Compressed input, known by its first bytes.

use std::cell::Cell;
use std::io::{self, Chain, Cursor, Read};
use std::rc::Rc;

/// The most first bytes that tell a format.
const HEAD: u64 = 4;

/// Counts the bytes that are read.
struct Counted<R> {
    from: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(bytes)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

type Whole = Counted<Chain<Cursor<Vec<u8>>, Box<dyn Read>>>;

/// Reads input, decompressed if it is compressed.
pub(super) struct Decoder {
    from: Box<dyn Read>,
    is_compressed: bool,
    taken: Rc<Cell<u64>>,
}

impl Decoder {
    pub(super) fn of(mut input: Box<dyn Read>) -> io::Result<Self> {
        let mut head = Vec::new();
        input.by_ref().take(HEAD).read_to_end(&mut head)?;
        let (kind, taken) = (head.clone(), Rc::new(Cell::new(0)));
        let whole = Counted { from: Cursor::new(head).chain(input), count: taken.clone() };
        let (from, is_compressed) = decompressed(&kind, whole)?;
        Ok(Self { from, is_compressed, taken })
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.is_compressed
    }

    /// The bytes of the input that were read so far.
    pub(super) fn taken(&self) -> u64 {
        self.taken.get()
    }
}

impl Read for Decoder {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.from.read(bytes)
    }
}

/// Returns what reads `whole`, which begins with `head`, and whether that was compressed.
#[cfg(feature = "compressed")]
fn decompressed(head: &[u8], whole: Whole) -> io::Result<(Box<dyn Read>, bool)> {
    Ok(match head {
        [0x1f, 0x8b, ..] => (Box::new(flate2::read::MultiGzDecoder::new(whole)), true),
        [0x28, 0xb5, 0x2f, 0xfd] => (Box::new(zstd::stream::read::Decoder::new(whole)?), true),
        _ => (Box::new(whole), false),
    })
}

/// Returns what reads `whole`. That it is compressed is found later.
#[cfg(not(feature = "compressed"))]
fn decompressed(_: &[u8], whole: Whole) -> io::Result<(Box<dyn Read>, bool)> {
    Ok((Box::new(whole), false))
}
