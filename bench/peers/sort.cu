// CUB's radix sorts as a shared library with a C interface, for `bench sort` and `bench select`. Build:
//   nvcc -O3 -std=c++17 -arch=sm_90 -Xcompiler -fPIC -shared -cudart static -o libpeer_sort.so sort.cu
//
// The sorts are
//   int peer_X(void* scratch, size_t* scratch_bytes, const void* in, void* out, uint64_t n, uint64_t unused,
//              cudaStream_t stream)
// of n keys in ascending order, and return a cudaError_t. Of pairs the n values, of the keys' type, stand behind the keys, in `in` and
// in `out`. With a null scratch they write the bytes of scratch they need and enqueue nothing.

#include "peer.cuh"

template <typename T>
int radix(void* scratch, size_t* bytes, const void* in, void* out, uint64_t n, cudaStream_t stream)
{
  return cub::DeviceRadixSort::SortKeys(scratch, *bytes, static_cast<const T*>(in), static_cast<T*>(out),
                                        static_cast<int64_t>(n), 0, static_cast<int>(sizeof(T) * 8), stream);
}

PEER int peer_radix_sort_f32(void* scratch, size_t* bytes, const void* in, void* out, uint64_t n, uint64_t,
                             cudaStream_t stream)
{
  return radix<float>(scratch, bytes, in, out, n, stream);
}

PEER int peer_radix_sort_u32(void* scratch, size_t* bytes, const void* in, void* out, uint64_t n, uint64_t,
                             cudaStream_t stream)
{
  return radix<uint32_t>(scratch, bytes, in, out, n, stream);
}

PEER int peer_radix_sort_u64(void* scratch, size_t* bytes, const void* in, void* out, uint64_t n, uint64_t,
                             cudaStream_t stream)
{
  return radix<uint64_t>(scratch, bytes, in, out, n, stream);
}

template <typename T>
int radix_pairs(void* scratch, size_t* bytes, const void* in, void* out, uint64_t n, cudaStream_t stream)
{
  const auto from = static_cast<const T*>(in);
  const auto to   = static_cast<T*>(out);
  return cub::DeviceRadixSort::SortPairs(scratch, *bytes, from, to, from + n, to + n, static_cast<int64_t>(n), 0,
                                         static_cast<int>(sizeof(T) * 8), stream);
}

PEER int peer_radix_sort_pairs_u32(void* scratch, size_t* bytes, const void* in, void* out, uint64_t n, uint64_t,
                                   cudaStream_t stream)
{
  return radix_pairs<uint32_t>(scratch, bytes, in, out, n, stream);
}

PEER int peer_radix_sort_pairs_u64(void* scratch, size_t* bytes, const void* in, void* out, uint64_t n, uint64_t,
                                   cudaStream_t stream)
{
  return radix_pairs<uint64_t>(scratch, bytes, in, out, n, stream);
}
