//! The JSON that known elements must have, from the slow reference.

use serde_json::{Value, json};
use warpfold::elements::{Number, Ordered};
use warpfold::{ArgMax, ArgMin, Max, Mean, Min, Op, StdDev, Sum, reference};

/// A number as written in the JSON.
pub(crate) trait Written: Copy {
    fn written(self) -> Value;
}

macro_rules! written {
    ($($number:ty, $text:literal, $digits:literal, $bits:expr, $value:expr);* $(;)?) => { $(
        impl Written for $number {
            fn written(self) -> Value {
                let bits = format!(concat!("{:#0", $digits, "x}"), $bits(self));
                json!({ "type": $text, "value": $value(self), "bits": bits })
            }
        }
    )* };
}
written! {
    i32, "i32", "10", |x: i32| x, |x: i32| json!(x);
    u32, "u32", "10", |x: u32| x, |x: u32| json!(x);
    i64, "i64", "18", |x: i64| x, |x: i64| json!(x);
    u64, "u64", "18", |x: u64| x, |x: u64| json!(x);
    f32, "f32", "10", f32::to_bits, |x: f32| float(x.into());
    f64, "f64", "18", f64::to_bits, float;
}

fn float(x: f64) -> Value {
    if x.is_finite() {
        json!(x)
    } else {
        json!(if x.is_nan() {
            "NaN"
        } else if x > 0.0 {
            "inf"
        } else {
            "-inf"
        })
    }
}

/// An element, and the type of its mean.
pub(crate) trait Counted: Written + Number<Wide: Written> + Ordered {
    type Mean: Written;
}

macro_rules! counted {
    ($($number:ty: $mean:ty),*) => { $(
        impl Counted for $number {
            type Mean = $mean;
        }
    )* };
}
counted!(i32: f64, u32: f64, i64: f64, u64: f64, f32: f32, f64: f64);

/// Requires that an object has the statistics of `x`, and for element `i` the index and coordinates `place(i)`.
#[track_caller]
pub(crate) fn holds<T>(object: &Value, x: &[T], place: impl Fn(u64) -> (u64, Vec<u64>))
where
    T: Counted,
    Sum: Op<T, Out = T::Wide>,
    Mean: Op<T, Out = Option<T::Mean>>,
    StdDev: Op<T, Out = Option<T::Mean>>,
{
    let extremes = [
        ("min", "argmin", reference::reduce::<T, Min>(x), reference::reduce::<T, ArgMin>(x)),
        ("max", "argmax", reference::reduce::<T, Max>(x), reference::reduce::<T, ArgMax>(x)),
    ];
    assert_eq!(object["count"], x.len());
    assert_eq!(object["sum"], reference::reduce::<T, Sum>(x).written());
    assert_eq!(object["mean"], json!(reference::reduce::<T, Mean>(x).map(Written::written)), "mean");
    assert_eq!(object["std_dev"], json!(reference::reduce::<T, StdDev>(x).map(Written::written)), "std_dev");
    for (name, argument, value, at) in extremes {
        assert_eq!(object[name], json!(value.map(Written::written)), "{name}");
        let found = &object[argument];
        assert_eq!(found["value"], json!(at.map(|at| at.value.written())), "{argument}");
        let place = at.map(|at| place(at.index));
        assert_eq!(found["index"], json!(place.as_ref().map(|place| place.0)), "{argument}");
        assert_eq!(found["coordinates"], json!(place.map(|place| place.1)), "{argument}");
    }
}

/// Floats of both signs over 20 binades: each order of addition gives another sum.
pub(crate) fn rough(n: u64) -> Vec<f64> {
    let scattered = |i: u64| (i + 1).wrapping_mul(0x2545_f491_4f6c_dd1d) ^ (i << 7);
    let one = |i| {
        let bits = scattered(i).rotate_left(23).wrapping_mul(0x9e6c_63d0_676a_9a99);
        let mantissa = 1.0 + (bits >> 12) as f64 / (1_u64 << 52) as f64;
        let sign = if bits & 1 == 0 { 1.0 } else { -1.0 };
        sign * mantissa * f64::from((bits >> 1) as u32 % 20).exp2()
    };
    (0..n).map(one).collect()
}
