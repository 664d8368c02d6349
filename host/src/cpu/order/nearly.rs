//! Sorting keys when few are out of order. These few are removed, sorted, and inserted again.
//!
//! The rule by which elements are removed is from Emil Ernerfeldt's *drop-merge sort*, 2016.

use gpu_kernels::Rank;

/// Number of positions where neighbours are compared, and of pairs of neighbours at each.
const PAIRS: usize = 8;
const POSITIONS: usize = 32;

/// Removed elements in a row after which kept ones are removed instead, if these are not more than twice as many: they are
/// probably too large. A power of two; the next attempts are after twice as many each, so that looking back takes little time.
const IN_A_ROW: usize = 8;

/// One of this many elements may be removed, and one of twice as many neighbours may descend.
const ONE_OF: usize = 8;

/// Returns whether an array seems to have few elements out of order.
pub(super) fn seems_sorted<R, K: Rank>(x: &[R], rank: impl Fn(&R) -> K) -> bool {
    let apart = x.len() / POSITIONS;
    let pairs = (0..POSITIONS).flat_map(|position| x[position * apart..].windows(2).take(PAIRS.min(apart)));
    let descending = pairs.filter(|pair| rank(&pair[1]) < rank(&pair[0])).count();
    2 * ONE_OF * descending <= POSITIONS * PAIRS.min(apart)
}

/// Sorts keys, if few are out of order and there is memory for those few. Returns whether it did. If not, it leaves the keys in
/// another order.
pub(super) fn sort<R: Copy, K: Rank>(x: &mut [R], rank: impl Fn(&R) -> K + Copy) -> bool {
    let mut removed = Vec::new();
    // The elements before `kept` are in order; of those before `at`, the others are removed.
    let (mut kept, mut in_a_row) = (0, 0_usize);
    for at in 0..x.len() {
        let here = x[at];
        if kept == 0 || rank(&x[kept - 1]) <= rank(&here) {
            x[kept] = here;
            kept += 1;
            in_a_row = 0;
            continue;
        }
        if removed.len() > x.len() / ONE_OF || removed.try_reserve(1 + 2 * in_a_row).is_err() {
            x[kept..at].copy_from_slice(&removed);
            return false;
        }
        // The last element alone may be too large, or many.
        let most = match in_a_row {
            IN_A_ROW.. if in_a_row.is_power_of_two() => 2 * in_a_row,
            _ => 1,
        };
        let from = kept.saturating_sub(most + 1);
        let least = match x[from..kept].iter().rposition(|x| rank(x) <= rank(&here)) {
            Some(last) => Some(from + last + 1),
            None => (from == 0).then_some(0),
        };
        if let Some(least) = least {
            removed.extend(x[least..kept].iter().copied());
            x[least] = here;
            kept = least + 1;
            in_a_row = 0;
        } else {
            removed.push(here);
            in_a_row += 1;
        }
    }
    removed.sort_unstable_by_key(rank);
    for (before, here) in removed.iter().enumerate().rev() {
        let at = x[..kept].iter().rposition(|x| rank(x) <= rank(here)).map_or(0, |last| last + 1);
        x.copy_within(at..kept, at + before + 1);
        x[at + before] = *here;
        kept = at;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_misplaced_elements_are_put_in_order_and_no_element_is_lost() {
        const N: usize = 5000;
        let hash = |i: usize| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        // Elements out of order: none, single ones too small or too large, stretches, all.
        let inputs: [fn(usize, u64) -> u64; 8] = [
            |i, _| i as u64,
            |i, hash| if i % 50 == 7 { hash } else { 3000 * i as u64 },
            |i, _| if i % 100 < 3 { u64::MAX - i as u64 } else { i as u64 },
            |i, _| if i % 100 < 3 { 0 } else { i as u64 },
            |i, _| if (1000..1300).contains(&i) { 9999 + i as u64 } else { i as u64 },
            |i, _| if i < 20 { u64::MAX } else { i as u64 / 3 },
            // Two too large ones, by which eight are removed, and then the least.
            |i, _| if i % 500 > 1 { if i % 500 == 10 { 0 } else { i as u64 } } else { (N + i) as u64 },
            |_, hash| hash,
        ];
        for (input, at) in inputs.into_iter().enumerate() {
            let mut x: Vec<u64> = (0..N).map(|i| at(i, hash(i))).collect();
            let mut sorted = x.clone();
            sorted.sort_unstable();
            assert_eq!(seems_sorted(&x, |&x| x), input < 7, "{input}");
            let are_few = sort(&mut x, |&x| x);
            assert_eq!(are_few, input < 7, "{input}");
            if !are_few {
                x.sort_unstable();
            }
            assert_eq!(x, sorted, "{input}");
        }
    }
}
