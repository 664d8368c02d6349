//! Kept tunings of any bytes: refused, or read and written again as they were.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpfold::is_tuning_or_refused;

fuzz_target!(|data: &[u8]| {
    let Some((&[flags, shift, n, most], text)) = data.split_first_chunk() else { return };
    let n = (u64::from(n) << (shift % 64)) + u64::from(flags / 2);
    is_tuning_or_refused(&String::from_utf8_lossy(text), flags % 2 == 1, n, 8 * u32::from(most));
});
