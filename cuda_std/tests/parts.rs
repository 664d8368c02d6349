//! Several places with one check: the right ones, and a report for each that does not exist.
#![cfg(feature = "emulator")]
#![expect(clippy::panic, reason = "a test may")]

use cuda_std::atomic::AtomicCells;
use cuda_std::emulator::{Launch, Misuse};
use cuda_std::global::GlobalCells;

cuda_std::shared_bytes! {
    /// Ten words.
    fn words: 40
}

/// Whether a kernel of one thread ends without a report; any other report than of an index fails the test.
fn is_within(kernel: impl Fn()) -> bool {
    match Launch::new(1, 1).run(kernel) {
        Ok(_) => true,
        Err(Misuse::OutOfBounds { .. }) => false,
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn parts_of_shared_memory() {
    for (start, len) in (0..12).flat_map(|start| (0..12).map(move |len| (start, len))) {
        let ran = is_within(|| {
            let all = words().array::<u32, 10>().slice();
            (0..10).for_each(|i| all.write(i, i as u32));
            let part = all.part(start, len);
            assert_eq!(part.len(), len);
            (0..len).for_each(|i| part.add(i, 100));
            for i in 0..10 {
                let is_of_part = (start..start + len).contains(&i);
                assert_eq!(all.read(i), i as u32 + if is_of_part { 100 } else { 0 });
            }
            // A part of a part; and nothing behind it, though the words are there.
            if len > 1 {
                assert_eq!(part.part(1, 1).read(0), start as u32 + 101);
            }
        });
        assert_eq!(ran, start + len <= 10, "{len} from {start} on");
    }
    assert!(!is_within(|| _ = words().array::<u32, 10>().slice().part(2, usize::MAX)));
    assert!(!is_within(|| words().array::<u32, 10>().slice().part(2, 3).write(3, 0)));
}

#[test]
fn scattered_values() {
    let mut cells = [0_u16; 9];
    let start = cells.as_mut_ptr();
    let scatter = |len: u64, indices: &[u64], values: &[u16]| {
        let launch = Launch::new(1, 1);
        // SAFETY: there are 9 cells, which live as long as the launch, and `len` is at most 9.
        let ran = launch.run(|| unsafe { GlobalCells::new(start, len) }.scatter(indices, values));
        ran.is_ok()
    };
    assert!(scatter(9, &[8, 0, 5], &[1, 2, 3]));
    assert!(scatter(9, &[], &[]) && scatter(0, &[], &[]));
    for wrong in [9, 10, 1 << 63, (1 << 63) - 1, u64::MAX, u64::MAX - 3] {
        assert!(!scatter(9, &[1, wrong, 2], &[7, 7, 7]), "{wrong}");
    }
    assert!(!scatter(0, &[0], &[7]));
    assert!(!scatter(9, &[1, 2], &[7]));
    assert_eq!(cells, [2, 0, 0, 0, 0, 3, 0, 0, 1]);
}

#[test]
fn cells_backwards() {
    let mut cells: [u32; 12] = core::array::from_fn(|i| i as u32);
    let start = cells.as_mut_ptr();
    for (last, step) in (0..14).flat_map(|last| (1..6).map(move |step| (last, step))) {
        let ran = is_within(|| {
            // SAFETY: there are 12 cells, which live as long as the launch.
            let loaded = unsafe { AtomicCells::new(start, 12) }.load_back::<3>(last, step);
            assert_eq!(loaded, [0, 1, 2].map(|i| last as u32 - i * step));
        });
        assert_eq!(ran, last < 12 && last >= 2 * u64::from(step), "{last}, {step}");
    }
}
