//! The fuzz target `plans`: for any numbers a plan holds, or is refused. See CONTRIBUTING.md.

use gpu_kernels::shapes::{BLOCK_THREADS, BLOCK_TILES, MAX_FAN_IN};
use gpu_kernels::{Affine, ArgMin, Compose, Element, Op, PolynomialHash, Sum, Variance, tree};

use super::columns::{Columns, ColumnsPlan};
use super::rows::RowsPlan;
use super::{Passes, Plan};

/// Numbers of a device and of launches.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    /// The elements, or the elements of a row.
    pub len: u64,
    /// Rows or columns.
    pub count: u64,
    /// Matrices of columns.
    pub batches: u64,
    /// Whether rows can be loaded by vectors.
    pub are_vectors: bool,
    /// The device's multiprocessors.
    pub multiprocessors: u32,
    /// The blocks that each of them holds.
    pub resident: u8,
    /// The kind of a plan by numbers.
    pub kind: u8,
    /// Its fan-in or number of parts.
    pub parts: u32,
    /// Its threads per block or per column.
    pub threads: u32,
    /// Its blocks.
    pub blocks: u32,
}

/// Asserts what plans promise, for inputs of many kinds.
pub fn plans_hold(numbers: Numbers) {
    flat::<f32>(numbers);
    flat::<u8>(numbers);
    flat::<[u64; 4]>(numbers);
    folded::<f32, Sum>(numbers);
    folded::<u8, Sum>(numbers);
    folded::<f64, ArgMin>(numbers);
    folded::<f64, Variance>(numbers);
    folded::<u8, PolynomialHash>(numbers);
    folded::<Affine<u64>, Compose>(numbers);
}

/// Asserts what [`Plan`] promises.
fn flat<T: Element>(numbers: Numbers) {
    let Numbers { len: n, multiprocessors, resident, kind, parts, threads, blocks, .. } = numbers;
    let by_rule = Plan::for_residents::<T>(n, multiprocessors, resident.into());
    holds::<T>(by_rule, n);
    holds::<T>(by_rule.limited_to(threads), n);
    assert!(by_rule.limited_to(threads).threads() <= threads.max(tree::THREADS as u32), "{by_rule}");
    let passes = [Passes::Block, Passes::Grid, Passes::Recursive { fan_in: parts }][usize::from(kind % 3)];
    if let Ok(plan) = Plan::with_config::<T>(n, passes, threads, blocks) {
        assert_eq!((plan.passes(), plan.threads(), plan.blocks()), (passes, threads, blocks));
        holds::<T>(plan, n);
        holds::<T>(plan.limited_to(parts), n);
    }
}

/// Asserts that a plan covers `n` elements, each once, and that a device can launch it.
fn holds<T: Element>(plan: Plan, n: u64) {
    let (tiles, tile_len) = (plan.tiles(), u128::from(plan.tile_len()));
    let covered = |tiles: u64| u128::from(tiles) * tile_len;
    assert_eq!(plan.len(), n, "{plan}");
    assert!(covered(tiles) >= n.into() && (n == 0 || covered(tiles - 1) < n.into()), "{plan}");
    assert!(plan.partials() <= MAX_FAN_IN && BLOCK_THREADS.contains(&plan.threads()), "{plan}");
    assert!((1..=i32::MAX as u32).contains(&plan.blocks()), "{plan}");
    match plan.passes() {
        Passes::Block => assert!(plan.blocks() == 1 && tiles <= BLOCK_TILES, "{plan}"),
        Passes::Grid => {}
        Passes::Recursive { fan_in } => {
            assert!(fan_in.is_power_of_two() && (2..=MAX_FAN_IN).contains(&fan_in.into()), "{plan}");
        }
    }
    let same = Plan::with_config::<T>(n, plan.passes(), plan.threads(), plan.blocks());
    assert_eq!(same.ok(), Some(plan));
}

/// Asserts that plans for rows and columns are allowed, and what every allowed plan promises.
fn folded<T: Element, O: Op<T>>(numbers: Numbers) {
    let Numbers { len, count, batches, are_vectors, kind, parts, threads, blocks, .. } = numbers;
    // No device has more.
    let (multiprocessors, resident) = (numbers.multiprocessors.min(1 << 16), numbers.resident.into());
    // Calls without elements or results have no plan, and no memory has more elements.
    let Some(elements) = len.checked_mul(count).and_then(|elements| elements.checked_mul(batches)) else {
        return;
    };
    if elements == 0 || elements > isize::MAX as u64 {
        return;
    }

    let rows = count * batches;
    let are = [are_vectors, kind % 2 == 0];
    let by_rule = RowsPlan::for_residents::<T, O>(rows, len, are, multiprocessors, |_| Ok(resident));
    let checked = by_rule.and_then(|plan| plan.check::<T, O>(rows, len, are_vectors).map(|()| plan));
    assert!(checked.is_ok(), "{checked:?}");
    let any = [
        RowsPlan::Lanes { threads, blocks },
        RowsPlan::Warp { threads, blocks, parts },
        RowsPlan::Block { threads, blocks, parts },
    ][usize::from(kind % 3)];
    if any.check::<T, O>(rows, len, are_vectors).is_ok() {
        assert!((1..=i32::MAX as u32).contains(&blocks), "{any:?}");
        assert!(threads.is_multiple_of(32) && (32..=1024).contains(&threads), "{any:?}");
        let is_whole = parts == 1 || matches!(any, RowsPlan::Lanes { .. });
        are_parts_of::<T>(rows, len, if is_whole { 1 } else { parts }, 4 * MAX_FAN_IN);
    }

    let shape = Columns { batches, rows: len, columns: count, batch_pitch: len * count, row_pitch: count };
    let plan = ColumnsPlan::for_residents::<T, O>(shape, are_vectors, multiprocessors, resident);
    let checked = plan.check::<T, O>(shape);
    assert!(checked.is_ok(), "{plan:?}: {checked:?}");
    let any = ColumnsPlan::new(threads, parts);
    if any.check::<T, O>(shape).is_ok() {
        assert!(threads.is_power_of_two() && threads <= tree::THREADS as u32, "{any:?}");
        are_parts_of::<T>(rows, len, parts, 64 * MAX_FAN_IN);
    }
}

/// Asserts that each of `rows` rows has `parts` whole parts, and all together have at most `most`, or one each.
fn are_parts_of<T: Element>(rows: u64, len: u64, parts: u32, most: u64) {
    let (parts, tiles) = (u64::from(parts), tree::tiles::<T>(len).next_power_of_two());
    assert!(parts.is_power_of_two() && parts <= tiles, "{parts} parts of {tiles} tiles");
    assert!(parts == 1 || rows * parts <= most, "{parts} parts of {rows} rows");
}
