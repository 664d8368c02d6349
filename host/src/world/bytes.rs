//! Values as the bytes that ranks send to each other, in native byte order: all ranks have the same kind of processor.

use bytemuck::{CheckedBitPattern, NoUninit, Pod};

use super::exchange::garbled;
use crate::error::Error;
use crate::memory;

/// Returns the bytes of some values.
pub(super) fn of<T: NoUninit>(x: &[T]) -> &[u8] {
    bytemuck::cast_slice(x)
}

/// Decodes plain data that a rank sent.
pub(super) fn plain<A: Pod>(rank: usize, bytes: &[u8]) -> Result<Vec<A>, Error> {
    let mut values = memory::zeroed::<A>(bytes.len().checked_div(size_of::<A>()).unwrap_or(0))?;
    let to: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
    if to.len() != bytes.len() {
        return Err(garbled(rank));
    }
    to.copy_from_slice(bytes);
    Ok(values)
}

/// Decodes elements that a rank sent, and appends them.
pub(super) fn elements<T: CheckedBitPattern>(
    rank: usize,
    bytes: &[u8],
    to: &mut Vec<T>,
) -> Result<(), Error> {
    let each = bytes.chunks_exact(size_of::<T>().max(1));
    if !each.remainder().is_empty() {
        return Err(garbled(rank));
    }
    memory::reserve(to, each.len())?;
    for bytes in each {
        to.push(bytemuck::checked::try_pod_read_unaligned(bytes).map_err(|_| garbled(rank))?);
    }
    Ok(())
}
