//! Arrays whose length the data or the caller chooses. Their memory is requested, and a lack of it is an error; the standard library's
//! own functions would end the process. Clippy refuses those in this crate (`clippy.toml`).
#![expect(clippy::disallowed_methods, reason = "here they follow a reservation")]

use std::mem::MaybeUninit;

use bytemuck::Zeroable;

use crate::error::Error;

/// Least bytes of an array that requests large pages: two of them.
const LARGE: usize = 4 << 20;

/// Returns an empty array with room for `len` elements.
///
/// # Errors
/// [`Error::TooManyResults`] if there is not enough memory, as all functions here.
pub(crate) fn with_room<T>(len: usize) -> Result<Vec<T>, Error> {
    let mut array = Vec::new();
    array.try_reserve_exact(len).map_err(|_| Error::TooManyResults { results: len })?;
    ask_for_large_pages(array.spare_capacity_mut());
    Ok(array)
}

/// Makes room for `more` elements, and for as many as there are, so that an array that grows is seldom moved.
#[inline]
pub(crate) fn reserve<T>(array: &mut Vec<T>, more: usize) -> Result<(), Error> {
    array.try_reserve(more).map_err(|_| Error::TooManyResults { results: array.len().saturating_add(more) })
}

/// Returns an array of `len` equal elements.
pub(crate) fn filled<T: Clone>(element: T, len: usize) -> Result<Vec<T>, Error> {
    let mut array = with_room(len)?;
    array.resize(len, element);
    Ok(array)
}

/// Sets the length of an array. New elements are equal to `element`.
#[inline]
pub(crate) fn resize<T: Clone>(array: &mut Vec<T>, len: usize, element: T) -> Result<(), Error> {
    reserve(array, len.saturating_sub(array.len()))?;
    array.resize(len, element);
    Ok(())
}

/// Returns a copy of a slice.
pub(crate) fn copied<T: Clone>(x: &[T]) -> Result<Vec<T>, Error> {
    let mut array = with_room(x.len())?;
    array.extend_from_slice(x);
    Ok(array)
}

/// Appends a copy of a slice.
#[inline]
pub(crate) fn append<T: Clone>(array: &mut Vec<T>, x: &[T]) -> Result<(), Error> {
    reserve(array, x.len())?;
    array.extend_from_slice(x);
    Ok(())
}

/// Returns the elements of several arrays in one.
pub(crate) fn joined<T: Clone>(arrays: &[impl AsRef<[T]>]) -> Result<Vec<T>, Error> {
    let mut all = with_room(arrays.iter().map(|array| array.as_ref().len()).sum())?;
    arrays.iter().for_each(|array| all.extend_from_slice(array.as_ref()));
    Ok(all)
}

/// Appends an element.
#[inline]
pub(crate) fn push<T>(array: &mut Vec<T>, element: T) -> Result<(), Error> {
    reserve(array, 1)?;
    array.push(element);
    Ok(())
}

/// Returns `len` elements, all zeros.
pub(crate) fn zeroed<T: Zeroable>(len: usize) -> Result<Vec<T>, Error> {
    bytemuck::try_zeroed_vec(len).map_err(|()| Error::TooManyResults { results: len })
}

/// Returns the elements of an iterator.
pub(crate) fn collected<T>(elements: impl IntoIterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut elements = elements.into_iter();
    let known = elements.size_hint().0;
    let mut array = with_room(known)?;
    array.extend(elements.by_ref().take(known));
    for element in elements {
        push(&mut array, element)?;
    }
    Ok(array)
}

/// Requests pages of 2 MiB where the system gives them on request. The first write to a page is an interrupt, and an
/// access to a page that was not used lately costs a search of the page tables; large pages make both rarer.
///
/// Linux, `madvise(2)`, `MADV_HUGEPAGE`. NumPy does the same. A copy to a new array takes little more than half the
/// time (docs/tuning/cpu.md).
fn ask_for_large_pages<T>(room: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    if size_of_val(room) >= LARGE {
        const PAGE: usize = 4096;
        let (start, end) = (room.as_mut_ptr().addr(), room.as_mut_ptr_range().end.addr());
        let (first, behind) = (start.next_multiple_of(PAGE), end - end % PAGE);
        // SAFETY: the pages lie within `room`, which only this array uses; the advice changes no byte. A system without
        // such pages refuses the advice, which also changes nothing.
        unsafe {
            libc::madvise(room.as_mut_ptr().with_addr(first).cast(), behind - first, libc::MADV_HUGEPAGE)
        };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (room, LARGE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_returns_the_array_or_an_error() {
        assert_eq!((filled(7, 3).unwrap(), zeroed::<u8>(2).unwrap()), (vec![7; 3], vec![0; 2]));
        assert_eq!(copied(&[1, 2]).unwrap(), [1, 2]);
        assert_eq!(joined(&[vec![1, 2], vec![], vec![3]]).unwrap(), [1, 2, 3]);
        assert_eq!(collected([4, 5, 6].into_iter().take(2)).unwrap(), [4, 5]);
        assert_eq!(collected((0..9).filter(|i| i % 2 == 0)).unwrap(), [0, 2, 4, 6, 8]);
        let mut array = Vec::new();
        append(&mut array, &[1, 2, 3]).unwrap();
        push(&mut array, 4).unwrap();
        resize(&mut array, 2, 0).unwrap();
        resize(&mut array, 4, 9).unwrap();
        assert_eq!(array, [1, 2, 9, 9]);
        let all = isize::MAX as usize;
        assert!(matches!(with_room::<u8>(all), Err(Error::TooManyResults { results }) if results == all));
        assert!(
            matches!(reserve(&mut array, all), Err(Error::TooManyResults { results }) if results == all + 4)
        );
        assert!(
            filled(0_u8, all).is_err()
                && zeroed::<u64>(all).is_err()
                && resize(&mut array, all, 0).is_err()
                && array == [1, 2, 9, 9]
        );
        assert!(copied(&[(); usize::MAX]).is_ok(), "nothing takes no memory");
        assert!(collected(std::iter::repeat_n(0_u8, all)).is_err());
    }
}
