//! The environment's choice of a backend.

use std::ffi::OsStr;
use std::sync::OnceLock;

use crate::error::Error;

const VARIABLE: &str = "WARPFOLD_BACKEND";

/// The choice of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    /// The backend that returns the result sooner.
    Auto,
    Cpu,
    Gpu,
}

/// Returns the value of `WARPFOLD_BACKEND` at the first call.
pub(super) fn get() -> Result<Setting, Error> {
    static FOUND: OnceLock<Result<Setting, Error>> = OnceLock::new();
    match FOUND.get() {
        Some(found) => found.clone(),
        None => {
            let found = parse(std::env::var_os(VARIABLE).as_deref());
            FOUND.get_or_init(|| found).clone()
        }
    }
}

fn parse(value: Option<&OsStr>) -> Result<Setting, Error> {
    let Some(value) = value else { return Ok(Setting::Auto) };
    match value.to_str() {
        Some("auto" | "") => Ok(Setting::Auto),
        Some("cpu") => Ok(Setting::Cpu),
        Some("gpu") => Ok(Setting::Gpu),
        _ => Err(Error::Setting {
            variable: VARIABLE,
            found: value.to_string_lossy().into(),
            known: "auto, cpu or gpu",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_words_are_known() {
        let found = |value: Option<&str>| parse(value.map(OsStr::new)).ok();
        assert_eq!(found(None), Some(Setting::Auto));
        assert_eq!(found(Some("")), Some(Setting::Auto));
        assert_eq!(found(Some("auto")), Some(Setting::Auto));
        assert_eq!(found(Some("cpu")), Some(Setting::Cpu));
        assert_eq!(found(Some("gpu")), Some(Setting::Gpu));
        for unknown in ["CPU", "cuda", " gpu", "0"] {
            let text = parse(Some(OsStr::new(unknown))).expect_err("unknown").to_string();
            assert!(
                text.contains(VARIABLE) && text.contains(unknown) && text.contains("auto, cpu or gpu"),
                "{text}"
            );
        }
    }
}
