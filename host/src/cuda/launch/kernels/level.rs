//! The environment's choice of how much the driver's compiler optimises. The results do not depend on it, as tests show; kernels
//! of lower levels may be slower.

use std::ffi::OsStr;

use cust::module::OptLevel;

use crate::error::Error;

const VARIABLE: &str = "WARPFOLD_JIT_LEVEL";

/// Returns the level that the environment names, or `None` for the driver's own.
pub(super) fn get() -> Result<Option<OptLevel>, Error> {
    parse(std::env::var_os(VARIABLE).as_deref())
}

fn parse(value: Option<&OsStr>) -> Result<Option<OptLevel>, Error> {
    let Some(value) = value else { return Ok(None) };
    Ok(match value.to_str() {
        Some("") => None,
        Some("0") => Some(OptLevel::O0),
        Some("1") => Some(OptLevel::O1),
        Some("2") => Some(OptLevel::O2),
        Some("3") => Some(OptLevel::O3),
        Some("4") => Some(OptLevel::O4),
        _ => {
            return Err(Error::Setting {
                variable: VARIABLE,
                found: value.to_string_lossy().into(),
                known: "0, 1, 2, 3 or 4",
            });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_levels_are_known() {
        let found = |value: Option<&str>| parse(value.map(OsStr::new)).ok();
        assert_eq!([found(None), found(Some(""))], [Some(None), Some(None)]);
        assert_eq!(
            [found(Some("0")), found(Some("4"))],
            [Some(Some(OptLevel::O0)), Some(Some(OptLevel::O4))]
        );
        for unknown in ["5", "-1", "O3", " 1"] {
            let text = parse(Some(OsStr::new(unknown))).expect_err("unknown").to_string();
            assert!(
                text.contains(VARIABLE) && text.contains(unknown) && text.contains("0, 1, 2, 3 or 4"),
                "{text}"
            );
        }
    }
}
