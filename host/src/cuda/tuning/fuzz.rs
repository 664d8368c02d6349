//! The fuzz target `tunings`: any text is refused, or it is a tuning. A tuning is written again as it was, and its plans
//! hold. See CONTRIBUTING.md.

use gpu_kernels::Sum;
use gpu_kernels::shapes::BLOCK_THREADS;

use super::{Key, Row, Source, Table, Tuning, class, format, stamp};
use crate::error::Version;
use crate::kernel::Kernel;

/// Reads `text` as a tuning, `after_key` if it lacks the lines that name the device, and plans a reduction of `n` f32.
pub fn is_tuning_or_refused(text: &str, after_key: bool, n: u64, most_threads: u32) {
    let key = Key {
        device: "NVIDIA H200".into(),
        capability: Version { major: 9, minor: 0 },
        multiprocessors: 132,
        driver: "580.159.04 for CUDA 13.0".into(),
        library: "0.1.0".into(),
    };
    let empty = format::write(&key, &super::Rows::new());
    let head = empty.strip_suffix("rows 0\n").filter(|_| after_key);
    let text = [head.unwrap_or_default(), text].concat();
    let Ok(rows) = format::read(&key, &text) else { return };
    // Rows may have been in another order.
    let written = format::write(&key, &rows);
    assert_eq!(written.len(), text.len(), "{written}");
    assert_eq!(format::read(&key, &written).as_ref(), Ok(&rows), "{written}");

    let entries = <Sum as Kernel<f32>>::FOLD.untyped();
    let kernels = stamp::of_kernels(&entries);
    let of_this_build = rows.into_iter().map(|((_, class), row)| {
        let row = Row { stamp: stamp::of_row::<f32>(kernels, class), ..row };
        ((<Sum as Kernel<f32>>::FOLD.grid.name.to_owned(), class), row)
    });
    let tuning = Tuning { rows: of_this_build.collect(), source: Source::Program };
    let found = Table::new(&tuning).plan::<f32>(&entries, n, 132, |_| Ok(most_threads));
    let Ok(Some(plan)) = found else {
        assert_eq!(found.ok(), Some(None), "no kernel is loaded");
        return;
    };
    let tuned = tuning.get::<f32, Sum>(n).expect("the row of the plan");
    assert!(!tuned.stale && class::of::<f32>(n).is_some(), "{plan}");
    assert_eq!(
        (plan.len(), plan.passes(), plan.threads()),
        (n, tuned.config.passes(), tuned.config.threads())
    );
    assert!(plan.threads() <= most_threads.max(BLOCK_THREADS[0]), "{plan}");
    assert!(plan.blocks() >= 1 && u64::from(plan.blocks()) <= plan.partials(), "{plan}");
}
