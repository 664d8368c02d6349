//! Memory for as many items as the caller, the data or another rank says: an error if there is not enough.

use bytemuck::Zeroable;

use crate::Error;

/// Returns an empty array with room for `len` items.
pub(crate) fn room<T>(len: usize) -> Result<Vec<T>, Error> {
    let mut array = Vec::new();
    grow(&mut array, len).map(|()| array)
}

/// Makes room for `more` items behind those of an array.
pub(crate) fn grow<T>(array: &mut Vec<T>, more: usize) -> Result<(), Error> {
    array.try_reserve(more).map_err(|_| Error::TooManyResults { results: array.len().saturating_add(more) })
}

/// Returns `len` times `item`.
pub(crate) fn filled<T: Clone>(item: T, len: usize) -> Result<Vec<T>, Error> {
    let mut array = room(len)?;
    array.resize(len, item);
    Ok(array)
}

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

/// Returns a copy of some items.
pub(crate) fn copied<T: Copy>(items: &[T]) -> Result<Vec<T>, Error> {
    joined(&[items])
}

/// Returns copies of all items, array after array.
pub(crate) fn joined<T: Copy>(arrays: &[impl AsRef<[T]>]) -> Result<Vec<T>, Error> {
    let lens = arrays.iter().map(|array| array.as_ref().len());
    let mut all = room(lens.fold(0, usize::saturating_add))?;
    for array in arrays {
        all.extend_from_slice(array.as_ref());
    }
    Ok(all)
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
