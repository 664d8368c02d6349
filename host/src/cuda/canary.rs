//! Checks a device's arithmetic once per device and process. The driver compiles the kernels anew on each machine, so
//! the bits of its arithmetic are compared with the CPU's before any result is given.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use gpu_kernels::canary::{ARITHMETIC, Case, ROOTS, Row};

use crate::cuda::launch::{Canary, Context, Kernels, Queue};
use crate::error::{Error, Version};
use crate::float_environment;

/// Findings by device number; `None` if nothing is wrong. Other threads that open a device meanwhile wait.
static FOUND: Mutex<BTreeMap<usize, Option<&'static str>>> = Mutex::new(BTreeMap::new());

/// Fails unless the device's float arithmetic has the CPU's bits. The first call for a device loads and runs two small
/// kernels. A failure to do that is not remembered.
pub(crate) fn check(context: &Arc<Context>, driver: Version) -> Result<(), Error> {
    let ordinal = context.ordinal();
    let mut devices = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    let found = match devices.get(&ordinal) {
        Some(found) => *found,
        None => *devices.entry(ordinal).or_insert(ask(context, driver)?),
    };
    match found {
        None => Ok(()),
        Some(found) => Err(Error::FloatEnvironment { found, device: Some(ordinal) }),
    }
}

/// Has the device compute, and frees what that needed.
fn ask(context: &Arc<Context>, driver: Version) -> Result<Option<&'static str>, Error> {
    // The comparison also relies on this thread's arithmetic.
    float_environment::check()?;
    let queue = Queue::new(context)?;
    let kernels = Kernels::new(context.clone(), Version { major: 0, minor: 0 }, driver)?;
    let compute = |canary: Canary, cases: &[Case]| {
        #[expect(clippy::disallowed_methods, reason = "the cases are constants")]
        let operands: Vec<Row> = cases.iter().map(|case| case.operands).collect();
        canary.compute(&queue, &kernels, &operands)
    };
    let arithmetic = difference(ARITHMETIC, Row::arithmetic, &compute(Canary::Arithmetic, ARITHMETIC)?);
    let roots = difference(ROOTS, Row::roots, &compute(Canary::Roots, ROOTS)?);
    Ok(arithmetic.or(roots))
}

/// Returns what the first row reveals whose bits differ from the CPU's.
fn difference(cases: &[Case], compute: impl Fn(Row) -> Row, found: &[Row]) -> Option<&'static str> {
    if found.len() != cases.len() {
        return Some("results missing");
    }
    let mut rows = cases.iter().zip(found);
    // Hides the operands from the compiler, which would otherwise compute at compile time, in its own arithmetic.
    let is_same = |case: &Case, found: &Row| {
        let expected = compute(std::hint::black_box(case.operands));
        bytemuck::bytes_of(&expected) == bytemuck::bytes_of(found)
    };
    rows.find(|(case, found)| !is_same(case, found)).map(|(case, _)| case.reveals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bit_that_differs_is_found_and_named() {
        let right: Vec<Row> = ARITHMETIC.iter().map(|case| case.operands.arithmetic()).collect();
        assert_eq!(difference(ARITHMETIC, Row::arithmetic, &right), None);
        for (row, case) in ARITHMETIC.iter().enumerate() {
            for bit in 0..8 * size_of::<Row>() {
                let mut wrong = right.clone();
                bytemuck::bytes_of_mut(&mut wrong[row])[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(difference(ARITHMETIC, Row::arithmetic, &wrong), Some(case.reveals));
            }
        }
        assert_eq!(difference(ARITHMETIC, Row::arithmetic, &right[1..]), Some("results missing"));
    }
}
