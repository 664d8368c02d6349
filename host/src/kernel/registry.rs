//! The kernels of this program, found by operator and element at run time: [`Auto`](crate::Auto) takes any operator,
//! and asks here whether it has kernels.

use std::any::TypeId;

use gpu_kernels::addresses::Readable;
use gpu_kernels::formula::Marked;
use gpu_kernels::{Element, Op};

use crate::kernel::Kernel;
use crate::kernel::entry::Entry;
use crate::kernel::family::FoldEntries;
use crate::kernel::fold::FoldKernel;
use crate::kernel::ship::bare;

/// An operator over an element, and its kernels over one array.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    pair: fn() -> (TypeId, TypeId),
    entries: [Entry; 3],
}

impl Shipped {
    /// Creates the record of the kernels of `O` over `T`.
    #[must_use]
    pub const fn of<T: Element, O: Kernel<T>>() -> Self {
        Self { pair: pair::<T, O>, entries: bare(O::FOLD.untyped()) }
    }
}

fn pair<T: 'static, O: 'static>() -> (TypeId, TypeId) {
    (TypeId::of::<T>(), TypeId::of::<O>())
}

/// The kernels that one call of `ship_kernels!` ships.
#[derive(Debug)]
pub struct ShippedTogether(pub &'static [Shipped]);

inventory::collect!(ShippedTogether);

/// Returns the kernels that fold elements `T` with `op`, if any crate of this program ships them.
pub(crate) fn find<T: Element, O: Op<T>>(op: O) -> Option<FoldKernel<Readable<T>, T, O>> {
    // Not what another operator has.
    let marked = O::marked().filter(|marked| marked.of == TypeId::of::<O>());
    let mut pair = pair::<T, O>();
    if let Some(marked) = marked {
        pair.1 = marked.operator;
    }
    let mut all = inventory::iter::<ShippedTogether>.into_iter().flat_map(|together| together.0);
    let [mut block, mut grid, mut partials] = all.find(|shipped| (shipped.pair)() == pair)?.entries;
    if let Some(Marked { program, combines, .. }) = marked {
        (block, grid) = (block.after(program), grid.after(program));
        if combines {
            partials = partials.after(program);
        }
    }
    // Sound: `Shipped::of` made them from the entries of these types, or of the operator with marks in place of this one's formula: a
    // `Marked` is made by gpu-kernels alone, for mappings that are sealed.
    let entries = FoldEntries { block: block.cast(), grid: grid.cast(), partials: partials.cast() };
    Some(FoldKernel { op, entries })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpu_kernels::{First, Max, Sum, count, formula};

    #[test]
    fn what_is_shipped_is_found_and_nothing_else() {
        let found = find::<f32, _>(Sum).expect("sums of f32 have kernels");
        assert_eq!(found.entries.grid.name, <Sum as Kernel<f32>>::FOLD.grid.name);
        assert_eq!(found.entries.block.name, <Sum as Kernel<f32>>::FOLD.block.name);
        assert!(find::<f64, _>(Max).is_some_and(|found| found.entries.grid.name == "reduce_max_f64_grid"));
        assert!(find::<[u8; 5], _>(First).is_none());
    }

    #[test]
    fn kernels_of_formulas_are_found() {
        let found =
            find::<f32, _>(Max.of(formula!(|v: f32| v + 1.0))).expect("maxima after formulas have kernels");
        assert_eq!(found.entries.grid.name, "formula_max_f32_grid");
        assert!(found.entries.grid.formula().is_some() && found.entries.partials.formula().is_none());
        let found = find::<f32, _>(count(formula!(|v: f32| -> bool { v.gt(1.0) })))
            .expect("counts by formulas have kernels");
        assert_eq!(found.entries.grid.name, "formula_count_f32_grid");
        let found = find::<f64, _>(crate::operator!(0.0, formula!(|a: f64, b| a + b)))
            .expect("operators by formulas have kernels");
        assert_eq!(found.entries.grid.name, "formula_combined_f64_grid");
        assert!(found.entries.partials.formula().is_some());
        assert!(find::<i64, _>(Max.of(formula!(|v: i64| v + 1))).is_none());
    }
}
