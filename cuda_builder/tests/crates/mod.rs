//! Crates for the tests: a kernels crate, and a program whose build script compiles it.

use std::fs;
use std::path::{Path, PathBuf};

/// Four kernels: one with shared memory, one with a table and a function that is not inlined, one with neither, and
/// that one again under another name.
pub(crate) const KERNELS: &str = r#"
//! Kernels of a test.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, asm_experimental_arch))]

use cuda_std::{thread, warp};

#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

cuda_std::shared_bytes! {
    /// One value per warp.
    fn totals: 128
}

static PRIMES: [u32; 8] = [2, 3, 5, 7, 11, 13, 17, 19];

#[inline(never)]
fn prime(i: usize) -> u32 {
    PRIMES[i] * PRIMES[i + 1]
}

cuda_std::kernel! {
    /// The sum over one block.
    ///
    /// # Safety
    /// `input` is valid for one element per thread, `out` for one.
    pub unsafe fn block_sum(input: *const f32, out: *mut f32) {
        let t = thread::thread_idx_x() as usize;
        // SAFETY: one element per thread.
        let mut sum = unsafe { *input.add(t) };
        let mut delta = 16;
        while delta > 0 {
            // SAFETY: every lane is here.
            sum += unsafe { warp::warp_shuffle_down(warp::ALL, sum, delta, 32).0 };
            delta /= 2;
        }
        let totals = totals().array::<f32, 32>();
        if t % 32 == 0 {
            totals.write(t / 32, sum);
        }
        thread::sync_threads();
        if t == 0 {
            let mut sum = totals.read(0);
            let mut w = 1;
            while w < thread::block_dim_x() as usize / 32 {
                sum += totals.read(w);
                w += 1;
            }
            // SAFETY: valid for one.
            unsafe { *out = sum }
        }
    }

    /// A product of primes.
    ///
    /// # Safety
    /// `out` is valid for one element per thread.
    pub unsafe fn primes(out: *mut u32) {
        let t = thread::index_1d() as usize;
        // SAFETY: one element per thread.
        unsafe { *out.add(t) = prime(t) }
    }

    /// A sum of products, which must stay one.
    ///
    /// # Safety
    /// The pointers are valid for one element.
    pub unsafe fn line(x: *const f32, y: *mut f32) {
        // SAFETY: valid for one.
        unsafe { *y = *x * 3.0 + 1.0 }
    }

    /// The same.
    ///
    /// # Safety
    /// The pointers are valid for one element.
    pub unsafe fn another_line(x: *const f32, y: *mut f32) {
        // SAFETY: valid for one.
        unsafe { *y = *x * 3.0 + 1.0 }
    }
}
"#;

/// Creates an empty folder for one test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a crate with the given files, and with this workspace's lock file, so that versions are equal.
pub(crate) fn write(folder: &Path, manifest: &str, files: &[(&str, &str)]) {
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    fs::write(folder.join("Cargo.toml"), format!("{manifest}\n[workspace]\n")).unwrap();
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).unwrap();
}

/// Writes a kernels crate.
pub(crate) fn write_kernels(folder: &Path, source: &str) {
    let cuda_std = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuda_std");
    let manifest = format!(
        "[package]\nname = \"test-kernels\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         cuda_std = {{ package = \"warpfold-cuda-std\", path = '{}' }}\n",
        cuda_std.display()
    );
    write(folder, &manifest, &[("src/lib.rs", source)]);
}
