//! Scans of one block: the kernels, their counts in the emulator, and their expected results.

use cuda_std::emulator::{Counts, Launch, Order};
use gpu_kernels::arguments::ladder::Between;
use gpu_kernels::ladder::entry;

use crate::failure::Failure;
use crate::number::{Number, make};

/// Elements for the counts of each scan.
pub(crate) const ELEMENTS: usize = 512;

/// A kernel that scans integers in one block.
pub(crate) struct Scanning {
    pub(crate) name: &'static str,
    /// Elements for each thread.
    pub(crate) per_thread: usize,
    /// Whether each sum includes its own element.
    is_inclusive: bool,
    kernel: unsafe fn(Between<i32>),
}

/// All scans. [`Scanning::name`] is the name of the entry point without `ladder_`.
pub(crate) const SCANNING: [Scanning; 3] = [
    Scanning {
        name: "scan_hillis_steele",
        per_thread: 1,
        is_inclusive: true,
        kernel: entry::scan_hillis_steele,
    },
    Scanning { name: "scan_blelloch", per_thread: 2, is_inclusive: false, kernel: entry::scan_blelloch },
    Scanning {
        name: "scan_blelloch_padded",
        per_thread: 2,
        is_inclusive: false,
        kernel: entry::scan_blelloch_padded,
    },
];

impl Scanning {
    /// Threads of a block for [`ELEMENTS`].
    pub(crate) fn threads(&self) -> u32 {
        (ELEMENTS / self.per_thread) as u32
    }

    /// The counts for the integers `x`, at most [`ELEMENTS`]; an error if a sum is wrong.
    pub(crate) fn count(&self, x: &[i32], order: Order) -> Result<Counts, Failure> {
        let mut out = vec![-1; x.len()];
        let arguments = Between { input: x.into(), len: x.len() as u64, out: (&mut out[..]).into() };
        let launch = Launch::new(1, self.threads()).order(order).register(x).register(&raw const out[..]);
        // SAFETY: both have `len` integers, no more than the block scans, and live as long as the launch.
        let counts = launch.run(|| unsafe { (self.kernel)(arguments) })?;
        self.verify(x, &out).map(|()| counts)
    }

    /// Returns an error unless `out` has the running sums of `x`, computed one by one.
    pub(crate) fn verify(&self, x: &[i32], out: &[i32]) -> Result<(), Failure> {
        let mut before = 0_i32;
        for (i, (&x, &found)) in x.iter().zip(out).enumerate() {
            let with = before.wrapping_add(x);
            let expected = if self.is_inclusive { with } else { before };
            if found != expected {
                let (what, found, expected) =
                    (format!("sum {i} by `{}`", self.name), found.to_string(), expected.to_string());
                return Err(Failure::Wrong {
                    what,
                    len: out.len(),
                    threads: self.threads(),
                    found,
                    expected,
                });
            }
            before = with;
        }
        Ok(())
    }
}

/// A row of counts of each scan for [`ELEMENTS`].
pub(crate) fn count() -> Result<Vec<Vec<String>>, Failure> {
    let x = make::<i32>(ELEMENTS, i32::element);
    let row = |scan: &Scanning| {
        let counts = scan.count(&x, Order::InOrder)?;
        let name = scan.name.trim_start_matches("scan_").replace('_', " ");
        // Words of shared memory that threads read or wrote, and accesses of warps to them.
        let (words, accesses) = (counts.shared_accesses, counts.shared_requests);
        let numbers = [scan.per_thread as u64, scan.threads().into(), counts.barriers, words, accesses];
        let numbers = numbers.into_iter().chain([counts.bank_replays]);
        Ok(std::iter::once(name).chain(numbers.map(|number| number.to_string())).collect())
    };
    SCANNING.iter().map(row).collect()
}

/// Lengths for the checks.
pub(crate) const LENGTHS: [usize; 8] = [0, 1, 2, 31, 33, 255, 257, ELEMENTS];

/// Checks each scan at awkward lengths, in several orders of threads.
pub(crate) fn check() -> Result<(), Failure> {
    let x = make::<i32>(ELEMENTS, i32::element);
    for len in LENGTHS {
        for order in [Order::InOrder, Order::Reversed, Order::Shuffled(1), Order::Interleaved(1)] {
            SCANNING.iter().try_for_each(|scan| scan.count(&x[..len], order).map(drop))?;
        }
    }
    Ok(())
}
