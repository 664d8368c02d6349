//! Memory for as many items as the caller, the data or another rank says: an error if there is not enough.

use bytemuck::Zeroable;

use crate::error::Error;
pub(crate) use crate::memory::{copied, filled, joined, reserve as grow, with_room as room};

/// Returns `len` items, all zeros.
pub(crate) fn zeroed<T: Zeroable>(len: usize) -> Result<Vec<T>, Error> {
    bytemuck::try_zeroed_vec(len).map_err(|()| Error::TooManyResults { results: len })
}

/// Returns the first `len` of some items.
pub(crate) fn collected<T>(len: usize, items: impl IntoIterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut array = room(len)?;
    array.extend(items.into_iter().take(len));
    Ok(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_an_error_that_says_how_much() {
        let most = usize::MAX;
        let is_refused = |result: Result<Vec<u64>, Error>| matches!(result, Err(Error::TooManyResults { results }) if results == most);
        assert!(is_refused(room(most)) && is_refused(filled(1, most)) && is_refused(zeroed(most)));
        assert!(is_refused(collected(most, 0..)));
        let mut array = vec![1_u64];
        assert!(is_refused(grow(&mut array, most - 1).map(|()| Vec::new())) && array == [1]);
    }

    #[test]
    fn items_are_copied_in_order() {
        assert_eq!(joined(&[vec![1, 2], vec![], vec![3]]).unwrap(), [1, 2, 3]);
        assert_eq!(collected(2, [4, 5, 6]).unwrap(), copied(&[4, 5]).unwrap());
        assert_eq!((filled(7, 2).unwrap(), zeroed::<u8>(2).unwrap()), (vec![7, 7], vec![0, 0]));
    }
}
