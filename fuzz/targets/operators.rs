//! Operators over any elements of any alignment, against the bits of the reference.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use warpfold::*;

#[derive(Arbitrary, Debug)]
struct Input {
    /// The number of bytes, repeated from this sequence.
    len: u16,
    bytes: Vec<u8>,
    first: u8,
}

/// Compares every operator of a list over one type of elements.
macro_rules! agree {
    ($x:ident of $bytes:expr => $element:ty: $($op:ty),* $(,)?) => {
        let $x: Vec<$element> = $bytes
            .chunks_exact(size_of::<$element>())
            .map(|bytes| <$element>::from_le_bytes(bytes.try_into().expect("its bytes")))
            .collect();
        $( {
            let found = Cpu::new().reduce(<$op>::default(), &$x).expect("a result");
            let expected = reference::reduce::<$element, $op>(&$x);
            // All NaN print alike; the test suite shows that they are canonical.
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), stringify!($op over $element));
        } )*
    };
}

fuzz_target!(|input: Input| {
    let all: Vec<u8> = input.bytes.iter().copied().cycle().take(4 * usize::from(input.len)).collect();
    let bytes = all.get(usize::from(input.first % 16)..).unwrap_or_default();
    agree!(x of bytes => f32: Sum, ExactSum, AccurateSum, Product, Min, Max, Minimum, Maximum, ArgMin, ArgMax, MinMax,
        Mean, Variance, StdDev, Norm1, Norm2, NormInf, SumOfSquares, First, Last, (Sum, Max), (Mean, Variance, ArgMin));
    agree!(x of bytes => f64: Sum, ExactSum, AccurateSum, Min, ArgMax, Mean, Variance, Norm2);
    agree!(x of bytes => f16: Sum, Product, Min, Max, ArgMin, Mean);
    agree!(x of bytes => bf16: Sum, Product, Min, Max, ArgMin, Mean);
    agree!(x of bytes => i32: Sum, Product, Min, Max, ArgMin, ArgMax, Mean, Norm2, BitAnd, BitOr, BitXor, All, Any);
    agree!(x of bytes => u64: Sum, Min, Max, ArgMax, Mean, BitXor);
    agree!(x of bytes => i8: Sum, Min, Max, ArgMin, Mean, Last);
    agree!(x of bytes => u128: Sum, Min, Max);
});
