//! Decoding a kernel's text from a pack.

use std::io::{self, Write};

use crate::checksum::{self, checksum};
use crate::pack::{KERNEL, NO_BASE};
use crate::{Pack, Place, registers};

/// A pack has been damaged since it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pack of kernels is damaged: {0} is not as it was written")]
pub struct Damaged(pub(crate) &'static str);

/// The record of a kernel in a pack.
struct Record {
    base: u16,
    /// Bytes of the frame.
    frame: usize,
    /// Bytes of the text.
    text: usize,
    is_ranked: bool,
    checksum: u64,
    of_frame: u64,
}

impl<'a> Pack<'a> {
    fn record(self, number: u16) -> Record {
        let at = self.kernels_at() + usize::from(number) * KERNEL;
        Record {
            base: self.number(at + 2, 2) as u16,
            frame: self.number(at + 4, 4) as usize,
            text: self.number(at + 8, 4) as usize,
            is_ranked: self.number(at + 12, 2) != 0,
            checksum: self.number(at + 16, 8),
            of_frame: self.number(at + 24, 8),
        }
    }

    fn frame(self, number: u16) -> Result<&'a [u8], Damaged> {
        let length =
            |other: u16| self.number(self.kernels_at() + usize::from(other) * KERNEL + 4, 4) as usize;
        let before: usize = (0..number).map(length).sum();
        let record = self.record(number);
        let frame = self.slice(self.frames_at() + before, record.frame);
        if checksum::of(frame) == record.of_frame { Ok(frame) } else { Err(Damaged("a frame")) }
    }

    /// Returns a kernel's text as it is stored: with ranks, if it has them.
    fn kept(self, number: u16) -> Result<String, Damaged> {
        let base = match self.record(number).base {
            NO_BASE => String::new(),
            // So that a base that has itself as base does not recurse without end.
            base if self.record(base).base != NO_BASE => return Err(Damaged("a base")),
            base => self.kept(base)?,
        };
        // Ranks make a text shorter, or hardly longer.
        let most = 2 * self.record(number).text + 64;
        String::from_utf8(inflate(self.frame(number)?, base, most)?).map_err(|_| Damaged("a text"))
    }
}

impl Place<'_> {
    /// Decodes the PTX text. Each call takes the time given under [Figures](crate#figures).
    ///
    /// # Errors
    /// [`Damaged`] if the text would not be the one that was packed.
    pub fn text(self) -> Result<String, Damaged> {
        let record = self.pack.record(self.number);
        let kept = self.pack.kept(self.number)?;
        let text = if record.is_ranked { registers::to_numbers(&kept)? } else { kept };
        let is_whole = text.len() == record.text && checksum(&text) == record.checksum;
        if is_whole { Ok(text) } else { Err(Damaged("a text")) }
    }

    /// Returns the text's [`checksum`] without decoding it.
    #[must_use]
    pub fn checksum(self) -> u64 {
        self.pack.record(self.number).checksum
    }
}

/// Decompresses `frame` relative to `base`, to at most `most` bytes, because a damaged frame may expand to gigabytes.
fn inflate(frame: &[u8], base: String, most: usize) -> Result<Vec<u8>, Damaged> {
    let mut text = Bounded { bytes: Vec::new(), most };
    let (mut input, mut output) = ([0; 4096], [0; 16384]);
    brotli_decompressor::BrotliDecompressCustomDict(
        &mut &*frame,
        &mut text,
        &mut input,
        &mut output,
        base.into_bytes(),
    )
    .map_err(|_| Damaged("a frame"))?;
    Ok(text.bytes)
}

/// Bytes with a limit on their number.
struct Bounded {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.most.saturating_sub(self.bytes.len()) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
