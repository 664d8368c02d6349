//! The text of a CSV file, as its parser reads it.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};

/// The most bytes of a record. A parser that looks for the end of a quote reads on to the end of the file, and keeps all of it.
pub(super) const LONGEST: u64 = 64 << 20;

/// The text, which always ends in a line feed. So a record that only the end of the text ends has a quote that never closes.
pub(super) struct Text<R = File> {
    text: R,
    /// What may still be read of the record.
    left: u64,
    /// Whether the line feed was read.
    is_closed: bool,
    has_ended: bool,
}

impl<R: Read> Text<R> {
    pub(super) fn new(text: R) -> Self {
        Self { text, left: LONGEST, is_closed: false, has_ended: false }
    }

    /// Allows for another record.
    pub(super) fn begin_record(&mut self) {
        self.left = LONGEST;
    }

    /// Whether the parser read on after the last line feed.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }
}

impl<R: Read> Read for Text<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            return Err(io::Error::other(TooLong));
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let read = self.text.read(&mut buffer[..most])?;
        self.left -= read as u64;
        if read > 0 {
            return Ok(read);
        }
        if self.is_closed {
            self.has_ended = true;
            return Ok(0);
        }
        self.is_closed = true;
        buffer[0] = b'\n';
        Ok(1)
    }
}

/// A record of more than [`LONGEST`] bytes.
#[derive(Debug)]
pub(super) struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a row has more than {LONGEST} bytes")
    }
}

impl Error for TooLong {}
