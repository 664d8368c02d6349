//! Calls that fail on command.

use std::env;

/// The failures that an environment variable orders: `function count code`, with commas between.
#[derive(Default)]
pub(super) struct Failures {
    /// The variable's text when it was read last.
    text: String,
    ordered: Vec<Ordered>,
}

struct Ordered {
    function: String,
    /// Calls until the one that fails; 0 when it has failed.
    left: usize,
    code: u32,
}

impl Failures {
    /// Returns the code that this call of `function` is to answer, if any. Reads `variable` anew where it has changed.
    pub(super) fn next(&mut self, variable: &str, function: &str) -> Option<u32> {
        let text = env::var(variable).unwrap_or_default();
        if text != self.text {
            self.ordered = text.split(',').filter_map(Ordered::of).collect();
            self.text = text;
        }
        let mut code = None;
        for ordered in
            self.ordered.iter_mut().filter(|ordered| ordered.function == function && ordered.left > 0)
        {
            ordered.left -= 1;
            if ordered.left == 0 {
                code = Some(ordered.code);
            }
        }
        code
    }
}

impl Ordered {
    fn of(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let function = words.next()?.to_owned();
        Some(Self { function, left: words.next()?.parse().ok()?, code: words.next()?.parse().ok()? })
    }
}
