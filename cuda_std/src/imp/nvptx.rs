//! The device implementation: each function is one PTX instruction or a few. Section numbers are the PTX ISA's.
//!
//! An `asm!` that may exchange data with other threads has no `nomem`, so that the compiler moves no memory access
//! across it. A collective has no `pure`, so that it is not removed. Rust cannot tell LLVM that a collective must not
//! be copied into diverging branches (`convergent`); instead `cargo xtask lint` counts the barriers of the shipped
//! modules.

use core::arch::asm;
use core::arch::nvptx;

use bytemuck::Pod;

use super::{Shuffle, source};
use crate::global::CacheHint;

/// An address in the shared window (5.1.7), not a generic pointer, so that `ld.shared` needs no translation.
pub(crate) type SharedBase = u32;

macro_rules! special_registers {
    ($($name:ident = $intrinsic:ident),* $(,)?) => { $(
        #[inline(always)]
        pub(crate) fn $name() -> u32 {
            // SAFETY: reading a special register has no precondition.
            (unsafe { nvptx::$intrinsic() }) as u32
        }
    )* };
}
special_registers!(
    thread_idx_x = _thread_idx_x,
    thread_idx_y = _thread_idx_y,
    thread_idx_z = _thread_idx_z,
    block_idx_x = _block_idx_x,
    block_idx_y = _block_idx_y,
    block_idx_z = _block_idx_z,
    block_dim_x = _block_dim_x,
    block_dim_y = _block_dim_y,
    block_dim_z = _block_dim_z,
    grid_dim_x = _grid_dim_x,
    grid_dim_y = _grid_dim_y,
    grid_dim_z = _grid_dim_z,
);

/// 9.7.13.1 `bar.sync`: orders shared and global memory among the block's threads.
#[inline(always)]
pub(crate) fn barrier() {
    // SAFETY: the caller promised that all threads of the block arrive; see `thread::sync_threads`.
    unsafe { asm!("bar.sync 0;", options(nostack)) }
}

macro_rules! barrier_reductions {
    ($($name:ident: $op:literal),*) => { $(
        /// 9.7.13.1 `bar.red` over a predicate.
        #[inline(always)]
        pub(crate) fn $name(predicate: bool) -> bool {
            let all: u32;
            // SAFETY: as for `barrier`. The predicates are set from and read into ordinary registers.
            unsafe {
                asm!("{{",
                    ".reg .pred %wf_in;", ".reg .pred %wf_out;",
                    "setp.ne.u32 %wf_in, {predicate}, 0;",
                    concat!("bar.red.", $op, ".pred %wf_out, 0, %wf_in;"),
                    "selp.u32 {all}, 1, 0, %wf_out;",
                    "}}",
                    predicate = in(reg32) predicate as u32, all = out(reg32) all, options(nostack));
            }
            all != 0
        }
    )* };
}
barrier_reductions!(barrier_and: "and", barrier_or: "or");

/// 9.7.13.1 `bar.red.popc`.
#[inline(always)]
pub(crate) fn barrier_count(predicate: bool) -> u32 {
    let count: u32;
    // SAFETY: as for `barrier`.
    unsafe {
        asm!("{{",
            ".reg .pred %wf_in;",
            "setp.ne.u32 %wf_in, {predicate}, 0;",
            "bar.red.popc.u32 {count}, 0, %wf_in;",
            "}}",
            predicate = in(reg32) predicate as u32, count = out(reg32) count, options(nostack));
    }
    count
}

macro_rules! instructions {
    ($($(#[$doc:meta])* $name:ident: $text:literal),* $(,)?) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name() {
            // SAFETY: a fence has no precondition.
            unsafe { asm!($text, options(nostack)) }
        }
    )* };
}
instructions!(
    /// 9.7.13.4 at block scope.
    fence_block: "fence.acq_rel.cta;",
    /// 9.7.13.4 at device scope.
    fence_device: "fence.acq_rel.gpu;",
    /// 9.7.13.4 at system scope: the host and other devices.
    fence_system: "fence.acq_rel.sys;",
);

/// 9.7.13 `nanosleep`: suspends the thread for at most twice `nanoseconds`.
#[inline(always)]
pub(crate) fn nanosleep(nanoseconds: u32) {
    // SAFETY: sleeping has no precondition.
    unsafe { asm!("nanosleep.u32 {};", in(reg32) nanoseconds, options(nostack)) }
}

/// 9.7.13.2 `bar.warp.sync`.
#[inline(always)]
pub(crate) fn sync_warp(mask: u32) {
    // SAFETY: the caller promised that all lanes in `mask` arrive; see `warp::sync_warp`.
    unsafe { asm!("bar.warp.sync {};", in(reg32) mask, options(nostack)) }
}

/// 10 `%laneid`.
#[inline(always)]
pub(crate) fn lane_id() -> u32 {
    let lane: u32;
    // SAFETY: reading a special register has no precondition; it is constant for a thread.
    unsafe { asm!("mov.u32 {}, %laneid;", out(reg32) lane, options(pure, nomem, nostack)) }
    lane
}

/// 9.7.13.11 `activemask`.
#[inline(always)]
pub(crate) fn activemask() -> u32 {
    let mask: u32;
    // SAFETY: reading the mask has no precondition. Not `pure`: the value depends on the place of the instruction.
    unsafe { asm!("activemask.b32 {};", out(reg32) mask, options(nostack)) }
    mask
}

/// 9.7.13.9 `vote.sync.ballot`.
#[inline(always)]
pub(crate) fn vote_ballot(mask: u32, predicate: bool) -> u32 {
    let ballot: u32;
    // SAFETY: the caller promised that all lanes in `mask` arrive; see `warp::warp_vote_ballot`.
    unsafe {
        asm!("{{",
            ".reg .pred %wf_in;",
            "setp.ne.u32 %wf_in, {predicate}, 0;",
            "vote.sync.ballot.b32 {ballot}, %wf_in, {mask};",
            "}}",
            predicate = in(reg32) predicate as u32, mask = in(reg32) mask, ballot = out(reg32) ballot,
            options(nostack));
    }
    ballot
}

/// 9.7.13.9 `vote.sync.ballot` on whether `word` is nonzero, converted to the lanes that voted like this one.
///
/// The other lanes are found by a multiplication, `-x - 1`: the unit for logic is the busiest one where many bits are voted on.
#[inline(always)]
pub(crate) fn vote_same(mask: u32, word: u32) -> u32 {
    let (ones, same): (u32, u32);
    // SAFETY: the caller promised that all lanes in `mask` arrive; see `warp::warp_match_bits`.
    unsafe {
        // Ones from two registers that ptxas does not see through: it would make a negation of the multiplication.
        asm!("{{",
            ".reg .b32 %wf_below;",
            "mov.u32 %wf_below, %lanemask_lt;",
            "mov.u32 {ones}, %lanemask_ge;",
            "or.b32 {ones}, {ones}, %wf_below;",
            "}}",
            ones = out(reg32) ones, options(pure, nomem, nostack));
        asm!("{{",
            ".reg .pred %wf_in;",
            "setp.ne.u32 %wf_in, {word}, 0;",
            "vote.sync.ballot.b32 {same}, %wf_in, {mask};",
            "@!%wf_in mad.lo.s32 {same}, {same}, {ones}, {ones};",
            "}}",
            word = in(reg32) word, mask = in(reg32) mask, ones = in(reg32) ones, same = out(reg32) same,
            options(nostack));
    }
    same
}

/// 9.7.8.7 `lop3` of the bits that all three have. Asked for, because ptxas makes two instructions of two `and`s of votes.
#[inline(always)]
pub(crate) fn and_3(a: u32, b: u32, c: u32) -> u32 {
    let all: u32;
    // SAFETY: only computes.
    unsafe {
        asm!("lop3.b32 {}, {}, {}, {}, 0x80;", out(reg32) all, in(reg32) a, in(reg32) b, in(reg32) c,
            options(pure, nomem, nostack));
    }
    all
}

/// 9.7.9.7 `prmt`: byte `number` of `word`, which is below 4. Which byte of the other word, 0, is above it, says `turn`.
#[inline(always)]
pub(crate) fn byte(word: u32, number: u32, turn: u32) -> u32 {
    let byte: u32;
    // SAFETY: only computes. The upper three bytes are of a word that is 0.
    unsafe {
        asm!("prmt.b32 {}, {}, 0, {};", out(reg32) byte, in(reg32) word, in(reg32) number | 0x4440 | turn * 0x1110,
            options(pure, nomem, nostack));
        core::hint::assert_unchecked(byte < 256);
    }
    byte
}

/// 9.7.9.7 `prmt`: half `number` of `word`, which is 0 or 1, with `turn` as for [`byte`].
#[inline(always)]
pub(crate) fn half(word: u32, number: u32, turn: u32) -> u32 {
    let half: u32;
    let bytes = if number == 0 { 0x4410 } else { 0x4432 };
    // SAFETY: only computes. The upper two bytes are of a word that is 0.
    unsafe {
        asm!("prmt.b32 {}, {}, 0, {};", out(reg32) half, in(reg32) word, in(reg32) bytes | turn * 0x1100,
            options(pure, nomem, nostack));
        core::hint::assert_unchecked(half < 1 << 16);
    }
    half
}

/// 9.7.9.6 `shfl.sync` of 32 bits. `clamp` is the instruction's operand c: segment mask and clamp. Whether the source
/// lane is in the segment is computed, not taken from the instruction, because callers rarely use it.
#[inline(always)]
pub(crate) fn shuffle(mode: Shuffle, mask: u32, value: u32, lane: u32, clamp: u32) -> (u32, bool) {
    let read: u32;
    macro_rules! shfl {
        ($mode:literal) => {
            // SAFETY: the caller promised that all lanes in `mask` arrive; see `warp`.
            unsafe {
                asm!(concat!("shfl.sync.", $mode, ".b32 {}, {}, {}, {}, {};"),
                    out(reg32) read, in(reg32) value, in(reg32) lane, in(reg32) clamp, in(reg32) mask,
                    options(nostack))
            }
        };
    }
    match mode {
        Shuffle::Up => shfl!("up"),
        Shuffle::Down => shfl!("down"),
        Shuffle::Xor => shfl!("bfly"),
        Shuffle::Idx => shfl!("idx"),
    }
    (read, source(mode, lane_id(), lane, clamp).is_some())
}

/// 9.7.9.1 `mov` of 64 bits to two registers, the low and the high half. LLVM would shift and mask instead.
#[inline(always)]
pub(crate) fn halves(word: u64) -> [u32; 2] {
    let (low, high);
    // SAFETY: a move has no precondition.
    unsafe {
        asm!("mov.b64 {{{}, {}}}, {};", out(reg32) low, out(reg32) high, in(reg64) word, options(pure, nomem, nostack));
    }
    [low, high]
}

/// 9.7.9.1 `mov` of two registers, the low and the high half, to one of 64 bits.
#[inline(always)]
pub(crate) fn whole([low, high]: [u32; 2]) -> u64 {
    let word;
    // SAFETY: a move has no precondition.
    unsafe {
        asm!("mov.b64 {}, {{{}, {}}};", out(reg64) word, in(reg32) low, in(reg32) high, options(pure, nomem, nostack));
    }
    word
}

/// 9.7.13.5 `atom.inc`: takes a ticket with acquire and release ordering at device scope, if `wanted`; otherwise
/// returns `u32::MAX`. It is predicated, because LLVM would copy the collective that follows a branch into both of its
/// paths, and the lanes of a warp would meet at two places, which is slow.
///
/// # Safety
/// If `wanted`, `counter` is an aligned u32 in global memory that only atomics touch during the launch.
#[inline(always)]
pub(crate) unsafe fn ticket(counter: *mut u32, last: u32, wanted: bool) -> u32 {
    let ticket: u32;
    // SAFETY: promised by this function's contract.
    unsafe {
        asm!("{{",
            ".reg .pred %wf_in;",
            "setp.ne.u32 %wf_in, {wanted}, 0;",
            "mov.u32 {ticket}, 0xffffffff;",
            "@%wf_in atom.acq_rel.gpu.global.inc.u32 {ticket}, [{counter}], {last};",
            "}}",
            ticket = out(reg32) ticket, counter = in(reg64) counter, last = in(reg32) last,
            wanted = in(reg32) wanted as u32, options(nostack));
    }
    ticket
}

macro_rules! additions {
    ($($add:ident, $fetch_add:ident: $number:ty, $word:ty, $register:ident, $type:literal);* $(;)?) => { $(
        /// 9.7.13.6 `red.add`: relaxed, at device scope.
        ///
        /// # Safety
        /// `address` is an aligned number in global memory. Only atomics access it, unless a ticket or a barrier orders
        /// the access.
        #[inline(always)]
        pub(crate) unsafe fn $add(address: *mut $number, value: $number) {
            // SAFETY: promised by this function's contract.
            unsafe {
                asm!(concat!("red.relaxed.gpu.global.add.", $type, " [{address}], {value};"),
                    address = in(reg64) address, value = in($register) bytemuck::cast::<$number, $word>(value),
                    options(nostack));
            }
        }

        /// 9.7.13.5 `atom.add`: like `red.add`, but returns the value before.
        ///
        /// # Safety
        /// As for `red.add`.
        #[inline(always)]
        pub(crate) unsafe fn $fetch_add(address: *mut $number, value: $number) -> $number {
            let before: $word;
            // SAFETY: promised by this function's contract.
            unsafe {
                asm!(concat!("atom.relaxed.gpu.global.add.", $type, " {before}, [{address}], {value};"),
                    before = out($register) before, address = in(reg64) address,
                    value = in($register) bytemuck::cast::<$number, $word>(value), options(nostack));
            }
            bytemuck::cast(before)
        }
    )* };
}
additions!(
    add_i32, fetch_add_i32: i32, u32, reg32, "u32";
    add_u32, fetch_add_u32: u32, u32, reg32, "u32";
    add_i64, fetch_add_i64: i64, u64, reg64, "u64";
    add_u64, fetch_add_u64: u64, u64, reg64, "u64";
    add_f32, fetch_add_f32: f32, u32, reg32, "f32";
    add_f64, fetch_add_f64: f64, u64, reg64, "f64";
);

/// 9.7.9.8 `ld.relaxed`, at device scope.
///
/// # Safety
/// As for `add_u32`.
#[inline(always)]
pub(crate) unsafe fn load_relaxed_u32(address: *const u32) -> u32 {
    let value: u32;
    // SAFETY: promised by this function's contract.
    unsafe {
        asm!("ld.relaxed.gpu.global.u32 {value}, [{address}];",
            value = out(reg32) value, address = in(reg64) address, options(nostack));
    }
    value
}

/// 9.7.9.11 `st.relaxed`, at device scope.
///
/// # Safety
/// As for `add_u32`.
#[inline(always)]
pub(crate) unsafe fn store_relaxed_u32(address: *mut u32, value: u32) {
    // SAFETY: promised by this function's contract.
    unsafe {
        asm!("st.relaxed.gpu.global.u32 [{address}], {value};",
            address = in(reg64) address, value = in(reg32) value, options(nostack));
    }
}

macro_rules! updates {
    ($($update:ident: $word:ty, $register:ident, $what:literal);* $(;)?) => { $(
        #[doc = concat!("9.7.13.6 `red.", $what, "`: relaxed, at device scope.")]
        ///
        /// # Safety
        /// As for `red.add`.
        #[inline(always)]
        pub(crate) unsafe fn $update(address: *mut $word, value: $word) {
            // SAFETY: promised by this function's contract.
            unsafe {
                asm!(concat!("red.relaxed.gpu.global.", $what, " [{address}], {value};"),
                    address = in(reg64) address, value = in($register) value, options(nostack));
            }
        }
    )* };
}
updates!(
    min_u64: u64, reg64, "min.u64";
    max_u32: u32, reg32, "max.u32";
    max_u64: u64, reg64, "max.u64";
    or_u32: u32, reg32, "or.b32";
    or_u64: u64, reg64, "or.b64";
    xor_u32: u32, reg32, "xor.b32";
    xor_u64: u64, reg64, "xor.b64";
);

/// Emits an instruction that exists from sm_90 on. Compiled for an older GPU, it becomes a mark: see the host's `ptx`.
macro_rules! from_sm_90 {
    ($text:literal) => {
        #[cfg(target_feature = "sm_90")]
        asm!($text, options(nostack));
        #[cfg(not(target_feature = "sm_90"))]
        asm!(concat!("//@sm_90 ", $text), options(nostack));
    };
}

/// 9.7.13.13 `griddepcontrol.wait`. Before sm_90, no launch overlaps another.
#[inline(always)]
pub(crate) fn wait_for_earlier_launches() {
    // SAFETY: waiting has no precondition. Not `nomem`: no memory access may move before it.
    unsafe {
        from_sm_90!("griddepcontrol.wait;");
    }
}

/// 9.7.13.13 `griddepcontrol.launch_dependents`.
#[inline(always)]
pub(crate) fn let_next_launch_start() {
    // SAFETY: it has no precondition: the next launch itself waits before it needs anything.
    unsafe {
        from_sm_90!("griddepcontrol.launch_dependents;");
    }
}

/// 8.2.1 and 9.7.9.12 `st.relaxed.sys` of 64 bits: the host sees all of them or none.
///
/// # Safety
/// `address` is an aligned u64 that the device may write, and that others only read.
#[inline(always)]
pub(crate) unsafe fn store_for_host(address: *mut u64, value: u64) {
    // SAFETY: promised by this function's contract.
    unsafe {
        asm!("st.relaxed.sys.global.u64 [{address}], {value};",
            address = in(reg64) address, value = in(reg64) value, options(nostack))
    }
}

/// 8.2.1 and 9.7.9.8 `ld.relaxed.gpu` of 64 bits: sees all of what one store wrote, or none.
///
/// # Safety
/// `address` is an aligned u64 in global memory that only such loads and stores touch during the launch.
#[inline(always)]
pub(crate) unsafe fn load_relaxed(address: *const u64) -> u64 {
    let value: u64;
    // SAFETY: promised by this function's contract. Not `pure`: other threads write.
    unsafe {
        asm!("ld.relaxed.gpu.global.u64 {value}, [{address}];",
            value = out(reg64) value, address = in(reg64) address, options(nostack));
    }
    value
}

/// 8.2.1 and 9.7.9.12 `st.relaxed.gpu` of 64 bits.
///
/// # Safety
/// As for `load_relaxed`.
#[inline(always)]
pub(crate) unsafe fn store_relaxed(address: *mut u64, value: u64) {
    // SAFETY: promised by this function's contract.
    unsafe {
        asm!("st.relaxed.gpu.global.u64 [{address}], {value};",
            address = in(reg64) address, value = in(reg64) value, options(nostack));
    }
}

/// `ld.global.v4` with a cache operator.
///
/// # Safety
/// `address` is 16-byte aligned and readable for 16 bytes, and nothing writes there during the launch.
#[inline(always)]
pub(crate) unsafe fn load_words(address: *const [u32; 4], hint: CacheHint) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    macro_rules! load {
        ($operator:literal) => {
            // SAFETY: promised by this function's contract; `pure` since the bytes do not change during the launch.
            unsafe {
                asm!(concat!("ld.global", $operator, ".v4.u32 {{{a}, {b}, {c}, {d}}}, [{address}];"),
                    a = out(reg32) a, b = out(reg32) b, c = out(reg32) c, d = out(reg32) d,
                    address = in(reg64) address, options(pure, readonly, nostack));
            }
        };
    }
    match hint {
        CacheHint::Keep => load!(""),
        CacheHint::Stream => load!(".cs"),
        CacheHint::ReadOnly => load!(".nc"),
    }
    [a, b, c, d]
}

/// `st.global.v4`. Left to the compiler, a vector is stored word by word.
///
/// # Safety
/// `address` is 16-byte aligned and writable for 16 bytes.
#[inline(always)]
pub(crate) unsafe fn store_words(address: *mut [u32; 4], [a, b, c, d]: [u32; 4]) {
    // SAFETY: promised by this function's contract.
    unsafe {
        asm!("st.global.v4.u32 [{address}], {{{a}, {b}, {c}, {d}}};",
            address = in(reg64) address, a = in(reg32) a, b = in(reg32) b, c = in(reg32) c, d = in(reg32) d,
            options(nostack));
    }
}

/// Reads 8 bytes of global memory that the launch does not write, by one load.
///
/// # Safety
/// `address` is a multiple of 8 and readable for 8 bytes, and nothing writes there during the launch.
#[inline(always)]
pub(crate) unsafe fn load_two_words(address: *const [u32; 2]) -> [u32; 2] {
    let (a, b): (u32, u32);
    // SAFETY: promised by this function's contract; `pure` since the bytes do not change during the launch.
    unsafe {
        asm!("ld.global.v2.u32 {{{a}, {b}}}, [{address}];", a = out(reg32) a, b = out(reg32) b,
            address = in(reg64) address, options(pure, readonly, nostack));
    }
    [a, b]
}

/// Reads plain data from global memory that the launch does not write.
///
/// # Safety
/// `address` is aligned and readable for a `T`, and nothing writes there during the launch.
#[inline(always)]
pub(crate) unsafe fn load<T: Copy>(address: *const T) -> T {
    // SAFETY: promised by this function's contract.
    unsafe { address.read() }
}

/// Reads what other threads of the launch wrote before a ticket or a barrier. A plain load is enough: the fences of the
/// ticket invalidate stale cache lines, and its asm keeps the compiler from moving loads across it.
///
/// # Safety
/// `address` is aligned and readable for a `T`; a ticket or a barrier orders writes to it.
#[inline(always)]
pub(crate) unsafe fn load_handed_over<T: Copy>(address: *const T) -> T {
    // SAFETY: promised by this function's contract.
    unsafe { address.read() }
}

/// Writes plain data to global memory.
///
/// # Safety
/// `address` is aligned and writable for a `T`; no other thread accesses it unless ordered by a ticket or a barrier.
#[inline(always)]
pub(crate) unsafe fn store<T: Copy>(address: *mut T, value: T) {
    // SAFETY: promised by this function's contract.
    unsafe { address.write(value) }
}

macro_rules! roots {
    ($($name:ident: $float:ty, $register:ident, $text:literal),*) => { $(
        /// 9.7.3 `sqrt.rn`, by the number's bits, because integer registers take any type of their size.
        #[inline(always)]
        pub(crate) fn $name(x: $float) -> $float {
            let root;
            // SAFETY: a square root has no precondition.
            unsafe { asm!($text, out($register) root, in($register) x.to_bits(), options(pure, nomem, nostack)) }
            <$float>::from_bits(root)
        }
    )* };
}
roots!(sqrt_f32: f32, reg32, "sqrt.rn.f32 {}, {};", sqrt_f64: f64, reg64, "sqrt.rn.f64 {}, {};");

macro_rules! extremes {
    ($($name:ident: $float:ty, $register:ident, $text:literal),* $(,)?) => { $(
        /// 9.7.3 `min` and `max`, which order -0.0 below +0.0, and return the number if one operand is NaN.
        #[inline(always)]
        pub(crate) fn $name(x: $float, y: $float) -> $float {
            let extreme;
            // SAFETY: an extreme has no precondition.
            unsafe {
                asm!($text, out($register) extreme, in($register) x.to_bits(), in($register) y.to_bits(),
                    options(pure, nomem, nostack))
            }
            <$float>::from_bits(extreme)
        }
    )* };
}
extremes!(
    min_f32: f32, reg32, "min.f32 {}, {}, {};",
    max_f32: f32, reg32, "max.f32 {}, {}, {};",
    min_f64: f64, reg64, "min.f64 {}, {}, {};",
    max_f64: f64, reg64, "max.f64 {}, {}, {};",
);

/// Returns the value in a way that the compiler cannot see through.
#[inline(always)]
pub(crate) fn unknown(value: u32) -> u32 {
    let same;
    // SAFETY: it copies one register to another.
    unsafe { asm!("mov.b32 {}, {};", out(reg32) same, in(reg32) value, options(pure, nomem, nostack)) }
    same
}

/// Returns the value in a way that the compiler cannot see through, anew at each call.
#[inline(always)]
pub(crate) fn anew(value: u32) -> u32 {
    let same;
    // SAFETY: it copies one register to another. Not `pure`, because the compiler would merge copies of one value.
    unsafe { asm!("mov.b32 {}, {};", out(reg32) same, in(reg32) value, options(nomem, nostack)) }
    same
}

/// Stops the whole launch with an error (9.7.19 `trap`): an index was out of bounds.
#[inline(always)]
pub(crate) fn out_of_bounds() -> ! {
    // SAFETY: `trap` ends the thread and the launch; nothing runs after it.
    unsafe { asm!("trap;", "exit;", options(noreturn, nostack)) }
}

/// The part of a variable that begins `offset` bytes behind `base`.
#[inline(always)]
pub(crate) fn shared_part(base: SharedBase, offset: usize) -> SharedBase {
    base + offset as u32
}

/// 10 `%dynamic_smem_size`: bytes of shared memory set at launch.
#[inline(always)]
pub(crate) fn dynamic_shared_bytes() -> u32 {
    let bytes: u32;
    // SAFETY: reading a special register has no precondition; it is constant for a launch.
    unsafe { asm!("mov.u32 {}, %dynamic_smem_size;", out(reg32) bytes, options(pure, nomem, nostack)) }
    bytes
}

/// Reads the block's shared memory, `offset` bytes after `base`.
///
/// # Safety
/// `base` came from `shared_bytes!` or `dynamic_shared!`, and `offset` up to `offset + size_of::<T>()` is within it and
/// aligned for `T`, which is plain data of a multiple of 4 bytes.
#[inline(always)]
pub(crate) unsafe fn shared_read<T: Pod>(base: SharedBase, offset: usize) -> T {
    let mut value = T::zeroed();
    let address = base + offset as u32;
    macro_rules! load {
        ($word:ty, $load:literal, $register:ident) => {{
            let words = bytemuck::cast_slice_mut::<u8, $word>(bytemuck::bytes_of_mut(&mut value));
            for (i, word) in words.iter_mut().enumerate() {
                let address = address + (size_of::<$word>() * i) as u32;
                // SAFETY: within the array as this function's contract promises. Not `pure`: other threads write.
                unsafe { asm!($load, out($register) *word, in(reg32) address, options(nostack)) }
            }
        }};
    }
    if align_of::<T>().is_multiple_of(8) {
        load!(u64, "ld.shared.u64 {}, [{}];", reg64);
    } else {
        load!(u32, "ld.shared.u32 {}, [{}];", reg32);
    }
    value
}

/// `ld.shared.v4`.
///
/// # Safety
/// As for `shared_read` of 16 bytes, and `offset` is a multiple of 16.
#[inline(always)]
pub(crate) unsafe fn shared_read_vector(base: SharedBase, offset: usize) -> [u32; 4] {
    let (a, b, c, d): (u32, u32, u32, u32);
    // SAFETY: within the array as this function's contract promises. Not `pure`: other threads write.
    unsafe {
        asm!("ld.shared.v4.u32 {{{a}, {b}, {c}, {d}}}, [{address}];",
            a = out(reg32) a, b = out(reg32) b, c = out(reg32) c, d = out(reg32) d,
            address = in(reg32) base + offset as u32, options(nostack));
    }
    [a, b, c, d]
}

/// `st.shared.v4`.
///
/// # Safety
/// As for `shared_read_vector`.
#[inline(always)]
pub(crate) unsafe fn shared_write_vector(base: SharedBase, offset: usize, [a, b, c, d]: [u32; 4]) {
    // SAFETY: within the array as this function's contract promises.
    unsafe {
        asm!("st.shared.v4.u32 [{address}], {{{a}, {b}, {c}, {d}}};",
            address = in(reg32) base + offset as u32, a = in(reg32) a, b = in(reg32) b, c = in(reg32) c,
            d = in(reg32) d, options(nostack));
    }
}

/// Writes the block's shared memory, `offset` bytes after `base`.
///
/// # Safety
/// As for `shared_read`.
#[inline(always)]
pub(crate) unsafe fn shared_write<T: Pod>(base: SharedBase, offset: usize, value: T) {
    let address = base + offset as u32;
    macro_rules! store {
        ($word:ty, $store:literal, $register:ident) => {
            for (i, word) in bytemuck::cast_slice::<u8, $word>(bytemuck::bytes_of(&value)).iter().enumerate() {
                let address = address + (size_of::<$word>() * i) as u32;
                // SAFETY: within the array as this function's contract promises.
                unsafe { asm!($store, in(reg32) address, in($register) *word, options(nostack)) }
            }
        };
    }
    if align_of::<T>().is_multiple_of(8) {
        store!(u64, "st.shared.u64 [{}], {};", reg64);
    } else {
        store!(u32, "st.shared.u32 [{}], {};", reg32);
    }
}

macro_rules! shared_updates {
    ($($update:ident: $word:ty, $register:ident, $what:literal);* $(;)?) => { $(
        #[doc = concat!("9.7.13.6 `red.", $what, "` in the block's shared memory, `offset` bytes after `base`: relaxed, at block scope.")]
        ///
        /// # Safety
        /// As for `shared_read` of the word.
        #[inline(always)]
        pub(crate) unsafe fn $update(base: SharedBase, offset: usize, value: $word) {
            // SAFETY: promised by this function's contract.
            unsafe {
                asm!(concat!("red.relaxed.cta.shared.", $what, " [{}], {};"), in(reg32) base + offset as u32,
                    in($register) value, options(nostack));
            }
        }
    )* };
}
shared_updates!(
    shared_add: u32, reg32, "add.u32";
    shared_max_u32: u32, reg32, "max.u32";
    shared_max_u64: u64, reg64, "max.u64";
    shared_or: u32, reg32, "or.b32";
    shared_xor: u32, reg32, "xor.b32";
);

/// 9.7.13.5 `atom.add` in the block's shared memory, `offset` bytes after `base`: relaxed, at block scope.
///
/// # Safety
/// As for `shared_read` of a u32.
#[inline(always)]
pub(crate) unsafe fn shared_fetch_add(base: SharedBase, offset: usize, value: u32) -> u32 {
    let before;
    // SAFETY: promised by this function's contract.
    unsafe {
        asm!("atom.relaxed.cta.shared.add.u32 {}, [{}], {};", out(reg32) before, in(reg32) base + offset as u32,
            in(reg32) value, options(nostack));
    }
    before
}

/// 9.7.9.8 `ld.relaxed` in the block's shared memory, `offset` bytes after `base`, at block scope.
///
/// # Safety
/// As for `shared_read` of a u32.
#[inline(always)]
pub(crate) unsafe fn shared_load(base: SharedBase, offset: usize) -> u32 {
    let value;
    // SAFETY: promised by this function's contract.
    unsafe {
        asm!("ld.relaxed.cta.shared.u32 {}, [{}];", out(reg32) value, in(reg32) base + offset as u32, options(nostack));
    }
    value
}

/// 9.7.13.5 `atom.cas` in the block's shared memory, `offset` bytes after `base`: relaxed, at block scope.
///
/// # Safety
/// As for `shared_read` of a u32.
#[inline(always)]
pub(crate) unsafe fn shared_compare_exchange(base: SharedBase, offset: usize, current: u32, new: u32) -> u32 {
    let before;
    // SAFETY: promised by this function's contract.
    unsafe {
        asm!("atom.relaxed.cta.shared.cas.b32 {}, [{}], {}, {};", out(reg32) before, in(reg32) base + offset as u32,
            in(reg32) current, in(reg32) new, options(nostack));
    }
    before
}
