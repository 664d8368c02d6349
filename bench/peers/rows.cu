// CUB's sums of the rows of a matrix as a shared library with a C interface, for `bench rows`. Build:
//   nvcc -O3 -std=c++17 -arch=sm_90 -Xcompiler -fPIC -shared -cudart static -o libpeer_rows.so rows.cu
//
// Every sum is
//   int peer_rows_<variant>(void* scratch, size_t* scratch_bytes, const void* in, void* out,
//                           uint64_t rows, uint64_t columns, cudaStream_t stream)
// over float, and returns a cudaError_t. With a null scratch it writes the bytes of scratch that it needs and enqueues nothing.

#include "peer.cuh"
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

struct Times
{
  int64_t columns;
  __host__ __device__ int64_t operator()(int64_t row) const
  {
    return row * columns;
  }
};

// Rows as segments between offsets, which are computed, not read.
PEER int peer_rows_offsets(void* scratch, size_t* bytes, const void* in, void* out, uint64_t rows, uint64_t columns,
                           cudaStream_t stream)
{
  const auto begin = thrust::make_transform_iterator(thrust::make_counting_iterator<int64_t>(0),
                                                     Times{static_cast<int64_t>(columns)});
  return cub::DeviceSegmentedReduce::Sum(scratch, *bytes, static_cast<const float*>(in), static_cast<float*>(out),
                                         static_cast<int64_t>(rows), begin, begin + 1, stream);
}

// Rows as segments of one length, which CUB supports since 3.1; before, the same as between offsets.
PEER int peer_rows_fixed(void* scratch, size_t* bytes, const void* in, void* out, uint64_t rows, uint64_t columns,
                         cudaStream_t stream)
{
#if CUB_VERSION >= 300100
  return cub::DeviceSegmentedReduce::Sum(scratch, *bytes, static_cast<const float*>(in), static_cast<float*>(out),
                                         static_cast<int64_t>(rows), static_cast<int>(columns), stream);
#else
  return peer_rows_offsets(scratch, bytes, in, out, rows, columns, stream);
#endif
}
