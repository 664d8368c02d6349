// CUB's histogram as a shared library with a C interface, for `bench histogram`. Build:
//   nvcc -O3 -std=c++17 -arch=sm_90 -Xcompiler -fPIC -shared -cudart static -o libpeer_histogram.so histogram.cu
//
// The histogram is
//   int peer_histogram_f32(void* scratch, size_t* scratch_bytes, const void* in, void* out, uint64_t n, uint64_t bins,
//                          cudaStream_t stream)
// of f32 from 0 to 1 in even bins, and returns a cudaError_t. `out` has room for as many uint32. With a null scratch it writes the
// bytes of scratch that it needs and enqueues nothing.

#include "peer.cuh"

PEER int peer_histogram_f32(void* scratch, size_t* bytes, const void* in, void* out, uint64_t n, uint64_t bins,
                            cudaStream_t stream)
{
  return cub::DeviceHistogram::HistogramEven(scratch, *bytes, static_cast<const float*>(in), static_cast<uint32_t*>(out),
                                             static_cast<int>(bins + 1), 0.0f, 1.0f, static_cast<int64_t>(n), stream);
}
