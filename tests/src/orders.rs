//! Orders of elements for which sorts and selections by pivots or samples are slow.

use test_kernels::mix;

/// The element at an index, for a given length.
pub type Sequence = fn(u64, u64) -> u64;

/// Each order with its name.
pub const ORDERS: [(&str, Sequence); 8] = [
    ("sorted", |i, _| i),
    ("reversed", |i, n| n - i),
    ("equal", |_, _| 3),
    ("two values", |i, _| mix(i) % 2),
    ("organ pipe", |i, n| i.min(n - i)),
    ("two ramps", |i, n| if i.is_multiple_of(2) { i } else { n - i }),
    ("sorted but one", |i, n| if i == n - 1 { 0 } else { i }),
    // All but one are equal except in the last digit.
    ("one far away", |i, _| if i == 77 { 0 } else { (1 << 52) + i % 3 }),
];
