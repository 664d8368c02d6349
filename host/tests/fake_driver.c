/* A CUDA driver without a GPU, for gpu_lifetimes.rs: one device, whose work is done when its stream is waited for,
   and not before, so that whatever was freed too early is found. It knows the kernels of the sum of i32, and those of
   the canary, which it computes by itself; as WARPFOLD_FAKE_ARITHMETIC says, "fused", "flushed", "roots" or "passes",
   wrongly. Its clock counts calls; where WARPFOLD_FAKE_CLOCK is set, launches, of which those of 512 threads take half. */

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Code;

enum { COMMIT = 1 << 16, DEVICE_BYTES = 1 << 30, CONTEXT = 0x1000, OTHER = 0x2000 };

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static _Thread_local uintptr_t stack[16];
static _Thread_local int depth;
static int retained, allocations, streams, events, graphs, modules, launches;
static Code dead;

static void fault(const char *what) {
    fprintf(stderr, "fake driver: %s\n", what);
    _exit(99);
}

/* Every call but a few needs the context: answers the sticky error once there is one. */
static Code enter(void) {
    if (!depth || stack[depth - 1] != CONTEXT) fault("a call without the context");
    if (dead == 1) fault("a call after a sticky error");
    return 0;
}

/* Memory: what is live. */
static struct { char *at; size_t bytes; } live[4096];

static void touch(const void *at, size_t bytes) {
    for (int i = 0; i < 4096; i++)
        if (live[i].at && (char *)at >= live[i].at && (char *)at + bytes <= live[i].at + live[i].bytes) return;
    fault("work touched memory that is not allocated");
}

static void *allocate(size_t bytes) {
    for (int i = 0; i < 4096; i++)
        if (!live[i].at) {
            live[i].at = malloc(bytes);
            live[i].bytes = bytes;
            memset(live[i].at, 0xa5, bytes);
            allocations++;
            return live[i].at;
        }
    fault("too many allocations");
    return 0;
}

static Code release(void *at) {
    for (int i = 0; i < 4096; i++)
        if (live[i].at && live[i].at == at) {
            memset(at, 0x5a, live[i].bytes);
            free(at);
            live[i].at = 0;
            allocations--;
            return 0;
        }
    fault("freed twice");
    return 1;
}

/* Work: a list per stream or graph. */
typedef struct { int kind; char *to, *from; size_t bytes; uint64_t a[8]; unsigned blocks, threads; } Work;
typedef struct { Work *work; int count, capturing; } List;
enum { COPY, FILL, BLOCK, GRID, PARTIALS, GRAPH, CANARY, ROOTS };

static Code push(List *list, Work work) {
    list->work = realloc(list->work, (list->count + 1) * sizeof work);
    list->work[list->count++] = work;
    return 0;
}

static int64_t sum(const int32_t *x, uint64_t n) {
    touch(x, n * 4);
    int64_t total = 0;
    for (uint64_t i = 0; i < n; i++) total += x[i];
    return total;
}

/* The canary: rows of operands to rows of results, in both precisions. */
typedef struct { double d[4]; float f[4]; } Row;

static int arithmetic_is(const char *what) {
    const char *set = getenv("WARPFOLD_FAKE_ARITHMETIC");
    return set && !strcmp(set, what);
}

static Row canary(Row in) {
    double *d = in.d;
    float *f = in.f;
    Row out = {{d[0] + d[1], d[0] * d[1], d[2] * d[3] + d[0], d[0] * d[2] + d[1] * d[3]},
               {f[0] + f[1], f[0] * f[1], f[2] * f[3] + f[0], f[0] * f[2] + f[1] * f[3]}};
    if (arithmetic_is("fused")) out.f[2] = fmaf(f[2], f[3], f[0]);
    for (int i = 0; i < 4; i++)
        if (arithmetic_is("flushed") && fpclassify(out.d[i]) == FP_SUBNORMAL) out.d[i] = copysign(0, out.d[i]);
    return out;
}

static Row roots(Row in) {
    double *d = in.d;
    float *f = in.f;
    Row out = {{d[0] / d[1], d[2] / d[3], sqrt(d[0]), sqrt(d[2])}, {f[0] / f[1], f[2] / f[3], sqrtf(f[0]), sqrtf(f[2])}};
    if (arithmetic_is("roots") && (double)out.f[3] * out.f[3] != f[2]) out.f[3] = nextafterf(out.f[3], 0);
    return out;
}

static Code run(List *list) {
    for (int i = 0; i < list->count; i++) {
        Work w = list->work[i];
        uint64_t *a = w.a;
        if (w.kind == COPY) memcpy(w.to, w.from, w.bytes);
        if (w.kind == FILL) touch(w.to, w.bytes), memset(w.to, w.from ? 1 : 0, w.bytes);
        if (w.kind == GRAPH) run((List *)w.to);
        if (w.kind == CANARY || w.kind == ROOTS) {
            Row *in = (Row *)a[0], *out = (Row *)a[2];
            if (a[1] > (uint64_t)w.blocks * w.threads) fault("too few threads");
            touch(in, a[1] * sizeof *in), touch(out, a[1] * sizeof *out);
            for (uint64_t r = 0; r < a[1]; r++) out[r] = (w.kind == CANARY ? canary : roots)(in[r]);
        }
        if (w.kind == BLOCK) {
            if (a[1] == 13) return dead = 700;
            touch((void *)a[3], 8);
            *(int64_t *)a[3] = sum((void *)a[0], a[1]);
        }
        if (w.kind == GRID) {
            uint64_t span = ((uint64_t)1 << (uint32_t)a[3]) * (w.threads / 256), spans = (a[1] + span - 1) / span;
            touch((void *)a[4], spans * 8);
            for (uint64_t s = 0; s < spans; s++) {
                uint64_t end = (s + 1) * span < a[1] ? (s + 1) * span : a[1];
                ((int64_t *)a[4])[s] = sum((int32_t *)a[0] + s * span, end - s * span);
            }
            if (a[5]) {
                touch((void *)a[5], 4), touch((void *)a[6], 8);
                if (*(uint32_t *)a[5]) fault("a ticket that is not 0");
                int64_t total = 0;
                for (uint64_t s = 0; s < spans; s++) total += ((int64_t *)a[4])[s];
                *(int64_t *)a[6] = total;
            }
        }
        if (w.kind == PARTIALS)
            for (unsigned b = 0; b < w.blocks; b++) {
                uint32_t fan_in = (uint32_t)a[2];
                touch((void *)a[0], a[1] * 8), touch((void *)a[3], w.blocks * 8);
                int64_t total = 0;
                for (uint64_t p = (uint64_t)b * fan_in; p < a[1] && p < (uint64_t)(b + 1) * fan_in; p++)
                    total += ((int64_t *)a[0])[p];
                ((int64_t *)a[3])[b] = total + arithmetic_is("passes");
            }
    }
    return 0;
}

/* Functions are told by their entry's name, those of the sum by its last part. */
static const int kinds[] = {BLOCK, GRID, PARTIALS, CANARY, ROOTS};

#define CALL(name, ...) Code name(__VA_ARGS__)
#define LOCKED pthread_mutex_lock(&lock); Code code = 0;
#define DONE pthread_mutex_unlock(&lock); return code;

CALL(cuInit, unsigned flags) { return flags; }
CALL(cuDriverGetVersion, int *version) { *version = 12040; return 0; }
CALL(cuDeviceGetCount, int *count) { *count = 1; return 0; }
CALL(cuDeviceGet, int *device, int ordinal) { *device = 7; return ordinal ? 101 : 0; }
CALL(cuDeviceGetName, char *name, int bytes, int device) { snprintf(name, bytes, "Fake %d", device); return 0; }
CALL(cuDeviceTotalMem_v2, size_t *bytes, int device) { *bytes = DEVICE_BYTES; return device != 7; }
CALL(cuDeviceGetAttribute, int *value, int attribute, int device) {
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 132 : 1;
    return device != 7;
}

CALL(cuDevicePrimaryCtxRetain, uintptr_t *context, int device) { __sync_add_and_fetch(&retained, 1); *context = CONTEXT; return device != 7; }
CALL(cuDevicePrimaryCtxRelease_v2, int device) { __sync_sub_and_fetch(&retained, 1); return device != 7; }
CALL(cuCtxGetCurrent, uintptr_t *context) { *context = depth ? stack[depth - 1] : 0; return 0; }
CALL(cuCtxSetCurrent, uintptr_t context) {
    if (depth) depth--;
    if (context) stack[depth++] = context;
    return 0;
}
CALL(cuCtxPushCurrent_v2, uintptr_t context) { stack[depth++] = context; return 0; }
CALL(cuCtxPopCurrent_v2, uintptr_t *context) {
    if (!depth) fault("popped too often");
    *context = stack[--depth];
    return 0;
}

CALL(cuModuleLoadDataEx, void **module, const char *image, unsigned count, unsigned *names, void **values) {
    LOCKED enter();
    if (count != 2 || names[0] != 5 || names[1] != 6 || (size_t)values[1] != 4096) fault("odd options");
    if (strstr(image, ".version 99.")) code = 222;
    else if (!strstr(image, ".entry")) code = 218, strcpy(values[0], "line 1: no entry\n");
    else *module = strdup(image), modules++;
    DONE
}
CALL(cuModuleUnload, void *module) { LOCKED enter(); modules--; free(module); DONE }
CALL(cuModuleGetFunction, const int **function, const char *module, const char *name) {
    LOCKED enter();
    const char *part = strrchr(name, '_');
    if (!strstr(module, name)) code = 500;
    else if (!strcmp(name, "float_canary")) *function = &kinds[3];
    else if (!strcmp(name, "float_canary_roots")) *function = &kinds[4];
    else if (strncmp(name, "reduce_sum_i32_", 15)) code = 500;
    else *function = &kinds[!strcmp(part, "_grid") ? 1 : !strcmp(part, "_partials") ? 2 : 0];
    DONE
}
CALL(cuFuncGetAttribute, int *value, int attribute, const int *function) { LOCKED enter(); *value = attribute == 0 ? 1024 : *function; DONE }

CALL(cuMemAlloc_v2, char **at, size_t bytes) { LOCKED enter(); if (bytes > DEVICE_BYTES) code = 2; else *at = allocate(bytes); DONE }
CALL(cuMemFree_v2, char *at) { LOCKED enter(); code = release(at); DONE }
CALL(cuMemGetInfo_v2, size_t *available, size_t *total) { LOCKED enter(); *available = *total = DEVICE_BYTES; DONE }
CALL(cuMemHostAlloc, char **at, size_t bytes, unsigned flags) { LOCKED enter(); if (flags != 2) code = 1; else *at = allocate(bytes); DONE }
CALL(cuMemHostGetDevicePointer_v2, char **device, char *at, unsigned flags) { LOCKED enter(); *device = at; code = flags; DONE }
CALL(cuMemFreeHost, char *at) { LOCKED enter(); code = release(at); DONE }

CALL(cuStreamCreate, List **stream, unsigned flags) { LOCKED enter(); if (flags != 1) code = 1; *stream = calloc(1, sizeof **stream); streams++; DONE }
static Code finish(List *stream) {
    if (stream->capturing) fault("waited for a stream that captures");
    Code code = run(stream);
    stream->count = 0;
    return code;
}
CALL(cuStreamSynchronize, List *stream) { LOCKED enter(); code = finish(stream); if (code) dead = 1; DONE }
CALL(cuStreamDestroy_v2, List *stream) { LOCKED enter(); finish(stream); free(stream->work); free(stream); streams--; DONE }
CALL(cuMemcpyHtoDAsync_v2, char *to, char *from, size_t bytes, List *stream) { LOCKED enter(); touch(to, bytes); code = push(stream, (Work){COPY, to, from, bytes, {0}, 0, 0}); DONE }
CALL(cuMemcpyDtoHAsync_v2, char *to, char *from, size_t bytes, List *stream) { LOCKED enter(); touch(from, bytes); code = push(stream, (Work){COPY, to, from, bytes, {0}, 0, 0}); DONE }
CALL(cuMemsetD8Async, char *to, unsigned char value, size_t bytes, List *stream) { LOCKED enter(); code = push(stream, (Work){FILL, to, value ? to : 0, bytes, {0}, 0, 0}); DONE }

CALL(cuLaunchKernel, const int *function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz,
     unsigned shared, List *stream, void **arguments, void **extra) {
    LOCKED enter();
    static const char *const bytes[] = {[BLOCK] = "8888", [GRID] = "8884888", [PARTIALS] = "8848", [CANARY] = "888", [ROOTS] = "888"};
    if (!x || y != 1 || z != 1 || tx % 256 || ty != 1 || tz != 1 || shared || extra) fault("an odd launch");
    Work work = {*function, 0, 0, 0, {0}, x, tx};
    for (int i = 0; bytes[*function][i]; i++) memcpy(&work.a[i], arguments[i], bytes[*function][i] - '0');
    launches++;
    code = push(stream, work);
    DONE
}

CALL(cuStreamBeginCapture_v2, List *stream, unsigned mode) { LOCKED enter(); finish(stream); stream->capturing = 1; code = mode != 2; DONE }
CALL(cuStreamEndCapture, List *stream, List **graph) {
    LOCKED enter();
    *graph = malloc(sizeof **graph);
    **graph = (List){stream->work, stream->count, 0};
    *stream = (List){0, 0, 0};
    graphs++;
    DONE
}
CALL(cuGraphInstantiateWithFlags, List **executable, List *graph, unsigned long long flags) {
    LOCKED enter();
    *executable = malloc(sizeof **executable);
    **executable = (List){0, 0, 0};
    for (int i = 0; i < graph->count; i++) push(*executable, graph->work[i]);
    graphs++;
    code = flags != 0;
    DONE
}
static Code drop(List *graph) { free(graph->work); memset(graph, 0, sizeof *graph); free(graph); graphs--; return 0; }
CALL(cuGraphDestroy, List *graph) { LOCKED enter(); code = drop(graph); DONE }
CALL(cuGraphExecDestroy, List *graph) { LOCKED enter(); code = drop(graph); DONE }
CALL(cuGraphLaunch, List *graph, List *stream) { LOCKED enter(); code = push(stream, (Work){GRAPH, (char *)graph, 0, 0, {0}, 0, 0}); DONE }

CALL(cuEventCreate, float **event, unsigned flags) { LOCKED enter(); *event = calloc(1, sizeof **event); events++; code = flags; DONE }
static float time_of(List *list) {
    if (!getenv("WARPFOLD_FAKE_CLOCK")) return list->count;
    float time = 0;
    for (int i = 0; i < list->count; i++) {
        Work w = list->work[i];
        time += w.kind == GRAPH ? time_of((List *)w.to) : w.threads == 512 ? 0.5f : 1;
    }
    return time;
}
CALL(cuEventRecord, float *event, List *stream) { LOCKED enter(); *event = 1 + time_of(stream); DONE }
CALL(cuEventSynchronize, float *event) { LOCKED enter(); code = *event == 0; DONE }
CALL(cuEventElapsedTime, float *milliseconds, float *start, float *end) { LOCKED enter(); *milliseconds = *end - *start; DONE }
CALL(cuEventDestroy_v2, float *event) { LOCKED enter(); free(event); events--; DONE }

__attribute__((destructor)) static void report(void) {
    fprintf(stderr, "fake driver: %d allocations, %d streams, %d events, %d graphs, %d modules, %d contexts left; "
            "current context %s; %d launches\n", allocations, streams, events, graphs, modules, retained,
            depth ? stack[depth - 1] == OTHER ? "another's" : "ours" : "none", launches);
}
