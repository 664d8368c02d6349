//! The fuzz target `c`: a call with any arguments is refused, or gives the reference's results, and writes no other byte. See
//! CONTRIBUTING.md.
//!
//! Each array has its own block of memory, exactly as long as the call may read or write. The address sanitizer watches
//! the block's ends.

mod expected;

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use arbitrary::Arbitrary;

use self::expected::{Expected, Results};
use super::groups::warpfold_groups_host;
use super::reduce::warpfold_reduce_host;
use super::rows::warpfold_rows_host;
use super::scan::warpfold_scan_host;
use super::sort::{warpfold_argsort_host, warpfold_sort_host};
use crate::outcome::Outcome;

/// A call, and what is wrong with it.
#[derive(Arbitrary, Debug)]
struct Call {
    function: Function,
    op: i8,
    kind: i8,
    /// The scan or the order.
    way: i8,
    /// Rows or groups, and the length of a row if there are no elements.
    counts: [u8; 2],
    elements: Vec<u8>,
    ids: Vec<u8>,
    /// Bytes before the elements, the ids and the results in their blocks: most are not aligned.
    skew: [u8; 3],
    /// Whether the elements, the ids, the results and the message are null.
    is_null: [bool; 4],
    error_bytes: u8,
    /// A length with more bytes than there are addresses.
    far: Option<u64>,
}

#[derive(Arbitrary, Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Reduce,
    Rows,
    Groups,
    Scan,
    Sort,
    Argsort,
}

libfuzzer_sys::fuzz_target!(|call: Call| {
    let size = [4, 4, 8, 8, 4, 8, 2].get(usize::from(call.kind as u8)).copied().unwrap_or(1);
    let whole = call.elements.len() / size;
    let (count, shape) = match (call.function, call.counts.map(usize::from)) {
        (Function::Rows, [0, len]) => (0, [0, len]),
        (Function::Rows, [rows, _]) => (whole / rows * rows, [rows, whole / rows]),
        (_, counts) => (whole, counts),
    };
    let ids: Vec<u32> = call.ids.iter().map(|&id| id.into()).cycle().take(count).collect();
    let has_ids = call.function == Function::Groups;
    let count = if has_ids { ids.len() } else { count };
    let elements = &call.elements[..count * size];
    let expected = Expected { call: &call, elements, ids: &ids, shape }.results();

    // The memory, and whether the call can use it.
    let [of_x, of_ids, of_out] = call.skew.map(|skew| usize::from(skew % 16));
    // A call that is refused may have written results before.
    let room = expected.as_ref().map_or(16 * (count + shape[0]), |results| results.bytes.len());
    let mut out = Block::new(of_out, &vec![b'#'; room]);
    let (mut x, mut places) = (Block::new(of_x, elements), Block::new(of_ids, bytemuck::cast_slice(&ids)));
    let (x_at, ids_at) = (x.at(call.is_null[0]), places.at(call.is_null[1]));
    let out_at = out.at(call.is_null[2]);
    let mut outcome = Box::new(Outcome::default());
    let fits = |at: *mut c_void, count, align| count == 0 || (!at.is_null() && at.addr() % align == 0);
    let is_out_right = match call.function {
        Function::Reduce => !call.is_null[2],
        _ => expected.as_ref().is_some_and(|results| fits(out_at, results.bytes.len(), results.align)),
    };
    let is_right = is_out_right && fits(x_at, count, size) && (!has_ids || fits(ids_at, count, 4));

    let far = call.far.map(|far| far | 1 << 61);
    let is_far = far.is_some() && (call.function != Function::Rows || shape[0] > 0);
    let [len, rows, row_len] = [count, shape[0], shape[1]].map(|count| count as u64);
    let (len, row_len) = (far.unwrap_or(len), far.unwrap_or(row_len));
    let mut message = vec![b'#'; call.error_bytes.into()].into_boxed_slice();
    let error = if call.is_null[3] { ptr::null_mut() } else { message.as_mut_ptr().cast::<c_char>() };
    let error_bytes = message.len();
    let (op, kind, way) = (call.op.into(), call.kind.into(), call.way.into());
    // SAFETY: arrays are null, not aligned, of a length that no memory has, or have the blocks above.
    let code = unsafe {
        match call.function {
            Function::Reduce => {
                let out = if call.is_null[2] { ptr::null_mut() } else { &raw mut *outcome };
                warpfold_reduce_host(op, kind, x_at, len, out, error, error_bytes)
            }
            Function::Rows => warpfold_rows_host(op, kind, x_at, rows, row_len, out_at, error, error_bytes),
            Function::Groups => {
                let groups = far.map_or(rows, |far| if far % 2 == 0 { far } else { rows });
                warpfold_groups_host(op, kind, x_at, ids_at.cast(), len, groups, out_at, error, error_bytes)
            }
            Function::Scan => warpfold_scan_host(op, kind, way, x_at, len, out_at, error, error_bytes),
            Function::Sort => warpfold_sort_host(kind, way, x_at, len, out_at, error, error_bytes),
            Function::Argsort => {
                warpfold_argsort_host(kind, way, x_at, len, out_at.cast(), error, error_bytes)
            }
        }
    };

    match expected.filter(|_| is_right && !is_far) {
        Some(Results { bytes: expected, .. }) => {
            assert_eq!(code, 0, "{call:?}: {}", String::from_utf8_lossy(&message));
            let of_reduce = bytes_of(&outcome);
            let found = if call.function == Function::Reduce { &of_reduce } else { out.bytes() };
            assert_eq!(found, expected, "{call:?}");
        }
        None => assert_eq!(code, 1, "{call:?}: {}", String::from_utf8_lossy(&message)),
    }
    assert_eq!(
        (x.bytes(), places.bytes()),
        (elements, bytemuck::cast_slice(&ids)),
        "inputs are as they were"
    );
    if error.is_null() {
        assert!(message.iter().all(|&byte| byte == b'#'));
    } else if error_bytes > 0 {
        let text = CStr::from_bytes_until_nul(&message).expect("a NUL").to_str().expect("whole characters");
        assert_eq!(text.is_empty(), code == 0 || error_bytes == 1, "{text}");
    }
});

/// A block of memory that is not zero bytes long, with bytes of an array at its end.
struct Block {
    bytes: Box<[u8]>,
    skew: usize,
}

impl Block {
    fn new(skew: usize, array: &[u8]) -> Self {
        Self { bytes: [&vec![0; skew][..], array].concat().into_boxed_slice(), skew }
    }

    fn at(&mut self, is_null: bool) -> *mut c_void {
        if is_null { ptr::null_mut() } else { self.bytes.as_mut_ptr().wrapping_add(self.skew).cast() }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.skew..]
    }
}

/// Returns the bytes of an outcome, in the order of `warpfold_result`.
fn bytes_of(outcome: &Outcome) -> Vec<u8> {
    let Outcome { bits, index, kind, present } = outcome;
    [&bits.to_ne_bytes()[..], &index.to_ne_bytes(), &kind.to_ne_bytes(), &present.to_ne_bytes()].concat()
}
