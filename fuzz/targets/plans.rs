//! Plans of any numbers: refused, or fit for a device.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use warpfold::{Numbers, plans_hold};

#[derive(Arbitrary, Debug)]
struct Input {
    /// A length, a count and a number of matrices, each shifted right by so many bits, so that small ones are as likely.
    sizes: [(u64, u8); 3],
    are_vectors: bool,
    multiprocessors: Small,
    resident: u8,
    kind: u8,
    parts: Small,
    threads: Small,
    blocks: Small,
}

/// A number of which most that are allowed are small, or powers of two.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Small {
    Any(u32),
    Byte(u8),
    Power(u8),
}

fuzz_target!(|input: Input| {
    let [len, count, batches] = input.sizes.map(|(size, shift)| size >> (shift % 64));
    let small = |small| match small {
        Small::Any(number) => number,
        Small::Byte(number) => number.into(),
        Small::Power(log2) => 1 << (log2 % 32),
    };
    plans_hold(Numbers {
        len,
        count,
        batches,
        are_vectors: input.are_vectors,
        multiprocessors: small(input.multiprocessors),
        resident: input.resident,
        kind: input.kind,
        parts: small(input.parts),
        threads: small(input.threads),
        blocks: small(input.blocks),
    });
});
