// CUB's reductions as a shared library with a C interface, so that `bench gpu` can time them by the same
// clock, on the same device buffers and the same stream as warpfold's. Build:
//   nvcc -O3 -std=c++17 -arch=sm_90 -Xcompiler -fPIC -shared -o libpeer_cub.so cub.cu
//
// Every reduction is
//   int peer_<variant>_<op>_<type>(void* scratch, size_t* scratch_bytes, const void* in, void* out,
//                                  uint64_t n, cudaStream_t stream)
// and returns a cudaError_t. With a null scratch it writes the bytes of scratch it needs and enqueues nothing.
// `out` is 16 bytes on the device: a value of the element's type, and for argmin and argmax an int64 index at
// byte 8.

#include <cstdint>
#include <cstdio>
#include <cub/cub.cuh>

// CCCL 3.1 brought determinism that holds between GPUs.
#if CUB_VERSION >= 300100
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/std/execution>
#include <cuda/std/functional>
#include <cuda/stream_ref>
#define PEER_HAS_GPU_TO_GPU 1
#else
#define PEER_HAS_GPU_TO_GPU 0
#endif

#define PEER extern "C" __attribute__((visibility("default")))

// What this library is, for the record.
PEER const char* peer_describe()
{
  static char text[128];
  snprintf(text, sizeof text, "CUB %d.%d.%d, nvcc %d.%d", CUB_VERSION / 100000, CUB_VERSION / 100 % 1000,
           CUB_VERSION % 100, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__);
  return text;
}

// The variants that it has, separated by spaces.
PEER const char* peer_variants()
{
  return PEER_HAS_GPU_TO_GPU ? "run_to_run gpu_to_gpu" : "run_to_run";
}

// The name of an error that another function returned.
PEER const char* peer_error(int code)
{
  return cudaGetErrorName(static_cast<cudaError_t>(code));
}

// Makes the calling thread's device the `ordinal`-th, whose primary context the runtime then shares.
PEER int peer_open(int ordinal)
{
  return cudaSetDevice(ordinal);
}

// Page-locked host memory for `peer_fetch`, kept until the process ends; null if there is none.
PEER void* peer_host_alloc(size_t bytes)
{
  void* host = nullptr;
  return cudaMallocHost(&host, bytes) == cudaSuccess ? host : nullptr;
}

// Copies a result to the host and waits for it, as a caller who wants a number has to.
PEER int peer_fetch(void* host, const void* device, size_t bytes, cudaStream_t stream)
{
  cudaError_t error = cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream);
  return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}

#define VALUE(op, Call, name, T)                                                                               \
  PEER int peer_run_to_run_##op##_##name(void* scratch, size_t* scratch_bytes, const void* in, void* out,      \
                                         uint64_t n, cudaStream_t stream)                                      \
  {                                                                                                            \
    return cub::DeviceReduce::Call(scratch, *scratch_bytes, static_cast<const T*>(in), static_cast<T*>(out),   \
                                   static_cast<int64_t>(n), stream);                                           \
  }

#define PLACE(op, Call, name, T)                                                                               \
  PEER int peer_run_to_run_##op##_##name(void* scratch, size_t* scratch_bytes, const void* in, void* out,      \
                                         uint64_t n, cudaStream_t stream)                                      \
  {                                                                                                            \
    int64_t* index = reinterpret_cast<int64_t*>(static_cast<char*>(out) + 8);                                  \
    return cub::DeviceReduce::Call(scratch, *scratch_bytes, static_cast<const T*>(in), static_cast<T*>(out),   \
                                   index, static_cast<int64_t>(n), stream);                                    \
  }

#define TYPE(name, T)                                                                                          \
  VALUE(sum, Sum, name, T)                                                                                     \
  VALUE(min, Min, name, T)                                                                                     \
  VALUE(max, Max, name, T)                                                                                     \
  PLACE(argmin, ArgMin, name, T)                                                                               \
  PLACE(argmax, ArgMax, name, T)

TYPE(f32, float)
TYPE(f64, double)
TYPE(i32, int32_t)
TYPE(u32, uint32_t)
TYPE(i64, int64_t)
TYPE(u64, uint64_t)

#if PEER_HAS_GPU_TO_GPU
// Takes its scratch from the stream's memory pool itself.
#define SAME_ON_EVERY_GPU(name, T)                                                                             \
  PEER int peer_gpu_to_gpu_sum_##name(void* scratch, size_t* scratch_bytes, const void* in, void* out,         \
                                      uint64_t n, cudaStream_t stream)                                         \
  {                                                                                                            \
    if (scratch == nullptr) {                                                                                  \
      *scratch_bytes = 1;                                                                                      \
      return cudaSuccess;                                                                                      \
    }                                                                                                          \
    auto required = cuda::execution::require(cuda::execution::determinism::gpu_to_gpu);                        \
    auto environment = cuda::std::execution::env{cuda::stream_ref{stream}, required};                          \
    return cub::DeviceReduce::Reduce(static_cast<const T*>(in), static_cast<T*>(out),                          \
                                     static_cast<int64_t>(n), cuda::std::plus<>{}, T{}, environment);          \
  }

SAME_ON_EVERY_GPU(f32, float)
SAME_ON_EVERY_GPU(f64, double)
#endif
