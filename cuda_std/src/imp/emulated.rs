//! The host implementation: each function calls the emulated thread that is running on this OS thread.
//!
//! Functions that can be misused pass the place of their call on (`track_caller`), for the report.

use core::panic::Location;

use bytemuck::Pod;

use super::Shuffle;
use crate::emulator::thread::with;
use crate::emulator::warp::Operands;
use crate::global::{Aligned, AlignedHalf, CacheHint};

/// The number of a shared variable of the launch.
pub(crate) type SharedBase = u32;

macro_rules! special_registers {
    ($($name:ident = |$thread:ident| $value:expr),* $(,)?) => { $(
        #[inline]
        pub(crate) fn $name() -> u32 {
            with(|$thread| $value)
        }
    )* };
}
special_registers!(
    thread_idx_x = |thread| thread.index[0],
    thread_idx_y = |thread| thread.index[1],
    thread_idx_z = |thread| thread.index[2],
    block_idx_x = |thread| thread.block.index[0],
    block_idx_y = |thread| thread.block.index[1],
    block_idx_z = |thread| thread.block.index[2],
    block_dim_x = |thread| thread.block.dim.x,
    block_dim_y = |thread| thread.block.dim.y,
    block_dim_z = |thread| thread.block.dim.z,
    grid_dim_x = |thread| thread.grid.dim.x,
    grid_dim_y = |thread| thread.grid.dim.y,
    grid_dim_z = |thread| thread.grid.dim.z,
);

/// `bar.sync`.
#[inline]
#[track_caller]
pub(crate) fn barrier() {
    let at = Location::caller();
    with(|thread| thread.barrier("sync_threads", false, at));
}

/// `bar.red.and`.
#[inline]
#[track_caller]
pub(crate) fn barrier_and(predicate: bool) -> bool {
    let at = Location::caller();
    with(|thread| thread.barrier("sync_threads_and", predicate, at) == thread.block.dim.count())
}

/// `bar.red.or`.
#[inline]
#[track_caller]
pub(crate) fn barrier_or(predicate: bool) -> bool {
    let at = Location::caller();
    with(|thread| thread.barrier("sync_threads_or", predicate, at) > 0)
}

/// `bar.red.popc`.
#[inline]
#[track_caller]
pub(crate) fn barrier_count(predicate: bool) -> u32 {
    let at = Location::caller();
    with(|thread| thread.barrier("sync_threads_count", predicate, at))
}

/// `fence.acq_rel.cta`. The emulated memory is sequentially consistent, so a fence is only counted, and lets other
/// threads run.
#[inline]
pub(crate) fn fence_block() {
    with(|thread| thread.fence());
}

/// `fence.acq_rel.gpu`: like `fence_block`.
#[inline]
pub(crate) fn fence_device() {
    with(|thread| thread.fence());
}

/// `fence.acq_rel.sys`: like `fence_block`.
#[inline]
pub(crate) fn fence_system() {
    with(|thread| thread.fence());
}

/// `nanosleep`: lets all other ready threads run.
#[inline]
#[track_caller]
pub(crate) fn nanosleep(_nanoseconds: u32) {
    let at = Location::caller();
    with(|thread| thread.sleep(at));
}

/// `bar.warp.sync`.
#[inline]
#[track_caller]
pub(crate) fn sync_warp(mask: u32) {
    let at = Location::caller();
    with(|thread| thread.meet("sync_warp", mask, Operands::SyncWarp, at));
}

/// `%laneid`.
#[inline]
pub(crate) fn lane_id() -> u32 {
    with(|thread| thread.lane())
}

/// `activemask`: only the caller, the least that the PTX ISA allows (each lane has its own program counter).
#[inline]
pub(crate) fn activemask() -> u32 {
    with(|thread| 1 << thread.lane())
}

/// `vote.sync.ballot`.
#[inline]
#[track_caller]
pub(crate) fn vote_ballot(mask: u32, predicate: bool) -> u32 {
    let at = Location::caller();
    with(|thread| thread.meet("warp_vote", mask, Operands::Ballot(predicate), at).0)
}

/// `vote.sync.ballot`, converted to the lanes that voted like this one.
#[inline]
#[track_caller]
pub(crate) fn vote_same(mask: u32, word: u32) -> u32 {
    let ballot = vote_ballot(mask, word != 0);
    if word != 0 { ballot } else { !ballot }
}

/// `lop3` of the bits that all three have.
#[inline]
pub(crate) fn and_3(a: u32, b: u32, c: u32) -> u32 {
    a & b & c
}

/// `prmt`: byte `number` of `word`, which is below 4.
#[inline]
pub(crate) fn byte(word: u32, number: u32, _turn: u32) -> u32 {
    word >> (8 * number) & 0xff
}

/// `prmt`: half `number` of `word`, which is 0 or 1.
#[inline]
pub(crate) fn half(word: u32, number: u32, _turn: u32) -> u32 {
    word >> (16 * number) & 0xffff
}

/// `shfl.sync`.
#[inline]
#[track_caller]
pub(crate) fn shuffle(mode: Shuffle, mask: u32, value: u32, lane: u32, clamp: u32) -> (u32, bool) {
    let at = Location::caller();
    let name = match mode {
        Shuffle::Up => "warp_shuffle_up",
        Shuffle::Down => "warp_shuffle_down",
        Shuffle::Xor => "warp_shuffle_xor",
        Shuffle::Idx => "warp_shuffle_idx",
    };
    with(|thread| thread.meet(name, mask, Operands::Shuffle { mode, value, lane, clamp }, at))
}

/// Returns the low and the high half.
#[inline]
pub(crate) fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// Joins a low and a high half.
#[inline]
pub(crate) fn whole([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// `atom.inc` between fences.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn ticket(counter: *mut u32, last: u32, wanted: bool) -> u32 {
    let at = Location::caller();
    // SAFETY: promised by this function's contract.
    with(|thread| if wanted { unsafe { thread.ticket(counter, last, at) } } else { u32::MAX })
}

macro_rules! additions {
    ($($add:ident, $fetch_add:ident: $number:ty, $sum:expr);* $(;)?) => { $(
        /// `red.add`.
        ///
        /// # Safety
        /// As on the device.
        #[inline]
        #[track_caller]
        pub(crate) unsafe fn $add(address: *mut $number, value: $number) {
            let at = Location::caller();
            // SAFETY: promised by this function's contract.
            with(|thread| unsafe { thread.atomic("atomic add", address, |before| $sum(before, value), at) });
        }

        /// `atom.add`.
        ///
        /// # Safety
        /// As on the device.
        #[inline]
        #[track_caller]
        pub(crate) unsafe fn $fetch_add(address: *mut $number, value: $number) -> $number {
            let at = Location::caller();
            // SAFETY: promised by this function's contract.
            with(|thread| unsafe { thread.atomic("atomic fetch_add", address, |before| $sum(before, value), at) })
        }
    )* };
}
additions!(
    add_i32, fetch_add_i32: i32, i32::wrapping_add;
    add_u32, fetch_add_u32: u32, u32::wrapping_add;
    add_i64, fetch_add_i64: i64, i64::wrapping_add;
    add_u64, fetch_add_u64: u64, u64::wrapping_add;
    add_f32, fetch_add_f32: f32, flushing_sum;
    add_f64, fetch_add_f64: f64, core::ops::Add::add;
);

macro_rules! updates {
    ($($update:ident: $word:ty, $name:literal, $what:expr);* $(;)?) => { $(
        #[doc = concat!("`red.", $name, "`.")]
        ///
        /// # Safety
        /// As on the device.
        #[inline]
        #[track_caller]
        pub(crate) unsafe fn $update(address: *mut $word, value: $word) {
            let at = Location::caller();
            // SAFETY: promised by this function's contract.
            with(|thread| unsafe {
                thread.atomic(concat!("atomic ", $name), address, |before| $what(before, value), at)
            });
        }
    )* };
}
updates!(
    min_u64: u64, "min", Ord::min;
    max_u32: u32, "max", Ord::max;
    max_u64: u64, "max", Ord::max;
    or_u32: u32, "or", core::ops::BitOr::bitor;
    or_u64: u64, "or", core::ops::BitOr::bitor;
    xor_u32: u32, "xor", core::ops::BitXor::bitxor;
    xor_u64: u64, "xor", core::ops::BitXor::bitxor;
);

/// `ld.relaxed.gpu`.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn load_relaxed_u32(address: *const u32) -> u32 {
    let at = Location::caller();
    // SAFETY: promised by this function's contract.
    with(|thread| unsafe { thread.atomic_load(address, at) })
}

/// `st.relaxed.gpu`.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn store_relaxed_u32(address: *mut u32, value: u32) {
    let at = Location::caller();
    // SAFETY: promised by this function's contract.
    with(|thread| unsafe { thread.atomic_store("atomic store", address, value, at) });
}

/// Adds like `atom.add.f32` in global memory: subnormal operands and results become zeros of the same sign (PTX ISA
/// 9.7.13.5).
fn flushing_sum(x: f32, y: f32) -> f32 {
    let flushed = |x: f32| if x.is_subnormal() { 0.0f32.copysign(x) } else { x };
    flushed(flushed(x) + flushed(y))
}

/// `griddepcontrol.wait`: does nothing, as launches of the emulator never overlap.
#[inline]
pub(crate) fn wait_for_earlier_launches() {}

/// `griddepcontrol.launch_dependents`: does nothing for the same reason.
#[inline]
pub(crate) fn let_next_launch_start() {}

/// `st.relaxed.sys` of 64 bits.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn store_for_host(address: *mut u64, value: u64) {
    // SAFETY: promised by this function's contract; a misaligned address is reported before it is written.
    unsafe { store(address, value) }
}

/// `ld.relaxed.gpu` of 64 bits.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn load_relaxed(address: *const u64) -> u64 {
    let at = Location::caller();
    // SAFETY: promised by this function's contract.
    with(|thread| unsafe { thread.atomic_load(address, at) })
}

/// `st.relaxed.gpu` of 64 bits.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn store_relaxed(address: *mut u64, value: u64) {
    let at = Location::caller();
    // SAFETY: promised by this function's contract.
    with(|thread| unsafe { thread.atomic_store("relaxed store", address, value, at) });
}

/// `ld.global.v4`. The hint has no effect, as there are no emulated caches.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn load_words(address: *const [u32; 4], _hint: CacheHint) -> [u32; 4] {
    // SAFETY: promised by this function's contract; a misaligned address is reported before it is read.
    unsafe { load(address.cast::<Aligned<[u32; 4]>>()) }.0
}

/// `st.global.v4`.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn store_words(address: *mut [u32; 4], words: [u32; 4]) {
    // SAFETY: promised by this function's contract; a misaligned address is reported before it is written.
    unsafe { store(address.cast::<Aligned<[u32; 4]>>(), Aligned(words)) }
}

/// Returns the value.
#[inline]
pub(crate) fn unknown(value: u32) -> u32 {
    value
}

/// Returns the value.
#[inline]
pub(crate) fn anew(value: u32) -> u32 {
    value
}

/// `ld.global.v2.u32`.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn load_two_words(address: *const [u32; 2]) -> [u32; 2] {
    // SAFETY: promised by this function's contract; a misaligned address is reported before it is read.
    unsafe { load(address.cast::<AlignedHalf<[u32; 2]>>()) }.0
}

/// `ld.global` of memory that the launch does not write.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn load<T: Copy>(address: *const T) -> T {
    let at = Location::caller();
    with(|thread| thread.before_load("load", address.addr(), shape::<T>(), false, at));
    // SAFETY: promised by this function's contract.
    unsafe { address.read() }
}

/// `ld.global` of memory that the launch wrote before a ticket or a barrier.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn load_handed_over<T: Copy>(address: *const T) -> T {
    let at = Location::caller();
    with(|thread| thread.before_load("load_handed_over", address.addr(), shape::<T>(), true, at));
    // SAFETY: promised by this function's contract.
    unsafe { address.read() }
}

/// `st.global`.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn store<T: Copy>(address: *mut T, value: T) {
    let at = Location::caller();
    with(|thread| thread.before_store("store", address.addr(), shape::<T>(), at));
    // SAFETY: promised by this function's contract.
    unsafe { address.write(value) }
}

/// Returns the size and alignment.
fn shape<T>() -> (usize, usize) {
    (size_of::<T>(), align_of::<T>())
}

/// `trap`: the launch ends with a report.
#[track_caller]
pub(crate) fn out_of_bounds() -> ! {
    let at = Location::caller();
    with(|thread| thread.out_of_bounds(at))
}

/// Bits of a base for where a part of the variable begins; the variable's number is above.
const PART_BITS: u32 = 20;

/// The part of a variable that begins `offset` bytes behind `base`.
pub(crate) fn shared_part(base: SharedBase, offset: usize) -> SharedBase {
    base + offset as u32
}

/// The variable, and an offset from its beginning.
fn variable(base: SharedBase, offset: usize) -> (u32, usize) {
    (base >> PART_BITS, (base & ((1 << PART_BITS) - 1)) as usize + offset)
}

/// Returns the running block's copy of the shared variable `name`.
pub(crate) fn shared_base(name: &'static str, bytes: usize) -> SharedBase {
    with(|thread| thread.shared_variable(name, bytes)) << PART_BITS
}

/// Returns the running block's dynamic shared memory, which `name` declares.
pub(crate) fn dynamic_shared_base(name: &'static str) -> SharedBase {
    with(|thread| thread.dynamic_shared(name)) << PART_BITS
}

/// `%dynamic_smem_size`.
pub(crate) fn dynamic_shared_bytes() -> u32 {
    with(|thread| thread.grid.dynamic_bytes)
}

/// `ld.shared`, word by word.
///
/// # Safety
/// As on the device. Here the contract affects only what is reported.
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_read<T: Pod>(base: SharedBase, offset: usize) -> T {
    let (at, (base, offset)) = (Location::caller(), variable(base, offset));
    let mut value = T::zeroed();
    with(|thread| thread.shared_read(base, offset, bytemuck::bytes_of_mut(&mut value), at));
    value
}

/// `ld.shared.v4`, word by word.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_read_vector(base: SharedBase, offset: usize) -> [u32; 4] {
    // SAFETY: promised by this function's contract.
    unsafe { shared_read(base, offset) }
}

/// `st.shared.v4`, word by word.
///
/// # Safety
/// As on the device.
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_write_vector(base: SharedBase, offset: usize, words: [u32; 4]) {
    // SAFETY: promised by this function's contract.
    unsafe { shared_write(base, offset, words) }
}

/// `st.shared`, word by word.
///
/// # Safety
/// As for `shared_read`.
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_write<T: Pod>(base: SharedBase, offset: usize, value: T) {
    let (at, (base, offset)) = (Location::caller(), variable(base, offset));
    with(|thread| thread.shared_write(base, offset, bytemuck::bytes_of(&value), at));
}

macro_rules! shared_updates {
    ($($update:ident: $word:ty, $name:literal, $what:expr);* $(;)?) => { $(
        #[doc = concat!("`red.shared.", $name, "`.")]
        ///
        /// # Safety
        /// As for `shared_read`.
        #[inline]
        #[track_caller]
        pub(crate) unsafe fn $update(base: SharedBase, offset: usize, value: $word) {
            let (at, (base, offset)) = (Location::caller(), variable(base, offset));
            with(|thread| {
                thread.shared_update(concat!("shared ", $name), (base, offset), |before: $word| $what(before, value), at);
            });
        }
    )* };
}
shared_updates!(
    shared_add: u32, "add", u32::wrapping_add;
    shared_max_u32: u32, "max", Ord::max;
    shared_max_u64: u64, "max", Ord::max;
    shared_or: u32, "or", core::ops::BitOr::bitor;
    shared_xor: u32, "xor", core::ops::BitXor::bitxor;
);

/// `atom.shared.add`.
///
/// # Safety
/// As for `shared_read`.
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_fetch_add(base: SharedBase, offset: usize, value: u32) -> u32 {
    let (at, (base, offset)) = (Location::caller(), variable(base, offset));
    with(|thread| {
        thread.shared_update("shared add", (base, offset), |before: u32| before.wrapping_add(value), at)
    })
}

/// `ld.relaxed.shared`.
///
/// # Safety
/// As for `shared_read`.
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_load(base: SharedBase, offset: usize) -> u32 {
    let (at, (base, offset)) = (Location::caller(), variable(base, offset));
    with(|thread| thread.shared_update("shared load", (base, offset), |before: u32| before, at))
}

/// `atom.shared.cas`.
///
/// # Safety
/// As for `shared_read`.
#[inline]
#[track_caller]
pub(crate) unsafe fn shared_compare_exchange(base: SharedBase, offset: usize, current: u32, new: u32) -> u32 {
    let (at, (base, offset)) = (Location::caller(), variable(base, offset));
    let store = |before: u32| if before == current { new } else { before };
    with(|thread| thread.shared_update("shared compare_exchange", (base, offset), store, at))
}
