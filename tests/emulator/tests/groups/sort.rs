//! The launches of a partition, in order.

use bytemuck::Pod;
use gpu_kernels::arguments::{Histogram, Scatter};
use gpu_kernels::groups::shapes::{HISTOGRAM_THREADS, SCATTER_THREADS, passes, scatter_tile, states_len};
use gpu_kernels::word::entry::group_histogram;

use warpfold_tests::poison;

use super::kernels::{Moved, Shape, bytes};

impl Shape {
    /// Returns the elements in the order of their groups, the groups' offsets, and the first id without a
    /// group. Each launch moves at most `tiles` tiles.
    pub(crate) fn partition<I: Pod, W: Moved>(
        self,
        ids: &[I],
        x: &[W],
        groups: u64,
        tiles: usize,
    ) -> (Vec<W>, Vec<u64>, Option<u64>) {
        let len = x.len() as u64;
        let (passes, bits) = passes(groups);
        let id_out_bytes = if groups <= 1 << 16 { 2 } else { 4 };
        let mut first_bad = u64::MAX;
        let mut starts = vec![0u64; (passes << bits) as usize + 1];
        let (given, given_bytes) = (aligned(bytemuck::cast_slice(ids)), size_of::<I>() as u32);
        // Ids of 8 bytes are too long for a pass.
        let copy_bytes = if given_bytes == 8 { id_out_bytes } else { 0 };
        let mut copied = poison::<u64>((x.len() * copy_bytes as usize).div_ceil(8));
        let arguments = Histogram {
            ids: given.as_ptr().cast(),
            id_bytes: given_bytes,
            len,
            portion: self.portion as u64,
            passes,
            bits,
            groups,
            first_bad: &raw mut first_bad,
            copy: copied.as_mut_ptr().cast(),
            copy_bytes,
            out: starts.as_mut_ptr(),
        };
        let memory = [bytes(&given), bytes(&starts), bytes(std::slice::from_ref(&first_bad)), bytes(&copied)];
        let blocks = x.len().div_ceil(self.portion);
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        self.launch(blocks, HISTOGRAM_THREADS, &memory, || unsafe { group_histogram(arguments) });
        let (mut ids, mut id_bytes) =
            if copy_bytes == 0 { (given, given_bytes) } else { (copied, copy_bytes) };
        self.scan(&mut starts);
        assert_eq!(starts.last(), Some(&(len * u64::from(passes))));

        let mut sizes = vec![0u64; groups as usize + 1];
        let mut x = x.to_vec();
        for pass in 0..passes {
            let is_last = pass + 1 == passes;
            let mut sorted = poison::<W>(x.len());
            let mut ids_out = poison::<u64>((x.len() * id_out_bytes as usize).div_ceil(8));
            let of_pass = &starts[(pass << bits) as usize..][..1 << bits];
            let excess = u64::from(pass) * len;
            let mut at = of_pass.to_vec();
            let (out, ids_to) = (sorted.as_mut_ptr(), ids_out.as_mut_ptr().cast::<u8>());
            let out_bytes = if is_last { 0 } else { id_out_bytes };
            let counts = if is_last && passes > 1 { sizes.as_mut_ptr() } else { std::ptr::null_mut() };
            let step = tiles * scatter_tile(size_of::<W>()) as usize;
            for first in (0..x.len()).step_by(step) {
                let part = step.min(x.len() - first);
                let blocks = part.div_ceil(scatter_tile(size_of::<W>()) as usize);
                let (mut next, mut states) =
                    (poison::<u64>(at.len()), vec![0u32; states_len(blocks as u64, bits) as usize]);
                let is_end = first + part == x.len();
                // SAFETY: the array has as many elements.
                let (ids_from, elements) = unsafe {
                    (ids.as_ptr().cast::<u8>().add(first * id_bytes as usize), x.as_ptr().add(first))
                };
                let arguments = Scatter {
                    ids: ids_from,
                    id_bytes,
                    elements,
                    len: part as u64,
                    shift: pass * bits,
                    bits,
                    starts: at.as_ptr(),
                    excess,
                    next_starts: if is_end { std::ptr::null_mut() } else { next.as_mut_ptr() },
                    states: states.as_mut_ptr(),
                    ids_out: ids_to,
                    id_out_bytes: out_bytes,
                    out,
                    out_len: len,
                    sizes: counts,
                    groups,
                };
                let memory = [
                    bytes(&ids),
                    bytes(&at),
                    bytes(&next),
                    bytes(&states),
                    bytes(&x),
                    bytes(&sorted),
                    bytes(&ids_out),
                    bytes(&sizes),
                ];
                // SAFETY: all arrays live as long as the launch and have the lengths given.
                self.launch(blocks, SCATTER_THREADS, &memory, || unsafe { (W::KERNELS.scatter)(arguments) });
                at = next;
            }
            x = sorted;
            (ids, id_bytes) = (ids_out, id_out_bytes);
        }
        if passes == 1 {
            sizes.copy_from_slice(&starts[..=groups as usize]);
        } else {
            self.scan(&mut sizes);
        }
        (x, sizes, (first_bad != u64::MAX).then_some(first_bad))
    }
}

/// The same bytes, aligned to 8.
fn aligned(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0u64; bytes.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
    words
}
