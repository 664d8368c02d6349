//! The kernels that sum up counts of elements. A sum may need more than 32 bits; no test has an array of that length.
#![allow(missing_docs)]

use cuda_std::emulator::{Launch, Order};
use cuda_std::memory::{Optional, Readable, Writable};
use gpu_kernels::arguments::{Sums, Totals};
use gpu_kernels::groups::shapes::SCAN_THREADS;
use gpu_kernels::word::entry;
use test_kernels::mix;
use warpfold_tests::poison;

fn launch(blocks: usize, kernel: impl Fn()) {
    let ran = Launch::new(blocks as u32, SCAN_THREADS).order(Order::Shuffled(3)).run(kernel);
    ran.unwrap_or_else(|misuse| panic!("{blocks} blocks: {misuse}"));
}

#[test]
fn sums_are_of_more_than_32_bits() {
    for (n, portion) in [(1_usize, 1), (257, 257), (2049, 1000), (10_000, 2048)] {
        let mut cells: Vec<u64> = (0..n as u64).map(|i| mix(i) >> 14).collect();
        let mut expected = vec![0];
        expected.extend(cells.iter().scan(0, |sum, &x| {
            *sum += x;
            Some(*sum)
        }));
        cells.push(u64::MAX);
        let (len, blocks) = (n as u64, n.div_ceil(portion));
        let mut totals = poison::<u64>(blocks + 1);
        let (portion, of_all) = (portion as u64, Writable::from(&mut totals[..]));
        let of_cells = Totals { input: cells[..].into(), len, portion, totals: of_all };
        let of_totals =
            Sums { cells: of_all, len: blocks as u64, portion: blocks as u64, before: Optional::none() };
        let of_all =
            Sums { cells: (&mut cells[..]).into(), len, portion, before: Readable::from(&totals[..]).into() };
        // SAFETY: there is one cell more than integers, and one total more than blocks; all live as long as the launches, and
        // the lengths are theirs.
        launch(blocks, || unsafe { entry::scan_totals(of_cells) });
        // SAFETY: as above.
        launch(1, || unsafe { entry::scan(of_totals) });
        // SAFETY: as above.
        launch(blocks, || unsafe { entry::scan(of_all) });
        assert!(cells == expected, "{n} by {portion}");
    }
}
