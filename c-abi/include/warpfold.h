/* warpfold from C: reductions of arrays in host or device memory, with the same bits everywhere.
 *
 * Every function that can fail returns a code: WARPFOLD_OK, or the kind of error. The caller's buffer `error` gets a
 * message that says what to do. It has `error_bytes` bytes (none if it is null); the message always ends with a NUL. No
 * function throws, aborts or jumps; if memory runs out it returns WARPFOLD_OUT_OF_HOST_MEMORY, as long as the process can get
 * the few KiB of messages and tasks. All may be called from any thread, but not in a process that was forked from one
 * that had used a GPU (WARPFOLD_FORKED, if this is detected).
 *
 * Link with -lwarpfold_c, or load libwarpfold_c.so. It needs no CUDA toolkit, and can be loaded without an NVIDIA driver.
 */
#ifndef WARPFOLD_H
#define WARPFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with every change to this file, except additions. */
#define WARPFOLD_ABI 1

/* Operators, as warpfold's README describes them. */
enum warpfold_op {
    WARPFOLD_SUM = 0,
    WARPFOLD_PRODUCT = 1,
    WARPFOLD_MIN = 2,     /* skips NaN */
    WARPFOLD_MAX = 3,     /* skips NaN */
    WARPFOLD_MINIMUM = 4, /* any NaN gives NaN */
    WARPFOLD_MAXIMUM = 5, /* any NaN gives NaN */
    WARPFOLD_ARGMIN = 6,  /* the first index; skips NaN */
    WARPFOLD_ARGMAX = 7,  /* the first index; skips NaN */
    WARPFOLD_MEAN = 8     /* of integers a double, of WARPFOLD_F16 a float */
};

/* Types of elements. */
enum warpfold_type {
    WARPFOLD_I32 = 0,
    WARPFOLD_U32 = 1,
    WARPFOLD_I64 = 2,
    WARPFOLD_U64 = 3,
    WARPFOLD_F32 = 4,
    WARPFOLD_F64 = 5,
    WARPFOLD_F16 = 6 /* without WARPFOLD_ARGMIN and WARPFOLD_ARGMAX */
};

/* Kinds of scans. */
enum warpfold_scan_kind {
    WARPFOLD_INCLUSIVE = 0, /* out[i] is the reduction of x[0] to x[i] */
    WARPFOLD_EXCLUSIVE = 1  /* out[i] is the reduction of x[0] to x[i - 1]; for sums and products only */
};

/* Orders of sorts. Floats ascend from NaN with a sign, which x86 computes for 0.0 / 0.0, to -infinity, -0.0, +0.0, +infinity and NaN
 * without a sign. */
enum warpfold_order {
    WARPFOLD_ASCENDING = 0,
    WARPFOLD_DESCENDING = 1
};

/* Return codes. */
enum warpfold_code {
    WARPFOLD_OK = 0,
    WARPFOLD_INVALID = 1,       /* a wrong argument: operator, type, shape, group, null, alignment, or memory that is not
                                   the device's */
    WARPFOLD_NO_GPU = 2,        /* no driver, no such device, or a library built without GPU support */
    WARPFOLD_OUT_OF_MEMORY = 3, /* too little device memory; everything can be used as before */
    WARPFOLD_CAPTURING = 4,     /* the stream is recording a CUDA graph */
    WARPFOLD_ARITHMETIC = 5,    /* the thread or the device does not round to nearest, or flushes subnormal numbers */
    WARPFOLD_DEVICE = 6,        /* the driver returned an error, or the device stopped working in this process */
    WARPFOLD_FORKED = 7,        /* the process was forked from one that had used a GPU */
    WARPFOLD_INTERNAL = 8,      /* a bug in warpfold: please report it */
    WARPFOLD_OUT_OF_HOST_MEMORY = 9 /* too little host memory for results or values on the way to them, or more results than a
                                       call can have; everything can be used as before */
};

/* A result. */
typedef struct warpfold_result {
    union {
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
        uint16_t f16;  /* the bits of a half-precision float */
        uint64_t bits; /* all of the above; bytes beyond the value are 0 */
    } value;
    uint64_t index;  /* for WARPFOLD_ARGMIN and WARPFOLD_ARGMAX, counted from 0; otherwise 0 */
    int32_t type;    /* the type of the value (enum warpfold_type): sums and products of i32 are i64, of u32 u64; means and medians
                        of integers are f64, of f16 f32 */
    int32_t present; /* 1, or 0 for a minimum, maximum, mean or index of empty input; then all other fields are 0 */
} warpfold_result;

/* Returns WARPFOLD_ABI of the library. */
int32_t warpfold_abi(void);

/* Reduces `len` elements at `x` in host memory on the CPU. `x` must be aligned for its type, and may be null if `len` is 0.
 * `out` is written if WARPFOLD_OK is returned. */
int32_t warpfold_reduce_host(int32_t op, int32_t type, const void *x, uint64_t len, warpfold_result *out, char *error,
                             size_t error_bytes);

/* A handle to a stream of another library (CUDA, CuPy, PyTorch, ...), for reductions. */
typedef struct warpfold_stream warpfold_stream;

/* Opens a handle to a stream of device `device`: a cudaStream_t or CUstream, null for the legacy default stream. This
 * takes a few milliseconds for the first stream of a device, then some 0.1 ms. The handle has 512 KiB of device memory
 * until it is closed; the stream must stay valid until then. `*stream` is written if WARPFOLD_OK is returned. */
int32_t warpfold_stream_open(int32_t device, void *cuda_stream, warpfold_stream **stream, char *error,
                             size_t error_bytes);

/* Waits for the work enqueued through the handle, and frees it. The CUDA stream is not destroyed. Null is allowed. No
 * other call may use `stream` at the same time, or afterwards. */
void warpfold_stream_close(warpfold_stream *stream);

/* Reduces `len` elements at `x` in memory that the stream's device can read, after earlier work of the stream, and waits
 * for the result, which has the bits of warpfold_reduce_host. `x` must be aligned for its type; it must not be written or
 * freed meanwhile. Threads that share a stream take turns. `out` is written if WARPFOLD_OK is returned. */
int32_t warpfold_reduce(warpfold_stream *stream, int32_t op, int32_t type, const void *x, uint64_t len,
                        warpfold_result *out, char *error, size_t error_bytes);

/* Sums the products of `len` pairs from two arrays. Not for WARPFOLD_F16. The rest is as for reductions. */
int32_t warpfold_dot_host(int32_t type, const void *x, const void *y, uint64_t len, warpfold_result *out, char *error,
                          size_t error_bytes);
int32_t warpfold_dot(warpfold_stream *stream, int32_t type, const void *x, const void *y, uint64_t len,
                     warpfold_result *out, char *error, size_t error_bytes);

/* Finds the median of `len` elements. Of an even number it is the midpoint of the middle two. It is NaN if an element is NaN. `len` is at
 * least 1. The rest is as for reductions. */
int32_t warpfold_median_host(int32_t type, const void *x, uint64_t len, warpfold_result *out, char *error,
                             size_t error_bytes);
int32_t warpfold_median(warpfold_stream *stream, int32_t type, const void *x, uint64_t len, warpfold_result *out,
                        char *error, size_t error_bytes);

/* Operations with many results. Each has two functions: one named `_host` for arrays in host memory, and one for arrays in memory
 * that the stream's device can read, which runs after earlier work of the stream. Both give the same bits, and both wait. Arrays must
 * be aligned for their types, and may be null if they are empty; they must not be written or freed meanwhile.
 *
 * On the host results are written to `out`, which must not overlap any other array; if another code than WARPFOLD_OK is returned, its
 * contents are undefined. On a device results are in memory of the library; `*out` is written if WARPFOLD_OK is returned.
 *
 * A result is one value: int64_t for sums and products of int32_t, uint64_t for uint32_t, double for means of integers, float for means
 * of WARPFOLD_F16, warpfold_at_32 or warpfold_at_64 for WARPFOLD_ARGMIN and WARPFOLD_ARGMAX, otherwise the type of the elements. For empty input a minimum or maximum is
 * the greatest integer of its type, or NaN, a mean is NaN, and an index is UINT64_MAX.
 */

/* The index of an element, counted from 0, and the element. */
typedef struct warpfold_at_32 {
    uint64_t index;
    union {
        int32_t i32;
        uint32_t u32;
        float f32;
    } value;
    uint32_t zero;
} warpfold_at_32;

typedef struct warpfold_at_64 {
    uint64_t index;
    union {
        int64_t i64;
        uint64_t u64;
        double f64;
    } value;
} warpfold_at_64;

/* Results in device memory. */
typedef struct warpfold_array warpfold_array;

/* Returns the address of the results (a CUdeviceptr). Any stream of the device can use it until they are freed. Null if there are
 * none. */
const void *warpfold_array_data(const warpfold_array *array);

/* Returns the number of results. */
uint64_t warpfold_array_len(const warpfold_array *array);

/* Frees the results. Work that reads them must have ended. Null is allowed. */
void warpfold_array_free(warpfold_array *array);

/* Reduces each of `rows` contiguous rows of `len` elements to one result. */
int32_t warpfold_rows_host(int32_t op, int32_t type, const void *x, uint64_t rows, uint64_t len, void *out, char *error,
                           size_t error_bytes);
int32_t warpfold_rows(warpfold_stream *stream, int32_t op, int32_t type, const void *x, uint64_t rows, uint64_t len,
                      warpfold_array **out, char *error, size_t error_bytes);

/* Reduces the elements of each of `groups` groups to one result, in their order. Element `x[i]` is in group `ids[i]`, which must be
 * less than `groups`. An index counts the elements of its group alone. */
int32_t warpfold_groups_host(int32_t op, int32_t type, const void *x, const uint32_t *ids, uint64_t len, uint64_t groups,
                             void *out, char *error, size_t error_bytes);
int32_t warpfold_groups(warpfold_stream *stream, int32_t op, int32_t type, const void *x, const uint32_t *ids, uint64_t len,
                        uint64_t groups, warpfold_array **out, char *error, size_t error_bytes);

/* Scans `len` elements to `len` results. */
int32_t warpfold_scan_host(int32_t op, int32_t type, int32_t scan, const void *x, uint64_t len, void *out, char *error,
                           size_t error_bytes);
int32_t warpfold_scan(warpfold_stream *stream, int32_t op, int32_t type, int32_t scan, const void *x, uint64_t len,
                      warpfold_array **out, char *error, size_t error_bytes);

/* Sorts `len` elements into a new array. */
int32_t warpfold_sort_host(int32_t type, int32_t order, const void *x, uint64_t len, void *out, char *error,
                           size_t error_bytes);
int32_t warpfold_sort(warpfold_stream *stream, int32_t type, int32_t order, const void *x, uint64_t len,
                      warpfold_array **out, char *error, size_t error_bytes);

/* Computes the indices (uint64_t) that sort `len` elements; equal elements keep their order. */
int32_t warpfold_argsort_host(int32_t type, int32_t order, const void *x, uint64_t len, uint64_t *out, char *error,
                              size_t error_bytes);
int32_t warpfold_argsort(warpfold_stream *stream, int32_t type, int32_t order, const void *x, uint64_t len,
                         warpfold_array **out, char *error, size_t error_bytes);

/* Counts `len` elements by `bins` bins (uint64_t each). Bin `i` has the elements from `edges[i]` to below `edges[i + 1]`; the last bin
 * also has its upper edge. The `bins + 1` edges are in host memory, have the elements' type, ascend, and are finite. `outside` gets the
 * numbers of elements below the first bin, above the last bin, and NaN; it is written if WARPFOLD_OK is returned. */
int32_t warpfold_histogram_host(int32_t type, const void *edges, uint64_t bins, const void *x, uint64_t len, uint64_t *out,
                                uint64_t outside[3], char *error, size_t error_bytes);
int32_t warpfold_histogram(warpfold_stream *stream, int32_t type, const void *edges, uint64_t bins, const void *x,
                           uint64_t len, warpfold_array **out, uint64_t outside[3], char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif
