//! Numbers on the command line.

/// A number of elements: digits, a power `2^27`, or a whole float `1e8`.
pub(crate) fn elements(text: &str) -> Result<usize, String> {
    let power = text
        .split_once('^')
        .map(|(base, exponent)| base.parse::<usize>().ok()?.checked_pow(exponent.parse().ok()?));
    let digits = || text.parse().ok();
    let float = || {
        text.parse::<f64>().ok().filter(|n| n.fract() == 0.0 && (0.0..9e15).contains(n)).map(|n| n as usize)
    };
    let n = power.unwrap_or_else(|| digits().or_else(float));
    n.filter(|&n| n > 0)
        .ok_or_else(|| format!("{text:?} is no number of elements: write digits, 2^27 or 1e8"))
}

/// Per cent, with the sign: `3%` is 3.
pub(crate) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim_end().parse().ok());
    number
        .filter(|percent: &f64| percent.is_finite() && *percent >= 0.0)
        .ok_or_else(|| format!("{text:?} is no percentage: write 3% or 2.5%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_elements() {
        assert_eq!(elements("1000"), Ok(1000));
        assert_eq!(elements("2^27"), Ok(1 << 27));
        assert_eq!(elements("1e8"), Ok(100_000_000));
        for bad in ["", "0", "-1", "1.5", "2^", "2^64", "^3", "nan", "1e300", "1k"] {
            assert!(elements(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn percentages() {
        assert_eq!(["3%", "2.5%", "0 %"].map(percentage), [Ok(3.0), Ok(2.5), Ok(0.0)]);
        for bad in ["", "3", "%", "-1%", "nan%", "inf%", "3%%", "three%"] {
            assert!(percentage(bad).is_err(), "{bad}");
        }
    }
}
