//! Small inputs start no thread. In a separate file, because rayon's pool, once started, stays for the whole
//! process.
#![cfg(target_os = "linux")]
#![allow(missing_docs)]

use warpfold::{ArgMax, Cpu, Sum, columns, rows, segments};
use warpfold_tests::data::Family::Ordinary;
use warpfold_tests::samples;

/// The number of threads of this process, from the kernel.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn small_inputs_stay_on_the_calling_thread() {
    let x = samples::<f32>(Ordinary, 1, 1 << 20);
    let cpu = Cpu::new();
    let before = threads();
    for n in [0, 1, 1000, (32 << 10) / size_of::<f32>(), (1 << 20) / size_of::<f32>()] {
        cpu.reduce(Sum, &x[..n]).unwrap();
        cpu.reduce(ArgMax, &x[..n]).unwrap();
        cpu.reduce(Sum, rows(&x[..n / 64 * 64], [n / 64, 64])).unwrap();
        cpu.reduce(Sum, columns(&x[..n / 64 * 64], [n / 64, 64])).unwrap();
        cpu.reduce(Sum, segments(&x, &[0, n / 2, n])).unwrap();
        assert_eq!(threads(), before, "{n} elements started threads");
    }
    cpu.reduce(Sum, &x).unwrap();
    assert!(threads() > before, "4 MiB started none: this test would not notice");
}
