//! The types of cubecl-llvm that cubecl-cuda names, without LLVM. A build with cubecl-cuda's feature `cpp`
//! never creates values of them; a call to compile returns an error.

use std::{ffi::c_char, fmt};

use cubecl_core::{
    Compiler,
    ir::{amd::GfxArch, nvidia::SmArch},
    prelude::KernelDefinition,
};
use cubecl_runtime::{compiler::CompilationError, kernel::BufferIOAttr};

const ABSENT: &str = "this build has no LLVM: cubecl-cuda must be built with its feature `cpp`";

/// PTX versions.
pub mod nvptx {
    /// See [`ptx_version::PtxVersion`].
    pub mod ptx_version {
        /// A PTX version that a driver knows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct PtxVersion(());

        impl PtxVersion {
            /// None: no kernel is compiled by this crate.
            pub fn for_driver(_driver: i32) -> Option<Self> {
                None
            }
        }

        impl std::fmt::Display for PtxVersion {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("none")
            }
        }
    }
}

/// Restrictions of targets.
pub mod shared {
    /// See [`lowered_features::restrict_features`].
    pub mod lowered_features {
        use cubecl_core::ir::{DeviceProperties, nvidia::SmArch};

        /// A device to compile for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum GpuTarget {
            /// An NVIDIA GPU.
            Nvptx {
                /// Its architecture.
                arch: SmArch,
            },
        }

        /// Never called without LLVM.
        pub fn restrict_features(_properties: &mut DeviceProperties, _target: GpuTarget) {
            unreachable!("{}", super::super::ABSENT)
        }
    }
}

/// The target to compile for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LlvmTarget {
    /// The processor.
    #[default]
    Cpu,
    /// An NVIDIA GPU.
    Nvptx,
}

/// A compiler that is absent.
#[derive(Clone, Debug, Default)]
pub struct PlironCompiler {
    /// The target.
    pub target: LlvmTarget,
}

/// Its options.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct PlironOptions {
    pub arch: Option<GfxArch>,
    pub sm_arch: Option<SmArch>,
    pub ptx_version: Option<nvptx::ptx_version::PtxVersion>,
    pub grid_constants: bool,
    pub keep_object: bool,
}

/// A kernel as PTX.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct NvptxModule {
    pub ptx: Vec<c_char>,
    pub entrypoint: String,
    pub ir: String,
    pub shared_memory_size: usize,
    pub io: Vec<BufferIOAttr>,
}

/// The result of a compilation.
#[derive(Clone)]
pub enum PlironArtifact {
    /// Code for the processor.
    Jit(()),
    /// Code for an NVIDIA GPU.
    NvptxCode(NvptxModule),
}

impl fmt::Display for PlironArtifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("nothing")
    }
}

impl Compiler for PlironCompiler {
    type Representation = PlironArtifact;
    type CompilationOptions = PlironOptions;

    fn compile(&mut self, _: KernelDefinition, _: &PlironOptions) -> Result<PlironArtifact, CompilationError> {
        unreachable!("{ABSENT}")
    }

    fn extension(&self) -> &'static str {
        "none"
    }

    fn lang_tag(&self) -> &'static str {
        "none"
    }
}
