//! Reductions with the same bits everywhere: any GPU, any launch shape, any thread count, and the CPU.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!("warpfold needs SSE2: x87 arithmetic rounds twice, so results would differ from other machines");

mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod error;
mod float_environment;
mod kernel;
mod plan;

#[cfg(feature = "cuda")]
#[cfg_attr(docsrs, doc(cfg(feature = "cuda")))]
pub use cuda::{Cuda, DeviceArray, DeviceScalar, DeviceSlice, Event, Graph, Stream};
pub use cpu::{Cpu, finish};
pub use error::{DriverCode, Error, Unavailable, Version};
pub use kernel::{Entry, Kernel, SHIPPED};
pub use plan::{Passes, Plan};
pub use gpu_kernels::{
    Accumulator, ArgMax, ArgMin, At, Element, Indexed, Key, Max, Maximum, Min, Minimum, Number, Op, Ordered, Product,
    Sum, TREE_VERSION, Wide, reference, tree,
};
