//! The results of a call, by the reference and by loops, or `None` for a call that must be refused whatever its memory.

use bytemuck::{NoUninit, pod_collect_to_vec};
use warpfold::kernels::Storable;
use warpfold::{Cpu, Scan, reference};

use super::{Call, Function, bytes_of};
use crate::dispatch::{Number, OfOperator, OfType, Operator, of_operator, of_type};
use crate::failure::Failure;
use crate::outcome::Present;

/// A call with as many elements as its shape and ids have.
#[derive(Clone, Copy)]
pub(super) struct Expected<'a> {
    pub(super) call: &'a Call,
    pub(super) elements: &'a [u8],
    pub(super) ids: &'a [u32],
    pub(super) shape: [usize; 2],
}

/// Results as they are in memory.
pub(super) struct Results {
    pub(super) bytes: Vec<u8>,
    /// The alignment that they need.
    pub(super) align: usize,
}

impl Expected<'_> {
    /// Returns all results.
    pub(super) fn results(self) -> Option<Results> {
        let (op, kind) = (self.call.op.into(), self.call.kind.into());
        match self.call.function {
            Function::Sort | Function::Argsort => of_type(kind, self, ()).ok(),
            _ => of_operator(op, kind, self, ()).ok(),
        }
    }

    fn refused<R>() -> Result<R, Failure> {
        Err(Failure::invalid("refused"))
    }
}

impl OfOperator<()> for Expected<'_> {
    type Answer = Results;

    fn call<T: Number, O: Operator<T>>(self, (): ()) -> Result<Results, Failure> {
        let Self { call, elements, ids, shape: [count, len] } = self;
        let x: Vec<T> = pod_collect_to_vec(elements);
        let reduced = |x: &[T]| reference::reduce::<T, O>(x);
        let group = |group| ids.iter().zip(&x).filter(move |&(&id, _)| id as usize == group).map(|(_, &x)| x);
        match call.function {
            Function::Reduce => Ok(of_values(&bytes_of(&reduced(&x).present()))),
            Function::Rows => Ok(stored((0..count).map(|row| reduced(&x[row * len..row * len + len])))),
            Function::Groups if ids.iter().any(|&id| id as usize >= count) => Self::refused(),
            Function::Groups => Ok(stored((0..count).map(|at| reduced(&group(at).collect::<Vec<_>>())))),
            Function::Scan if !(0..2).contains(&call.way) => Self::refused(),
            Function::Scan => {
                // The target `moves` compares scans with reductions; here it is the call that is compared.
                let scan = if call.way == 1 { Scan::exclusive() } else { Scan::inclusive() };
                Ok(stored(Cpu::new().scan(O::default(), &x, scan)?.into_iter()))
            }
            Function::Sort | Function::Argsort => Self::refused(),
        }
    }
}

impl OfType<()> for Expected<'_> {
    type Answer = Results;

    fn call<T: Number>(self, (): ()) -> Result<Results, Failure> {
        let x: Vec<T> = pod_collect_to_vec(self.elements);
        let mut indices: Vec<u64> = (0..x.len() as u64).collect();
        match self.call.way {
            0 => indices.sort_by_key(|&at| x[at as usize].rank()),
            1 => indices.sort_by_key(|&at| !x[at as usize].rank()),
            _ => return Self::refused(),
        }
        Ok(match self.call.function {
            Function::Argsort => of_values(&indices),
            _ => of_values(&indices.iter().map(|&at| x[at as usize]).collect::<Vec<_>>()),
        })
    }
}

fn stored<R: Storable>(results: impl Iterator<Item = R>) -> Results {
    of_values(&results.map(Storable::store).collect::<Vec<_>>())
}

fn of_values<V: NoUninit>(values: &[V]) -> Results {
    Results { bytes: bytemuck::cast_slice(values).to_vec(), align: align_of::<V>() }
}
