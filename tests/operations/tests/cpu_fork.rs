//! The CPU backend in a forked child, which does not have the threads of its parent's pools. Each test forks
//! before it uses any pool, so that none inherits one from another test.
#![cfg(unix)]
#![allow(missing_docs)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use warpfold::{Cpu, Matrix2, MatrixProduct, Scan, Sum, above, columns, groups, rows, runs, segments, zip};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::samples;

unsafe extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn kill(pid: i32, signal: i32) -> i32;
    fn _exit(status: i32) -> !;
}

// `WNOHANG` and `SIGKILL` have the same values on Linux, the BSDs and macOS.
const NO_HANG: i32 = 1;
const SIGKILL: i32 = 9;

/// The number of forks between the test and this process.
static DEPTH: AtomicU32 = AtomicU32::new(0);

/// The time limit for a child, which needs a fraction of a second. A child's own child has half of it.
fn limit() -> Duration {
    Duration::from_secs(40) / (1 << DEPTH.load(Ordering::Relaxed))
}

/// Whether `body` ends in a forked child, in time and without a panic.
fn ends_in_child(body: impl FnOnce()) -> bool {
    // SAFETY: the child runs `body` on its only thread. It uses only one of the parent's locks, the allocator's, which
    // survive a fork.
    let pid = unsafe { fork() };
    assert!(pid >= 0, "no child");
    if pid == 0 {
        DEPTH.fetch_add(1, Ordering::Relaxed);
        let ended = catch_unwind(AssertUnwindSafe(body)).is_ok();
        // SAFETY: ends the child at once.
        unsafe { _exit(if ended { 42 } else { 1 }) }
    }
    let (mut status, start, limit) = (0, Instant::now(), limit());
    loop {
        // SAFETY: asks about the child made above, and writes to a local.
        match unsafe { waitpid(pid, &raw mut status, NO_HANG) } {
            0 if start.elapsed() < limit => std::thread::sleep(Duration::from_millis(2)),
            0 => {
                // SAFETY: the child made above, which was not waited for yet.
                unsafe { kill(pid, SIGKILL) };
                // SAFETY: as above.
                unsafe { waitpid(pid, &raw mut status, 0) };
                return false;
            }
            _ => return status == 42 << 8,
        }
    }
}

/// As [`ends_in_child`], for a child that forks again and uses pools.
fn check(body: impl FnOnce()) {
    assert!(ends_in_child(body), "the process that forks failed or hung: what it said stands above");
}

/// The results of all operations that share tasks between threads, as text, which shows every bit.
fn all_results(cpu: &Cpu) -> String {
    let n: usize = 1 << 19;
    let (x, y) = (samples::<f64>(Ordinary, 1, n as u64), samples::<f64>(Ordinary, 2, n as u64));
    let ids: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect();
    let keys: Vec<u32> = (0..n as u32).map(|i| i / 1000).collect();
    let offsets: Vec<usize> = (0..=8).map(|i| i * (n / 8)).collect();
    let matrices: Vec<_> = (0..n as u32).map(|i| Matrix2 { rows: [[i, i ^ 5], [3 * i, 1]] }).collect();
    let sorted = |mut x: Vec<f64>| {
        cpu.sort(&mut x, warpfold::Order::Ascending).unwrap();
        x
    };
    let mut said = format!("{:?} {:?}", cpu.reduce(Sum, &x), cpu.reduce(warpfold::Dot, zip(&x, &y)));
    said += &format!("{:?}", cpu.reduce(MatrixProduct, &matrices));
    said += &format!("{:?}", cpu.reduce(Sum, rows(&x, [8, n / 8])));
    said += &format!("{:?}", cpu.reduce(Sum, columns(&x, [n / 8, 8])));
    said += &format!("{:?}", cpu.reduce(Sum, columns(&x, [8, n / 8])));
    said += &format!("{:?}", cpu.reduce(Sum, segments(&x, &offsets)));
    said += &format!("{:?}", cpu.reduce(Sum, runs(&keys, &x)));
    said += &format!("{:?}", cpu.reduce(Sum, groups(&ids, &x, 1 << 12)));
    said += &format!("{:?}", cpu.reduce(warpfold::Max, groups(&ids, &x, 1 << 12)));
    said += &format!("{:?}", cpu.fold_tiles(Sum, &x, n as u64, 0..warpfold::tree::tiles::<f64>(n as u64)));
    said += &format!("{:?}", cpu.scan(Sum, &x, Scan::inclusive()));
    said += &format!("{:?}", cpu.scan(Sum, segments(&x, &offsets), Scan::inclusive()));
    said += &format!("{:?} {:?}", cpu.compact(above(0.5), &x), cpu.partition(above(0.5), &x));
    said += &format!("{:?} {:?}", cpu.unique(&keys), cpu.top_k(&x, 10));
    said + &format!("{:?} {:?}", cpu.median(&x), sorted(x))
}

/// Uses `cpu`, forks, and uses it in the child.
fn use_and_fork(cpu: &Cpu) {
    let expected = all_results(cpu);
    let threads = cpu.threads();
    assert!(threads > 1, "one thread: this test would not notice");
    check(|| {
        assert_eq!(all_results(cpu), expected);
        assert_eq!(cpu.threads(), 1, "{cpu:?}");
    });
    assert_eq!(all_results(cpu), expected, "the parent goes on");
    assert_eq!(cpu.threads(), threads);
}

#[test]
fn a_forked_child_does_all_that_its_parent_did() {
    check(|| {
        // The pool of this process: the machine may have one core.
        rayon::ThreadPoolBuilder::new().num_threads(3).build_global().unwrap();
        use_and_fork(&Cpu::new());
    });
}

#[test]
fn a_forked_child_does_without_the_threads_of_a_backend() {
    check(|| {
        let cpu = Cpu::with_threads(3).unwrap();
        use_and_fork(&cpu);
        // Drops it there.
        check(move || drop(cpu));
    });
}

#[test]
fn a_forked_child_may_have_threads_of_its_own() {
    check(|| {
        let x = samples::<f64>(Ordinary, 1, 1 << 19);
        let sum = Cpu::with_threads(3).unwrap().reduce(Sum, &x).unwrap();
        check(|| {
            let cpu = Cpu::with_threads(2).unwrap();
            assert_eq!(cpu.reduce(Sum, &x).unwrap().to_bits(), sum.to_bits());
            assert_eq!(cpu.threads(), 2);
            // Its parent has not used the global pool.
            assert_eq!(Cpu::new().reduce(Sum, &x).unwrap().to_bits(), sum.to_bits());
            assert_eq!(Cpu::new().threads(), rayon::current_num_threads());
            check(|| assert_eq!(Cpu::new().reduce(Sum, &x).unwrap().to_bits(), sum.to_bits()));
        });
    });
}

/// The pool may be started by others: the parent's own code may have used it before this crate was called.
#[test]
fn a_forked_child_notices_a_pool_that_others_started() {
    check(|| {
        let x = samples::<f64>(Ordinary, 1, 1 << 19);
        rayon::ThreadPoolBuilder::new().num_threads(3).build_global().unwrap();
        assert_eq!((0..1000_u64).into_par_iter().sum::<u64>(), 499_500);
        check(|| {
            let sum = Cpu::with_threads(1).unwrap().reduce(Sum, &x).unwrap();
            assert_eq!(Cpu::new().reduce(Sum, &x).unwrap().to_bits(), sum.to_bits());
            assert_eq!(Cpu::new().threads(), 1);
        });
        assert_eq!(Cpu::new().threads(), 3, "a pool that others started is used");
    });
}

/// While the children are created, other threads request the pool for the first time.
#[test]
fn a_fork_during_the_first_use_leaves_a_child_that_works() {
    for _ in 0..20 {
        check(|| {
            let x = samples::<f64>(Ordinary, 1, 1 << 19);
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| Cpu::new().reduce(Sum, &x).unwrap());
                }
                for _ in 0..3 {
                    check(|| assert!(Cpu::new().reduce(Sum, &x).is_ok()));
                }
            });
        });
    }
}
