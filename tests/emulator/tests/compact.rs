//! A look-back of the kernels that compact, when all tiles before one have posted only their own counts: launches that the host
//! makes leave this to chance.
#![allow(missing_docs)]

use cuda_std::emulator::Launch;
use cuda_std::memory::{Optional, Writable};
use gpu_kernels::arguments::CompactByFlags;
use gpu_kernels::compact::shapes::{COMPACT_THREADS, STATES_HEAD, compact_tile, states_len};
use gpu_kernels::word::Sixteen;
use gpu_kernels::word::entry;
use test_kernels::mix;
use warpfold_tests::poison;

/// The look-back of a tile passes many tiles that have posted only their own counts, to one that has posted the
/// total.
#[test]
fn a_look_back_over_several_windows() {
    let tile = compact_tile(16);
    for knows_all in [0, 3, 31, 32, 39, 69] {
        let tiles = 70;
        let mut x = poison::<Sixteen>(tiles * tile + 9);
        for (byte, i) in bytemuck::cast_slice_mut::<Sixteen, u8>(&mut x).iter_mut().zip(0..) {
            *byte = mix(i) as u8;
        }
        let mut states = vec![0; states_len(tiles as u64 + 1) as usize];
        // As if 70 tiles had been taken, and tile i had posted that i + 1 elements are selected.
        states[0] = tiles as u64;
        for i in 0..tiles {
            let all = (0..=i as u64).map(|i| i + 1).sum::<u64>();
            let own = i as u64 + 1;
            states[STATES_HEAD as usize + i] = if i <= knows_all { all << 2 | 2 } else { own << 2 | 1 };
        }
        let flags = vec![1; x.len()];
        let (mut out, mut count) = (poison::<Sixteen>(x.len()), [0]);
        let arguments = CompactByFlags {
            input: x[..].into(),
            len: x.len() as u64,
            flags: flags[..].into(),
            out: Writable::from(&mut out[..]).into(),
            total: Optional::none(),
            count: (&mut count[..]).into(),
            states: (&mut states[..]).into(),
        };
        // SAFETY: all arrays live as long as the launch and have the lengths given.
        let ran =
            Launch::new(1, COMPACT_THREADS).run(|| unsafe { entry::move_16::compact_by_flags(arguments) });
        ran.unwrap_or_else(|misuse| panic!("{knows_all}: {misuse}"));
        let before = tiles * (tiles + 1) / 2;
        assert_eq!(count, [before as u64 + 9], "{knows_all}");
        assert!(out[before..before + 9] == x[tiles * tile..], "{knows_all}");
        assert_eq!(states[STATES_HEAD as usize + tiles], (before as u64 + 9) << 2 | 2);
    }
}
