//! Result codes of the CUDA driver. They are numbers, because a newer driver may return codes that are unknown here.

use std::fmt;

/// A result code of the CUDA driver (`CUresult`, cuda.h): the number, whatever it is.
///
/// It prints as name, number and advice if a user can act on it, and as the number otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DriverCode(pub u32);

/// The codes with advice, and two that our tests look for.
macro_rules! codes {
    ($($name:ident = $code:literal, $driver_name:literal: $advice:literal;)*) => {
        impl DriverCode {
            $(
                #[doc = concat!("`", $driver_name, "`: ", $advice, ".")]
                pub const $name: Self = Self($code);
            )*

            /// Returns the driver's name of the code and the advice, if the code has any.
            fn known(self) -> Option<(&'static str, &'static str)> {
                match self.0 {
                    $($code => Some(($driver_name, $advice)),)*
                    _ => None,
                }
            }

            /// All of these codes.
            #[cfg(test)]
            const KNOWN: &'static [Self] = &[$(Self($code)),*];
        }
    };
}

codes! {
    OUT_OF_MEMORY = 2, "CUDA_ERROR_OUT_OF_MEMORY":
        "free device memory, or close other programs on this GPU (nvidia-smi lists them)";
    STUB_LIBRARY = 34, "CUDA_ERROR_STUB_LIBRARY":
        "there is no NVIDIA driver here: install one, or use the CPU backend";
    NO_DEVICE = 100, "CUDA_ERROR_NO_DEVICE":
        "the driver sees no GPU: check nvidia-smi and CUDA_VISIBLE_DEVICES";
    NO_BINARY_FOR_GPU = 209, "CUDA_ERROR_NO_BINARY_FOR_GPU":
        "the kernels are not for this GPU, which must be of compute capability 7.5 or later";
    INVALID_PTX = 218, "CUDA_ERROR_INVALID_PTX":
        "the kernel's PTX does not compile: rebuild it, and see the log";
    JIT_COMPILER_NOT_FOUND = 221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND":
        "the driver's PTX compiler (libnvidia-ptxjitcompiler.so.1) is missing: reinstall the driver, or in a container \
         ask for the capability `compute`";
    UNSUPPORTED_PTX_VERSION = 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION":
        "the driver is older than the kernel's PTX: update the driver";
    JIT_COMPILATION_DISABLED = 223, "CUDA_ERROR_JIT_COMPILATION_DISABLED":
        "unset CUDA_DISABLE_PTX_JIT: the kernels are PTX, compiled when loaded";
    NOT_FOUND = 500, "CUDA_ERROR_NOT_FOUND":
        "the driver lacks a function or a kernel asked for: update the driver, or rebuild the kernels";
    ILLEGAL_ADDRESS = 700, "CUDA_ERROR_ILLEGAL_ADDRESS":
        "a kernel used memory that is not its own: restart the process, and run it under `compute-sanitizer`";
    LAUNCH_TIMEOUT = 702, "CUDA_ERROR_LAUNCH_TIMEOUT":
        "the display's watchdog stopped a kernel: restart the process, and compute on a GPU without a display";
    MISALIGNED_ADDRESS = 716, "CUDA_ERROR_MISALIGNED_ADDRESS":
        "a kernel loaded from an unaligned address: restart the process, and run it under `compute-sanitizer`";
    SYSTEM_DRIVER_MISMATCH = 803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH":
        "the driver's library and its kernel module are of different versions: reboot, or restart the container";
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE":
        "this GPU does not take CUDA's forward-compatibility package: remove it from the library path, or update the driver";
}

impl fmt::Display for DriverCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known() {
            Some((name, advice)) => write!(f, "{name} ({}): {advice}", self.0),
            None => write!(f, "driver code {} (see CUresult in NVIDIA's driver API reference)", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_code_prints_its_name_number_and_advice() {
        let numbers = [2, 34, 100, 209, 218, 221, 222, 223, 500, 700, 702, 716, 803, 804];
        assert_eq!(DriverCode::KNOWN.iter().map(|code| code.0).collect::<Vec<_>>(), numbers);
        for code in DriverCode::KNOWN {
            let text = code.to_string();
            assert!(text.starts_with("CUDA_ERROR_"), "{text}");
            let (_, advice) = text.split_once(&format!(" ({}): ", code.0)).expect("the number, then advice");
            assert!(advice.len() > 20 && !advice.ends_with('.') && !advice.contains("  "), "{advice}");
        }
    }

    #[test]
    fn unknown_codes_print_as_numbers() {
        assert!(DriverCode(9999).to_string().contains("9999"));
        assert!(DriverCode(u32::MAX).to_string().contains("4294967295"));
    }
}
