//! Exclusive sums of integers.

use gpu_kernels::arguments::{Sums, Totals};
use gpu_kernels::groups::shapes::SCAN_THREADS;
use gpu_kernels::word::entry;
use test_kernels::mix;

use warpfold_tests::poison;

use super::kernels::{ORDERS, Shape, bytes};

impl Shape {
    /// Replaces each of `cells` by the sum of those before it; the last becomes the sum of all.
    pub(crate) fn scan(self, cells: &mut [u64]) {
        let (len, blocks) = ((cells.len() - 1) as u64, (cells.len() - 1).div_ceil(self.scan_portion));
        let (memory, cells) = (bytes(cells), cells.as_mut_ptr());
        if blocks == 1 {
            // SAFETY: there is one cell more than integers, and they live as long as the launch.
            return self.launch(1, SCAN_THREADS, &[memory], || unsafe {
                entry::scan(Sums { cells, len, portion: len, before: std::ptr::null() })
            });
        }
        let (portion, count) = (self.scan_portion as u64, blocks as u64);
        let mut totals = poison::<u64>(blocks + 1);
        let (of_totals, totals) = (bytes(&totals), totals.as_mut_ptr());
        // SAFETY: there is a total for each block; all live as long as the launches, and the lengths are theirs.
        self.launch(blocks, SCAN_THREADS, &[memory, of_totals], || unsafe {
            entry::scan_totals(Totals { input: cells, len, portion, totals });
        });
        // SAFETY: as above.
        self.launch(1, SCAN_THREADS, &[of_totals], || unsafe {
            entry::scan(Sums { cells: totals, len: count, portion: count, before: std::ptr::null() });
        });
        // SAFETY: as above.
        self.launch(blocks, SCAN_THREADS, &[memory, of_totals], || unsafe {
            entry::scan(Sums { cells, len, portion, before: totals });
        });
    }
}

/// Sums by one block and by many, of integers beyond 32 bits.
#[test]
fn sums_are_of_all_before() {
    for (i, n) in [1, 2, 32, 255, 256, 257, 2047, 2048, 2049, 10_000].into_iter().enumerate() {
        for scan_portion in [1 << 20, 1000, 2048] {
            let mut cells: Vec<u64> = (0..n as u64).map(|i| mix(i) >> 14).collect();
            let mut expected = vec![0];
            expected.extend(cells.iter().scan(0, |sum, &x| {
                *sum += x;
                Some(*sum)
            }));
            cells.push(u64::MAX);
            Shape { portion: 1, scan_portion, order: ORDERS[i % 4] }.scan(&mut cells);
            assert!(cells == expected, "{n} by {scan_portion}");
        }
    }
}
