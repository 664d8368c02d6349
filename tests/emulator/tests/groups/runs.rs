//! Runs of equal keys: against the obvious loop.

use cuda_std::emulator::Order;
use gpu_kernels::arguments::{CountRuns, WriteRuns};
use gpu_kernels::groups::shapes::{SCAN_THREADS, run_items};
use gpu_kernels::word::Sixteen;
use test_kernels::mix;

use warpfold_tests::poison;

use super::kernels::{Moved, ORDERS, Shape, bytes};

impl Shape {
    /// The start of each run of equal keys, the end of the last, and the key of each.
    fn runs<W: Moved>(self, keys: &[W]) -> (Vec<u64>, Vec<W>) {
        let (len, blocks) = (keys.len() as u64, keys.len().div_ceil(self.portion));
        let portion = self.portion as u64;
        let mut counts = poison::<u64>(blocks + 1);
        let arguments = CountRuns { keys: keys.as_ptr(), len, portion, counts: counts.as_mut_ptr() };
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        self.launch(blocks, SCAN_THREADS, &[bytes(keys), bytes(&counts)], || unsafe {
            (W::KERNELS.count_runs)(arguments);
        });
        self.scan(&mut counts);
        let count = counts[blocks];
        let (mut offsets, mut of_runs) = (poison::<u64>(count as usize + 1), poison::<W>(count as usize));
        let arguments = WriteRuns {
            keys: keys.as_ptr(),
            len,
            portion,
            before: counts.as_ptr(),
            offsets: offsets.as_mut_ptr(),
            of_runs: of_runs.as_mut_ptr(),
            count,
        };
        let memory = [bytes(keys), bytes(&counts), bytes(&offsets), bytes(&of_runs)];
        // SAFETY: as above.
        self.launch(blocks, SCAN_THREADS, &memory, || unsafe { (W::KERNELS.write_runs)(arguments) });
        (offsets, of_runs)
    }
}

fn check_runs<W: Moved>(shape: Shape, keys: &[W]) {
    let mut offsets = vec![0];
    offsets.extend((1..keys.len()).filter(|&i| keys[i] != keys[i - 1]).map(|i| i as u64));
    let of_runs: Vec<W> = offsets.iter().map(|&at| keys[at as usize]).collect();
    offsets.push(keys.len() as u64);
    let found = shape.runs(keys);
    assert!(found.0 == offsets, "{shape:?}, {} keys: {:?} and not {offsets:?}", keys.len(), found.0);
    assert!(found.1 == of_runs, "{shape:?}, {} keys: {:?} and not {of_runs:?}", keys.len(), found.1);
}

#[test]
fn runs_are_those_of_the_obvious_loop() {
    let per_tile = SCAN_THREADS as usize * run_items(8);
    for (i, n) in [1, 2, 31, 32, 33, 257, per_tile - 1, per_tile, per_tile + 1, 3 * per_tile + 100]
        .into_iter()
        .enumerate()
    {
        for (j, longest) in [1u64, 3, 40, 1 << 40].into_iter().enumerate() {
            let portion = [n, per_tile, 2 * per_tile][(i + j) % 3];
            let shape = Shape { portion, scan_portion: [2, 4096][j % 2], order: ORDERS[(i + j) % 4] };
            let key = |i: u64| mix(i / longest) % if longest == 1 { 2 } else { 1000 };
            let keys: Vec<u64> = (0..n as u64).map(key).collect();
            match j {
                0 => check_runs(shape, &keys.iter().map(|&key| key as u8).collect::<Vec<_>>()),
                1 => check_runs(shape, &keys.iter().map(|&key| key as u32).collect::<Vec<_>>()),
                _ => check_runs(shape, &keys),
            }
        }
    }
}

/// Keys that differ in any one byte are different.
#[test]
fn every_byte_of_a_key_counts() {
    fn check_bytes<W: Moved>() {
        let mut keys = vec![W::zeroed(); 300];
        for (i, key) in keys.iter_mut().enumerate() {
            bytemuck::bytes_of_mut(key)[i / 3 % size_of::<W>()] = 1 + (i / 3 / size_of::<W>()) as u8;
        }
        let shape = Shape { portion: 2048, scan_portion: 4096, order: Order::Shuffled(9) };
        assert_eq!(shape.runs(&keys).1.len(), 100);
        check_runs(shape, &keys);
    }
    check_bytes::<u8>();
    check_bytes::<u16>();
    check_bytes::<u32>();
    check_bytes::<u64>();
    check_bytes::<Sixteen>();
}
