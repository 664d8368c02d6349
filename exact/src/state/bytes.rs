//! The canonical bytes. `docs/exact.md` describes them.

use core::fmt;

use super::counts::Counts;
use super::decode_error::DecodeError;
use super::long::Long;

/// The version of the format: the first byte of every state.
pub const VERSION: u8 = 1;

/// A buffer is too short for a state's bytes: the state's `MAX_BYTES` always suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferTooSmall;

impl fmt::Display for BufferTooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the buffer is too short for the state's bytes: give encode one of the state's MAX_BYTES")
    }
}

impl core::error::Error for BufferTooSmall {}

/// The most bytes of a count of 64 bits, in groups of 7.
const COUNT: usize = 10;

/// Writes fields to a buffer, one after the other.
pub(super) struct Writer<'a> {
    buffer: &'a mut [u8],
    /// Where the next byte goes, though the buffer may have ended before.
    at: usize,
}

impl<'a> Writer<'a> {
    /// The bytes of version, state and element.
    pub(super) const HEAD: usize = 2;
    /// The most bytes of counts.
    pub(super) const COUNTS: usize = 1 + 5 * COUNT;

    /// The most bytes of an integer of `bytes` bytes. A length of up to 2^14 takes two.
    pub(super) const fn integer(bytes: usize) -> usize {
        2 + 2 + bytes
    }

    pub(super) fn new(buffer: &'a mut [u8], kind: u8, tag: u8) -> Self {
        let mut writer = Self { buffer, at: 0 };
        writer.byte(VERSION);
        writer.byte(kind << 4 | tag);
        writer
    }

    /// Returns what was written.
    pub(super) fn written(self) -> Result<&'a [u8], BufferTooSmall> {
        self.buffer.get(..self.at).ok_or(BufferTooSmall)
    }

    fn byte(&mut self, byte: u8) {
        if let Some(place) = self.buffer.get_mut(self.at) {
            *place = byte;
        }
        self.at += 1;
    }

    /// Writes 7 bits a byte, the lowest first; the highest bit says that more follow.
    fn number(&mut self, mut x: u64) {
        while x > 0x7f {
            self.byte(x as u8 | 0x80);
            x >>= 7;
        }
        self.byte(x as u8);
    }

    /// Writes which counts are not zero, and those.
    pub(super) fn counts(&mut self, counts: &Counts) {
        let fields = counts.fields();
        self.byte(fields.iter().rev().fold(0, |bits, &count| bits << 1 | u8::from(count != 0)));
        for count in fields.into_iter().filter(|&count| count != 0) {
            // The sign becomes the lowest bit.
            self.number((count << 1 ^ count >> 63) as u64);
        }
    }

    /// Writes an integer in two's complement: its length without the lowest bytes that are zero and the highest that repeat the
    /// sign, the number of the zeros, and the bytes between.
    pub(super) fn integer_of(&mut self, words: &[u32]) {
        let byte = |i: usize| (words[i / 4] >> (8 * (i % 4))) as u8;
        let Some(word) = words.iter().position(|&word| word != 0) else { return self.number(0) };
        let zeros = word * 4 + words[word].trailing_zeros() as usize / 8;
        let sign = if words.last().is_some_and(|&top| top >> 31 != 0) { u32::MAX } else { 0 };
        let top = words.iter().rposition(|&word| word != sign).unwrap_or(0);
        let mut end = (top * 4 + 5).min(words.len() * 4);
        while end > zeros + 1 && byte(end - 1) == sign as u8 && (byte(end - 2) ^ sign as u8) >> 7 == 0 {
            end -= 1;
        }
        self.number((end - zeros) as u64);
        self.number(zeros as u64);
        (zeros..end).for_each(|i| self.byte(byte(i)));
    }
}

/// Reads fields, one after the other.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Begins to read, if these are the bytes of a state of this kind.
    pub(super) fn new(bytes: &'a [u8], kind: u8, tag: u8) -> Result<Self, DecodeError> {
        let mut reader = Self { rest: bytes };
        match reader.byte()? {
            VERSION => (),
            version => return Err(DecodeError::Version(version)),
        }
        match reader.byte()? {
            what if what == (kind << 4 | tag) => Ok(reader),
            what => Err(DecodeError::OtherState(what)),
        }
    }

    /// Ends reading.
    pub(super) fn end(self) -> Result<(), DecodeError> {
        if self.rest.is_empty() { Ok(()) } else { Err(DecodeError::TooLong(self.rest.len())) }
    }

    fn byte(&mut self) -> Result<u8, DecodeError> {
        let (&byte, rest) = self.rest.split_first().ok_or(DecodeError::TooShort)?;
        self.rest = rest;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64, DecodeError> {
        let mut x = 0;
        for place in 0..COUNT {
            let byte = self.byte()?;
            x |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                // No zeros above, and the last byte has one bit.
                let is_canonical = (byte != 0 || place == 0) && (place + 1 < COUNT || byte == 1);
                return if is_canonical { Ok(x) } else { Err(DecodeError::NotCanonical) };
            }
        }
        Err(DecodeError::NotCanonical)
    }

    /// Reads counts, of floats or integers. Integers have no kinds.
    pub(super) fn counts(&mut self, is_float: bool) -> Result<Counts, DecodeError> {
        let mut counts = Counts::NONE;
        let present = self.byte()?;
        if present > if is_float { 0b11111 } else { 1 } {
            return Err(DecodeError::NotCanonical);
        }
        for (bit, count) in counts.fields_mut().into_iter().enumerate() {
            if present >> bit & 1 != 0 {
                let x = self.number()?;
                *count = (x >> 1) as i64 ^ -((x & 1) as i64);
                if *count == 0 {
                    return Err(DecodeError::NotCanonical);
                }
            }
        }
        Ok(counts)
    }

    /// Reads an integer.
    pub(super) fn integer<L: Long>(&mut self) -> Result<L, DecodeError> {
        let mut integer = L::ZERO;
        let words = integer.words_mut();
        let length = self.number()?;
        if length == 0 {
            return Ok(integer);
        }
        let zeros = self.number()?;
        let most = words.len() as u64 * 4;
        if length > most || zeros > most - length {
            return Err(DecodeError::OutOfRange);
        }
        let (bytes, rest) = self.rest.split_at_checked(length as usize).ok_or(DecodeError::TooShort)?;
        self.rest = rest;
        let (lowest, top) = (bytes[0], bytes[bytes.len() - 1]);
        let sign = if top >> 7 != 0 { 0xff } else { 0 };
        let repeats_sign = bytes.len() > 1 && top == sign && (bytes[bytes.len() - 2] ^ sign) >> 7 == 0;
        if lowest == 0 || repeats_sign {
            return Err(DecodeError::NotCanonical);
        }
        for (i, word) in words.iter_mut().enumerate() {
            let byte = |i: u64| match i.checked_sub(zeros) {
                None => 0,
                Some(at) => bytes.get(at as usize).copied().unwrap_or(sign),
            };
            *word = u32::from_le_bytes(core::array::from_fn(|j| byte(i as u64 * 4 + j as u64)));
        }
        Ok(integer)
    }
}
