//! The choice of bases for compression.
//!
//! Kernels of one kind for other operators and elements are similar. A few of them are *bases*, compressed alone. Each
//! of the others is compressed relative to the base with which it shares most, or alone if there is none. No base has a
//! base, so a text takes at most two frames to decode.

use std::collections::BTreeMap;

/// The parts of element names.
const ELEMENTS: [&str; 18] = [
    "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "i128", "u128", "f16", "bf16", "f32", "f64", "c32",
    "c64", "bool", "usize",
];

/// Number of consecutive lines by which texts are compared.
const LINES: usize = 3;

/// A base costs 1/16 of its length in addition to what it lacks of a kernel, because it takes time to decode.
const BASE_COST: usize = 16;

/// Returns the base of each kernel, given names and texts.
pub(crate) fn bases(kernels: &[(&str, &str)]) -> Vec<Option<usize>> {
    let mut kinds: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (name, _)) in kernels.iter().enumerate() {
        kinds.entry(kind(name)).or_default().push(at);
    }
    let mut bases = vec![None; kernels.len()];
    for members in kinds.values() {
        let texts: Vec<Vec<u64>> = members.iter().map(|&at| stretches(kernels[at].1)).collect();
        for (member, base) in bases_of_kind(&texts).into_iter().enumerate() {
            bases[members[member]] = base.map(|base| members[base]);
        }
    }
    bases
}

/// Returns what follows the operator and the element in a kernel's name, or nothing if it is named in another way.
fn kind(name: &str) -> &str {
    let is_element = |part: &str| ELEMENTS.contains(&part) || part.parse::<u32>().is_ok();
    let mut end = name.len();
    for part in name.rsplit('_') {
        if is_element(part) {
            return &name[end..];
        }
        end = end.saturating_sub(part.len() + 1);
    }
    ""
}

/// Returns the sorted hashes of a text's runs of `LINES` lines.
fn stretches(text: &str) -> Vec<u64> {
    let lines: Vec<u64> = text.lines().map(crate::checksum).collect();
    let hash = |stretch: &[u64]| stretch.iter().fold(0, |hash: u64, line| hash.rotate_left(21) ^ line);
    let mut stretches: Vec<u64> = lines.windows(LINES).map(hash).collect();
    stretches.sort_unstable();
    stretches.dedup();
    stretches
}

/// Picks bases one by one, each time the one that saves most, until none saves anything.
fn bases_of_kind(texts: &[Vec<u64>]) -> Vec<Option<usize>> {
    let beside = |text: &Vec<u64>, base: &Vec<u64>| text.len() - shared(text, base) + base.len() / BASE_COST;
    let costs: Vec<Vec<usize>> =
        texts.iter().map(|text| texts.iter().map(|base| beside(text, base)).collect()).collect();
    let mut least: Vec<usize> = texts.iter().map(Vec::len).collect();
    let (mut bases, mut is_base) = (vec![None; texts.len()], vec![false; texts.len()]);
    loop {
        let others = |base: usize, is_base: &[bool]| {
            (0..texts.len()).filter(|&at| at != base && !is_base[at]).collect::<Vec<_>>()
        };
        let saved = |base: usize| {
            let others = others(base, &is_base);
            let saved: usize = others.iter().map(|&at| least[at].saturating_sub(costs[at][base])).sum();
            // From then on the base is compressed alone.
            (saved + least[base]).saturating_sub(texts[base].len())
        };
        let candidates = (0..texts.len()).filter(|&at| !is_base[at]).map(|at| (saved(at), at));
        // The first of equals.
        let Some((saved, base)) = candidates.max_by_key(|&(saved, at)| (saved, texts.len() - at)) else {
            break;
        };
        if saved == 0 {
            break;
        }
        (is_base[base], bases[base], least[base]) = (true, None, texts[base].len());
        for at in others(base, &is_base) {
            if costs[at][base] < least[at] {
                (least[at], bases[at]) = (costs[at][base], Some(base));
            }
        }
    }
    bases
}

/// Returns how many numbers two sorted lists share.
fn shared(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        shared += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(x >= y);
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_what_follows_operator_and_element() {
        for (name, expected) in [
            ("reduce_sum_f32_rows_by_warp", "_rows_by_warp"),
            ("move_16_pack", "_pack"),
            ("scan_totals", ""),
            ("ladder_13_ticket_f32", ""),
            ("reduce_sum_in_f64_f32_grid", "_grid"),
        ] {
            assert_eq!(kind(name), expected, "{name}");
        }
    }

    #[test]
    fn alike_kernels_have_a_base_which_has_none() {
        let text = |other: &str| {
            (0..50)
                .map(|i| if i == 25 { format!("{other}\n") } else { format!("add {i};\n") })
                .collect::<String>()
        };
        let (a, b, c) = (text("a"), text("b"), text("c"));
        let apart: String = (0..50).map(|i| format!("mul {i};\n")).collect();
        let kernels =
            [("x_i8_k", &*a), ("x_u8_k", &*b), ("y_i8_k", &*apart), ("z_i8_k", &*c), ("z_i8_other", &*c)];
        let bases = bases(&kernels);
        let base = (0..5).find(|at| bases.contains(&Some(*at))).unwrap();
        assert!([0, 1, 3].contains(&base) && bases[base].is_none(), "{bases:?}");
        assert!([0, 1, 3].iter().all(|&at| at == base || bases[at] == Some(base)), "{bases:?}");
        assert_eq!((bases[2], bases[4]), (None, None));
    }
}
