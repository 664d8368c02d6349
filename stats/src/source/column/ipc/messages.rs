//! The batches of an Arrow file or stream. Each length in it is checked against the file's length before memory
//! is allocated.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::vec;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};

use super::claims;
use crate::memory;

/// The mark before a message's length, absent in streams of old versions.
const MARK: [u8; 4] = [0xff; 4];

/// Bytes at a file's end: the length of the preceding footer, and `ARROW1`.
const END: u64 = 10;

/// Iterates over the batches.
pub(super) struct Batches {
    bytes: Bytes,
    decoder: FileDecoder,
    /// The schema of the columns that are read.
    schema: SchemaRef,
    rest: Rest,
}

/// The remaining messages.
enum Rest {
    /// Those of a file, from its index.
    Blocks(vec::IntoIter<Block>),
    /// Those of a stream, from this byte on.
    Stream { at: u64 },
}

impl Batches {
    /// The batches of a file with an index at its end, with all columns or some.
    pub(super) fn of_file(path: &Path, columns: Option<Vec<usize>>) -> Result<Self, ArrowError> {
        let mut bytes = Bytes::open(path)?;
        let end = bytes.len.checked_sub(END).ok_or_else(|| damaged("it has no end"))?;
        let last = bytes.read(end, END)?;
        let last = last.first_chunk().ok_or_else(|| damaged("it has no end"))?;
        let length = read_footer_length(*last)? as u64;
        let start = end.checked_sub(length).ok_or_else(|| damaged("its index is longer than it is"))?;
        let footer = bytes.read(start, length)?;
        let footer = root_as_footer(&footer).map_err(|cause| damaged(cause.to_string()))?;
        let schema = footer.schema().ok_or_else(|| damaged("its index has no schema"))?;
        let batches = footer.recordBatches().ok_or_else(|| damaged("its index has no batches"))?;
        let batches: Vec<Block> = batches.iter().copied().collect();
        let dictionaries: Vec<Block> = footer.dictionaries().iter().flatten().copied().collect();
        check_apart(batches.iter().chain(&dictionaries))?;
        let rest = Rest::Blocks(batches.into_iter());
        let mut file = Self::new(bytes, schema, columns, rest)?;
        for block in dictionaries {
            let message = file.bytes.message(&block)?;
            file.decoder.read_dictionary(&block, &message)?;
        }
        Ok(file)
    }

    /// The batches of a stream of messages, with all columns or some.
    pub(super) fn of_stream(path: &Path, columns: Option<Vec<usize>>) -> Result<Self, ArrowError> {
        let mut bytes = Bytes::open(path)?;
        let (block, head) = bytes.next(0)?.ok_or_else(|| damaged("it is empty"))?;
        let message = root_as_message(&head).map_err(|cause| damaged(cause.to_string()))?;
        let schema = message.header_as_schema().ok_or_else(|| damaged("it does not begin with a schema"))?;
        let rest = Rest::Stream { at: end(&block)? };
        Self::new(bytes, schema, columns, rest)
    }

    fn new(
        bytes: Bytes,
        schema: arrow_ipc::Schema<'_>,
        columns: Option<Vec<usize>>,
        rest: Rest,
    ) -> Result<Self, ArrowError> {
        if !schema.endianness().equals_to_target_endianness() {
            return Err(damaged("its numbers are in the other byte order"));
        }
        let schema = Arc::new(try_fb_to_schema(schema)?);
        // Each message is read by its own version; writers put another into the index. The oldest version stands for any.
        let decoder = FileDecoder::new(schema.clone(), MetadataVersion::V1);
        Ok(match columns {
            None => Self { bytes, decoder, schema, rest },
            Some(columns) => {
                let schema = Arc::new(schema.project(&columns)?);
                Self { bytes, decoder: decoder.with_projection(columns), schema, rest }
            }
        })
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            let block = match &mut self.rest {
                Rest::Blocks(blocks) => blocks.next(),
                Rest::Stream { at } => match self.bytes.next(*at)? {
                    None => None,
                    Some((block, head)) => {
                        *at = end(&block)?;
                        let message = root_as_message(&head).map_err(|cause| damaged(cause.to_string()))?;
                        if message.header_type() == MessageHeader::DictionaryBatch {
                            let message = self.bytes.message(&block)?;
                            self.decoder.read_dictionary(&block, &message)?;
                            continue;
                        }
                        Some(block)
                    }
                },
            };
            let Some(block) = block else { return Ok(None) };
            let message = self.bytes.message(&block)?;
            if let Some(batch) = self.decoder.read_record_batch(&block, &message)? {
                return Ok(Some(batch));
            }
        }
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// The bytes of a file.
struct Bytes {
    file: File,
    len: u64,
}

impl Bytes {
    fn open(path: &Path) -> Result<Self, ArrowError> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok(Self { file, len })
    }

    /// Reads `length` bytes at offset `at`.
    fn read(&mut self, at: u64, length: u64) -> Result<Vec<u8>, ArrowError> {
        if at.checked_add(length).is_none_or(|end| end > self.len) {
            return Err(damaged(format!("{length} bytes from byte {at} on lie beyond its end")));
        }
        let none = || ArrowError::MemoryError(format!("none for a message of {length} bytes"));
        let room = usize::try_from(length).map_err(|_| none())?;
        let mut bytes = memory::with_room(room, "a message is read whole").map_err(|_| none())?;
        self.file.seek(SeekFrom::Start(at))?;
        (&self.file).take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(damaged("it was cut off meanwhile")) }
    }

    /// Reads a whole message, and checks the places and lengths of its buffers.
    fn message(&mut self, block: &Block) -> Result<Buffer, ArrowError> {
        let (at, end) = (start(block)?, end(block)?);
        let bytes = self.read(at, end - at)?;
        let head = usize::try_from(block.metaDataLength()).ok();
        let (head, body) = head.and_then(|head| bytes.split_at_checked(head)).ok_or_else(lengths)?;
        let flatbuffer = if head.starts_with(&MARK) { head.get(8..) } else { head.get(4..) };
        claims::check(flatbuffer.ok_or_else(lengths)?, body)?;
        Ok(Buffer::from_vec(bytes))
    }

    /// Finds the stream's message that begins at byte `at`, and reads its flatbuffer; `None` at the end.
    fn next(&mut self, at: u64) -> Result<Option<(Block, Vec<u8>)>, ArrowError> {
        if at.saturating_add(4) > self.len {
            return Ok(None);
        }
        let is_marked = self.read(at, 4)? == MARK;
        let prefix = if is_marked { 8 } else { 4 };
        let length = self.read(at + prefix - 4, 4)?;
        let length = length.first_chunk().map_or(0, |length| i32::from_le_bytes(*length));
        if length == 0 {
            return Ok(None);
        }
        let length = u64::try_from(length).map_err(|_| lengths())?;
        let head = self.read(at + prefix, length)?;
        let message = root_as_message(&head).map_err(|cause| damaged(cause.to_string()))?;
        let offset = i64::try_from(at).map_err(|_| lengths())?;
        let length = i32::try_from(prefix + length).map_err(|_| lengths())?;
        let block = Block::new(offset, length, message.bodyLength());
        Ok(Some((block, head)))
    }
}

fn start(block: &Block) -> Result<u64, ArrowError> {
    u64::try_from(block.offset()).map_err(|_| lengths())
}

/// The offset after a message.
fn end(block: &Block) -> Result<u64, ArrowError> {
    let head = u64::try_from(block.metaDataLength()).ok();
    let body = u64::try_from(block.bodyLength()).ok();
    let end = head.zip(body).and_then(|(head, body)| start(block).ok()?.checked_add(head)?.checked_add(body));
    end.ok_or_else(lengths)
}

/// Refuses messages that overlap: a short index could name a long batch any number of times.
fn check_apart<'a>(blocks: impl Iterator<Item = &'a Block>) -> Result<(), ArrowError> {
    let mut places =
        blocks.map(|block| Ok((start(block)?, end(block)?))).collect::<Result<Vec<_>, ArrowError>>()?;
    places.sort_unstable();
    if places.windows(2).any(|pair| pair[1].0 < pair[0].1) {
        return Err(damaged("its index names the same bytes more than once"));
    }
    Ok(())
}

fn lengths() -> ArrowError {
    damaged("a message's lengths are none")
}

fn damaged(what: impl Into<String>) -> ArrowError {
    ArrowError::IpcError(what.into())
}
