//! The order of keys.

use std::cmp::Ordering;
use std::rc::Rc;

/// The groups of these keys, in the order of the keys.
pub(super) fn of(keys: &[Option<Rc<str>>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    // Each key is parsed once, not in each comparison.
    if let Some(numbers) = all::<i128>(keys) {
        sort(&mut order, keys, |a, b| numbers[a].cmp(&numbers[b]));
    } else if let Some(numbers) = all::<f64>(keys) {
        sort(&mut order, keys, |a, b| match (numbers[a], numbers[b]) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => Ordering::Equal,
        });
    } else {
        sort(&mut order, keys, |_, _| Ordering::Equal);
    }
    order
}

/// All keys as numbers, if all of them are numbers.
fn all<N: std::str::FromStr>(keys: &[Option<Rc<str>>]) -> Option<Vec<Option<N>>> {
    let number = |key: &Option<Rc<str>>| match key {
        Some(key) => key.parse().ok().map(Some),
        None => Some(None),
    };
    keys.iter().map(number).collect()
}

/// Compares by `number`, then by text. The absent key is last.
fn sort(order: &mut [usize], keys: &[Option<Rc<str>>], number: impl Fn(usize, usize) -> Ordering) {
    order.sort_unstable_by(|&a, &b| {
        let by_text = || keys[a].cmp(&keys[b]);
        keys[a].is_none().cmp(&keys[b].is_none()).then_with(|| number(a, b)).then_with(by_text)
    });
}
