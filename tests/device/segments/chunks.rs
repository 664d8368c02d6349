//! Chunks of one length: the last one may be shorter, and is finished by its own length.

use gpu_kernels::Storable;
use warpfold::kernels::RowsKernel;
use warpfold::{Cpu, Element, Error, Mean, Min, Op, Sum, chunks};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::{Bits, Sample, cuda, samples, stored_bits};

use super::segments::bits;

#[test]
fn chunks_are_rows_and_what_is_left() {
    let x = samples::<f32>(Ordinary, 55, 10_007);
    let device = cuda().upload(&x).unwrap();
    for len in [1, 3, 100, 4096, 10_006, 10_007, 20_000] {
        let found = cuda().reduce(Min, chunks(&device, len)).unwrap().to_vec().unwrap();
        assert_eq!(found, Cpu::new().reduce(Min, chunks(&x, len)).unwrap(), "{len}");
    }
    assert!(matches!(cuda().reduce(Min, chunks(&device, 0)), Err(Error::ChunkLength)));
}

/// Chunks of `len`, with their results on the host and on the device, by every call, with the CPU's bits.
fn check_chunks<T, O>(x: &[T], len: usize)
where
    T: Element + Sample,
    O: RowsKernel<T> + Default + Op<T, Out: Bits + Storable<Stored: Bits>>,
{
    let (op, what) = (O::default(), format!("{} elements in chunks of {len}", x.len()));
    let outs = Cpu::new().reduce(op, chunks(x, len)).unwrap();
    let expected: Vec<String> = outs.iter().map(Bits::bits).collect();
    let stored: Vec<String> = outs.into_iter().map(stored_bits).collect();
    let (device, stream) = (cuda().upload(x).unwrap(), cuda().stream().unwrap());
    let mut written = cuda().results::<T, O>(expected.len()).unwrap();
    stream.reduce_into(op, chunks(&device, len), &mut written).unwrap();
    let waited = cuda().reduce(op, chunks(&device, len)).unwrap();
    let under_way = stream.reduce(op, chunks(&device, len)).unwrap();
    for found in [waited, under_way, written] {
        assert_eq!(bits(found.to_vec().unwrap()), expected, "{what}");
        assert_eq!(bits(found.finished().unwrap().to_vec().unwrap()), stored, "{what}, on the device");
    }
}

/// If the length does not divide the number of elements, the last chunk is finished by its own length.
#[test]
fn the_last_chunk_is_finished_by_its_own_length() {
    let x = samples::<f32>(Ordinary, 57, 100_003);
    for (n, len) in [(100_003, 1000), (100_000, 1000), (5, 7), (7, 7), (0, 3), (100_003, 40_000), (11, 1)] {
        check_chunks::<f32, Mean>(&x[..n], len);
        check_chunks::<f32, Sum>(&x[..n], len);
    }
    // Room for another number of results is an error.
    let (device, stream) = (cuda().upload(&x).unwrap(), cuda().stream().unwrap());
    let mut out = cuda().results::<f32, Mean>(100).unwrap();
    let refused = stream.reduce_into(Mean, chunks(&device, 1000), &mut out);
    assert!(matches!(refused, Err(Error::Results { results: 101, room: 100 })), "{refused:?}");
}
