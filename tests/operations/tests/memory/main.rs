//! Memory that runs out: each allocation of each call is refused once. The call returns an error and no process ends; with
//! memory again, the same call has the right result.
#![allow(missing_docs)]

mod arrays;
mod moves;
mod reductions;

use std::fmt::Debug;

use warpfold::{Cpu, Error, Sum, View, along};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::failing::{Call, Failing, each_allocation_fails, tried};
use warpfold_tests::{samples, turn};

#[global_allocator]
static MEMORY: Failing = Failing;

/// A backend, and the number of elements of its calls.
struct Backend {
    name: &'static str,
    cpu: Cpu,
    n: usize,
}

/// A backend of one thread, and one of three with two tasks of f32 and a part of one.
fn backends() -> [Backend; 2] {
    [("one thread", 1, 72_000), ("three", 3, 600_000)].map(|(name, threads, n)| {
        let cpu = Cpu::with_threads(threads).unwrap();
        Backend { name, cpu, n }
    })
}

impl Backend {
    /// Returns a call on the backend.
    fn call<R: Debug>(&self, name: &str, call: impl Fn(&Cpu) -> Result<R, Error> + 'static) -> Call {
        let cpu = self.cpu.clone();
        (format!("{name}, {}", self.name), Box::new(move || result(call(&cpu))))
    }

    /// Ordinary numbers.
    fn floats(&self) -> &'static [f32] {
        Vec::leak(samples(Ordinary, 1, self.n as u64))
    }
}

/// The result as bytes, or `None` for a lack of memory.
fn result<R: Debug>(found: Result<R, Error>) -> Option<Vec<u8>> {
    match found {
        Ok(found) => Some(format!("{found:?}").into()),
        Err(Error::TooManyResults { .. }) => None,
        Err(error) => panic!("the call failed otherwise: {error:?}"),
    }
}

#[test]
fn no_lack_of_memory_ends_the_process() {
    let mut calls = moves::of_auto();
    for backend in &backends() {
        calls.extend(
            [reductions::calls(backend), moves::calls(backend), arrays::calls(backend)].into_iter().flatten(),
        );
    }
    // Unoptimised, each takes seconds.
    let of_turn = (0..).zip(calls).filter(|&(number, _)| turn::is_in_sixteenth(number));
    each_allocation_fails("no_lack_of_memory_ends_the_process", of_turn.map(|(_, call)| call).collect());
}

/// A view of one element as 2^62: a tile of such a row has 2^50 elements or more, for which some operators need memory.
#[test]
fn a_view_of_one_element_many_times_is_refused() {
    let x = [1.0f64];
    let view = View::strided(&x, 0, &[2, 1 << 31, 1 << 31], &[0, 0, 0]).unwrap();
    for Backend { cpu, .. } in backends() {
        let refused = tried(|| cpu.reduce(Sum, along(view, &[1, 2])));
        assert!(matches!(refused, Err(Error::TooManyResults { .. })), "{refused:?}");
    }
}
