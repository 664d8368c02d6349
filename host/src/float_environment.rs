//! The check that this thread's float arithmetic is the one that defines results: round to nearest, and subnormal
//! numbers kept. A library built with `-ffast-math` changes it for every thread that loads it.

use gpu_kernels::{Element, Op};

use crate::error::Error;

/// Finishes an accumulator from elsewhere, such as a device. Checked, because [`Op::finish`] may round too.
pub(crate) fn finish<T: Element, O: Op<T>>(acc: O::Acc, len: u64) -> Result<O::Out, Error> {
    check()?;
    Ok(O::finish(acc, len))
}

/// Does [`finish`] for `acc` combined with an accumulator `init` on its left: the fold of `before` elements.
pub(crate) fn finish_with<T: Element, O: Op<T>>(
    init: O::Acc,
    before: u64,
    acc: O::Acc,
    len: u64,
) -> Result<O::Out, Error> {
    check()?;
    Ok(O::finish(O::combine(init, acc), before.wrapping_add(len)))
}

/// Fails if float arithmetic on this thread does not round to nearest, flushes subnormal results to zero, or reads
/// subnormal operands as zero.
#[inline]
pub(crate) fn check() -> Result<(), Error> {
    if is_right() { Ok(()) } else { refused() }
}

/// Returns the error of [`check`]. It is apart, so that callers contain only the check.
#[cold]
#[inline(never)]
fn refused() -> Result<(), Error> {
    found().map_or(Ok(()), |found| Err(Error::FloatEnvironment { found, device: None }))
}

/// Returns whether there is nothing to refuse, by the fastest way of this processor. The control register is slow to read on
/// an EPYC, subnormal numbers are slow on a Xeon (docs/tuning/cpu.md).
#[inline]
pub(crate) fn is_right() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        // Of processors with AVX-512, only AMD's have SSE4a.
        if has!("sse4a") && has!("avx512vl") {
            // SAFETY: the line above detected AVX-512VL.
            return unsafe { is_right_by_results() };
        }
    }
    found().is_none()
}

const ROUNDS: &str = "a rounding mode other than to nearest";
const FLUSHES: &str = "subnormal results flushed to zero";
const READS_ZERO: &str = "subnormal operands read as zero";

/// Vectors of four `f32`, by their bits.
#[cfg(target_arch = "x86_64")]
#[repr(C, align(64))]
struct Vectors([[u32; 4]; 5]);

/// Returns whether arithmetic gives the results of the default environment. It raises no exception except for inexact results, so a
/// program in which the processor traps on underflow goes on.
///
/// Intel, *64 and IA-32 Architectures Software Developer's Manual*, volume 2, VRCP14PS: an approximate reciprocal, which raises no exception.
///
/// # Safety
/// The processor has AVX-512VL.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn is_right_by_results() -> bool {
    /// Let u be half of the distance from 1 to the next number. 1 + u is 1, unless it is rounded up. 1 + 3u is 1 + 4u, unless it is
    /// rounded down or to zero. The reciprocal of 1.5 * 2^126 is subnormal, so zero if it is flushed. The reciprocal of a subnormal number
    /// is infinite if the number is read as zero.
    static CASES: Vectors = Vectors([
        [0x3f80_0000; 4],
        [0x3380_0000, 0x3440_0000, 0x3380_0000, 0x3440_0000],
        [0x3f80_0000, 0x3f80_0002, 0x3f80_0000, 0x3f80_0002],
        [0x7ec0_0000, 0x0040_0000, 0x7ec0_0000, 0x0040_0000],
        [0, 0x7f80_0000, 0, 0x7f80_0000],
    ]);
    let right: u32;
    // SAFETY: reads the 80 bytes of `CASES`; the caller detected AVX-512VL. Not `pure`: the control register may change between two calls.
    unsafe {
        std::arch::asm!(
            "vmovaps {sums}, xmmword ptr [{cases}]",
            "vaddps {sums}, {sums}, xmmword ptr [{cases} + 16]",
            "vpcmpeqd {sums}, {sums}, xmmword ptr [{cases} + 32]",
            "vrcp14ps {reciprocals}, xmmword ptr [{cases} + 48]",
            "vpcmpeqd {reciprocals}, {reciprocals}, xmmword ptr [{cases} + 64]",
            "vpandn {sums}, {reciprocals}, {sums}",
            "vpmovmskb {right:e}, {sums}",
            cases = in(reg) &raw const CASES.0,
            sums = out(xmm_reg) _,
            reciprocals = out(xmm_reg) _,
            right = lateout(reg) right,
            options(nostack, readonly),
        );
    }
    right == 0xffff
}

/// Returns the error that the control register shows.
///
/// Intel, *64 and IA-32 Architectures Software Developer's Manual*, volume 1, section 10.2.3: the MXCSR register.
#[cfg(target_arch = "x86_64")]
#[inline]
fn found() -> Option<&'static str> {
    let mut mxcsr = 0u32;
    // SAFETY: writes the 4 bytes of a local; SSE is part of x86-64.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut mxcsr, options(nostack, preserves_flags)) }
    match mxcsr & 0xe040 {
        0 => None,
        bits if bits & 0x6000 != 0 => Some(ROUNDS),
        bits if bits & 0x8000 != 0 => Some(FLUSHES),
        _ => Some(READS_ZERO),
    }
}

/// Returns the error that arithmetic shows, on all other processors.
#[cfg(not(target_arch = "x86_64"))]
fn found() -> Option<&'static str> {
    computed()
}

/// Returns the error that arithmetic shows.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn computed() -> Option<&'static str> {
    use std::hint::black_box;

    let half_ulp = black_box(f32::EPSILON / 2.0);
    let one = black_box(1.0f32);
    let subnormal = black_box(f32::from_bits(1));
    let smallest = black_box(f32::MIN_POSITIVE);
    let half = black_box(0.5f32);

    // To nearest, ties to even: 1 + u stays 1, 1 + 3u becomes 1 + 4u, and -1 - u stays -1. Rounding up, down or towards
    // zero each fails at least one of them.
    let nearest = one + half_ulp == 1.0
        && one + black_box(half_ulp * 3.0) == 1.0 + 2.0 * f32::EPSILON
        && -one - half_ulp == -1.0;
    if !nearest {
        return Some(ROUNDS);
    }
    if (smallest * half).to_bits() == 0 {
        return Some(FLUSHES);
    }
    ((subnormal * black_box(f32::from_bits(0x7e00_0000))).to_bits() == 0).then_some(READS_ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_environment_passes() {
        assert!(check().is_ok());
    }

    /// Returns what a call finds wrong while the SSE control register has the value `mxcsr`.
    #[cfg(target_arch = "x86_64")]
    fn found_under<R>(mxcsr: u32, call: impl FnOnce() -> Result<R, Error>) -> Option<&'static str> {
        let (mut before, mut after) = (0u32, mxcsr);
        // SAFETY: reads and writes this thread's MXCSR through 4-byte locals; the value sets no reserved bit.
        unsafe {
            std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut before, options(nostack));
            std::arch::asm!("ldmxcsr [{}]", in(reg) &raw mut after, options(nostack));
        }
        let found = call();
        // SAFETY: restores the value from before.
        unsafe { std::arch::asm!("ldmxcsr [{}]", in(reg) &raw mut before, options(nostack)) }
        match found {
            Err(Error::FloatEnvironment { found, device: None }) => Some(found),
            _ => None,
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_other_environment_is_refused() {
        const MASKED: u32 = 0x1f80;
        assert_eq!(found_under(MASKED, check), None);
        for rounding in [0x2000, 0x4000, 0x6000] {
            assert_eq!(found_under(MASKED | rounding, check), Some("a rounding mode other than to nearest"));
        }
        assert_eq!(found_under(MASKED | 0x8000, check), Some("subnormal results flushed to zero"));
        assert_eq!(found_under(MASKED | 0x0040, check), Some("subnormal operands read as zero"));
        // The other ways give the same answers.
        for bits in [0, 0x2000, 0x4000, 0x6000, 0x8000, 0x0040] {
            let computed = || match computed() {
                None => Ok(()),
                Some(found) => Err(Error::FloatEnvironment { found, device: None }),
            };
            assert_eq!(found_under(MASKED | bits, computed), found_under(MASKED | bits, check), "{bits:#x}");
            assert_eq!(found_under(MASKED | bits, refused), found_under(MASKED | bits, check), "{bits:#x}");
        }
    }

    /// The underflow and subnormal exceptions are not masked: an instruction that raised one would end this process.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_program_that_traps_on_underflow_is_not_ended() {
        const TRAPS: u32 = 0x1680;
        assert_eq!(found_under(TRAPS, check), None);
        let mut sum = None;
        let _ = found_under(TRAPS, || {
            sum = Some(crate::cpu::Cpu::new().reduce(gpu_kernels::Sum, &[1.0f32, 2.0])?);
            Ok(())
        });
        assert_eq!(sum, Some(3.0));
    }

    /// A mean is divided where it is finished, wherever it was folded.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn what_a_device_folded_is_finished_as_defined_or_not_at_all() {
        const FLUSH: u32 = 0x9f80;
        let mean = || finish::<f32, gpu_kernels::Mean>(f32::MIN_POSITIVE, 2);
        let (smallest, flushed) = (f32::MIN_POSITIVE / 2.0, Some("subnormal results flushed to zero"));
        assert!(matches!(mean(), Ok(Some(mean)) if mean == smallest));
        assert_eq!(found_under(FLUSH, mean), flushed);
        let with = || finish_with::<f32, gpu_kernels::Mean>(-0.0, 1, f32::MIN_POSITIVE, 1);
        assert!(matches!(with(), Ok(Some(mean)) if mean == smallest));
        assert_eq!(found_under(FLUSH, with), flushed);
    }

    /// A whole reduction on the calling thread, and one whose threads differ while the calling thread does not: a
    /// thread begins with the control register of the thread that starts it.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn a_reduction_is_refused_on_whichever_thread_it_runs() {
        const KINDS: [(u32, &str); 3] = [(0x7f80, ROUNDS), (0x9f80, FLUSHES), (0x1fc0, READS_ZERO)];
        let x = vec![1.0f32; 3_000_000];
        let sum = |cpu: &crate::cpu::Cpu| cpu.reduce(gpu_kernels::Sum, &x);
        for (mxcsr, what) in KINDS {
            let one = crate::cpu::Cpu::with_threads(1);
            assert_eq!(found_under(mxcsr, || sum(one.as_ref().map_err(Clone::clone)?)), Some(what));
            let mut started = None;
            let _ = found_under(mxcsr, || {
                started = Some(crate::cpu::Cpu::with_threads(2)?);
                Ok(())
            });
            let refused = started.as_ref().map(sum);
            let is_said = matches!(refused, Some(Err(Error::FloatEnvironment { found, device: None })) if found == what);
            assert!(is_said, "{refused:?} and not {what}");
        }
        assert_eq!(sum(&crate::cpu::Cpu::new()).map(f32::to_bits).ok(), Some(3_000_000.0f32.to_bits()));
    }

    /// The thread that finishes also combines, so it is refused even if others folded the tiles.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_finishing_thread_is_checked() {
        const TOWARDS_ZERO: u32 = 0x7f80;
        let tiles = [1.0f32, f32::EPSILON];
        let finish = || crate::cpu::finish::<f32, gpu_kernels::Sum>(&tiles, 5000);
        assert!(finish().is_ok());
        assert_eq!(found_under(TOWARDS_ZERO, finish), Some("a rounding mode other than to nearest"));
    }
}
