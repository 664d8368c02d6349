//! Reductions of windows, which share most of their elements with their neighbours.
//!
//! | file | folds | for |
//! |---|---|---|
//! | `shared.rs` | every subtree once, level by level, for all windows that have it | operators that commute or are associative |
//! | `halves.rs` | the two sides of a border that all windows of a block cross | associative operators over long windows |
//! | `taken_back.rs` | a state that elements enter and leave | exact operators |
//! | `mod.rs` | each window by itself, as a row | all others |

mod halves;
mod shared;
mod taken_back;

use std::mem::MaybeUninit;

use gpu_kernels::{Element, Op};

use self::shared::Shared;
use self::taken_back::{Slide, slide};
use super::batch::Overlapping;
use super::processor::{self, Job, Processor};
use super::unwritten::Unwritten;
use super::{Cpu, TASK_BYTES};
use crate::arrays::AsElements;
use crate::error::Error;
use crate::float_environment;
use crate::input::Windows;
use crate::verb::{Backend, Reduce};

/// Bytes of the longest accumulator that windows share.
const WIDEST: usize = 64;

/// Most bytes of one window's accumulators in `shared.rs`, which has seven arrays of up to about twice as many.
const MOST_BYTES: usize = 4 << 20;

/// Least positions that are folded at once (docs/tuning/cpu.md). `len - 1` elements are folded again for each such block.
const LEAST: usize = 2048;

/// Combinations in the time that the memory of `shared.rs` takes.
const SETUP: usize = 512;

/// Elements of a window from which two halves take less time than all levels of a tree.
const LONG: usize = 2048;

/// Elements of a batch that an exact operator folds; a shorter window takes a whole one.
const BATCH: usize = 256;

/// Elements that enter a state, and as many that leave it, in the time of a batch (docs/tuning/cpu.md).
const ENTER: usize = 16;

/// The way to fold windows.
enum Way<T, R> {
    /// Each subtree once.
    Shared,
    /// The two sides of a border.
    Halves,
    /// Each element once, and back.
    TakenBack(Slide<T, R>),
    /// Each window.
    Apart,
}

/// Returns the fastest way.
fn way<T: Element, O: Op<T>>(count: usize, len: usize, step: usize) -> Way<T, O::Out> {
    // One window is a row, which all threads fold.
    if count > 1
        && step <= len / 2
        && step <= len.div_ceil(BATCH) * ENTER
        && let Some(slide) = slide::<T, O>()
    {
        return Way::TakenBack(slide);
    }
    if O::NEEDS_INDEX || !(O::COMMUTATIVE || O::ASSOCIATIVE) || size_of::<O::Acc>() > WIDEST {
        return Way::Apart;
    }
    // Combinations for each window, whose elements are folded several at a time if it is folded by itself.
    let of_shared = step.saturating_mul(2 * len.ilog2() as usize + 1).saturating_add(SETUP / count.max(1));
    let of_halves = step.saturating_mul(3);
    match len {
        _ if O::ASSOCIATIVE && len > LONG && of_halves < len => Way::Halves,
        _ if len.saturating_mul(size_of::<O::Acc>()) <= MOST_BYTES && of_shared <= len + 8 => Way::Shared,
        _ => Way::Apart,
    }
}

impl<X: AsElements + ?Sized, O: Op<X::Element>> Backend<Reduce<O, Windows<&X>>> for Cpu {
    type Results = Vec<O::Out>;

    fn run(&self, Reduce { op, input }: Reduce<O, Windows<&X>>) -> Result<Vec<O::Out>, Error> {
        let elements = input.x.try_elements()?;
        let x = elements.whole("each element of a window is needed: pass an array without nulls")?;
        let (count, Windows { len, step, .. }) = (input.count(x.len())?, input);
        match way::<X::Element, O>(count, len, step) {
            Way::Apart => self.reduce_overlapping(op, &Overlapping { x, count, len, step }),
            way => self.windows(&way, op, x, [count, len, step]),
        }
    }
}

impl Cpu {
    /// Folds `count` windows of `len` elements, `step` apart.
    fn windows<T: Element, O: Op<T>>(
        &self,
        way: &Way<T, O::Out>,
        op: O,
        x: &[T],
        [count, len, step]: [usize; 3],
    ) -> Result<Vec<O::Out>, Error> {
        let mut outs = Unwritten::<O::Out>::new(count)?;
        // The elements before a share's first new one are folded again.
        let task = (TASK_BYTES / size_of::<T>()).max(len.saturating_mul(8));
        let threads = self.threads_for((x.len() / task).saturating_mul(TASK_BYTES));
        let task = if threads < 2 { count } else { task.div_ceil(step) };
        let tasks = outs.slots().chunks_mut(task.max(1)).zip((0..).step_by(task.max(1)));
        super::share(self.pool.as_deref(), threads - 1, tasks, |(outs, first)| {
            float_environment::check()?;
            let x = &x[first * step..(first + outs.len() - 1) * step + len];
            match way {
                Way::TakenBack(slide) => {
                    slide(x, len, step, outs);
                    Ok(())
                }
                _ => {
                    let is_halved = matches!(way, Way::Halves);
                    processor::widest(Share { is_halved, op, x, len, step, outs })
                }
            }
        })?;
        // SAFETY: the tasks above are all slots, and each job writes a result to each of its own.
        Ok(unsafe { outs.written() })
    }
}

/// Some windows, and their elements.
struct Share<'a, T: Element, O: Op<T>> {
    is_halved: bool,
    op: O,
    x: &'a [T],
    len: usize,
    step: usize,
    outs: &'a mut [MaybeUninit<O::Out>],
}

impl<T: Element, O: Op<T>> Job for Share<'_, T, O> {
    type Done = Result<(), Error>;

    #[inline(always)]
    fn run(self, _: impl Processor) -> Result<(), Error> {
        let Self { is_halved, op, x, len, step, outs } = self;
        if is_halved {
            return halves::fold(op, x, len, step, outs);
        }
        let at_once = LEAST.max(len).div_ceil(step);
        let mut shared = Shared::<O::Acc>::new((at_once * step + len).min(x.len()))?;
        for (outs, first) in outs.chunks_mut(at_once).zip((0..).step_by(at_once * step)) {
            let positions = (outs.len() - 1) * step + 1;
            let accs = shared.fold(op, &x[first..], len, positions);
            for (out, &acc) in outs.iter_mut().zip(accs.iter().step_by(step)) {
                out.write(O::finish(acc, len as u64));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use gpu_kernels::{
        ExactDot, ExactMean, ExactSampleStdDev, ExactSampleVariance, ExactStdDev, ExactSum, ExactVariance,
        Sum,
    };

    use super::*;
    use crate::operator::{ExactCorrelation, ExactCovariance, ExactSampleCovariance};

    fn is_taken_back<T: Element, O: Op<T>>() -> bool {
        matches!(way::<T, O>(100, 1000, 1), Way::TakenBack(_))
    }

    #[test]
    fn exact_operators_take_back() {
        macro_rules! all {
            ($($element:ty: $($op:ident)*;)*) => { $( $(
                assert!(is_taken_back::<$element, $op>(), "{} of {}", stringify!($op), stringify!($element));
            )* )* };
        }
        all! {
            f32: ExactSum ExactMean ExactVariance ExactSampleVariance ExactStdDev ExactSampleStdDev;
            f64: ExactSum ExactMean ExactVariance ExactSampleVariance ExactStdDev ExactSampleStdDev;
            [f32; 2]: ExactDot ExactCovariance ExactSampleCovariance ExactCorrelation;
            [f64; 2]: ExactDot ExactCovariance ExactSampleCovariance ExactCorrelation;
        }
        assert!(!is_taken_back::<f32, Sum>());
        assert!(matches!(way::<f64, ExactSum>(1, 1000, 1), Way::Apart));
    }
}
