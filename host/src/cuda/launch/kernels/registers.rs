//! The number of registers that a kernel is compiled for: with some fewer than it needs, one more block is resident.

/// Pairs of a cap and its reach. The caps are the registers per thread that leave room for 4, 3 and 2 blocks of 256
/// threads on a multiprocessor. A kernel that needs up to the reach more than the cap is compiled again with it: what
/// it then keeps in memory, if anything, costs less than a block less.
///
/// [H200, graph replay, as they are and capped: f32 Max (65) 2^26 66.6, 63.2 us; f64 Max (68) 2^25 68.0, 63.8 us; i32
/// Product (72) 2^26 66.6, 64.4 us; f32 ArgMin (83) 2^28 273, 244 us; but f32 ArgMax (80, to 72 and 64) 2^26 69.1,
/// 73.6, 75.4 us. Stream launches, 2^30 bytes: f16 ArgMax (100) 334.6, 297.0 us; f32 Dot (130) 346.2, 253.9 us; f32
/// AccurateDot (137 to 160) 376.3, 296.7 us; but i64 ArgMax (80, to 64) 247.9, 250.9 us, f64 Dot (124, to 80) 254.4,
/// 292.5 us, f32 Variance (116, to 80) 281.0, 337.7 us.]
const ROOMY: &[(u32, u32)] = &[(64, 8), (80, 20), (128, 32)];

/// The same for kernels whose warps fold rows alone, and so wait for memory more than others.
const ROOMY_FOR_ROWS: &[(u32, u32)] = &[(64, 16), (80, 20), (128, 32)];

/// The same for columns, for which a thread loads many rows at once.
///
/// [One H200, f32 Sum, 2^20 x 256 (155 registers) capped to 128, which keeps two words in memory, 4399 GB/s, as it is 3842; 2^20 x 255
/// (163) 3913, 2761.]
const ROOMY_FOR_COLUMNS: &[(u32, u32)] = &[(64, 8), (80, 20), (128, 48)];

/// The same for columns of few rows, each thread's own. More threads than fit as it is slow down all but the fewest rows.
///
/// [One H100, f32 Sum, aligned, 76 registers as it is, capped to 72 and to 64: 3 x 80,000,000 484, 465, 454 us; 4 x 2^26 470, 449,
/// 443; 32 x 2^23 376, 388, 397; 128 x 2^21 358, 368, 385. Not aligned, 92 registers as it is, capped to 88 and to 80: 1000 x 262,143
/// 393, 547, 551; 3 x 80,000,001 600, 619, 636; 8 x 33,554,431 416, 420, 430.]
const ROOMY_FOR_FEW_ROWS: &[(u32, u32)] = &[(128, 48)];

/// The same for one block alone: room for 1024 threads.
///
/// [H100, graph replay, 64 KiB, as they are, with 512 threads, and capped to 64, with 1024: i32 Max (68) 1.77, 1.61 us; f32 Max (70)
/// 1.93, 1.79; but f32 ArgMax (82) 2.10, 2.57, and 16 KiB of f64 ArgMax (76) 1.53, 1.67.]
const ROOMY_FOR_ONE: &[(u32, u32)] = &[(64, 8)];

/// The same for segments. A thread that folds a tile of a long one loads 16 vectors at once: 138 registers as it is, for f32 sums.
///
/// [f32 Sum, segments of 0 to 8192, one H100 and one H200, as it is 405, 331 us; capped to 128 384, 268; to 96, which keeps 30 words
/// in memory, 515, 479. The kernel of short segments, 64 registers, 2^24 of 3: 354, 342 us; capped to 48 370, 346.]
const ROOMY_FOR_SEGMENTS: &[(u32, u32)] = &[(80, 20), (128, 32)];

/// The same for kernels that compact elements, whose blocks wait for the counts of the blocks before them: the more
/// blocks are resident, the less the waiting shows.
///
/// [H200, integers of 4 bytes (52 registers), 2^28 u32, 1, 50 and 99 % selected: 599, 735, 866 us as they are; capped
/// to 48 516, 643, 808; to 40 474, 597, 760; to 32, which keeps three words in memory, 428, 560, 737. CUB's
/// DeviceSelect in the same run 491, 608, 761.]
const ROOMY_FOR_SELECTION: &[(u32, u32)] = &[(32, 24), (80, 20), (128, 32)];

/// The same for passes of a sort by digits that move keys of up to 4 bytes alone, on blocks of 384 threads: room for three.
///
/// [H100, a pass of 2^26 u32: 279 us; 22 keys of each thread instead of 24, capped to 80, 308, to 56, 284. Any that keeps ten
/// words in memory takes half as long again.]
const ROOMY_FOR_RADIX: &[(u32, u32)] = &[(56, 199)];

/// The same for passes that move keys of 8 bytes alone, and for counting digits, on blocks of 512 threads: room for two.
///
/// [H100, digits of 2^26 u64, capped to 40 450 us, to 48 278, to 64 235, to 80 262.]
const ROOMY_FOR_WIDE_RADIX: &[(u32, u32)] = &[(64, 191)];

/// The same for passes that move pairs, on blocks of 384 threads: room for two.
///
/// [H100, 2^26 pairs of u32, 18 keys of each thread, as they are and capped to 64 590, 589 us; to 56, which keeps eight words in
/// memory, 705.]
const ROOMY_FOR_RADIX_PAIRS: &[(u32, u32)] = &[(80, 175)];

/// The same for kernels that sort otherwise, whose blocks wait for each other's lanes, for shared memory and at barriers: three
/// blocks hide that better than one or two.
///
/// [H200, 2^26 random u32, as they are, `leaf` (140) 1439 us, `scatter` (115) 466 us; to 96: 949 and 470 us; to 80: 917
/// and 428 us.]
const ROOMY_FOR_SORTS: &[(u32, u32)] = &[(64, 8), (80, 80)];

/// The same for kernels that scan, on blocks of 128 threads: room for 9, 6 and 4 of them.
///
/// [One H200, 2^28 f32, 80 registers as it is: 734 us; capped to 64 659, to 56 648, to 48, which keeps ten words in
/// memory, 661, to 40 785. CUB in another run 717.]
const ROOMY_FOR_SCANS: &[(u32, u32)] = &[(56, 24), (80, 20), (128, 32)];

/// The same for kernels that scan the tiles of long segments, on blocks of 128 threads that stay.
///
/// [One H200, 2^28 f32, 2^16 segments of 0 to 8192, and one of 2^28 beside 2^20 of 3, 96 registers as it is: 739, 825
/// us; capped to 80 685, 729, to 64, which keeps 22 words in memory, 746, 806.]
const ROOMY_FOR_LONG_SEGMENTS: &[(u32, u32)] = &[(80, 20), (128, 32)];

/// The same for kernels that scan the other segments by warps.
///
/// [One H200, f32, 2^24 segments of 3, 2^22 of 0 to 128, 2^16 of 0 to 8192, a power law, 77 registers as it is: 346,
/// 720, 210, 506 us; capped to 64, which keeps six words in memory, 342, 697, 208, 494; to 56 359, 739, 211, 514.]
const ROOMY_FOR_SHORT_SEGMENTS: &[(u32, u32)] = &[(64, 16), (80, 20), (128, 32)];

/// The same for the block that picks among selected elements: its 1024 threads leave room for no more registers.
const ROOMY_FOR_PICK: &[(u32, u32)] = &[(64, 191)];

/// The same for kernels that count in bins: two blocks of 512 threads, or one of 1024, which is not launched with more.
const ROOMY_FOR_HISTOGRAMS: &[(u32, u32)] = &[(64, 191)];

/// Returns the registers per thread to compile a kernel again for, if it needs `needs` of them uncapped and the cap is
/// worth it.
pub(in crate::cuda::launch) fn cap(name: &str, needs: u32) -> Option<u32> {
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let roomy = if name.contains("_rows_by_") {
        ROOMY_FOR_ROWS
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
        assert_eq!(cap("sort_4_leaf", 140), Some(80));
        assert_eq!((cap("radix_4_pass", 90), cap("radix_4_pass_8", 90)), (Some(56), Some(80)));
        assert_eq!((cap("radix_8_pass", 90), cap("radix_8_digits", 96)), (Some(64), Some(64)));
        assert_eq!(cap("reduce_sum_f32_scan", 72), Some(56));
        assert_eq!(cap("reduce_sum_f32_scan_segments", 96), Some(80));
        assert_eq!(cap("reduce_sum_f32_scan_short_segments", 77), Some(64));
        assert_eq!(
            (cap("select_4_histogram", 90), cap("select_8_histogram_halves", 128)),
            (Some(64), Some(64))
        );
        assert_eq!((cap("select_pick", 64), cap("select_pick", 255)), (None, Some(64)));
    }
}
