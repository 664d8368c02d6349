//! Damaged files. The readers of Parquet and Arrow panic on some of them.

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

use super::Unreadable;

/// Runs the reader of a file of the kind `what`; turns a panic into an error. Afterwards nothing that `work`
/// changed is used except the progress bar, which is valid at any time.
pub(super) fn caught<R>(
    what: &'static str,
    work: impl FnOnce() -> Result<R, Unreadable>,
) -> Result<R, Unreadable> {
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let read = catch_unwind(AssertUnwindSafe(work));
    set_hook(hook);
    read.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Unreadable::Damaged { what, cause: text.unwrap_or("its reader gave up").into() })
    })
}
