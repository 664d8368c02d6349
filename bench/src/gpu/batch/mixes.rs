//! Segments to measure: mixes of lengths from all equal to a few very long ones among many short ones.

use super::random;

/// The option that selects mixes.
#[derive(clap::Args)]
pub(super) struct Mixes {
    /// Mixes of lengths; all unless given.
    #[arg(long, value_delimiter = ',', value_parser = MIXES.each_ref().map(|mix| mix.name))]
    mixes: Vec<String>,
}

impl Mixes {
    /// The selected mixes.
    pub(super) fn wanted(&self) -> impl Iterator<Item = &'static Mix> {
        MIXES.iter().filter(|mix| self.mixes.is_empty() || self.mixes.iter().any(|name| name == mix.name))
    }
}

/// A mix of lengths.
pub(super) struct Mix {
    pub(super) name: &'static str,
    lens: fn() -> Vec<usize>,
}

impl Mix {
    /// The start of each segment, and the end of the last.
    pub(super) fn offsets(&self) -> Vec<i64> {
        offsets(&(self.lens)())
    }
}

/// The greatest length of the power law.
const LONGEST: f64 = (1 << 24) as f64;

static MIXES: [Mix; 6] = [
    Mix { name: "threes", lens: || vec![3; 1 << 24] },
    Mix { name: "to-128", lens: || uniform(1 << 22, 128) },
    Mix { name: "to-8192", lens: || uniform(1 << 16, 8192) },
    Mix { name: "giant", lens: || [vec![3; 1 << 19], vec![1 << 28], vec![3; 1 << 19]].concat() },
    Mix { name: "power-law", lens: || power_law(1 << 28) },
    Mix { name: "alike", lens: || vec![1 << 14; 1 << 14] },
];

/// `count` lengths, uniform from 0 to `most`.
fn uniform(count: usize, most: usize) -> Vec<usize> {
    (0..count as u64).map(|i| (fraction(i) * (most + 1) as f64) as usize).collect()
}

/// Lengths of at least 16 with a power law: the share of lengths of at least `x` is `x / 16` to the power of -1.2.
/// There are as many as `elements` allow: 2 or 3 million for 2^28. Half of them have at most 28 elements.
fn power_law(elements: usize) -> Vec<usize> {
    let lens = (0..).map(|i| (16.0 * (1.0 - fraction(i)).powf(-1.0 / 1.2)).min(LONGEST) as usize);
    lens.scan(elements, |left, len| {
        let len = len.min(*left);
        *left -= len;
        (len > 0).then_some(len)
    })
    .collect()
}

/// A number in [0, 1).
fn fraction(i: u64) -> f64 {
    (random(i) >> 11) as f64 / (1u64 << 53) as f64
}

/// The start of each segment, and the end of the last.
fn offsets(lens: &[usize]) -> Vec<i64> {
    let mut end = 0;
    let ends = lens.iter().map(|&len| {
        end += len as i64;
        end
    });
    [0].into_iter().chain(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_are_what_they_are_called() {
        let mean = |lens: &[usize]| lens.iter().sum::<usize>() as f64 / lens.len() as f64;
        let lens = uniform(100_000, 128);
        assert!(lens.iter().all(|&len| len <= 128) && lens.contains(&0) && lens.contains(&128));
        assert!((mean(&lens) - 64.0).abs() < 1.0, "{}", mean(&lens));
        let lens = power_law(1 << 24);
        assert_eq!(lens.iter().sum::<usize>(), 1 << 24);
        let longer = |than: usize| lens.iter().filter(|&&len| len >= than).count() as f64;
        let tail = longer(1600) / longer(160);
        assert!((tail / 0.1f64.powf(1.2) - 1.0).abs() < 0.2, "{tail}");
        assert_eq!(offsets(&[3, 0, 4]), [0, 3, 3, 7]);
    }
}
