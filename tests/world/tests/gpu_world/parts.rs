//! Rows cut between rows, and segments and chunks cut anywhere.

use std::fmt::Debug;

use test_kernels::{Ordered, Strided};
use warpfold::kernels::RowsKernel;
use warpfold::{ArgMin, Cpu, Op, chunks, rows, segments, tree};
use warpfold_tests::data::Family::{Ordinary, Special};
use warpfold_tests::{Bits, samples};

use super::cuts::{assert_all, bits, cuts, offsets};
use super::devices::{Whole, device};
use super::ranks::on_each;

#[test]
fn rows_cut_between_rows() {
    for [r, c] in [[0, 3], [5, 0], [1, 7], [300, 33], [5000, 3], [40, 9001]] {
        let x = samples::<f32>(Special, 5, (r * c) as u64);
        let expected = bits(&Cpu::new().reduce(ArgMin, rows(&x, [r, c])).unwrap());
        let whole = Whole::new(&x);
        for cut in cuts::<f32>(r) {
            let found = on_each(&cut, |world, part| {
                let shape = [part.len(), c];
                let part = part.start * c..part.end * c;
                // Every other rank's part is in host memory.
                match world.rank() % 2 {
                    0 => bits(&world.reduce(ArgMin, rows(whole.part(world, part), shape)).unwrap()),
                    _ => bits(&world.reduce(ArgMin, rows(&x[part], shape)).unwrap()),
                }
            });
            assert_all(&found, &expected, &format!("{r} x {c} in {cut:?}"));
        }
    }
}

fn segments_agree<O: RowsKernel<u32> + Op<u32, Out: Bits> + Debug>(op: O) {
    let tile = tree::tile_len::<u32>(0) as usize;
    for n in [0, 1, 1000, tile + 1, 60_000] {
        let x = samples::<u32>(Ordinary, 7, n as u64);
        let whole = Whole::new(&x);
        for offsets in [offsets(n, 1), offsets(n, 2), vec![0, n as u64], vec![n as u64], vec![]] {
            let expected = bits(&Cpu::new().reduce(op, segments(&x, &offsets)).unwrap());
            for cut in cuts::<u32>(n) {
                let found = on_each(&cut, |world, part| {
                    bits(&world.reduce(op, segments(whole.part(world, part), &offsets)).unwrap())
                });
                assert_all(&found, &expected, &format!("{op:?} of {offsets:?} in {cut:?}"));
            }
        }
    }
}

#[test]
fn segments_cut_anywhere() {
    segments_agree(Strided::default());
    segments_agree(Ordered::default());
    segments_agree(ArgMin);
}

#[test]
fn chunks_cut_anywhere() {
    let x = samples::<u32>(Ordinary, 7, 30_000);
    for len in [1, 7, 4096, 9000, 40_000] {
        let expected = bits(&Cpu::new().reduce(Strided::default(), chunks(&x, len)).unwrap());
        for cut in cuts::<u32>(x.len()) {
            let found = on_each(&cut, |world, part| {
                let x = device(world).upload(&x[part]).unwrap();
                bits(&world.reduce(Strided::default(), chunks(&x, len)).unwrap())
            });
            assert_all(&found, &expected, &format!("chunks of {len} in {cut:?}"));
        }
    }
}
