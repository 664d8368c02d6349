//! Memory for many elements.

use std::mem::MaybeUninit;

/// Bytes from which on an array asks for large pages: two of them.
const LARGE: usize = 4 << 20;

/// An empty array with room for `len` elements; `None` if there is no memory for it.
pub(crate) fn with_room<T>(len: usize) -> Option<Vec<T>> {
    let mut array = Vec::new();
    array.try_reserve_exact(len).ok()?;
    ask_for_large_pages(array.spare_capacity_mut());
    Some(array)
}

/// Results that threads write, each in its place.
pub(crate) struct Unwritten<R> {
    results: Vec<R>,
    len: usize,
}

impl<R> Unwritten<R> {
    /// Room for `len` results; `None` if there is no memory for it.
    pub(crate) fn new(len: usize) -> Option<Self> {
        Some(Self { results: with_room(len)?, len })
    }

    /// The places.
    pub(crate) fn places(&mut self) -> &mut [MaybeUninit<R>] {
        &mut self.results.spare_capacity_mut()[..self.len]
    }

    /// The results.
    ///
    /// # Safety
    /// Every place was written.
    pub(crate) unsafe fn written(mut self) -> Vec<R> {
        // SAFETY: there is room for `len` (`new`), and each is written: the caller's promise.
        unsafe { self.results.set_len(self.len) };
        self.results
    }
}

/// A copy of an array.
pub(crate) fn copy<T: Copy>(x: &[T]) -> Vec<T> {
    let mut copy = with_room(x.len()).unwrap_or_default();
    copy.extend_from_slice(x);
    copy
}

/// Asks for pages of 2 MiB, where the system gives them to who asks: each page that is written for the first time is an
/// interrupt, and each that is not among the last ones another look into tables.
///
/// Linux, `madvise(2)`, `MADV_HUGEPAGE`. NumPy does the same.
/// [2-core Xeon (Sapphire Rapids), Linux 6.18, a copy of 64 MiB to a new array: 39 ms in pages of 4 KiB, 23 in large ones.]
fn ask_for_large_pages<T>(room: &mut [MaybeUninit<T>]) {
    #[cfg(target_os = "linux")]
    if size_of_val(room) >= LARGE {
        const PAGE: usize = 4096;
        let (start, end) = (room.as_mut_ptr().addr(), room.as_mut_ptr_range().end.addr());
        let (first, behind) = (start.next_multiple_of(PAGE), end - end % PAGE);
        // SAFETY: the pages lie within `room`, which is this array's alone; the advice changes no byte. A system without such
        // pages refuses, which changes nothing either.
        unsafe {
            libc::madvise(room.as_mut_ptr().with_addr(first).cast(), behind - first, libc::MADV_HUGEPAGE)
        };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (room, LARGE);
}
