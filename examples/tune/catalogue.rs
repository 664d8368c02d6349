//! The element types and operators with kernels, and a walk over the selected ones.

use std::fmt::Debug;

use clap::ValueEnum;
use warpfold::kernels::Kernel;
use warpfold::{ArgMax, ArgMin, Max, Maximum, Min, Minimum, Op, Product, Sum};

use crate::datum::Datum;
use crate::failure::Failure;

/// An operator with kernels for `T` and results that can be compared.
pub(crate) trait Folds<T: Datum>: Kernel<T> + Default + Op<T, Out: Debug> {}
impl<T: Datum, O: Kernel<T> + Default + Op<T, Out: Debug>> Folds<T> for O {}

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

macro_rules! types {
    ($($name:ident: $type:ty),*) => {
        /// An element type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        #[allow(missing_docs, reason = "their names say all")]
        pub(crate) enum Dtype {
            $($name,)*
        }

        impl Dtype {
            pub(crate) const ALL: &[Self] = &[$(Self::$name),*];
        }

        /// Visits all pairs of `types` and `operators`, type by type.
        pub(crate) fn walk(
            types: &[Dtype],
            operators: &[Operator],
            visitor: &mut impl Visitor,
        ) -> Result<(), Failure> {
            types.iter().try_for_each(|dtype| match dtype {
                $(Dtype::$name => elements::<$type>(operators, visitor),)*
            })
        }
    };
}
types!(I32: i32, U32: u32, I64: i64, U64: u64, F32: f32, F64: f64);

macro_rules! operators {
    ($($name:ident),*) => {
        /// An operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
        #[value(rename_all = "lower")]
        pub(crate) enum Operator {
            $($name,)*
        }

        impl Operator {
            pub(crate) const ALL: &[Self] = &[$(Self::$name),*];

            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }
        }

        fn elements<T: Datum>(operators: &[Operator], visitor: &mut impl Visitor) -> Result<(), Failure>
        where
            $($name: Folds<T>,)*
        {
            let shared = visitor.enter::<T>()?;
            operators.iter().try_for_each(|&operator| match operator {
                $(Operator::$name => visitor.pair::<T, $name>(&shared, operator),)*
            })
        }
    };
}
operators!(Sum, Product, Min, Max, Minimum, Maximum, ArgMin, ArgMax);
