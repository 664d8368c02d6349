//! Checks the claimed sizes of compressed buffers before memory is allocated.

use arrow_ipc::{CompressionType, RecordBatch, root_as_message};
use arrow_schema::ArrowError;

use crate::memory;

/// Bytes of the prefix of a compressed buffer, which has its uncompressed length.
const PREFIX: usize = 8;

/// The most bytes that one byte of LZ4 can encode: each byte extends a length by up to 255 (LZ4 Block Format
/// Description).
const LZ4: u64 = 255;

/// The most bytes that one byte of Zstandard can encode: a block of four bytes repeats one byte 128 KiB times
/// (RFC 8878, 3.1.1.2).
const ZSTD: u64 = (128 << 10) / 4;

/// Refuses a message if a buffer is outside its body, or if its claimed length is more than it can encode or
/// than there is memory for. `head` is the flatbuffer.
pub(super) fn check(head: &[u8], body: &[u8]) -> Result<(), ArrowError> {
    let message = root_as_message(head).map_err(|cause| ArrowError::ParseError(cause.to_string()))?;
    let batch = message.header_as_record_batch();
    let batch = batch.or_else(|| message.header_as_dictionary_batch().and_then(|batch| batch.data()));
    batch.map_or(Ok(()), |batch| check_batch(batch, body))
}

fn check_batch(batch: RecordBatch<'_>, body: &[u8]) -> Result<(), ArrowError> {
    let growth = match batch.compression().map(|compression| compression.codec()) {
        Some(CompressionType::LZ4_FRAME) => Some(LZ4),
        Some(CompressionType::ZSTD) => Some(ZSTD),
        _ => None,
    };
    for buffer in batch.buffers().iter().flatten() {
        let bytes = within(buffer.offset(), buffer.length(), body)
            .ok_or_else(|| ArrowError::IpcError("a buffer lies outside its batch".into()))?;
        if let (Some(growth), Some((prefix, data))) = (growth, bytes.split_first_chunk::<PREFIX>()) {
            check_claim(i64::from_le_bytes(*prefix), growth.saturating_mul(data.len() as u64))?;
        }
    }
    Ok(())
}

fn within(offset: i64, length: i64, body: &[u8]) -> Option<&[u8]> {
    let (offset, length) = (usize::try_from(offset).ok()?, usize::try_from(length).ok()?);
    body.get(offset..offset.checked_add(length)?)
}

/// Checks a claimed length; a negative one means that the buffer is not compressed.
fn check_claim(claim: i64, most: u64) -> Result<(), ArrowError> {
    let Ok(claim) = u64::try_from(claim) else { return Ok(()) };
    if claim > most {
        return Err(ArrowError::IpcError(format!(
            "a compressed buffer claims to grow to {claim} bytes, and can hold {most} at most"
        )));
    }
    // The reader does not try it.
    let room = usize::try_from(claim).ok().filter(|&claim| memory::is_there(claim));
    room.map(drop).ok_or_else(|| ArrowError::MemoryError(format!("none for a buffer of {claim} bytes")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_are_held_to_what_can_be() {
        assert!(check_claim(-1, 0).is_ok() && check_claim(0, 0).is_ok() && check_claim(255, 255).is_ok());
        assert!(check_claim(256, 255).is_err() && check_claim(i64::MAX, u64::MAX).is_err());
        assert_eq!(within(2, 3, &[0, 1, 2, 3, 4]), Some(&[2, 3, 4][..]));
        for (offset, length) in [(2, 4), (-1, 2), (2, -1), (i64::MAX, i64::MAX), (6, 0)] {
            assert_eq!(within(offset, length, &[0; 5]), None, "{offset} {length}");
        }
    }
}
