// CUB's selection as a shared library with a C interface, for `bench compact`. Build:
//   nvcc -O3 -std=c++17 -arch=sm_90 -Xcompiler -fPIC -shared -cudart static -o libpeer_compact.so compact.cu
//
// The selection is
//   int peer_compact_below_u32(void* scratch, size_t* scratch_bytes, const void* in, void* out, uint64_t n,
//                              uint64_t threshold, cudaStream_t stream)
// of the elements below the threshold, and returns a cudaError_t. `out` has room for n elements (n is even), followed by their
// number, an int64. With a null scratch it writes the bytes of scratch that it needs and enqueues nothing.

#include "peer.cuh"

struct Below
{
  uint32_t threshold;
  __host__ __device__ bool operator()(const uint32_t& x) const
  {
    return x < threshold;
  }
};

PEER int peer_compact_below_u32(void* scratch, size_t* bytes, const void* in, void* out, uint64_t n,
                                uint64_t threshold, cudaStream_t stream)
{
  const auto elements = static_cast<uint32_t*>(out);
  const auto count    = reinterpret_cast<int64_t*>(elements + n);
  return cub::DeviceSelect::If(scratch, *bytes, static_cast<const uint32_t*>(in), elements, count,
                               static_cast<int64_t>(n), Below{static_cast<uint32_t>(threshold)}, stream);
}
