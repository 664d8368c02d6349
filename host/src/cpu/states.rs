//! Exact states of whole arrays: of parts on all threads, in the widest registers, merged.

use gpu_kernels::Element;
use warpfold_exact::{self as exact, Comoments, Dot, Moments, Sum};

use super::processor::{self, Job, Processor};
use super::{Cpu, TASK_BYTES, share};
use crate::arrays::{AsElements, both};
use crate::error::{Error, check_lengths};
use crate::input::Zip;
use crate::verb::{Backend, ExactState};
use crate::{float_environment, memory};

impl Cpu {
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

        impl<X: AsElements<Element: exact::Element> + ?Sized> Backend<ExactState<$State<X::Element>, &X>> for Cpu
        where
            $State<X::Element>: Send,
        {
            type Results = $State<X::Element>;

            fn run(&self, request: ExactState<$State<X::Element>, &X>) -> Result<Self::Results, Error> {
                let x = request.input.try_elements()?;
                self.merged(x.chunks(task::<X::Element>()), size_of_val(&*x))
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

        impl<T, X, Y> Backend<ExactState<$State<T>, Zip<&X, &Y>>> for Cpu
        where
            T: Element + exact::Element,
            X: AsElements<Element = T> + ?Sized,
            Y: AsElements<Element = T> + ?Sized,
            $State<T>: Send,
        {
            type Results = $State<T>;

            fn run(&self, request: ExactState<$State<T>, Zip<&X, &Y>>) -> Result<Self::Results, Error> {
                let input = request.input;
                let (x, y) = both(input.x.try_elements()?, input.y.try_elements()?)?;
                check_lengths(x.len(), y.len())?;
                let task = task::<[T; 2]>();
                self.merged(x.chunks(task).zip(y.chunks(task)), 2 * size_of_val(&*x))
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
