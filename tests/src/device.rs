//! The device for tests that need one: a GPU, or an emulated device over the same kernels.

use std::sync::OnceLock;

use warpfold::Cuda;

/// The device shared by the tests of one program: the emulated device if this was compiled for it and `WARPFOLD_DEVICE` is not
/// `gpu`; otherwise the first GPU.
///
/// # Panics
/// If there is no device, or it cannot be opened.
pub fn cuda() -> &'static Cuda {
    static CUDA: OnceLock<Cuda> = OnceLock::new();
    CUDA.get_or_init(|| open().unwrap_or_else(|error| panic!("these tests need a CUDA device: {error}")))
}

/// Opens the device of [`cuda`] again.
///
/// # Errors
/// If it cannot be opened.
pub fn open() -> Result<Cuda, warpfold::Error> {
    #[cfg(feature = "emulator")]
    if is_emulated() {
        return Cuda::emulated();
    }
    Cuda::open(0)
}

/// Whether tests run on the emulated device, on which they take shorter arrays.
#[must_use]
pub fn is_emulated() -> bool {
    cfg!(feature = "emulator") && std::env::var_os("WARPFOLD_DEVICE").is_none_or(|device| device != "gpu")
}

/// The first of two lengths, sizes or numbers of rounds on a GPU, and the second on the emulated device.
pub fn on_gpu_or_emulated<T>(gpu: T, emulated: T) -> T {
    if is_emulated() { emulated } else { gpu }
}

/// Whether this run takes the case with this number: all are taken on a GPU; four turns that follow each other take all on the
/// emulated device.
#[must_use]
pub fn takes_case(case: u64) -> bool {
    !is_emulated() || crate::turn::is_in_quarter(case)
}

/// Runs a check if this run takes the case with this number, as [`takes_case`] does, or the crate that calls this has the feature
/// `catalogue`. Otherwise nothing that the check names is compiled.
#[macro_export]
macro_rules! in_quarter_or_catalogue {
    ($case:literal => $check:expr) => {
        if const { cfg!(feature = "catalogue") || $crate::turn::is_in_quarter($case) } {
            $check;
        }
    };
}

/// Makes a test of every pair of a list of the catalogue with the feature `catalogue` of the crate that calls this, and otherwise
/// one test of those in a list of samples whose turn it is. `$check::<T, O>()` is the test of a pair.
#[macro_export]
macro_rules! each_pair {
    ($check:ident of $($all:ident)::+, or $takes:ident of $($sampled:ident)::+) => {
        $crate::each_pair! { ($) $check of $($all)::+, or $takes of $($sampled)::+ }
    };
    (($d:tt) $check:ident of $($all:ident)::+, or $takes:ident of $($sampled:ident)::+) => {
        #[cfg(feature = "catalogue")]
        mod each_pair {
            macro_rules! each {
                ($d($d row:ident: $d op:ty, $d element:ty;)*) => { $d(
                    #[test]
                    fn $d row() {
                        super::$check::<$d element, $d op>();
                    }
                )* };
            }
            $($all)::+!(each);
        }

        #[cfg(not(feature = "catalogue"))]
        #[test]
        fn each_pair_of_this_turn() {
            macro_rules! each {
                ($d($d row:ident: $d op:ty, $d element:ty;)*) => {
                    $crate::turn::check(&[$d( (
                        stringify!($d row),
                        $crate::in_turn!($takes, $d row => || $check::<$d element, $d op>()),
                    ) ),*]);
                };
            }
            $($sampled)::+!(each);
        }
    };
}
