//! What the environment says that the driver shall be.

use std::env;

/// What the driver is.
pub(super) struct Settings {
    pub(super) devices: usize,
    pub(super) multiprocessors: i32,
    pub(super) capability: i32,
    pub(super) version: i32,
    pub(super) counts_launches: bool,
    pub(super) wait_ms: u64,
    pub(super) logs: bool,
    /// What the orders of threads follow from, with the numbers of the runs and the kernels' names.
    pub(super) turn: String,
    /// The elements of the longest array that is not taken for a long one.
    pub(super) short: Option<u64>,
    /// The kernel, the argument and the offset of a byte that becomes wrong.
    pub(super) corrupt: Option<(String, usize, usize)>,
}

impl Settings {
    pub(super) fn from_environment() -> Self {
        let corrupt = env::var("WARPFOLD_EMULATED_CORRUPT").ok().and_then(|text| {
            let mut words = text.split(' ');
            Some((words.next()?.to_owned(), words.next()?.parse().ok()?, words.next()?.parse().ok()?))
        });
        Self {
            devices: number("DEVICES", 1),
            multiprocessors: number("MULTIPROCESSORS", 4),
            capability: number("CAPABILITY", 9),
            version: number("VERSION", 12040),
            counts_launches: is_set("CLOCK"),
            wait_ms: number("WAIT", 0),
            logs: is_set("LOG"),
            turn: env::var("WARPFOLD_TURN").unwrap_or_default(),
            short: given("SHORT"),
            corrupt,
        }
    }
}

fn is_set(name: &str) -> bool {
    env::var_os(format!("WARPFOLD_EMULATED_{name}")).is_some()
}

/// Returns the number in a variable, or `otherwise`.
fn number<N: std::str::FromStr>(name: &str, otherwise: N) -> N {
    given(name).unwrap_or(otherwise)
}

/// Returns the number in a variable, if there is one.
fn given<N: std::str::FromStr>(name: &str) -> Option<N> {
    env::var(format!("WARPFOLD_EMULATED_{name}")).ok()?.parse().ok()
}
