// CUB's sums of segments between offsets as a shared library with a C interface, for `bench segments`. Build:
//   nvcc -O3 -std=c++17 -arch=sm_90 -Xcompiler -fPIC -shared -cudart static -o libpeer_segments.so segments.cu
//
// Every sum is
//   int peer_segments_<type of the offsets>(void* scratch, size_t* scratch_bytes, const void* in, void* out,
//                                           uint64_t segments, const void* offsets, cudaStream_t stream)
// over float, with one offset more than segments, and returns a cudaError_t. With a null scratch it writes the bytes of
// scratch that it needs and enqueues nothing.

#include "peer.cuh"

template <class Offset>
static int sum(void* scratch, size_t* bytes, const void* in, void* out, uint64_t segments, const void* offsets,
               cudaStream_t stream)
{
  const auto begin = static_cast<const Offset*>(offsets);
  return cub::DeviceSegmentedReduce::Sum(scratch, *bytes, static_cast<const float*>(in), static_cast<float*>(out),
                                         static_cast<int64_t>(segments), begin, begin + 1, stream);
}

PEER int peer_segments_i64(void* scratch, size_t* bytes, const void* in, void* out, uint64_t segments,
                           const void* offsets, cudaStream_t stream)
{
  return sum<int64_t>(scratch, bytes, in, out, segments, offsets, stream);
}

PEER int peer_segments_i32(void* scratch, size_t* bytes, const void* in, void* out, uint64_t segments,
                           const void* offsets, cudaStream_t stream)
{
  return sum<int32_t>(scratch, bytes, in, out, segments, offsets, stream);
}
