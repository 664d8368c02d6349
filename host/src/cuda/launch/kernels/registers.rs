//! The number of registers that a kernel is compiled for: with some fewer than it needs, one more block is resident.

/// Pairs of a cap and its reach. The caps are the registers per thread that leave room for 4, 3 and 2 blocks of 256
/// threads on a multiprocessor. A kernel that needs up to the reach more than the cap is compiled again with it: what
/// it then keeps in memory, if anything, costs less than a block less (docs/tuning/registers.md).
const ROOMY: &[(u32, u32)] = &[(64, 8), (80, 20), (128, 32)];

/// The same for kernels whose warps fold rows alone, and so wait for memory more than others.
const ROOMY_FOR_ROWS: &[(u32, u32)] = &[(64, 16), (80, 20), (128, 32)];

/// The same for columns, for which a thread loads many rows at once. A cap of 128 is faster, although it keeps two words in
/// memory (docs/tuning/registers.md).
const ROOMY_FOR_COLUMNS: &[(u32, u32)] = &[(64, 8), (80, 20), (128, 48)];

/// The same for columns of few rows, each thread's own. With a lower cap more threads fit, but all columns except the
/// shortest take longer (docs/tuning/registers.md).
const ROOMY_FOR_FEW_ROWS: &[(u32, u32)] = &[(128, 48)];

/// The same for one block alone: there is room for 1024 threads. Pairs that need many more registers would be slower
/// with a cap (docs/tuning/registers.md).
const ROOMY_FOR_ONE: &[(u32, u32)] = &[(64, 8)];

/// The same for segments. A thread that folds a tile of a long one loads 16 vectors at once: 138 registers as it is, for f32
/// sums. A cap of 128 is the fastest (docs/tuning/registers.md).
const ROOMY_FOR_SEGMENTS: &[(u32, u32)] = &[(80, 20), (128, 32)];

/// The same for kernels that compact elements, whose blocks wait for the counts of the blocks before them: the more
/// blocks are resident, the less the waiting shows. The lowest cap is the fastest (docs/tuning/registers.md).
const ROOMY_FOR_SELECTION: &[(u32, u32)] = &[(32, 24), (80, 20), (128, 32)];

/// The same for passes of a sort by digits that move keys of up to 4 bytes alone, on blocks of 384 threads: room for three
/// (docs/tuning/registers.md).
const ROOMY_FOR_RADIX: &[(u32, u32)] = &[(56, 199)];

/// The same for passes that move keys of 8 bytes alone, and for counting digits, on blocks of 512 threads: room for two.
/// This is the best cap of 40 to 80 (docs/tuning/registers.md).
const ROOMY_FOR_WIDE_RADIX: &[(u32, u32)] = &[(64, 191)];

/// The same for passes that move pairs, on blocks of 384 threads: there is room for two. A cap of 56 keeps words in
/// memory and is slower (docs/tuning/registers.md).
const ROOMY_FOR_RADIX_PAIRS: &[(u32, u32)] = &[(80, 175)];

/// The same for kernels that sort otherwise, whose blocks wait for each other's lanes, for shared memory and at barriers: three
/// blocks hide that better than one or two. The best cap is 80 (docs/tuning/registers.md).
const ROOMY_FOR_SORTS: &[(u32, u32)] = &[(64, 8), (80, 80)];

/// The same for kernels in which a lane sorts a part in registers: four blocks of 256 threads, although words of up to 32 keys with their
/// places are kept in memory. The best cap of 64, 80 and 96 (docs/tuning/registers.md).
const ROOMY_FOR_LANE_SORTS: &[(u32, u32)] = &[(64, 191)];

/// The same for kernels that scan, on blocks of 128 threads: room for 9, 6 and 4 of them. 56 is the best cap of 40 to
/// 64 (docs/tuning/registers.md).
const ROOMY_FOR_SCANS: &[(u32, u32)] = &[(56, 24), (80, 20), (128, 32)];

/// The same for kernels that scan the tiles of long segments, on blocks of 128 threads that stay. 80 is a better cap
/// than 64 (docs/tuning/registers.md).
const ROOMY_FOR_LONG_SEGMENTS: &[(u32, u32)] = &[(80, 20), (128, 32)];

/// The same for kernels that scan the other segments by warps. 64 is a better cap than 56 (docs/tuning/registers.md).
const ROOMY_FOR_SHORT_SEGMENTS: &[(u32, u32)] = &[(64, 16), (80, 20), (128, 32)];

/// The same for the block that picks among selected elements: its 1024 threads leave room for no more registers.
const ROOMY_FOR_PICK: &[(u32, u32)] = &[(64, 191)];

/// The same for kernels that find the first elements of parts: four blocks of 256 threads hide that they wait for each other, although some
/// words are kept in memory. The best cap of 48, 56, 64 and 80 (docs/tuning/registers.md).
const ROOMY_FOR_FIRST: &[(u32, u32)] = &[(64, 191)];

/// The same for kernels that count in bins: two blocks of 512 threads, or one of 1024, which is not launched with more.
const ROOMY_FOR_HISTOGRAMS: &[(u32, u32)] = &[(64, 191)];

/// The same for rows of a forward pass, by the kernel's name (docs/tuning/registers.md): five blocks of 256 threads for softmax and for
/// rows that a block holds, four for rows that a warp holds, three for norms. Of softmax of long rows, and of norms by a warp or of long rows,
/// two; what does not fit is kept in memory.
const ROOMY_FOR_FORWARD: &[(&str, (u32, u32))] = &[
    ("_softmax_by_lanes", (48, 48)),
    ("_softmax_by_warp", (64, 64)),
    ("_softmax_by_tile", (48, 48)),
    ("_softmax_by_block", (96, 96)),
    ("_logarithms_by_warp", (64, 64)),
    ("_logarithms_by_tile", (48, 48)),
    ("_logarithms_by_block", (80, 16)),
    ("_norm_by_lanes", (80, 120)),
    ("_norm_by_warp", (128, 128)),
    ("_norm_by_tile", (80, 120)),
    ("_norm_by_block", (128, 128)),
];

/// Returns the cap with which a kernel that needs `needs` registers is compiled again, if there is one that pays.
pub(in crate::cuda::launch) fn cap(name: &str, needs: u32) -> Option<u32> {
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let roomy = if name.starts_with("forward_") {
        let roomy = ROOMY_FOR_FORWARD.iter().find(|(end, _)| name.ends_with(end));
        roomy.map_or(&[][..], |(_, roomy)| core::slice::from_ref(roomy))
    } else if name.contains("_rows_by_") {
        ROOMY_FOR_ROWS
    } else if name.contains("_first_") {
        ROOMY_FOR_FIRST
    } else if ends(&["_block"]) {
        ROOMY_FOR_ONE
    } else if name.contains("_columns_of_few") {
        ROOMY_FOR_FEW_ROWS
    } else if name.contains("_columns") {
        ROOMY_FOR_COLUMNS
    } else if ends(&["_scan"]) {
        ROOMY_FOR_SCANS
    } else if ends(&["_scan_segments"]) {
        ROOMY_FOR_LONG_SEGMENTS
    } else if ends(&["_scan_short_segments"]) {
        ROOMY_FOR_SHORT_SEGMENTS
    } else if ends(&["_segments"]) {
        ROOMY_FOR_SEGMENTS
    } else if ends(&["_compact", "_compact_by_flags", "_unique"]) {
        ROOMY_FOR_SELECTION
    } else if name == "radix_8_pass" || name.starts_with("radix_") && ends(&["_digits"]) {
        ROOMY_FOR_WIDE_RADIX
    } else if name.starts_with("radix_") && ends(&["_pass"]) {
        ROOMY_FOR_RADIX
    } else if name.starts_with("radix_") && ends(&["_pass_4", "_pass_8"]) {
        ROOMY_FOR_RADIX_PAIRS
    } else if name.starts_with("sort_") && ends(&["_lanes"]) {
        ROOMY_FOR_LANE_SORTS
    } else if name.starts_with("sort_") {
        ROOMY_FOR_SORTS
    } else if name == "select_pick" {
        ROOMY_FOR_PICK
    } else if name.starts_with("select_") && name.contains("_histogram") {
        ROOMY_FOR_HISTOGRAMS
    } else {
        ROOMY
    };
    roomy.iter().find(|&&(cap, worth)| cap < needs && needs <= cap + worth).map(|&(cap, _)| cap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_fits_is_left_as_it_is() {
        assert_eq!(cap("reduce_max_f32_grid", 65), Some(64));
        assert_eq!(cap("reduce_max_f32_grid", 64), None);
        // Too many more.
        assert_eq!(cap("reduce_max_f32_grid", 73), None);
        assert_eq!(cap("reduce_sum_f32_rows_by_warp", 80), Some(64));
        assert_eq!(
            (cap("reduce_max_f32_block", 70), cap("reduce_max_f32_rows_by_block", 70)),
            (Some(64), Some(64))
        );
        assert_eq!(cap("reduce_sum_f32_segments", 138), Some(128));
        assert_eq!(
            (cap("reduce_sum_f32_short_segments", 64), cap("reduce_max_f32_segments", 80)),
            (None, None)
        );
        assert_eq!((cap("reduce_sum_f32_columns", 168), cap("reduce_sum_f32_grid", 168)), (Some(128), None));
        assert_eq!(
            (cap("reduce_sum_f32_columns_of_few", 76), cap("reduce_sum_f32_columns_of_few_unaligned", 92)),
            (None, None)
        );
        assert_eq!(cap("integers_4_compact", 52), Some(32));
        assert_eq!((cap("sort_4_leaf", 140), cap("sort_4_lanes", 167)), (Some(80), Some(64)));
        assert_eq!((cap("radix_4_pass", 90), cap("radix_4_pass_8", 90)), (Some(56), Some(80)));
        assert_eq!((cap("radix_8_pass", 90), cap("radix_8_digits", 96)), (Some(64), Some(64)));
        assert_eq!(cap("reduce_sum_f32_scan", 72), Some(56));
        assert_eq!(cap("reduce_sum_f32_scan_segments", 96), Some(80));
        assert_eq!(cap("reduce_sum_f32_scan_short_segments", 77), Some(64));
        assert_eq!(
            (cap("select_4_histogram", 90), cap("select_8_histogram_halves", 128)),
            (Some(64), Some(64))
        );
        assert_eq!(
            (cap("forward_f32_norm_by_lanes", 84), cap("forward_f32_norm_by_block", 168)),
            (Some(80), Some(128))
        );
        assert_eq!(
            (cap("forward_f32_softmax_by_tile", 56), cap("forward_bf16_softmax_by_block", 168)),
            (Some(48), Some(96))
        );
        assert_eq!(
            (cap("forward_f32_logarithms_by_lanes", 76), cap("forward_bf16_logarithms_by_block", 128)),
            (None, None)
        );
        assert_eq!((cap("select_pick", 64), cap("select_pick", 255)), (None, Some(64)));
    }
}
