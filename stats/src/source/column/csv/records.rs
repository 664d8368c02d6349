//! The records of a CSV file: its rows, and the first line.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use csv::{ByteRecord, ErrorKind, Position, Reader, ReaderBuilder};

use super::text::{LONGEST, Text, TooLong};
use crate::progress::Progress;
use crate::source::column::Unreadable;
use crate::source::format::{Csv, Delimiter};

/// Bytes that are read at once.
const BUFFER: usize = 64 << 10;

const EVEN: &str = "CSV with as many cells in each row as in the first";

/// Records between two reports of progress.
const BLOCK: u64 = 1 << 14;

/// Reads records, in order.
pub(super) struct Records {
    reader: Reader<Text>,
    path: PathBuf,
    csv: Csv,
    /// The bytes of the lines that are skipped.
    begin: u64,
    /// The cells of the first record, if blanks separate them.
    cells: Option<usize>,
    read: u64,
    reported: u64,
}

impl Records {
    /// All records.
    pub(super) fn open(path: &Path, csv: Csv) -> Result<Self, Unreadable> {
        let mut file = File::open(path).map_err(|cause| damaged(&cause.into()))?;
        let begin = after_lines(&file, csv.skipped).map_err(|cause| damaged(&cause.into()))?;
        file.seek(SeekFrom::Start(begin)).map_err(|cause| damaged(&cause.into()))?;
        let reader = parser(csv, Text::new(file));
        Ok(Self { reader, path: path.into(), csv, begin, cells: None, read: 0, reported: 0 })
    }

    /// All but the first, if that has the names.
    pub(super) fn rows(path: &Path, csv: Csv) -> Result<Self, Unreadable> {
        let mut rows = Self::open(path, csv)?;
        if csv.has_names {
            rows.next(&mut ByteRecord::new())?;
        }
        Ok(rows)
    }

    /// Reads the next record; `false` at the end.
    pub(super) fn next(&mut self, record: &mut ByteRecord) -> Result<bool, Unreadable> {
        while self.parse(record)? {
            if self.csv.delimiter != Delimiter::Blanks || self.is_of_cells(record)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Drops what is between neighbouring blanks; `false` if nothing else is in the line.
    fn is_of_cells(&mut self, record: &mut ByteRecord) -> Result<bool, Unreadable> {
        let mut cells: ByteRecord = record.iter().filter(|cell| !cell.is_empty()).collect();
        cells.set_position(record.position().cloned());
        *record = cells;
        if record.is_empty() {
            return Ok(false);
        }
        let of_first = *self.cells.get_or_insert(record.len());
        if record.len() == of_first {
            return Ok(true);
        }
        let line = self.line(record);
        let cause = format!("line {line} has {} cells, the first has {of_first}", record.len());
        Err(Unreadable::Damaged { what: EVEN, cause })
    }

    fn parse(&mut self, record: &mut ByteRecord) -> Result<bool, Unreadable> {
        self.reader.get_mut().begin_record();
        let read = self.reader.read_byte_record(record);
        match read {
            // The check of the number of cells comes too early for a record in which a quote swallowed the rest of the file.
            Ok(true) | Err(_) if self.reader.get_ref().has_ended() => {
                let line = self.reader.position().line().saturating_sub(feeds(record));
                Err(Unreadable::Quote { line: line + self.csv.skipped })
            }
            Err(cause) if is_too_long(&cause) => Err(self.too_long(record)),
            read => {
                self.read += 1;
                read.map_err(|cause| damaged(&cause))
            }
        }
    }

    /// Reports from time to time how far it has read.
    pub(super) fn report(&mut self, progress: &Progress) {
        if self.read.is_multiple_of(BLOCK) {
            let at = self.reader.position().byte();
            progress.passed(at - self.reported);
            self.reported = at;
        }
    }

    /// The line in which a record begins.
    pub(super) fn line(&self, record: &ByteRecord) -> u64 {
        let Some(position) = record.position() else { return 0 };
        // The parser counts the line feeds before it. Those of blank lines and of comments follow, and the second half of a `\r\n`.
        let mut in_comment = false;
        let is_before = |byte: &u8| {
            in_comment = *byte != b'\n' && (in_comment || Some(*byte) == self.csv.comment);
            in_comment || matches!(byte, b'\r' | b'\n')
        };
        let feeds = self.at(position).map(|file| {
            let bytes = file.bytes().map_while(Result::ok).take_while(is_before);
            bytes.filter(|&byte| byte == b'\n').count() as u64
        });
        position.line() + feeds.unwrap_or(0) + self.csv.skipped
    }

    /// The file, from a record on.
    fn at(&self, record: &Position) -> io::Result<BufReader<File>> {
        let mut file = File::open(&self.path)?;
        file.seek(SeekFrom::Start(self.begin + record.byte()))?;
        Ok(BufReader::new(file))
    }

    /// Why the record is too long: its beginning is read once more, as if the file ended there.
    fn too_long(&self, record: &mut ByteRecord) -> Unreadable {
        let line = self.line(record);
        let begins = record.position().and_then(|position| Some((position.line(), self.at(position).ok()?)));
        let Some((before, file)) = begins else { return Unreadable::LongRow { line, quote: None } };
        // One byte less, so that the text ends before the most is reached.
        let mut reader = parser(self.csv, Text::new(file.take(LONGEST - 1)));
        let in_quote = reader.read_byte_record(record).is_ok() && reader.get_ref().has_ended();
        let quote =
            in_quote.then(|| before + reader.position().line() - 1 - feeds(record) + self.csv.skipped);
        Unreadable::LongRow { line, quote }
    }
}

/// The line feeds in the last cell.
fn feeds(record: &ByteRecord) -> u64 {
    let last = record.iter().next_back().unwrap_or_default();
    last.iter().filter(|&&byte| byte == b'\n').count() as u64
}

fn parser<R: Read>(csv: Csv, text: Text<R>) -> Reader<Text<R>> {
    let mut builder = ReaderBuilder::new();
    builder.has_headers(false).comment(csv.comment).buffer_capacity(BUFFER);
    match csv.delimiter {
        Delimiter::Byte(byte) => builder.delimiter(byte),
        Delimiter::Blanks => builder.delimiter(b' ').flexible(true),
    };
    builder.from_reader(text)
}

/// The byte behind the first `lines` lines.
fn after_lines(file: &File, lines: u64) -> io::Result<u64> {
    let (mut file, mut at) = (BufReader::new(file), 0);
    for _ in 0..lines {
        let read = file.skip_until(b'\n')?;
        if read == 0 {
            break;
        }
        at += read as u64;
    }
    Ok(at)
}

fn is_too_long(cause: &csv::Error) -> bool {
    let ErrorKind::Io(cause) = cause.kind() else { return false };
    cause.get_ref().is_some_and(|cause| cause.is::<TooLong>())
}

fn damaged(cause: &csv::Error) -> Unreadable {
    Unreadable::Damaged { what: EVEN, cause: cause.to_string() }
}
