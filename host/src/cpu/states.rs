//! Exact states of whole arrays: of parts on all threads, in the widest registers, merged.

use gpu_kernels::Element;
use warpfold_exact::{self as exact, Comoments, Dot, Moments, Sum};

use super::processor::{self, Job, Processor};
use super::{Cpu, TASK_BYTES, share};
use crate::arrays::{AsElements, both};
use crate::error::{Error, check_lengths};
use crate::input::Zip;
use crate::{float_environment, memory};

/// An exact state that [`Cpu::exact_state`] makes of an input: [`Sum`] and [`Moments`] of an array, [`Dot`] and [`Comoments`] of
/// two arrays side by side.
pub trait StateOf<I>: Sized {
    /// Returns the state of all elements.
    #[doc(hidden)]
    fn of(cpu: &Cpu, input: I) -> Result<Self, Error>;
}

impl Cpu {
    /// Returns the exact state of all elements of an array, or of all pairs of two: what `push` of each element makes, in the
    /// widest registers of this processor and on all threads. It can be merged with a state that another machine made.
    ///
    /// `&x` is any [`AsElements`]; missing elements are left out, and pairs with one.
    ///
    /// # Errors
    /// [`Error::Lengths`] if two arrays differ in length; [`Error::FloatEnvironment`] and [`Error::TooManyResults`] as for `reduce`.
    ///
    /// ```
    /// use warpfold::exact::{Comoments, Sum};
    /// use warpfold::{Cpu, zip};
    ///
    /// let x: Vec<f64> = (0..1000).map(|i| 0.1 * f64::from(i)).collect();
    /// let y: Vec<f64> = x.iter().map(|x| 3.0 - x).collect();
    /// let cpu = Cpu::new();
    /// // Merge, take back.
    /// let mut sum: Sum<f64> = cpu.exact_state(&x[..600])?;
    /// sum.merge(&cpu.exact_state(&x[600..])?);
    /// sum.unmerge(&cpu.exact_state(&x[..10])?);
    /// assert_eq!(sum, x[10..].iter().collect());
    /// let line: Comoments<f64> = cpu.exact_state(zip(&x, &y))?;
    /// assert_eq!(line.count(), 1000);
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn exact_state<S: StateOf<I>, I>(&self, input: I) -> Result<S, Error> {
        S::of(self, input)
    }

    /// Returns the state of parts, which are merged. All elements have `bytes` bytes.
    fn merged<S: Copy + Default + Send + std::iter::Sum, P: Send>(
        &self,
        parts: impl ExactSizeIterator<Item = P> + Send,
        bytes: usize,
    ) -> Result<S, Error>
    where
        for<'s> Fill<'s, S, P>: Job<Done = ()>,
    {
        let mut states = memory::filled(S::default(), parts.len())?;
        let threads = self.threads_for(bytes);
        let tasks = states.iter_mut().zip(parts).map(|(state, part)| Fill { state, part });
        share(self.pool.as_deref(), threads - 1, tasks, |task| {
            float_environment::check()?;
            processor::widest(task);
            Ok::<(), Error>(())
        })?;
        Ok(states.into_iter().sum())
    }
}

/// An empty state, and the elements that it gets.
struct Fill<'s, S, P> {
    state: &'s mut S,
    part: P,
}

macro_rules! of_elements {
    ($($State:ident),*) => { $(
        impl<T: exact::Element> Job for Fill<'_, $State<T>, &[T]> {
            type Done = ();

            #[inline(always)]
            fn run(self, _: impl Processor) {
                self.state.extend_from_slice(self.part);
            }
        }

        impl<X: AsElements<Element: exact::Element> + ?Sized> StateOf<&X> for $State<X::Element>
        where
            Self: Send,
        {
            fn of(cpu: &Cpu, x: &X) -> Result<Self, Error> {
                let x = x.try_elements()?;
                cpu.merged(x.chunks(task::<X::Element>()), size_of_val(&*x))
            }
        }
    )* };
}
of_elements!(Sum, Moments);

macro_rules! of_pairs {
    ($($State:ident),*) => { $(
        impl<T: exact::Element> Job for Fill<'_, $State<T>, (&[T], &[T])> {
            type Done = ();

            #[inline(always)]
            fn run(self, _: impl Processor) {
                let (x, y) = self.part;
                self.state.extend_from_slices(x, y);
            }
        }

        impl<T, X, Y> StateOf<Zip<&X, &Y>> for $State<T>
        where
            T: Element + exact::Element,
            X: AsElements<Element = T> + ?Sized,
            Y: AsElements<Element = T> + ?Sized,
            Self: Send,
        {
            fn of(cpu: &Cpu, input: Zip<&X, &Y>) -> Result<Self, Error> {
                let (x, y) = both(input.x.try_elements()?, input.y.try_elements()?)?;
                check_lengths(x.len(), y.len())?;
                let task = task::<[T; 2]>();
                cpu.merged(x.chunks(task).zip(y.chunks(task)), 2 * size_of_val(&*x))
            }
        }
    )* };
}
of_pairs!(Dot, Comoments);

/// Returns the number of elements of a task.
fn task<T>() -> usize {
    (TASK_BYTES / size_of::<T>()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::zip;

    #[test]
    fn states_are_those_of_pushes_whatever_the_threads() {
        let special = [f64::NAN, -0.0, 0.0, f64::INFINITY, f64::MAX, f64::from_bits(1)];
        let at = |i: usize| if i.is_multiple_of(977) { special[i % 6] } else { (i as f64).sin() * 1e3 };
        let x: Vec<f64> = (0..400_000).map(at).collect();
        let y: Vec<f32> = x.iter().rev().map(|&x| x as f32).collect();
        for cpu in [1, 3].map(|threads| Cpu::with_threads(threads).unwrap()) {
            for n in [0, 1, 31, 256, 1000, 131_073, x.len()] {
                let (x, y) = (&x[..n], &y[..n]);
                let pairs = |i: usize| (y[i], y[n - 1 - i]);
                let reversed: Vec<f32> = y.iter().rev().copied().collect();
                assert_eq!(cpu.exact_state::<Sum<f64>, _>(x).unwrap(), x.iter().collect(), "{n}");
                assert_eq!(cpu.exact_state::<Sum<f32>, _>(y).unwrap(), y.iter().collect(), "{n}");
                assert_eq!(cpu.exact_state::<Moments<f64>, _>(x).unwrap(), x.iter().collect(), "{n}");
                let dot: Dot<f32> = cpu.exact_state(zip(y, &reversed)).unwrap();
                assert_eq!(dot, (0..n).map(pairs).collect(), "{n}");
                let line: Comoments<f32> = cpu.exact_state(zip(y, &reversed)).unwrap();
                assert_eq!(line, (0..n).map(pairs).collect(), "{n}");
            }
        }
    }

    #[test]
    fn missing_elements_are_left_out_and_lengths_must_be_equal() {
        let cpu = Cpu::new();
        let x: crate::Elements<f64> = [Some(1.0), None, Some(2.5)].into_iter().collect();
        let sum: Sum<f64> = cpu.exact_state(&x).unwrap();
        assert_eq!((sum.count(), sum.value()), (2, 3.5));
        let dot: Dot<f64> = cpu.exact_state(zip(&x, &[2.0, 2.0, 2.0])).unwrap();
        assert_eq!((dot.count(), dot.value()), (2, 7.0));
        let refused: Result<Dot<f64>, _> = cpu.exact_state(zip(&x, &[2.0]));
        assert!(matches!(refused, Err(Error::Lengths { left: 3, right: 1 })));
    }
}
