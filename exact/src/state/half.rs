//! f16 and bf16 as elements. Both are exact in f32, whose integers they share.

use half::{bf16, f16};

use super::counts::{Counts, Kind, Way};
use super::element::{Arithmetic, Element, Parts};
use super::floats::with_flags;
use super::sum::Sum;

/// Elements that are converted at a time.
const PORTION: usize = 1024;

macro_rules! half {
    ($($float:ident, tag $tag:literal;)*) => { $(
        impl Arithmetic for $float {
            type Sum = <f32 as Arithmetic>::Sum;
            type Product = <f32 as Arithmetic>::Product;
            const TAG: u8 = $tag;
            const UNIT: i32 = f32::UNIT;
            const IS_FLOAT: bool = true;

            #[inline]
            fn kind(self) -> Kind {
                self.to_f32().kind()
            }

            #[inline]
            fn parts(self) -> Parts {
                self.to_f32().parts()
            }

            #[inline]
            fn kind_of_product(self, other: Self) -> Kind {
                self.to_f32().kind_of_product(other.to_f32())
            }

            #[inline]
            fn add(self, total: &mut Self::Sum, way: Way) {
                self.to_f32().add(total, way);
            }

            #[inline]
            fn add_product(self, other: Self, total: &mut Self::Product, way: Way) {
                self.to_f32().add_product(other.to_f32(), total, way);
            }

            #[inline(always)]
            fn add_slice(x: &[Self], total: &mut Self::Sum, counts: &mut Counts, way: Way) {
                for portion in x.chunks(PORTION) {
                    let mut converted = [0.0; PORTION];
                    converted.iter_mut().zip(portion).for_each(|(to, x)| *to = x.to_f32());
                    f32::add_slice(&converted[..portion.len()], total, counts, way);
                }
            }
        }

        impl Element for $float {
            type Value = f32;
            type Float = f32;

            fn value(sum: &Sum<Self>) -> f32 {
                with_flags(&sum.total, &sum.counts).to_f32(0)
            }
        }
    )* };
}
half! {
    f16, tag 2;
    bf16, tag 3;
}
