//! What a kernel does with rows, however its threads share them.

use cuda_std::global::GlobalSlice;
use cuda_std::memory::{Optional, Readable, Writable};

use super::FloatElement;
use super::access::{Access, Source};
use super::row::Rows;
use super::shapes::LanesShape;

/// A verb, whose arguments these are. All ways of sharing rows run it: see [`raw`](super::entry::raw).
pub trait Verb<T: FloatElement, const V: usize>: Copy {
    /// What rows are computed of, if arrays are read as `A` reads them.
    type Source<A: Access<T, V>>: Source<T, V, Access = A>;

    /// Results, and what else a row needs.
    type With<A: Access<T, V>>: Copy;

    /// Returns the number of rows, and of the elements of each.
    fn extent(&self) -> [u64; 2];

    /// Returns the shape for rows that lanes of a warp hold.
    fn shape(&self) -> LanesShape;

    /// Returns what stands for an absent element.
    fn absent() -> T;

    /// Returns the arrays, if they can be read as `A` reads them.
    ///
    /// # Safety
    /// Arrays that are there have the lengths that [`arguments`](crate::arguments) tell, and those that a verb needs are there. Nothing else
    /// writes them during the launch.
    unsafe fn open<A: Access<T, V>>(self) -> Option<(Self::Source<A>, Self::With<A>)>;

    /// Computes rows and writes their results.
    fn run<A: Access<T, V>, R: Rows<T, Self::Source<A>, V, N>, const N: usize>(rows: R, with: Self::With<A>);
}

/// The methods of a verb whose arguments have the number of rows, and their length and shape.
macro_rules! of_rows {
    () => {
        #[cfg_attr(target_arch = "nvptx64", inline(always))]
        fn extent(&self) -> [u64; 2] {
            [self.rows, self.len]
        }

        #[cfg_attr(target_arch = "nvptx64", inline(always))]
        fn shape(&self) -> $crate::forward::shapes::LanesShape {
            $crate::forward::shapes::LanesShape { log2_lanes: self.log2_lanes, log2_pieces: self.log2_pieces }
        }
    };
}
pub(super) use of_rows;

/// Returns the elements of a verb's rows.
///
/// # Safety
/// `all` has as many elements as the rows, which nothing writes during the launch.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn elements<T: FloatElement, A: Access<T, V>, const V: usize>(
    verb: &impl Verb<T, V>,
    all: Readable<T>,
) -> Option<A> {
    let [rows, len] = verb.extent();
    // SAFETY: by this function's contract.
    A::elements(unsafe { all.slice(rows * len) }, len)
}

/// Returns the elements of a verb's rows, and the cells of a result for each.
///
/// # Safety
/// As for [`elements`], and `out` has room for as many results. Each is written by the thread that holds its element, and nothing else uses
/// them during the launch.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn matrices<T: FloatElement, A: Access<T, V>, const V: usize>(
    verb: &impl Verb<T, V>,
    input: Readable<T>,
    out: Writable<T>,
) -> Option<(A, A::Cells)> {
    let [rows, len] = verb.extent();
    // SAFETY: by this function's contract.
    unsafe { Some((elements(verb, input)?, A::cells(out.cells(rows * len))?)) }
}

/// Returns the parameters of the columns, if there are any; `None` if they cannot be read as `A` reads them.
///
/// # Safety
/// `all` has an element for each column, if it is there, which nothing writes during the launch.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub(super) unsafe fn of_columns<T: FloatElement, A: Access<T, V>, const V: usize>(
    verb: &impl Verb<T, V>,
    all: Optional<Readable<T>>,
) -> Option<Option<A>> {
    let [_, len] = verb.extent();
    match all.get() {
        // SAFETY: by this function's contract.
        Some(all) => Some(Some(A::elements(unsafe { all.slice(len) }, len)?)),
        None => Some(None),
    }
}

/// A label for each row: integers of 4 or 8 bytes.
#[derive(Clone, Copy)]
pub struct Labels {
    words: GlobalSlice<u32>,
    are_wide: bool,
    are_signed: bool,
}

impl Labels {
    /// `kind` is 1 for integers of 8 bytes, plus 2 for signed ones.
    ///
    /// # Safety
    /// There is an integer for each row, which nothing writes during the launch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) unsafe fn new(words: Readable<u32>, kind: u32, rows: u64) -> Self {
        let are_wide = kind & 1 != 0;
        // SAFETY: by this function's contract; one of 8 bytes is two words.
        let words = unsafe { words.slice(rows << u32::from(are_wide)) };
        Self { words, are_wide, are_signed: kind & 2 != 0 }
    }

    /// Returns the label of a row. A negative one is a great number.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn of(self, row: u64) -> u64 {
        if self.are_wide {
            let low = self.words.read_or_last(2 * row);
            return u64::from(self.words.read_or_last(2 * row + 1)) << 32 | u64::from(low);
        }
        let word = self.words.read_or_last(row);
        if self.are_signed { i64::from(word.cast_signed()).cast_unsigned() } else { u64::from(word) }
    }
}
