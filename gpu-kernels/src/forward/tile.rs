//! Rows of a tile or a few: a block holds one in registers.

use core::marker::PhantomData;

use bytemuck::{Pod, Zeroable};
use cuda_std::global::GlobalCells;
use cuda_std::thread::anew;
use warpfold_exact::unrolled;

use super::FloatElement;
use super::access::{Access, Source};
use super::block::Block;
use super::row::{CellsOf, Results, Rows, Terms, greater, greatest, nothing, pairs, sum};
use crate::tree::{THREADS, lanes};

/// A row of at most `K` elements for each lane of the tree. A thread has the `K` vectors of its own lanes. If these are a tile, other groups
/// of 256 threads have the next ones.
pub(crate) struct TileRow<T: FloatElement, S: Source<T, V>, const V: usize, const K: usize> {
    block: Block,
    /// The index of the row, and of its first element.
    row: u64,
    begin: u64,
    len: u32,
    absent: T,
    loaded: [S::Loaded; K],
    kept: [[S::Element; V]; K],
    access: PhantomData<S>,
}

impl<T: FloatElement, S: Source<T, V>, const V: usize, const K: usize> TileRow<T, S, V, K> {
    /// Loads the row, which has at least one element.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn load(elements: S, (row, len): (u64, u64), absent: T) -> Self {
        let block = Block::new();
        let (begin, len) = (row * len, len as u32);
        // Where there is no element, the row's last vector is loaded again.
        let last = len.saturating_sub(V as u32);
        let own = Self::own(block.thread);
        let column = |i| own + (i * lanes::<T>()) as u32;
        let at = |i| {
            let column = u64::from(if column(i) < len { column(i) } else { last });
            [begin + column, column]
        };
        let loaded = elements.load(at, |i| len.saturating_sub(column(i)), absent);
        Self {
            block,
            row,
            begin,
            len,
            absent,
            loaded,
            kept: [[S::Element::zeroed(); V]; K],
            access: PhantomData,
        }
    }

    /// Returns the column of a thread's first vector.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn own(thread: u32) -> u32 {
        thread / THREADS as u32 * (K * lanes::<T>()) as u32 + thread % THREADS as u32 * V as u32
    }

    /// Returns the column of vector `i`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn column(&self, i: usize) -> u32 {
        Self::own(self.block.thread) + (i * lanes::<T>()) as u32
    }

    /// Returns how many elements there are from vector `i` on.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn present(&self, i: usize) -> u32 {
        self.len.saturating_sub(self.column(i))
    }

    /// Keeps elements, and sums their terms along the tree.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn along_tree<M: Terms<T::Carrier, S::Element>>(&mut self, terms: M) -> T::Carrier {
        let mut accs = [nothing(); V];
        unrolled!(i < K, up to 4 => {
            let present = self.present(i);
            if present > 0 {
                let elements = S::unpacked(self.loaded[i]);
                unrolled!(v < V, up to 8 => {
                    self.kept[i][v] = terms.kept(elements[v]);
                    let with = accs[v] + terms.term(self.kept[i][v]);
                    accs[v] = if !M::IS_MASKED || S::Access::has(v, present) { with } else { accs[v] };
                });
            }
        });
        self.block.fold(pairs(accs), nothing(), sum)
    }
}

impl<T: FloatElement, S: Source<T, V>, const V: usize, const K: usize> Rows<T, S, V, 1>
    for TileRow<T, S, V, K>
{
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn each<X: Pod>(&self, [value]: [X; 1], of: impl Fn(X) -> T::Carrier) -> [T::Carrier; 1] {
        [of(value)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn greatest(&mut self) -> [T::Carrier; 1]
    where
        S: Source<T, V, Element = T::Carrier>,
    {
        let mut value = self.absent.wide();
        unrolled!(i < K, up to 4 => { value = greatest(value, S::unpacked(self.loaded[i])) });
        [self.block.fold(value, self.absent.wide(), greater)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sums<M: Terms<T::Carrier, S::Element>>(&mut self, [terms]: [M; 1]) -> [T::Carrier; 1] {
        [self.along_tree(terms)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn keep<M: Terms<T::Carrier, S::Element>>(&mut self, [terms]: [M; 1]) -> [T::Carrier; 1] {
        [self.along_tree(terms)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write<M: Terms<T::Carrier, S::Element>, R: Results<T, S::Element, V>>(
        &mut self,
        out: CellsOf<T, S, V>,
        _terms: [M; 1],
        [results]: [R; 1],
    ) {
        // Kept from the loads on, addresses would take registers.
        self.block.thread = anew(self.block.thread);
        unrolled!(i < K, up to 4 => {
            let (column, present) = (u64::from(self.column(i)), self.present(i));
            if present > 0 {
                S::Access::store(out, self.begin + column, results.of(self.kept[i], column), present);
            }
        });
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write_one(&self, out: GlobalCells<T::Carrier>, [value]: [T::Carrier; 1]) {
        if self.block.thread == 0 {
            out.write(self.row, value);
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn numbers(&self) -> [u64; 1] {
        [self.row]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn len(&self) -> u64 {
        u64::from(self.len)
    }
}
