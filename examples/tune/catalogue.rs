//! The element types and operators with kernels, and a walk over the selected ones.

use clap::ValueEnum;
use warpfold::kernels::Kernel;
use warpfold::{ArgMax, ArgMin, Max, Maximum, Min, Minimum, Op, Product, Sum};

use crate::bits::Bits;
use crate::datum::Datum;
use crate::failure::Failure;

/// An element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[allow(missing_docs, reason = "their names say all")]
pub(crate) enum Dtype {
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "lower")]
pub(crate) enum Operator {
    Sum,
    Product,
    Min,
    Max,
    Minimum,
    Maximum,
    ArgMin,
    ArgMax,
}

impl Dtype {
    pub(crate) const ALL: [Self; 6] = [Self::I32, Self::U32, Self::I64, Self::U64, Self::F32, Self::F64];
}

impl Operator {
    pub(crate) const ALL: [Self; 8] = [
        Self::Sum,
        Self::Product,
        Self::Min,
        Self::Max,
        Self::Minimum,
        Self::Maximum,
        Self::ArgMin,
        Self::ArgMax,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sum => "Sum",
            Self::Product => "Product",
            Self::Min => "Min",
            Self::Max => "Max",
            Self::Minimum => "Minimum",
            Self::Maximum => "Maximum",
            Self::ArgMin => "ArgMin",
            Self::ArgMax => "ArgMax",
        }
    }
}

/// An operator with kernels for `T` and results that can be compared.
pub(crate) trait Folds<T: Datum>: Kernel<T> + Default + Op<T, Out: Bits> {}
impl<T: Datum, O: Kernel<T> + Default + Op<T, Out: Bits>> Folds<T> for O {}

/// The work for each pair of an operator and a type.
pub(crate) trait Visitor {
    /// Data shared by the pairs of one type.
    type Shared<T: Datum>;
    /// Creates it.
    fn enter<T: Datum>(&mut self) -> Result<Self::Shared<T>, Failure>;
    /// Visits a pair.
    fn pair<T: Datum, O: Folds<T>>(
        &mut self,
        shared: &Self::Shared<T>,
        operator: Operator,
    ) -> Result<(), Failure>;
}

/// Visits all pairs of `types` and `operators`, type by type.
pub(crate) fn walk(
    types: &[Dtype],
    operators: &[Operator],
    visitor: &mut impl Visitor,
) -> Result<(), Failure> {
    types.iter().try_for_each(|dtype| match dtype {
        Dtype::I32 => elements::<i32>(operators, visitor),
        Dtype::U32 => elements::<u32>(operators, visitor),
        Dtype::I64 => elements::<i64>(operators, visitor),
        Dtype::U64 => elements::<u64>(operators, visitor),
        Dtype::F32 => elements::<f32>(operators, visitor),
        Dtype::F64 => elements::<f64>(operators, visitor),
    })
}

fn elements<T: Datum>(operators: &[Operator], visitor: &mut impl Visitor) -> Result<(), Failure>
where
    Sum: Folds<T>,
    Product: Folds<T>,
    Min: Folds<T>,
    Max: Folds<T>,
    Minimum: Folds<T>,
    Maximum: Folds<T>,
    ArgMin: Folds<T>,
    ArgMax: Folds<T>,
{
    let shared = visitor.enter::<T>()?;
    operators.iter().try_for_each(|&operator| match operator {
        Operator::Sum => visitor.pair::<T, Sum>(&shared, operator),
        Operator::Product => visitor.pair::<T, Product>(&shared, operator),
        Operator::Min => visitor.pair::<T, Min>(&shared, operator),
        Operator::Max => visitor.pair::<T, Max>(&shared, operator),
        Operator::Minimum => visitor.pair::<T, Minimum>(&shared, operator),
        Operator::Maximum => visitor.pair::<T, Maximum>(&shared, operator),
        Operator::ArgMin => visitor.pair::<T, ArgMin>(&shared, operator),
        Operator::ArgMax => visitor.pair::<T, ArgMax>(&shared, operator),
    })
}
