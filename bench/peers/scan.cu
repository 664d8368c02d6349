// CUB's running sums as a shared library with a C interface, for `bench scan`. Build:
//   nvcc -O3 -std=c++17 -arch=sm_90 -Xcompiler -fPIC -shared -cudart static -o libpeer_scan.so scan.cu
//
// Every scan is
//   int peer_scan_<type>(void* scratch, size_t* scratch_bytes, const void* in, void* out,
//                        uint64_t elements, uint64_t unused, cudaStream_t stream)
// inclusive, and returns a cudaError_t. With a null scratch it writes the bytes of scratch that it needs and enqueues nothing.
//
// The scan of segments is
//   int peer_scan_by_key_f32(void* scratch, size_t* scratch_bytes, const void* in, void* out,
//                            uint64_t elements, const void* keys, cudaStream_t stream)
// with a uint32_t key for each element: CUB scans segments by keys, not by offsets.

#include "peer.cuh"

template <class Element>
static int scan(void* scratch, size_t* bytes, const void* in, void* out, uint64_t elements, cudaStream_t stream)
{
  return cub::DeviceScan::InclusiveSum(scratch, *bytes, static_cast<const Element*>(in), static_cast<Element*>(out),
                                       static_cast<int64_t>(elements), stream);
}

PEER int peer_scan_f32(void* scratch, size_t* bytes, const void* in, void* out, uint64_t elements, uint64_t,
                       cudaStream_t stream)
{
  return scan<float>(scratch, bytes, in, out, elements, stream);
}

PEER int peer_scan_i32(void* scratch, size_t* bytes, const void* in, void* out, uint64_t elements, uint64_t,
                       cudaStream_t stream)
{
  return scan<int32_t>(scratch, bytes, in, out, elements, stream);
}

PEER int peer_scan_by_key_f32(void* scratch, size_t* bytes, const void* in, void* out, uint64_t elements,
                              const void* keys, cudaStream_t stream)
{
  return cub::DeviceScan::InclusiveSumByKey(scratch, *bytes, static_cast<const uint32_t*>(keys),
                                            static_cast<const float*>(in), static_cast<float*>(out),
                                            static_cast<int64_t>(elements), cuda::std::equal_to<>{}, stream);
}
