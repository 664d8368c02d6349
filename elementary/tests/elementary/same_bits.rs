//! The bits of results, so that another machine or compiler that changes one is found.

use super::FUNCTIONS;

/// FNV-1a of the results of each function at some 10^5 numbers: of f32, of f64.
const DIGESTS: [(&str, u64, u64); 9] = [
    ("exp", 0x15d9_76db_bbdc_f775, 0x3564_1ab3_20a7_945f),
    ("exp2", 0xa470_1a1b_c93c_6ac4, 0x3c28_febc_9a57_dd68),
    ("expm1", 0x6f3e_aeb1_1c4c_4214, 0xa16a_6516_8da6_b09b),
    ("log", 0x1d31_cc94_cd80_545d, 0xe51b_8b39_ba26_a59b),
    ("log2", 0x2f7f_5549_6856_091d, 0xafc6_af1c_d03d_f7ca),
    ("log1p", 0x97b9_a852_9f21_d294, 0x5b90_5117_3d2d_6110),
    ("tanh", 0x66ee_1b72_1dd1_61f2, 0x5659_123a_ec97_7e65),
    ("sigmoid", 0xde5e_f3e5_6c2f_13da, 0xb3e4_eb2e_b44a_6ea4),
    ("rsqrt", 0x1991_2991_7a68_6f5a, 0x079f_804e_5e5d_c1af),
];

#[test]
fn bits_are_those_of_other_machines() {
    let digests = FUNCTIONS.each_ref().map(|function| {
        let digest = |bits: &mut dyn Iterator<Item = u64>| {
            bits.fold(0xcbf2_9ce4_8422_2325, |hash: u64, bits| (hash ^ bits).wrapping_mul(0x100_0000_01b3))
        };
        let single = (0..=u32::MAX)
            .step_by(40_009)
            .map(|bits| (function.single)(f32::from_bits(bits)).to_bits().into());
        let double =
            (0..107_374u64).map(|i| (function.double)(f64::from_bits(i * 171_798_691_000_003)).to_bits());
        (function.name, digest(&mut { single }), digest(&mut { double }))
    });
    assert_eq!(digests, DIGESTS, "{digests:#x?}");
}
