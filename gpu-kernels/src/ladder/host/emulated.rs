//! A rung under the emulator.

use core::fmt;

use cuda_std::emulator::{Counts, Launch, Misuse, Order};
use cuda_std::memory::Writable;

use super::rung::{Course, Rung, Stamped, Step};
use super::sectors::InSectors;
use crate::arguments::ladder::{Between, WithTicket};
use crate::ladder::entry::Sum;

/// The launch of a rung.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Threads per block.
    pub threads: u32,
    /// Blocks that the GPU is assumed to hold at once.
    pub resident: u32,
    /// The order in which blocks and threads run.
    pub order: Order,
}

/// The reason why there is no sum.
#[derive(Debug)]
#[non_exhaustive]
pub enum Failure {
    /// The rung does not take such blocks, or not this number of elements with them.
    Unfit {
        /// The rung's label.
        rung: &'static str,
        /// Threads per block.
        threads: u32,
        /// Elements.
        len: u64,
    },
    /// A mistake that the emulator found.
    Misuse(Misuse),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfit { rung, threads, len } => {
                write!(
                    f,
                    "rung {rung} is not for {len} elements by blocks of {threads} threads: see `Rung::takes` and `Rung::most`"
                )
            }
            Self::Misuse(misuse) => misuse.fmt(f),
        }
    }
}

impl core::error::Error for Failure {}

/// Returns the sum of `input` by `rung`, and the counts of each of its launches.
///
/// # Errors
/// [`Failure::Unfit`] before anything runs; otherwise what the emulator reports.
///
/// ```
/// use cuda_std::emulator::Order;
/// use gpu_kernels::ladder::host::{emulated::{Shape, sum}, rung::RUNGS};
///
/// let x: Vec<i32> = (1..=1000).collect();
/// let shape = Shape { threads: 256, resident: 2, order: Order::InOrder };
/// for rung in &RUNGS[..5] {
///     assert_eq!(sum(rung, &x, shape)?.0, 500_500);
/// }
/// # Ok::<(), gpu_kernels::ladder::host::emulated::Failure>(())
/// ```
pub fn sum<T: Stamped>(rung: &Rung, input: &[T], shape: Shape) -> Result<(T, Vec<Counts>), Failure> {
    let (threads, len) = (shape.threads, input.len() as u64);
    let unfit = Failure::Unfit { rung: rung.label, threads, len };
    if !rung.takes(threads) || len > rung.most(threads) {
        return Err(unfit);
    }
    let steps = rung.steps(len, threads, shape.resident);
    let kernel = match rung.course {
        Course::Ticket => Kernel::Ticket(T::TICKET),
        _ => Kernel::Sum(T::sum(&rung.entry(threads, T::NAME)).ok_or(unfit)?),
    };
    let mut counts = Vec::new();
    let mut left = InSectors::copied(input);
    for step in steps {
        let (out, counted) = launch(kernel, rung, left.as_slice(), step, shape).map_err(Failure::Misuse)?;
        left = out;
        counts.push(counted);
    }
    Ok((left.as_slice().first().copied().unwrap_or(T::ZERO), counts))
}

/// A rung's entry point.
#[derive(Clone, Copy)]
enum Kernel<T: Copy> {
    Sum(Sum<T>),
    Ticket(unsafe fn(WithTicket<T>)),
}

/// Runs one launch, and returns what it writes and counts.
fn launch<T: Stamped>(
    kernel: Kernel<T>,
    rung: &Rung,
    input: &[T],
    step: Step,
    shape: Shape,
) -> Result<(InSectors<T>, Counts), Misuse> {
    let mut out = InSectors::filled(step.leaves as usize, T::ZERO);
    if !rung.adds_to_zero() {
        // The initial contents of memory that a kernel has yet to write must not show in the sum.
        bytemuck::cast_slice_mut::<T, u8>(out.as_mut_slice()).fill(0xa5);
    }
    let mut ticket = [0u32];
    let to: Writable<T> = out.as_mut_slice().into();
    let between = Between { input: input.into(), len: step.len, out: to };
    let with_ticket =
        WithTicket { input: input.into(), len: step.len, out: to, ticket: (&mut ticket[..]).into() };
    let counts = Launch::new(step.blocks, shape.threads)
        .order(shape.order)
        .register(input)
        .register(out.as_slice())
        .register(&raw const ticket[..])
        .run(|| {
            // SAFETY: all live as long as the launch, and have the lengths that the rung's step asks for; `sum` has checked
            // that the rung takes such blocks.
            unsafe {
                match kernel {
                    Kernel::Sum(sum) => sum(between),
                    Kernel::Ticket(sum) => sum(with_ticket),
                }
            }
        })?;
    Ok((out, counts))
}
