// CUB's and Thrust's reductions as a shared library with a C interface, so that `bench gpu` can time them by the
// same clock, on the same device buffers and the same stream as warpfold. Build:
//   nvcc -O3 -std=c++17 -arch=sm_90 -Xcompiler -fPIC -shared -o libpeer_cub.so cub.cu
//
// Every reduction is
//   int peer_<variant>_<op>_<type>(void* scratch, size_t* scratch_bytes, const void* in, void* out,
//                                  uint64_t n, cudaStream_t stream)
// and returns a cudaError_t. With a null scratch it writes the bytes of scratch that it needs and enqueues
// nothing. `out` is 16 bytes on the device: a value of the element's type (for sums of 1- and 2-byte integers of 64
// bits, for sum_in_f32 a float); for argmin and argmax an int64 index at byte 8. A variant with its own reduction to
// the host also has
//   int peer_<variant>_<op>_<type>_to_host(const void* in, void* host, uint64_t n, cudaStream_t stream)
// which returns when the result is at `host`, in the same layout.

#include <new>
#include "peer.cuh"
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <thrust/device_ptr.h>
#include <thrust/reduce.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

// Since CCCL 3.1 there is determinism across GPUs.
#if CUB_VERSION >= 300100
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/std/execution>
#include <cuda/stream_ref>
#define PEER_HAS_GPU_TO_GPU 1
#else
#define PEER_HAS_GPU_TO_GPU 0
#endif

// Since CCCL 3.2 Thrust has reductions that leave their result on the device and do not wait.
#define PEER_HAS_REDUCE_INTO (CUB_VERSION >= 300200)

// The variants in this library, as symbol=name, separated by semicolons.
PEER const char* peer_variants()
{
  return "run_to_run=CUB"
#if PEER_HAS_GPU_TO_GPU
         ";gpu_to_gpu=CUB gpu_to_gpu"
#endif
         ";thrust=thrust::reduce";
}

// The name of an error that another function returned.
PEER const char* peer_error(int code)
{
  return cudaGetErrorName(static_cast<cudaError_t>(code));
}

// Page-locked host memory for `peer_fetch`, kept until the process ends; null if there is none.
PEER void* peer_host_alloc(size_t bytes)
{
  void* host = nullptr;
  return cudaMallocHost(&host, bytes) == cudaSuccess ? host : nullptr;
}

// Copies a result to the host and waits, as callers that need the number must.
PEER int peer_fetch(void* host, const void* device, size_t bytes, cudaStream_t stream)
{
  cudaError_t error = cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream);
  return error != cudaSuccess ? error : cudaStreamSynchronize(stream);
}

// Reads `bytes` bytes at `in`, a multiple of 16, with `blocks` blocks of 256 threads, and does almost nothing else: no
// reduction can be faster. `out` is 16 bytes on the device.
static __global__ void read_all(const uint4* in, uint64_t vectors, uint4* out)
{
  const uint64_t step = uint64_t{gridDim.x} * blockDim.x;
  uint64_t i          = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  uint4 seen{};
  // Eight loads in flight per thread.
  for (; i + 7 * step < vectors; i += 8 * step)
  {
    uint4 ahead[8];
#pragma unroll
    for (int k = 0; k < 8; ++k)
    {
      ahead[k] = __ldcs(in + i + k * step);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k)
    {
      seen.x ^= ahead[k].x;
      seen.y ^= ahead[k].y;
      seen.z ^= ahead[k].z;
      seen.w ^= ahead[k].w;
    }
  }
  for (; i < vectors; i += step)
  {
    const uint4 last = __ldcs(in + i);
    seen.x ^= last.x;
    seen.y ^= last.y;
    seen.z ^= last.z;
    seen.w ^= last.w;
  }
  // Almost never true, but the compiler cannot know that, and keeps the loads.
  if (seen.x == 0x9E3779B9u && seen.y == 0x7F4A7C15u && seen.z == seen.x && seen.w == seen.y)
  {
    *out = seen;
  }
}

PEER int peer_read(const void* in, uint64_t bytes, void* out, unsigned blocks, cudaStream_t stream)
{
  read_all<<<blocks, 256, 0, stream>>>(static_cast<const uint4*>(in), bytes / 16, static_cast<uint4*>(out));
  return cudaGetLastError();
}

// CUB's own minimum and maximum ignore NaN; these return NaN, like warpfold's Minimum and Maximum.
struct Minimum
{
  template <class T>
  __device__ T operator()(T a, T b) const
  {
    return a != a ? a : b < a || b != b ? b : a;
  }
};

struct Maximum
{
  template <class T>
  __device__ T operator()(T a, T b) const
  {
    return a != a ? a : a < b || b != b ? b : a;
  }
};

#define VALUE(op, Call, name, T)                                                                               \
  PEER int peer_run_to_run_##op##_##name(void* scratch, size_t* scratch_bytes, const void* in, void* out,      \
                                         uint64_t n, cudaStream_t stream)                                      \
  {                                                                                                            \
    return cub::DeviceReduce::Call(scratch, *scratch_bytes, static_cast<const T*>(in), static_cast<T*>(out),   \
                                   static_cast<int64_t>(n), stream);                                           \
  }

// A sum wider than its elements.
#define WIDER(op, name, T, Total)                                                                              \
  PEER int peer_run_to_run_##op##_##name(void* scratch, size_t* scratch_bytes, const void* in, void* out,      \
                                         uint64_t n, cudaStream_t stream)                                      \
  {                                                                                                            \
    return cub::DeviceReduce::Reduce(scratch, *scratch_bytes, static_cast<const T*>(in),                       \
                                     static_cast<Total*>(out), static_cast<int64_t>(n),                        \
                                     cuda::std::plus<Total>{}, Total{}, stream);                               \
  }

#define FUNCTOR(op, Functor, initial, name, T)                                                                 \
  PEER int peer_run_to_run_##op##_##name(void* scratch, size_t* scratch_bytes, const void* in, void* out,      \
                                         uint64_t n, cudaStream_t stream)                                      \
  {                                                                                                            \
    return cub::DeviceReduce::Reduce(scratch, *scratch_bytes, static_cast<const T*>(in), static_cast<T*>(out), \
                                     static_cast<int64_t>(n), Functor{}, initial, stream);                     \
  }

#define PLACE(op, Call, name, T)                                                                               \
  PEER int peer_run_to_run_##op##_##name(void* scratch, size_t* scratch_bytes, const void* in, void* out,      \
                                         uint64_t n, cudaStream_t stream)                                      \
  {                                                                                                            \
    int64_t* index = reinterpret_cast<int64_t*>(static_cast<char*>(out) + 8);                                  \
    return cub::DeviceReduce::Call(scratch, *scratch_bytes, static_cast<const T*>(in), static_cast<T*>(out),   \
                                   index, static_cast<int64_t>(n), stream);                                    \
  }

// The identity of Minimum or Maximum: an infinity, if the type has one.
#define LEAST_OR_GREATEST(T, end)                                                                              \
  (cuda::std::numeric_limits<T>::has_infinity                                                                  \
     ? T(cuda::std::numeric_limits<T>::end() > T{} ? cuda::std::numeric_limits<T>::infinity()                  \
                                                   : -cuda::std::numeric_limits<T>::infinity())                \
     : cuda::std::numeric_limits<T>::end())

#define TYPE(name, T)                                                                                          \
  VALUE(sum, Sum, name, T)                                                                                     \
  VALUE(min, Min, name, T)                                                                                     \
  VALUE(max, Max, name, T)                                                                                     \
  FUNCTOR(product, cuda::std::multiplies<>, T{1}, name, T)                                                     \
  FUNCTOR(minimum, Minimum, LEAST_OR_GREATEST(T, max), name, T)                                                \
  FUNCTOR(maximum, Maximum, LEAST_OR_GREATEST(T, lowest), name, T)                                             \
  PLACE(argmin, ArgMin, name, T)                                                                               \
  PLACE(argmax, ArgMax, name, T)

TYPE(f32, float)
TYPE(f64, double)
TYPE(i32, int32_t)
TYPE(u32, uint32_t)
TYPE(i64, int64_t)
TYPE(u64, uint64_t)

// 1 and 2 bytes: sums in the same types as in warpfold.
#define NARROW(sum, name, T, Total)                                                                            \
  WIDER(sum, name, T, Total)                                                                                   \
  VALUE(min, Min, name, T)                                                                                     \
  VALUE(max, Max, name, T)                                                                                     \
  PLACE(argmin, ArgMin, name, T)                                                                               \
  PLACE(argmax, ArgMax, name, T)

NARROW(sum, i8, int8_t, int64_t)
NARROW(sum, u8, uint8_t, uint64_t)
NARROW(sum, i16, int16_t, int64_t)
NARROW(sum, u16, uint16_t, uint64_t)
NARROW(sum_in_f32, f16, __half, float)
NARROW(sum_in_f32, bf16, __nv_bfloat16, float)

#if PEER_HAS_GPU_TO_GPU
// Allocates its scratch itself, from the stream's memory pool.
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

// By default Thrust allocates its scratch by cudaMalloc at every call, without the device's memory pool. A null scratch
// needs nothing.
#if PEER_HAS_REDUCE_INTO
#define THRUST_ON_DEVICE(name, T)                                                                              \
  PEER int peer_thrust_sum_##name(void* scratch, size_t* scratch_bytes, const void* in, void* out, uint64_t n, \
                                  cudaStream_t stream)                                                         \
  {                                                                                                            \
    if (scratch == nullptr) {                                                                                  \
      *scratch_bytes = 1;                                                                                      \
      return cudaSuccess;                                                                                      \
    }                                                                                                          \
    const auto first = thrust::device_pointer_cast(static_cast<const T*>(in));                                 \
    return answer([&] {                                                                                        \
      thrust::reduce_into(thrust::cuda::par_nosync.on(stream), first, first + n,                               \
                          thrust::device_pointer_cast(static_cast<T*>(out)), T{});                             \
    });                                                                                                        \
  }
#else
// It can only return its result to the host and wait; the result is copied back to the device for the check.
#define THRUST_ON_DEVICE(name, T)                                                                              \
  PEER int peer_thrust_sum_##name(void* scratch, size_t* scratch_bytes, const void* in, void* out, uint64_t n, \
                                  cudaStream_t stream)                                                         \
  {                                                                                                            \
    if (scratch == nullptr) {                                                                                  \
      *scratch_bytes = 1;                                                                                      \
      return cudaSuccess;                                                                                      \
    }                                                                                                          \
    T sum{};                                                                                                   \
    const int error = peer_thrust_sum_##name##_to_host(in, &sum, n, stream);                                   \
    return error != 0 ? error : cudaMemcpyAsync(out, &sum, sizeof sum, cudaMemcpyHostToDevice, stream);        \
  }
#endif

#define THRUST(name, T)                                                                                        \
  PEER int peer_thrust_sum_##name##_to_host(const void* in, void* host, uint64_t n, cudaStream_t stream)       \
  {                                                                                                            \
    const auto first = thrust::device_pointer_cast(static_cast<const T*>(in));                                 \
    return answer([&] {                                                                                        \
      *static_cast<T*>(host) = thrust::reduce(thrust::cuda::par.on(stream), first, first + n, T{});            \
    });                                                                                                        \
  }                                                                                                            \
  THRUST_ON_DEVICE(name, T)

// Thrust throws exceptions; its callers here expect a number.
template <class F>
static int answer(F&& call)
{
  try
  {
    call();
    return cudaSuccess;
  }
  catch (const thrust::system_error& error)
  {
    return error.code().category() == thrust::cuda_category() ? error.code().value() : cudaErrorUnknown;
  }
  catch (const std::bad_alloc&)
  {
    return cudaErrorMemoryAllocation;
  }
}

THRUST(f32, float)
THRUST(f64, double)
THRUST(i32, int32_t)
THRUST(u32, uint32_t)
THRUST(i64, int64_t)
THRUST(u64, uint64_t)
