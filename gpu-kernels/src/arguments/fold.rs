//! The arguments of the kernels that fold one input, finish accumulators and check float arithmetic.

use cuda_std::memory::{Atomic, Optional, Readable, Writable};

use crate::canary::Row;
use crate::op::{Element, Op};
use crate::stored::{Storable, StoredOf};

cuda_std::arguments! {
    /// Folds a few tiles in one block. `I` is the type of the input's [`Addresses`](crate::addresses::Addresses).
    pub struct Block<I: Copy, T: Element, O: Op<T>> {
        input: I,
        len: u64,
        base: u64,
        out: Writable<O::Acc>,
        tag: u32,
        op: O,
    }

    /// Folds tiles to partial results and, with a ticket, these to one. `I` is the type of the input's addresses.
    pub struct Grid<I: Copy, T: Element, O: Op<T>> {
        input: I,
        len: u64,
        base: u64,
        log2_tile: u32,
        partials: Writable<O::Acc>,
        ticket: Optional<Atomic<u32>>,
        out: Optional<Writable<O::Acc>>,
        tag: u32,
        op: O,
    }

    /// Folds partial results in portions.
    pub struct Partials<T: Element, O: Op<T>> {
        input: Writable<O::Acc>,
        count: u64,
        fan_in: u32,
        out: Writable<O::Acc>,
        tag: u32,
    }

    /// Turns accumulators into results.
    pub struct Finish<T: Element, O: Op<T, Out: Storable>> {
        accs: Readable<O::Acc>,
        count: u64,
        len: u64,
        offsets: Optional<Readable<u64>>,
        out: Writable<StoredOf<T, O>>,
    }

    /// Computes rows of results from rows of operands.
    pub struct Canary {
        input: Readable<Row>,
        len: u64,
        out: Writable<Row>,
    }
}
