//! Special values, as IEEE 754 and C have them.

use warpfold_elementary::{exp, exp2, expm1, log, log1p, log2, rsqrt, sigmoid, tanh};

macro_rules! special {
    ($name:ident, $float:ident, $nan:literal) => {
        #[test]
        fn $name() {
            const INF: $float = $float::INFINITY;
            let nan = $float::from_bits($nan);
            let same = |is: $float, expected: $float| {
                assert_eq!(is.to_bits(), expected.to_bits(), "{is}, not {expected}")
            };
            // Any NaN becomes the canonical one.
            for x in
                [nan, -nan, $float::from_bits($nan | 5), $float::from_bits($float::INFINITY.to_bits() | 1)]
            {
                for function in [exp, exp2, expm1, log, log2, log1p, tanh, sigmoid, rsqrt] {
                    same(function(x), nan);
                }
            }
            let least = $float::from_bits(1);
            for (function, values) in [
                (
                    exp as fn($float) -> $float,
                    [
                        (-INF, 0.0),
                        (-0.0, 1.0),
                        (0.0, 1.0),
                        (INF, INF),
                        (least, 1.0),
                        ($float::MAX, INF),
                        ($float::MIN, 0.0),
                    ],
                ),
                (
                    exp2,
                    [
                        (-INF, 0.0),
                        (-0.0, 1.0),
                        (0.0, 1.0),
                        (INF, INF),
                        (least, 1.0),
                        ($float::MAX, INF),
                        ($float::MIN, 0.0),
                    ],
                ),
                (
                    expm1,
                    [
                        (-INF, -1.0),
                        (-0.0, -0.0),
                        (0.0, 0.0),
                        (INF, INF),
                        (least, least),
                        ($float::MAX, INF),
                        ($float::MIN, -1.0),
                    ],
                ),
                (
                    log,
                    [
                        (-INF, nan),
                        (-0.0, -INF),
                        (0.0, -INF),
                        (INF, INF),
                        (1.0, 0.0),
                        (-least, nan),
                        ($float::MIN, nan),
                    ],
                ),
                (
                    log2,
                    [
                        (-INF, nan),
                        (-0.0, -INF),
                        (0.0, -INF),
                        (INF, INF),
                        (1.0, 0.0),
                        (-least, nan),
                        ($float::MIN, nan),
                    ],
                ),
                (
                    log1p,
                    [
                        (-INF, nan),
                        (-0.0, -0.0),
                        (0.0, 0.0),
                        (INF, INF),
                        (-1.0, -INF),
                        (-1.0 - $float::EPSILON, nan),
                        (least, least),
                    ],
                ),
                (
                    tanh,
                    [
                        (-INF, -1.0),
                        (-0.0, -0.0),
                        (0.0, 0.0),
                        (INF, 1.0),
                        (least, least),
                        (-least, -least),
                        ($float::MIN, -1.0),
                    ],
                ),
                (
                    sigmoid,
                    [
                        (-INF, 0.0),
                        (-0.0, 0.5),
                        (0.0, 0.5),
                        (INF, 1.0),
                        (least, 0.5),
                        ($float::MAX, 1.0),
                        ($float::MIN, 0.0),
                    ],
                ),
                (
                    rsqrt,
                    [
                        (-INF, nan),
                        (-0.0, -INF),
                        (0.0, INF),
                        (INF, 0.0),
                        (1.0, 1.0),
                        (-least, nan),
                        (4.0, 0.5),
                    ],
                ),
            ] {
                for (x, expected) in values {
                    same(function(x), expected);
                }
            }
            // Powers of two are exact, subnormal ones too.
            for n in $float::MIN_EXP - $float::MANTISSA_DIGITS as i32..$float::MAX_EXP {
                let power = (2.0 as $float).powi(n / 2) * (2.0 as $float).powi(n - n / 2);
                same(exp2(n as $float), power);
                if power > 0.0 {
                    same(log2(power), n as $float);
                }
                if n % 2 == 0 && power > 0.0 {
                    same(rsqrt(power), (2.0 as $float).powi(-n / 2));
                }
            }
            // The greatest numbers with a finite power, and the least with one above zero.
            assert!(exp($float::MAX.ln()).is_finite() || exp($float::MAX.ln().next_down()).is_finite());
            assert_eq!(exp($float::MAX.ln().next_up()), INF);
        }
    };
}

special!(special_values_of_f32, f32, 0x7fc0_0000);
special!(special_values_of_f64, f64, 0x7ff8_0000_0000_0000);
