//! The types of keys that devices compare to find runs.

use gpu_kernels::Element;

/// A key that devices compare bit by bit: an integer of any size, a `bool` or a `char`. Floats are excluded, because equal floats may
/// differ in bits, and equal bits may be unequal floats (-0.0 equals 0.0, and a NaN does not equal itself).
#[diagnostic::on_unimplemented(
    message = "keys of `{Self}` are not compared on a GPU",
    label = "on a GPU a key is an integer, a `bool` or a `char`",
    note = "make it one (`f32::to_bits` for floats that have no zeros of both signs and no NaN)",
    note = "or fold on the CPU, which takes every key that is `PartialEq`: `warpfold::Cpu::new().reduce(op, runs(&keys, &x))`"
)]
pub trait KeyType: Element {}

macro_rules! keys {
    ($($key:ty),*) => { $( impl KeyType for $key {} )* };
}
keys!(i8, u8, i16, u16, i32, u32, i64, u64, i128, u128, isize, usize, bool, char);
