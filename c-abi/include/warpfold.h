/* warpfold from C: reductions of arrays in host or device memory, with the same bits everywhere.
 *
 * Every function that can fail answers a code: WARPFOLD_OK, or what went wrong, with a message that says what to do in
 * the caller's buffer: `error` has `error_bytes` bytes (none if it is null), and is always ended by a NUL. None of
 * them throws, aborts or jumps. All may be called from any thread; none may be called in a process that was forked from
 * one which had used a GPU (WARPFOLD_FORKED, where it is noticed).
 *
 * Link with -lwarpfold_c, or load libwarpfold_c.so. It needs no CUDA toolkit, and starts without an NVIDIA driver.
 */
#ifndef WARPFOLD_H
#define WARPFOLD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever something in this file does, but for additions. */
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
    WARPFOLD_ARGMAX = 7   /* the first index; skips NaN */
};

/* Types of elements. */
enum warpfold_type {
    WARPFOLD_I32 = 0,
    WARPFOLD_U32 = 1,
    WARPFOLD_I64 = 2,
    WARPFOLD_U64 = 3,
    WARPFOLD_F32 = 4,
    WARPFOLD_F64 = 5
};

/* Kinds of scans. */
enum warpfold_scan_kind {
    WARPFOLD_INCLUSIVE = 0, /* out[i] is the reduction of x[0] to x[i] */
    WARPFOLD_EXCLUSIVE = 1  /* out[i] is the reduction of x[0] to x[i - 1]: of sums and products alone */
};

/* Orders of sorts: of floats, from -NaN over -infinity, -0.0, +0.0 and +infinity to +NaN. */
enum warpfold_order {
    WARPFOLD_ASCENDING = 0,
    WARPFOLD_DESCENDING = 1
};

/* What a function answers. */
enum warpfold_code {
    WARPFOLD_OK = 0,
    WARPFOLD_INVALID = 1,       /* an argument: an operator, a type, a shape, a group, null, alignment, memory that is not
                                   the device's */
    WARPFOLD_NO_GPU = 2,        /* no driver, no such device, or a library built without GPU support */
    WARPFOLD_OUT_OF_MEMORY = 3, /* of the device; nothing was lost */
    WARPFOLD_CAPTURING = 4,     /* the stream is recorded to a CUDA graph */
    WARPFOLD_ARITHMETIC = 5,    /* the thread or the device rounds or flushes other than results are defined by */
    WARPFOLD_DEVICE = 6,        /* the driver answered an error, or the device stopped working in this process */
    WARPFOLD_FORKED = 7,        /* the process was forked from one that had used a GPU */
    WARPFOLD_INTERNAL = 8       /* a mistake of warpfold's: please report it */
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
        uint64_t bits; /* all of the above; bytes that are not the value's are 0 */
    } value;
    uint64_t index;  /* of WARPFOLD_ARGMIN and WARPFOLD_ARGMAX, counted from 0; otherwise 0 */
    int32_t type;    /* which of the values it is (enum warpfold_type): sums and products of i32 are i64, of u32 u64 */
    int32_t present; /* 1; or 0 for a minimum, maximum or index of no elements, when all else is 0 */
} warpfold_result;

/* WARPFOLD_ABI of the library. */
int32_t warpfold_abi(void);

/* Reduces `len` elements at `x` in host memory on the CPU. `x` is aligned for its type, and may be null if `len` is 0.
 * `out` is written if the answer is WARPFOLD_OK. */
int32_t warpfold_reduce_host(int32_t op, int32_t type, const void *x, uint64_t len, warpfold_result *out, char *error,
                             size_t error_bytes);

/* A stream of another library (CUDA, CuPy, PyTorch, ...), made ready for reductions. */
typedef struct warpfold_stream warpfold_stream;

/* Makes a stream of device `device` ready: a cudaStream_t or CUstream, null for the legacy default stream. A few
 * milliseconds for the first of a device, then some 0.1 ms; it has 128 KiB of device memory until it is closed.
 * The stream must stay valid until then. `*stream` is written if the answer is WARPFOLD_OK. */
int32_t warpfold_stream_open(int32_t device, void *cuda_stream, warpfold_stream **stream, char *error,
                             size_t error_bytes);

/* Waits for what it has enqueued, and gives it back. The CUDA stream is not destroyed. Null is allowed. No other call
 * may use `stream` at the same time, or afterwards. */
void warpfold_stream_close(warpfold_stream *stream);

/* Reduces `len` elements at `x` in memory that the stream's device reads, after what was enqueued on the stream before,
 * and waits for the result, which has the bits that warpfold_reduce_host gives. `x` is aligned for its type; nobody may
 * write to or free it meanwhile. Threads that share a stream take turns. `out` is written if the answer is
 * WARPFOLD_OK. */
int32_t warpfold_reduce(warpfold_stream *stream, int32_t op, int32_t type, const void *x, uint64_t len,
                        warpfold_result *out, char *error, size_t error_bytes);

/* Operations with many results. Each is there twice: with `_host` for arrays in host memory, and for arrays in memory that the
 * stream's device reads, after what was enqueued on the stream before. Both give the same bits. Both wait. Arrays are aligned for
 * their types, and may be null if they are empty; nobody may write to or free them meanwhile.
 *
 * On the host results are written to `out`, which must overlap no other array; if the answer is not WARPFOLD_OK what is there is
 * undefined. On a device they are made in memory of the library's own: `*out` is written if the answer is WARPFOLD_OK.
 *
 * A result is one value: int64_t for sums and products of int32_t, uint64_t for those of uint32_t, warpfold_at_32 or warpfold_at_64
 * for WARPFOLD_ARGMIN and WARPFOLD_ARGMAX, and the elements' type otherwise. A minimum, a maximum or an index of no elements is the
 * greatest integer of its type, or NaN; the index is UINT64_MAX.
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

/* Where the results are (a CUdeviceptr): for any stream of the device, until they are freed. Null if there are none. */
const void *warpfold_array_data(const warpfold_array *array);

/* Number of results. */
uint64_t warpfold_array_len(const warpfold_array *array);

/* Frees the results. Work that reads them must have ended. Null is allowed. */
void warpfold_array_free(warpfold_array *array);

/* Reduces each of `rows` rows of `len` elements, which lie one after the other: `rows` results. */
int32_t warpfold_rows_host(int32_t op, int32_t type, const void *x, uint64_t rows, uint64_t len, void *out, char *error,
                           size_t error_bytes);
int32_t warpfold_rows(warpfold_stream *stream, int32_t op, int32_t type, const void *x, uint64_t rows, uint64_t len,
                      warpfold_array **out, char *error, size_t error_bytes);

/* Reduces the elements of each of `groups` groups, in the order in which they stand: element `x[i]` is in group `ids[i]`, which
 * is less than `groups`. `groups` results; an index counts the elements of its group alone. */
int32_t warpfold_groups_host(int32_t op, int32_t type, const void *x, const uint32_t *ids, uint64_t len, uint64_t groups,
                             void *out, char *error, size_t error_bytes);
int32_t warpfold_groups(warpfold_stream *stream, int32_t op, int32_t type, const void *x, const uint32_t *ids, uint64_t len,
                        uint64_t groups, warpfold_array **out, char *error, size_t error_bytes);

/* Scans `len` elements: `len` results. */
int32_t warpfold_scan_host(int32_t op, int32_t type, int32_t scan, const void *x, uint64_t len, void *out, char *error,
                           size_t error_bytes);
int32_t warpfold_scan(warpfold_stream *stream, int32_t op, int32_t type, int32_t scan, const void *x, uint64_t len,
                      warpfold_array **out, char *error, size_t error_bytes);

/* Sorts `len` elements: as many elements. */
int32_t warpfold_sort_host(int32_t type, int32_t order, const void *x, uint64_t len, void *out, char *error,
                           size_t error_bytes);
int32_t warpfold_sort(warpfold_stream *stream, int32_t type, int32_t order, const void *x, uint64_t len,
                      warpfold_array **out, char *error, size_t error_bytes);

/* The indices (uint64_t) in the order in which they sort `len` elements; of equal elements the first comes first. */
int32_t warpfold_argsort_host(int32_t type, int32_t order, const void *x, uint64_t len, uint64_t *out, char *error,
                              size_t error_bytes);
int32_t warpfold_argsort(warpfold_stream *stream, int32_t type, int32_t order, const void *x, uint64_t len,
                         warpfold_array **out, char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif

#endif
