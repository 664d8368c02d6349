//! Rows of a tile or a few: a block holds one in registers.

use core::marker::PhantomData;

use bytemuck::Pod;
use cuda_std::global::{GlobalCells, Vector};
use cuda_std::thread::anew;
use warpfold_exact::unrolled;

use super::FloatElement;
use super::access::Access;
use super::block::Block;
use super::row::{Results, Rows, Terms, greater, greatest, nothing, pairs, sum};
use crate::ops::Real;
use crate::tree::{THREADS, lanes};

/// A row of at most `K` elements for each lane of the tree. A thread has the `K` vectors of its own lanes. If these are a tile, other groups
/// of 256 threads have the next ones.
pub(crate) struct TileRow<T: FloatElement, A: Access<T, V>, const V: usize, const K: usize> {
    block: Block,
    /// The index of the row, and of its first element.
    row: u64,
    begin: u64,
    len: u32,
    absent: T,
    loaded: [Vector<T, V>; K],
    kept: [[T::Carrier; V]; K],
    access: PhantomData<A>,
}

impl<T: FloatElement, A: Access<T, V>, const V: usize, const K: usize> TileRow<T, A, V, K> {
    /// Loads the row, which has at least one element.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(crate) fn load(elements: A, (row, len): (u64, u64), absent: T) -> Self {
        let block = Block::new();
        let (begin, len) = (row * len, len as u32);
        // Where there is no element, the row's last vector is loaded again.
        let last = len.saturating_sub(V as u32);
        let own = Self::own(block.thread);
        let column = |i| own + (i * lanes::<T>()) as u32;
        let first = |i| begin + u64::from(if column(i) < len { column(i) } else { last });
        let loaded = elements.load(first, |i| len.saturating_sub(column(i)), absent);
        Self {
            block,
            row,
            begin,
            len,
            absent,
            loaded,
            kept: [[T::Carrier::NOUGHT; V]; K],
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
    fn along_tree<M: Terms<T::Carrier>>(&mut self, centre: T::Carrier) -> T::Carrier {
        let mut accs = [nothing(); V];
        unrolled!(i < K, up to 4 => {
            let present = self.present(i);
            if present > 0 {
                let elements = self.loaded[i].elements();
                unrolled!(v < V, up to 8 => {
                    self.kept[i][v] = M::kept(centre, elements[v].wide());
                    let with = accs[v] + M::term(self.kept[i][v]);
                    accs[v] = if !M::IS_MASKED || A::has(v, present) { with } else { accs[v] };
                });
            }
        });
        self.block.fold(pairs(accs), nothing(), sum)
    }
}

impl<T: FloatElement, A: Access<T, V>, const V: usize, const K: usize> Rows<T, A, V, 1>
    for TileRow<T, A, V, K>
{
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn each<X: Pod>(&self, [value]: [X; 1], of: impl Fn(X) -> T::Carrier) -> [T::Carrier; 1] {
        [of(value)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn greatest(&mut self) -> [T::Carrier; 1] {
        let mut value = self.absent.wide();
        unrolled!(i < K, up to 4 => { value = greatest(value, self.loaded[i]) });
        [self.block.fold(value, self.absent.wide(), greater)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn sums<M: Terms<T::Carrier>>(&mut self) -> [T::Carrier; 1] {
        [self.along_tree::<M>(T::Carrier::NOUGHT)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn keep<M: Terms<T::Carrier>>(&mut self, [centre]: [T::Carrier; 1]) -> [T::Carrier; 1] {
        [self.along_tree::<M>(centre)]
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn write<M: Terms<T::Carrier>, R: Results<T, V>>(
        &mut self,
        out: A::Cells,
        _centres: [T::Carrier; 1],
        [results]: [R; 1],
    ) {
        // Kept from the loads on, addresses would take registers.
        self.block.thread = anew(self.block.thread);
        unrolled!(i < K, up to 4 => {
            let (column, present) = (u64::from(self.column(i)), self.present(i));
            if present > 0 {
                A::store(out, self.begin + column, results.of(self.kept[i], column), present);
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
    fn len(&self) -> u64 {
        u64::from(self.len)
    }
}
