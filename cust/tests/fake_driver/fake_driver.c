/* A CUDA driver without a GPU, for the tests of the host side: one device, whose work is done when its stream is waited
   for, or an event in it, one piece at every third question whether it has ended, and not before, so that whatever was
   freed or written too early is found. A kernel that has written its result leaves the device only with the next piece
   of work: until then its code, its scratch memory and the place of its result must be there. With `fakeEager(1)` work
   is done when it is enqueued, as by a device that is quicker than the host. It knows the kernels of the sum of i32, those
   over groups and runs, those that select, and those of the canary, which it computes by itself. The sum of 13 elements is an illegal address; that of 14 is never
   written. The environment has it do more:
   - WARPFOLD_FAKE_ARITHMETIC: compute wrongly, "fused", "flushed", "roots" or "passes";
   - WARPFOLD_FAKE_FAILURE, a function, a count and a code: that call from now on answers the code; up to four, with commas between;
   - WARPFOLD_FAKE_LOG: say what it loads, copies, folds and overlaps;
   - WARPFOLD_FAKE_CAPABILITY, a number: be of that compute capability instead of 9.0;
   - WARPFOLD_FAKE_VERSION, a number: be for that CUDA version instead of 12040, which is 12.4;
   - WARPFOLD_FAKE_CLOCK: have the clock, which counts pieces of work, count launches, of which those of 512 threads
     take half;
   - WARPFOLD_FAKE_DEVICES, 2: have a second device, whose memory, streams and modules are refused in the first one's context;
   - WARPFOLD_FAKE_WAIT, a number: take so many milliseconds to wait for a stream. */

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Code;

enum { COMMIT = 1 << 16, DEVICE_BYTES = 1 << 30, CONTEXT = 0x1000, SECOND = 0x1001, OTHER = 0x2000 };

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static _Thread_local uintptr_t stack[16];
static _Thread_local int depth;
static int retained, allocations, streams, events, graphs, modules, launches, calls, eager;
static Code dead;

int fakeCalls(void) { return calls; }
int fakeAllocations(void) { return allocations; }
void fakeEager(int now) { eager = now; }

static void fault(const char *what) {
    fprintf(stderr, "fake driver: %s\n", what);
    _exit(99);
}

/* Every call but a few needs the context: answers the sticky error once there is one. */
static Code enter(void) {
    if (!depth || (stack[depth - 1] != CONTEXT && stack[depth - 1] != SECOND)) fault("a call without the context");
    if (dead == 1) fault("a call after a sticky error");
    return 0;
}

/* What belongs to a context is used while that one is current. */
static void own_context(uintptr_t context) { if (context != stack[depth - 1]) fault("a call in another device's context"); }

/* The code that a call is to answer. */
static Code failure(const char *function) {
    static char seen[200], which[4][50];
    static int left[4], code[4], count;
    const char *set = getenv("WARPFOLD_FAKE_FAILURE");
    if (!set) return 0;
    if (strcmp(set, seen)) {
        snprintf(seen, sizeof seen, "%s", set);
        count = 0;
        for (const char *at = seen; at; at = strchr(at + 1, ',')) {
            if (count == 4 || sscanf(at + (*at == ','), "%49s %d %d", which[count], &left[count], &code[count]) != 3) fault("an odd failure");
            count++;
        }
    }
    for (int i = 0; i < count; i++)
        if (!strcmp(function, which[i]) && left[i] && !--left[i]) return code[i];
    return 0;
}

/* Memory: what is live, and whose it is. */
enum { DEVICE, HOST, REGISTERED };
static struct { char *at; size_t bytes; int kind; uintptr_t context; } live[4096];

static int find(const void *at) {
    for (int i = 0; i < 4096; i++)
        if (live[i].at && (char *)at >= live[i].at && (char *)at < live[i].at + live[i].bytes) return i;
    return -1;
}

/* Changes when the bytes do. */
static uint64_t digest(const unsigned char *at, size_t bytes) {
    uint64_t hash = bytes, word = 0;
    for (size_t i = 0; i < bytes; i += 8, word = 0) {
        memcpy(&word, at + i, bytes - i < 8 ? bytes - i : 8);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static void touch(const void *at, size_t bytes) {
    for (int i = 0; i < 4096; i++)
        if (live[i].at && (char *)at >= live[i].at && (char *)at + bytes <= live[i].at + live[i].bytes) return;
    fault("work touched memory that is not allocated");
}

static void *allocate(size_t bytes, int kind) {
    for (int i = 0; i < 4096; i++)
        if (!live[i].at) {
            live[i].at = malloc(bytes);
            live[i].bytes = bytes;
            live[i].kind = kind;
            live[i].context = stack[depth - 1];
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
            if (live[i].kind != REGISTERED) own_context(live[i].context);
            if (live[i].kind != REGISTERED) memset(at, 0x5a, live[i].bytes), free(at);
            live[i].at = 0;
            allocations--;
            return 0;
        }
    fault("freed twice");
    return 1;
}

/* Work: a list per stream or graph. */
typedef struct { char *text; int loaded; uintptr_t context; } Module;
typedef struct { int kind; Module *module; int word; } Function;
/* The kernels' `Boxes`. */
typedef struct { int64_t from; uint64_t to; uint32_t count, cut; } BoxAxis;
typedef struct { int32_t step; uint32_t extent, place, cut; } InnerAxis;
typedef struct { uint64_t first; uint32_t count, words, straight, padding; BoxAxis axes[9]; InnerAxis reads[9], writes[9]; struct { uint64_t len, extent; } cuts[2]; } Boxes;
typedef struct { int kind; char *to, *from; size_t bytes; uint64_t a[20]; unsigned blocks, threads; Function *function; int leaving; Boxes boxes; } Work;
/* `into` is the stream into whose recording this one's calls go, and `recorded` is what one records; its earlier work goes on. `pushed`
   and `done` count pieces of work. */
typedef struct List { Work *work; int count, capturing, asked; float time; struct List *into, *recorded; uint64_t pushed, done; uintptr_t context; } List;
enum { COPY, FILL, BLOCK, GRID, PARTIALS, ROWS, PARTS, PACK, FINISH, COLUMNS, GRAPH, CANARY, ROOTS, EVENT, DIGITS, SCATTER, GATHER, PLACES, TOTALS, SCAN,
       COUNT_RUNS, WRITE_RUNS, RUNNING, LIST, SEGMENTS, SHORT, LONGER, LONG_RUNNING, SHORT_RUNNING, BY_FLAGS, BY_RANK, UNIQUE, SAMPLE, FILTER, COUNTS, PICK,
       RADIX_COUNT, RADIX_START, RADIX_MOVE, PIVOTS, BUCKETS, SPLIT, LISTS, LEAVES, FEW, AWAIT, OTHERS };

/* What a piece of work answers that cannot go on yet. */
enum { BLOCKED = -1 };

/* An event: where it was recorded last, and how often without having happened yet. */
typedef struct { float time; List *stream; int pending, destroyed; uint64_t pushed; } Event;

/* The time that a piece of work takes. */
static float time_of(Work work) {
    if (work.kind == EVENT) return 0;
    if (!getenv("WARPFOLD_FAKE_CLOCK")) return 1;
    return work.kind == GRAPH ? ((List *)work.to)->time : work.threads == 512 ? 0.5f : 1;
}

static Code push(List *list, Work work) {
    if (list->into) list = list->into;
    if (list->recorded) list = list->recorded;
    list->pushed++, list->time += time_of(work);
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

/* An accumulator, as the kernels write it: with a tag, each 32 bits in a word of their own. */
static void put(uint64_t at, int64_t sum, uint32_t tag) {
    touch((void *)at, tag ? 16 : 8);
    if (!tag) *(int64_t *)at = sum;
    else for (int i = 0; i < 2; i++)
        __atomic_store_n((uint64_t *)at + i, (uint64_t)tag << 32 | (uint32_t)((uint64_t)sum >> 32 * i), __ATOMIC_RELAXED);
}

/* Running sums. */
static void running(const int32_t *in, int64_t *out, uint64_t len, uint32_t is_inclusive, int64_t sum) {
    for (uint64_t i = 0; i < len; i++) {
        int64_t with = sum + in[i];
        out[i] = is_inclusive ? with : sum;
        sum = with;
    }
}

/* What a kernel may still use when its result is there. */
static void leave(Work w) {
    if (!w.function->module->loaded) fault("a kernel was unloaded before it had ended");
    if (w.kind == BLOCK) touch((void *)w.a[3], 8);
    if (w.kind == GRID) touch((void *)w.a[4], 8);
    if (w.kind == GRID && w.a[5]) touch((void *)w.a[5], 4), touch((void *)w.a[6], 8);
    if (w.kind == PARTIALS) touch((void *)w.a[0], 8), touch((void *)w.a[3], 8);
    if (w.kind == ROWS) touch((void *)w.a[4], 8);
    if (w.kind == PARTS) touch((void *)w.a[5], 8);
    if (w.kind == COLUMNS) touch((void *)w.a[8], w.function->word == 4 ? 4 : 8);
    if (w.kind == LIST) touch((void *)w.a[7], 8), touch((void *)w.a[8], 24);
    if (w.kind == SEGMENTS || w.kind == SHORT) touch((void *)w.a[w.kind == SHORT ? 10 : 8], 8);
    if (w.kind == FINISH) touch((void *)w.a[4], w.function->word == 4 ? 4 : 8);
    if (w.kind == RUNNING) touch((void *)w.a[5], 8), touch((void *)w.a[6], 8);
    if (w.kind == LONGER) touch((void *)w.a[6], 48);
    if (w.kind == LONG_RUNNING || w.kind == SHORT_RUNNING) touch((void *)w.a[w.kind == LONG_RUNNING ? 12 : 13], 8);
    if (w.kind == PACK) touch((void *)w.a[0], 1), touch((void *)w.a[2], 1);
}

/* Words of so many bytes, box by box, by way of their places in shared memory. */
static void pack(const char *in, uint64_t len, char *out, const Boxes *boxes, int bytes) {
    static char shared[12288 / 4][16];
    touch(in, len * bytes);
    for (uint32_t box = 0; box < boxes->count; box++) {
        uint64_t starts[2] = {boxes->first, 0}, left[2] = {UINT64_MAX, UINT64_MAX};
        uint32_t rest = box;
        for (int i = 0; i < 9; i++) {
            BoxAxis axis = boxes->axes[i];
            uint32_t at = rest % axis.count;
            rest /= axis.count;
            starts[0] += axis.from * at, starts[1] += axis.to * at;
            if (axis.cut) left[axis.cut - 1] = boxes->cuts[axis.cut - 1].len - boxes->cuts[axis.cut - 1].extent * at;
        }
        for (int writes = 0; writes < 2; writes++)
            for (uint32_t word = 0; word < boxes->words; word++) {
                uint64_t index = starts[writes];
                uint32_t place = 0;
                int there = 1;
                rest = word;
                for (int i = 0; i < 9; i++) {
                    InnerAxis axis = (writes ? boxes->writes : boxes->reads)[i];
                    uint32_t at = rest % axis.extent;
                    rest /= axis.extent;
                    index += (int64_t)axis.step * at, place += axis.place * at;
                    there &= !axis.cut || at < left[axis.cut - 1];
                }
                if (!there) continue;
                if (place * (uint64_t)(bytes < 4 ? 4 : bytes) >= 12288) fault("a place outside shared memory");
                if (writes) touch(out + index * bytes, bytes), memcpy(out + index * bytes, shared[place], bytes);
                else if (index >= len) fault("a word outside the input");
                else memcpy(shared[place], in + index * bytes, bytes);
            }
    }
}

static uint64_t integer(uint64_t at, uint64_t bytes, uint64_t i) {
    uint64_t value = 0;
    touch((char *)at + i * bytes, bytes);
    memcpy(&value, (char *)at + i * bytes, bytes);
    return value;
}

static void put_integer(uint64_t at, uint64_t bytes, uint64_t i, uint64_t value) {
    touch((char *)at + i * bytes, bytes);
    memcpy((char *)at + i * bytes, &value, bytes);
}

/* Elements to the places of their digits, one by one. What tiles tell each other must be there, and 0; it is written over. */
static void scatter(Work w) {
    uint64_t *a = w.a, word = (uint64_t)w.function->word, digits[256], values = 1ull << a[5];
    uint64_t tile = w.threads * (word <= 4 ? 16 : word == 8 ? 8 : 4);
    if ((w.blocks - 1) * tile >= a[3] || w.blocks * tile < a[3]) fault("not as many blocks as there are tiles");
    for (uint64_t i = 0; i < 32 + w.blocks * values; i++) {
        if (integer(a[9], 4, i)) fault("told something before the launch");
        put_integer(a[9], 4, i, 0xa5a5a5a5);
    }
    for (uint64_t d = 0; d < values; d++) digits[d] = integer(a[6], 8, d) - a[7];
    for (uint64_t i = 0; i < a[3]; i++) {
        uint64_t id = integer(a[0], a[1], i), place = digits[id >> a[4] & (values - 1)]++;
        if (place >= a[13]) fault("moved an element beyond the last");
        touch((char *)a[2] + i * word, word), touch((char *)a[12] + place * word, word);
        memcpy((char *)a[12] + place * word, (char *)a[2] + i * word, word);
        if (a[11]) put_integer(a[10], a[11], place, id);
        if (a[14] && id < a[15]) put_integer(a[14], 8, id, integer(a[14], 8, id) + 1);
    }
    for (uint64_t d = 0; a[8] && d < values; d++) put_integer(a[8], 8, d, digits[d] + a[7]);
}

/* The kernels over groups and runs, block by block in order, each by the obvious loop. */
static void group(Work w) {
    uint64_t *a = w.a, word = (uint64_t)w.function->word;
    if (w.kind == PLACES)
        for (uint64_t i = 0; i < a[2]; i++) put_integer(a[0], a[1], i, i);
    if (w.kind == GATHER)
        for (uint64_t i = 0; i < a[4]; i++) {
            char *from = (char *)a[0] + integer(a[2], a[3], i) * a[5] * word, *to = (char *)a[6] + i * a[5] * word;
            touch(from, a[5] * word), touch(to, a[5] * word);
            memcpy(to, from, a[5] * word);
        }
    if (w.kind == PLACES || w.kind == GATHER) return;
    if (w.kind == SCATTER) { scatter(w); return; }
    uint64_t len = w.kind == DIGITS ? a[2] : a[1], portion = w.kind == DIGITS ? a[3] : a[2];
    if ((w.blocks - 1) * portion >= len || w.blocks * portion < len) fault("not as many blocks as have a portion");
    uint64_t sum = 0;
    for (uint64_t b = 0; b < w.blocks; b++) {
        uint64_t start = b * portion, end = start + portion < len ? start + portion : len, runs = 0;
        if (w.kind == SCAN && a[3]) sum = integer(a[3], 8, b);
        if (w.kind == TOTALS) sum = 0;
        if (w.kind == WRITE_RUNS) sum = integer(a[3], 8, b);
        for (uint64_t i = start; i < end; i++) {
            if (w.kind == DIGITS) {
                uint64_t id = integer(a[0], a[1], i);
                for (uint64_t pass = 0; pass < a[4]; pass++) {
                    uint64_t at = pass << a[5] | ((uint32_t)id >> pass * a[5] & ((1u << a[5]) - 1));
                    put_integer(a[10], 8, at, integer(a[10], 8, at) + 1);
                }
                if (id >= a[6] && i < integer(a[7], 8, 0)) put_integer(a[7], 8, 0, i);
                if (a[9]) put_integer(a[8], a[9], i, id);
            } else if (w.kind == TOTALS || w.kind == SCAN) {
                uint64_t value = integer(a[0], 8, i);
                if (w.kind == SCAN) put_integer(a[0], 8, i, sum);
                sum += value;
            } else {
                touch((char *)a[0] + i * word, word);
                if (i && !memcmp((char *)a[0] + i * word, (char *)a[0] + (i - 1) * word, word)) continue;
                runs++;
                if (w.kind == COUNT_RUNS) continue;
                touch((char *)a[5] + sum * word, word);
                memcpy((char *)a[5] + sum * word, (char *)a[0] + i * word, word);
                put_integer(a[4], 8, sum++, i);
            }
        }
        if (w.kind == TOTALS) put_integer(a[3], 8, b, sum);
        if (w.kind == COUNT_RUNS) put_integer(a[3], 8, b, runs);
    }
    if (w.kind == SCAN) put_integer(a[0], 8, len, sum);
    if (w.kind == WRITE_RUNS) put_integer(a[4], 8, integer(a[3], 8, w.blocks), len);
}

/* The kernels that compact, by the obvious loop. A float's word is marked. */
static void compact(Work w) {
    uint64_t *a = w.a, of_unique[4] = {a[2], 0, a[3], a[4]};
    uint64_t *to = w.kind == UNIQUE ? of_unique : a + (w.kind == BY_FLAGS ? 3 : 5), word = (uint64_t)w.function->word & 0xff, len = a[1];
    uint64_t tile = 256 * (16 / word) * (word < 4 ? word : 4), tiles = (len + tile - 1) / tile;
    uint64_t mask = word < 8 ? (1ull << 8 * word) - 1 : UINT64_MAX, top = 1ull << (word < 8 ? 8 * word - 1 : 63);
    if (w.blocks != tiles || w.threads != 256) fault("not a block for each tile");
    for (uint64_t i = 0; i < 16 + tiles; i++)
        if (integer(to[3], 8, i)) fault("states that are not 0");
    uint64_t selected = 0, others = to[1] ? integer(to[1], 8, 0) : 0;
    for (uint64_t i = 0; i < len; i++) {
        char *from = (char *)a[0] + i * word;
        touch(from, word);
        int is = 0;
        if (w.kind == BY_FLAGS) is = integer(a[2], 1, i) != 0;
        else if (w.kind == UNIQUE) is = !i || memcmp(from, from - word, word) != 0;
        else {
            uint64_t rank = integer(a[0], word, i);
            if (w.function->word & 0x100) rank = rank & top ? ~rank : rank | top;
            is = (((rank - a[2]) & mask) <= (a[3] & mask)) != (a[4] != 0);
        }
        uint64_t place = is ? selected++ : others++;
        if (!to[0] || (!is && !to[1])) continue;
        touch((char *)to[0] + place * word, word);
        memcpy((char *)to[0] + place * word, from, word);
    }
    put_integer(to[2], 8, 0, selected);
    for (uint64_t i = 0; i < 16 + tiles; i++) put_integer(to[3], 8, i, 1);
}

/* The kernels that select, by the obvious loops. In which order candidates stand is open: they are written from the last. */
static uint64_t ranked(uint64_t at, uint64_t bytes, uint64_t i, uint64_t *flips) {
    uint64_t word = integer(at, bytes, i);
    return ((word ^ (word >> (8 * bytes - 1) ? flips[0] : 0) ^ flips[1]) - flips[2]) & UINT64_MAX >> (64 - 8 * bytes);
}
typedef struct { uint64_t rank, index; } Pair;
static int before(const void *left, const void *right) {
    const Pair *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}
static void selection(Work w) {
    uint64_t *a = w.a, bytes = (uint64_t)w.function->word;
    if (w.kind == SAMPLE) {
        if (w.blocks * 8 != a[8] || w.threads != 256) fault("not a warp for each group");
        for (uint64_t g = 0; g < a[8]; g++) {
            Pair first = {UINT64_MAX, UINT64_MAX};
            for (uint64_t p = g; p < a[6]; p += a[8])
                for (uint64_t i = p * a[7]; i < p * a[7] + (a[1] == 1 ? 16 : 32 / a[1]); i++) {
                    if (i >= a[2]) fault("a piece that is not there");
                    Pair pair = {ranked(a[0], a[1], i, a + 3), i};
                    if (before(&pair, &first) < 0) first = pair;
                }
            put_integer(a[9], 8, g, first.rank), put_integer(a[10], 8, g, first.index);
        }
    } else if (w.kind == FILTER) {
        for (int i = 0; a[8] && i < 3; i++) a[5 + i] = integer(a[8], 8, i);
        uint64_t count = integer(a[12], 8, 0);
        for (uint64_t i = a[1]; i-- > 0;) {
            uint64_t rank = ranked(a[0], bytes, i, a + 2);
            if (rank < a[5] || rank > a[6] || (rank == a[6] && i > a[7])) continue;
            if (count < a[11]) {
                put_integer(a[9], 8, count, rank);
                if (a[10]) put_integer(a[10], 8, count, i);
            }
            count++;
        }
        put_integer(a[12], 8, 0, count);
    } else if (w.kind == COUNTS) {
        for (uint64_t i = 0; i < a[1]; i++) {
            uint64_t rank = ranked(a[0], bytes, i, a + 2), digit = (a[8] ? i : rank - a[5]) >> a[7];
            if (rank < a[5] || rank > a[6]) continue;
            if (digit >= 2048) fault("a digit of more than 11 bits");
            put_integer(a[9], 8, digit, integer(a[9], 8, digit) + 1);
        }
    } else {
        uint64_t count = a[2] ? integer(a[2], 8, 0) : a[3];
        if (w.blocks != 1 || w.threads != 1024 || (a[8] && a[4] > 2048)) fault("more than a block picks");
        if (a[8]) put_integer(a[8], 8, 0, count), put_integer(a[8], 8, 1, 0);
        if (count > a[3] || count < a[4]) return;
        Pair *pairs = malloc(count * sizeof *pairs);
        for (uint64_t i = 0; i < count; i++) pairs[i] = (Pair){integer(a[0], 8, i), integer(a[1], 8, i)};
        qsort(pairs, count, sizeof *pairs, before);
        Pair last = pairs[a[4] - 1];
        int is_last = a[4] > 1 && (a[4] == count || pairs[a[4]].rank != last.rank);
        if (a[7]) put_integer(a[7], 8, 0, 0), put_integer(a[7], 8, 1, last.rank), put_integer(a[7], 8, 2, is_last ? UINT64_MAX : last.index), put_integer(a[7], 8, 3, 0);
        for (uint64_t i = 0; a[8] && i < a[4]; i++) put_integer(a[8], 8, 2 + 2 * i, pairs[i].rank), put_integer(a[8], 8, 3 + 2 * i, pairs[i].index);
        free(pairs);
    }
}
#include "fake_sort.h"
#include "fake_radix.h"

static Code run(List *list);
static Code step(List *list);

static Code do_one(Work w) {
    uint64_t *a = w.a;
    if (w.kind == COPY) {
        if (a[0] && digest((unsigned char *)w.from, w.bytes) != a[1]) fault("host memory was written before it was copied");
        memcpy(w.to, w.from, w.bytes);
    }
    if (w.kind == EVENT) {
        Event *event = (Event *)w.to;
        if (!--event->pending && event->destroyed) free(event);
    }
    if (w.kind == FILL) touch(w.to, w.bytes), memset(w.to, (int)a[0], w.bytes);
    if (w.kind >= DIGITS && w.kind <= WRITE_RUNS) group(w);
    if (w.kind >= BY_FLAGS && w.kind <= UNIQUE) compact(w);
    if (w.kind >= SAMPLE && w.kind <= PICK) selection(w);
    if (w.kind >= RADIX_COUNT && w.kind <= RADIX_MOVE) radix(w);
    if (w.kind >= PIVOTS && w.kind <= LEAVES) sort(w);
    if (w.kind == GRAPH) return run((List *)w.to);
    if (w.kind == CANARY || w.kind == ROOTS) {
        Row *in = (Row *)a[0], *out = (Row *)a[2];
        if (a[1] > (uint64_t)w.blocks * w.threads) fault("too few threads");
        touch(in, a[1] * sizeof *in), touch(out, a[1] * sizeof *out);
        for (uint64_t r = 0; r < a[1]; r++) out[r] = (w.kind == CANARY ? canary : roots)(in[r]);
    }
    if (w.kind == BLOCK) {
        if (a[1] == 13) return dead = 700;
        if (a[1] == 14) return 0;
        put(a[3], sum((void *)a[0], a[1]), (uint32_t)a[4]);
    }
    if (w.kind == GRID) {
        uint64_t span = ((uint64_t)1 << (uint32_t)a[3]) * (w.threads / 256), spans = (a[1] + span - 1) / span;
        touch((void *)a[4], spans * 8);
        for (uint64_t s = 0; s < spans; s++) {
            uint64_t end = (s + 1) * span < a[1] ? (s + 1) * span : a[1];
            ((int64_t *)a[4])[s] = sum((int32_t *)a[0] + s * span, end - s * span);
        }
        if (a[5]) {
            touch((void *)a[5], 4);
            if (*(uint32_t *)a[5]) fault("a ticket that is not 0");
            int64_t total = 0;
            for (uint64_t s = 0; s < spans; s++) total += ((int64_t *)a[4])[s];
            put(a[6], total, (uint32_t)a[7]);
        }
    }
    if (w.kind == PARTIALS)
        for (unsigned b = 0; b < w.blocks; b++) {
            uint32_t fan_in = (uint32_t)a[2];
            if (a[4] && w.blocks != 1) fault("several results with a tag");
            touch((void *)a[0], a[1] * 8), touch((void *)a[3], w.blocks * 8);
            int64_t total = 0;
            for (uint64_t p = (uint64_t)b * fan_in; p < a[1] && p < (uint64_t)(b + 1) * fan_in; p++)
                total += ((int64_t *)a[0])[p];
            put(a[3] + 8 * b, total + arithmetic_is("passes"), (uint32_t)a[4]);
        }
    if (w.kind == PACK) pack((char *)a[0], a[1], (char *)a[2], &w.boxes, w.function->word);
    /* Rows, each in one part or several. Of a sum any parts will do: these are not the kernel's. */
    if (w.kind == ROWS || w.kind == PARTS) {
        uint64_t parts = w.kind == PARTS ? 1 << (uint32_t)a[4] : 1;
        int64_t *out = (int64_t *)a[w.kind == PARTS ? 5 : 4];
        touch(out, a[1] * parts * 8);
        for (uint64_t r = 0; r < a[1]; r++)
            for (uint64_t p = 0, from = 0; p < parts; p++) {
                uint64_t end = (p + 1) * a[2] / parts;
                out[r * parts + p] = sum((int32_t *)a[0] + r * a[3] + from, end - from);
                from = end;
            }
    }
    /* Segments: the offsets as u64, and how many are wrong. No tiles are listed: the last kernel folds whole segments. */
    if (w.kind == LIST) {
        uint64_t bytes = a[1] ? 8 : 4, len = a[4], before = 0, *places = (uint64_t *)a[7], *counters = (uint64_t *)a[8];
        touch(places, (a[3] + 1) * 8), touch(counters, 24), touch((void *)a[9], a[10] * 8), touch((void *)a[11], a[12] * 16);
        if (counters[0] || counters[1] || counters[2]) fault("counters that are not 0");
        for (uint64_t i = 0; i <= a[3]; i++) {
            uint64_t at = integer(a[0], bytes, i);
            if (a[2] && at >> (8 * bytes - 1)) at = UINT64_MAX;
            counters[0] += at > len || at < before;
            before = at, places[i] = at < len ? at : len;
        }
    }
    if (w.kind == SEGMENTS) {
        uint64_t *places = (uint64_t *)a[2], *counters = (uint64_t *)a[4];
        touch(places, (a[3] + 1) * 8), touch(counters, 24), touch((void *)a[8], a[3] * 8), touch((void *)a[0], a[1] * 4);
        touch((void *)a[5], a[6] * 8), touch((void *)a[7], a[6] * 8);
    }
    if (w.kind == SHORT) {
        uint64_t *places = (uint64_t *)a[2], *counters = (uint64_t *)a[5];
        int64_t *out = (int64_t *)a[10];
        touch(places, (a[3] + 1) * 8), touch(counters, 24), touch(out, a[3] * 8), touch((void *)a[0], a[1] * 4);
        touch((void *)a[6], a[7] * 16), touch((void *)a[8], a[9] * 8);
        for (uint64_t s = 0; s < a[3] && !counters[0]; s++) out[s] = sum((int32_t *)a[0] + places[s], places[s + 1] - places[s]);
    }
    /* Results of accumulators, which of a sum are the same: 0 of no elements. */
    if (w.kind == FINISH) {
        int64_t *accs = (int64_t *)a[0], *out = (int64_t *)a[4];
        int narrow = w.function->word == 4;
        touch(accs, a[1] * (narrow ? 4 : 8)), touch(out, a[1] * (narrow ? 4 : 8));
        if (narrow) memmove(out, accs, a[1] * 4);
        if (a[3]) touch((void *)a[3], a[1] * 8 + 8);
        for (uint64_t r = 0; r < a[1] && !narrow; r++) {
            uint64_t len = a[3] ? ((uint64_t *)a[3])[r + 1] - ((uint64_t *)a[3])[r] : a[2];
            out[r] = len ? accs[r] : 0;
        }
    }
    /* The sums of all elements up to each, or before it. */
    if (w.kind == RUNNING) {
        uint64_t tiles = (a[1] + 4095) / 4096, groups = (tiles + 255) / 256, words = 1 + groups * 258 * 2;
        uint64_t *state = (uint64_t *)a[5];
        int64_t *out = (int64_t *)a[6], sum = (int64_t)a[3];
        touch((void *)a[0], a[1] * 4), touch(state, words * 8), touch(out, a[1] * 8);
        if (w.threads != 128 || w.blocks != tiles) fault("not a block for each tile");
        for (uint64_t i = 0; i < words; i++) if (state[i]) fault("words that are not cleared");
        memset(state, 0xff, words * 8);
        running((int32_t *)a[0], out, a[1], (uint32_t)a[2], sum);
    }
    /* The same of segments: those of more than a row are listed, and those of more than a tile with their tiles. */
    if (w.kind == LONGER) {
        uint64_t bytes = a[1] ? 8 : 4, len = a[4], before = 0, start = 0, *counters = (uint64_t *)a[6];
        uint64_t *medium = (uint64_t *)a[7], *longer = (uint64_t *)a[9], *tiles = (uint64_t *)a[11];
        touch((void *)a[0], (a[3] + 1) * bytes), touch(counters, 48), touch(medium, a[8] * 16), touch(longer, a[10] * 32), touch(tiles, a[12] * 8);
        for (int i = 0; i < 6; i++) if (counters[i]) fault("counters that are not 0");
        for (uint64_t i = 0; i <= a[3]; i++) {
            uint64_t at = integer(a[0], bytes, i);
            if (a[2] && at >> (8 * bytes - 1)) at = UINT64_MAX;
            counters[0] += at > len || at < before;
            before = at;
        }
        for (uint64_t s = 0; s < a[3] && !counters[0]; s++) {
            start = integer(a[0], bytes, s);
            uint64_t elements = integer(a[0], bytes, s + 1) - start, count = (elements + 4095) / 4096;
            if (elements <= 1u << (uint32_t)a[5]) continue;
            if (elements <= 4096) {
                medium[2 * counters[1]] = start, medium[2 * counters[1]++ + 1] = elements;
                continue;
            }
            uint64_t *entry = longer + 4 * counters[2];
            entry[0] = start, entry[1] = elements, entry[2] = counters[3], entry[3] = counters[4];
            for (uint64_t tile = 0; tile < count; tile++) tiles[counters[3]++] = counters[2];
            counters[2]++, counters[4] += (count + 7) / 8;
        }
    }
    if (w.kind == LONG_RUNNING) {
        uint64_t *counters = (uint64_t *)a[5], *longer = (uint64_t *)a[6], words = (8 * a[11] + 2 * ((a[11] + 31) / 32 + 1)) * 2;
        int64_t *out = (int64_t *)a[12];
        touch((void *)a[0], a[1] * 4), touch(out, a[1] * 8), touch(counters, 48), touch(longer, a[7] * 32), touch((void *)a[8], a[9] * 8);
        touch((void *)a[10], words * 8);
        if (w.threads != 128 || counters[5]) fault("not by tickets from 0 on");
        for (uint64_t i = 0; i < words; i++) if (((uint64_t *)a[10])[i]) fault("words that are not cleared");
        memset((void *)a[10], 0xff, words * 8);
        for (uint64_t s = 0; s < counters[2] && !counters[0]; s++)
            running((int32_t *)a[0] + longer[4 * s], out + longer[4 * s], longer[4 * s + 1], (uint32_t)a[2], (int64_t)a[3]);
    }
    if (w.kind == SHORT_RUNNING) {
        uint64_t bytes = a[6] ? 8 : 4, *counters = (uint64_t *)a[9], *medium = (uint64_t *)a[10];
        int64_t *out = (int64_t *)a[13];
        touch((void *)a[0], a[1] * 4), touch(out, a[1] * 8), touch(counters, 48), touch(medium, a[11] * 16), touch((void *)a[5], (a[7] + 1) * bytes);
        if (w.threads != 256 || (uint32_t)a[8] > 5) fault("an odd launch over short segments");
        for (uint64_t s = 0; s < counters[1] && !counters[0]; s++)
            running((int32_t *)a[0] + medium[2 * s], out + medium[2 * s], medium[2 * s + 1], (uint32_t)a[2], (int64_t)a[3]);
        for (uint64_t s = 0; s < a[7] && !counters[0]; s++) {
            uint64_t start = integer(a[5], bytes, s), elements = integer(a[5], bytes, s + 1) - start;
            if (elements <= 512) running((int32_t *)a[0] + start, out + start, elements, (uint32_t)a[2], (int64_t)a[3]);
        }
        if ((uint32_t)a[12] && !counters[0]) {
            uint64_t end = integer(a[5], bytes, a[7]);
            memset(out, 0, integer(a[5], bytes, 0) * 8);
            memset(out + end, 0, (a[1] - end) * 8);
        }
    }
    if (w.kind == OTHERS && !((int (*)(void *))w.to)(w.from)) return BLOCKED;
    /* What another stream has done by the event. */
    if (w.kind == AWAIT)
        for (List *other = (List *)w.to; other->done < w.bytes && other->count;) {
            Code code = step(other);
            if (code) return code;
        }
    /* Columns, matrix after matrix: the sum of each in its first part. */
    if (w.kind == COLUMNS) {
        uint64_t batches = a[1], rows = a[2], columns = a[3], parts = (uint64_t)1 << (uint32_t)a[7];
        uint64_t across = 256 >> (uint32_t)a[6];
        if (w.threads != 256 || w.blocks * across * 16 < batches * columns * parts) fault("too few threads for the columns");
        int64_t *out = (int64_t *)a[8];
        int narrow = w.function->word == 4;
        touch(out, batches * columns * parts * (narrow ? 4 : 8));
        touch((void *)a[0], ((batches - 1) * a[4] + (rows - 1) * a[5] + columns) * 4);
        for (uint64_t i = 0; i < batches * columns; i++) {
            int32_t *x = (int32_t *)a[0] + i / columns * a[4] + i % columns;
            int64_t total = 0;
            for (uint64_t r = 0; r < rows; r++) total += x[r * a[5]];
            for (uint64_t p = 0; p < parts; p++, total = 0)
                if (narrow) ((int32_t *)out)[i * parts + p] = (int32_t)total;
                else out[i * parts + p] = total;
        }
    }
    return 0;
}

/* The next piece of work: a kernel that is about to leave, or one that has not begun. */
static Code step(List *list) {
    Work *first = list->work;
    Code code = 0;
    if (!first->leaving && (code = do_one(*first))) return code;
    if (!first->leaving && first->function) {
        first->leaving = 1;
        return 0;
    }
    if (first->leaving) leave(*first);
    memmove(first, first + 1, --list->count * sizeof *first);
    list->done++;
    return 0;
}

static Code run(List *list) {
    /* Goes on where it was blocked. */
    for (; list->asked < list->count; list->asked++) {
        Code code = do_one(list->work[list->asked]);
        if (code) return code;
    }
    list->asked = 0;
    return 0;
}

#define CALL(name, ...) Code name(__VA_ARGS__)
#define LOCKED pthread_mutex_lock(&lock); Code code = 0; calls++;
#define DONE pthread_mutex_unlock(&lock); return code;

CALL(cuInit, unsigned flags) { return flags; }
CALL(cuDriverGetVersion, int *version) { const char *set = getenv("WARPFOLD_FAKE_VERSION"); *version = set ? atoi(set) : 12040; return 0; }
static int devices(void) { const char *set = getenv("WARPFOLD_FAKE_DEVICES"); return set ? atoi(set) : 1; }
static int is_none(int device) { return device < 7 || device >= 7 + devices(); }
CALL(cuDeviceGetCount, int *count) { *count = devices(); return 0; }
CALL(cuDeviceGet, int *device, int ordinal) { *device = 7 + ordinal; return ordinal < devices() ? 0 : 101; }
CALL(cuDeviceGetName, char *name, int bytes, int device) { snprintf(name, bytes, "Fake %d", device); return 0; }
CALL(cuDeviceTotalMem_v2, size_t *bytes, int device) { *bytes = DEVICE_BYTES; return is_none(device); }
static int capability(void) { const char *set = getenv("WARPFOLD_FAKE_CAPABILITY"); return set ? atoi(set) : 9; }
CALL(cuDeviceGetAttribute, int *value, int attribute, int device) {
    *value = attribute == 75 ? capability() : attribute == 76 ? 0 : attribute == 16 ? 132 : 1;
    return is_none(device);
}

CALL(cuDevicePrimaryCtxRetain, uintptr_t *context, int device) { __sync_add_and_fetch(&retained, 1); *context = device == 7 ? CONTEXT : SECOND; return is_none(device); }
CALL(cuDevicePrimaryCtxRelease_v2, int device) { __sync_sub_and_fetch(&retained, 1); return is_none(device); }
CALL(cuCtxGetCurrent, uintptr_t *context) { __sync_add_and_fetch(&calls, 1); *context = depth ? stack[depth - 1] : 0; return 0; }
CALL(cuCtxSetCurrent, uintptr_t context) {
    if (depth) depth--;
    if (context) stack[depth++] = context;
    return 0;
}
CALL(cuCtxPushCurrent_v2, uintptr_t context) { __sync_add_and_fetch(&calls, 1); stack[depth++] = context; return 0; }
CALL(cuCtxPopCurrent_v2, uintptr_t *context) { __sync_add_and_fetch(&calls, 1);
    if (!depth) fault("popped too often");
    *context = stack[--depth];
    return 0;
}

/* Whether a text waits for earlier launches, not in a comment, and is for GPUs that know how. */
static int waits(const char *text) {
    static const char wait[] = "griddepcontrol.wait;";
    for (const char *at = text; (at = strstr(at, wait)); at++) {
        const char *line = at;
        while (line > text && line[-1] != '\n') line--;
        if (line + strspn(line, "\t ") == at) return strstr(text, ".target sm_90") != 0;
    }
    return 0;
}
CALL(cuModuleLoadDataEx, void **module, const char *image, unsigned count, unsigned *names, void **values) {
    LOCKED enter();
    if (count < 2 || names[0] != 5 || names[1] != 6 || (size_t)values[1] != 4096) fault("odd options");
    for (unsigned option = 2; option < count; option++) {
        size_t value = (size_t)values[option];
        if (!(names[option] == 0 && value >= 16 && value <= 255) && !(names[option] == 7 && value <= 4)) fault("odd option");
        if (getenv("WARPFOLD_FAKE_LOG")) fprintf(stderr, "fake driver: option %d is %zu\n", (int)names[option], value);
    }
    if (strstr(image, ".version 99.")) code = 222;
    else if (capability() < 9 && strstr(image, ".target sm_90")) code = 209;
    else if (!strstr(image, ".entry")) code = 218, strcpy(values[0], "line 1: no entry\n");
    else if (!(code = failure(__func__))) {
        Module *loaded = malloc(sizeof *loaded);
        *loaded = (Module){strdup(image), 1, stack[depth - 1]};
        *module = loaded, modules++;
        if (getenv("WARPFOLD_FAKE_LOG")) fprintf(stderr, "fake driver: loads a module\n");
    }
    DONE
}
/* What tells of a module and its functions stays, so that their use after this is found. */
CALL(cuModuleUnload, Module *module) { LOCKED enter(); own_context(module->context); modules--; module->loaded = 0; free(module->text); DONE }
CALL(cuModuleGetFunction, Function **function, Module *module, const char *name) {
    LOCKED enter();
    /* Functions are told by their kernel's name, those of the sum by its last part. The sum of f32 is for those who only
       take its time: it is that of i32, and no sum. Partial results are folded, and results made, by a kernel that
       others share, under the name of any. */
    const char *part = strrchr(name, '_') ? strrchr(name, '_') : name;
    int kind = 0, word = 0;
    if (!strstr(module->text, name)) code = 500;
    else if (!strcmp(name, "group_histogram")) kind = DIGITS;
    else if (!strcmp(name, "group_places")) kind = PLACES;
    else if (!strcmp(name, "scan_totals")) kind = TOTALS;
    else if (!strcmp(name, "scan")) kind = SCAN;
    else if (!strcmp(name, "sort_lists")) kind = LISTS;
    else if (!strcmp(name, "radix_starts")) kind = RADIX_START;
    else if (sscanf(name, "radix_%d_", &word) == 1) {
        kind = !strcmp(part, "_digits") ? RADIX_COUNT : RADIX_MOVE;
        word |= !strcmp(part, "_4") ? 4 << 8 : !strcmp(part, "_8") ? 8 << 8 : 0;
    }
    else if (sscanf(name, "sort_%d_", &word) == 1) kind = !strcmp(part, "_pivots") ? PIVOTS : !strcmp(part, "_count") ? BUCKETS : !strcmp(part, "_scatter") ? SPLIT : LEAVES;
    else if (!strcmp(name, "segments_list")) kind = LIST;
    else if (!strcmp(name, "scan_segments_list")) kind = LONGER;
    else if (sscanf(name, "move_%d_compact", &word) == 1 && !strcmp(part, "_flags")) kind = BY_FLAGS;
    else if (sscanf(name, "move_%d_unique", &word) == 1 && !strcmp(part, "_unique")) kind = UNIQUE;
    else if (sscanf(name, "integers_%d_compact", &word) == 1) kind = BY_RANK;
    else if (sscanf(name, "floats_%d_compact", &word) == 1) kind = BY_RANK, word |= 0x100;
    else if (!strcmp(name, "select_sample")) kind = SAMPLE;
    else if (!strcmp(name, "select_pick")) kind = PICK;
    else if (sscanf(name, "select_%d_", &word) == 1) kind = !strcmp(part, "_filter") ? FILTER : COUNTS;
    else if (sscanf(name, "move_%d_", &word) == 1) kind = !strcmp(part, "_pack") ? PACK : !strcmp(part, "_scatter") ? SCATTER : !strcmp(part, "_gather") ? GATHER : strstr(name, "_count_") ? COUNT_RUNS : WRITE_RUNS;
    else if (!strcmp(name, "float_canary")) kind = CANARY;
    else if (!strcmp(name, "float_canary_roots")) kind = ROOTS;
    /* That of the sum of i32 in i32, among others. */
    else if (!strcmp(part, "_finish")) kind = FINISH, word = strcmp(name, "reduce_bitor_i32_finish") ? 0 : 4;
    else if (strcmp(part, "_partials") && strncmp(name, "reduce_sum_i32_", 15) && strncmp(name, "reduce_sum_f32_", 15)) code = 500;
    else if (strstr(name, "_rows_by_")) kind = strstr(name, "_by_lanes") || strstr(name, "_by_tile") ? ROWS : PARTS;
    else if (!strcmp(part, "_columns") || strstr(name, "_columns_unaligned")) kind = COLUMNS, word = strstr(name, "_in_i32_") ? 4 : 0;
    else if (strstr(name, "_columns_of_few")) kind = FEW, word = strstr(name, "_in_i32_") ? 4 : 0;
    else if (!strcmp(part, "_segments")) kind = strstr(name, "_scan_short_") ? SHORT_RUNNING : strstr(name, "_scan_") ? LONG_RUNNING : strstr(name, "_short_") ? SHORT : SEGMENTS;
    else if (!strcmp(part, "_scan")) kind = RUNNING;
    else kind = !strcmp(part, "_grid") ? GRID : !strcmp(part, "_partials") ? PARTIALS : BLOCK;
    *function = malloc(sizeof **function);
    **function = (Function){kind, module, word};
    DONE
}
CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, Function *function, int threads, size_t shared) {
    LOCKED enter();
    *blocks = 4;
    code = !function->module->loaded || threads != 256 || shared;
    DONE
}
CALL(cuFuncGetAttribute, int *value, int attribute, Function *function) { LOCKED enter(); *value = attribute == 0 ? 1024 : function->kind; DONE }

CALL(cuMemAlloc_v2, char **at, size_t bytes) { LOCKED enter(); if (getenv("WARPFOLD_FAKE_LOG")) fprintf(stderr, "fake driver: allocates %zu bytes\n", bytes); if (bytes > DEVICE_BYTES) code = 2; else if (!(code = failure(__func__))) *at = allocate(bytes, DEVICE); DONE }
CALL(cuMemFree_v2, char *at) { LOCKED enter(); code = release(at); DONE }
CALL(cuMemGetInfo_v2, size_t *available, size_t *total) { LOCKED enter(); *available = *total = DEVICE_BYTES; DONE }
CALL(cuMemHostAlloc, char **at, size_t bytes, unsigned flags) { LOCKED enter(); if (flags != 2) code = 1; else if (!(code = failure(__func__))) *at = allocate(bytes, HOST); DONE }
CALL(cuMemHostRegister_v2, char *at, size_t bytes, unsigned flags) {
    LOCKED enter();
    int i = 0;
    while (live[i].at) i++;
    live[i].at = at, live[i].bytes = bytes, live[i].kind = REGISTERED;
    allocations++;
    code = flags;
    DONE
}
CALL(cuMemHostUnregister, char *at) { LOCKED enter(); code = release(at); DONE }
/* The memory's kind, its device and where it begins, of addresses that are live; none of it is managed, and what has
   4321 bytes is another device's. */
static Code attribute_of(int i, unsigned attribute, void *answer) {
    if (attribute == 2) *(unsigned *)answer = live[i].kind == DEVICE ? 2 : 1;
    else if (attribute == 8) *(unsigned *)answer = 0;
    else if (attribute == 9) *(unsigned *)answer = live[i].bytes == 4321;
    else if (attribute == 11) *(char **)answer = live[i].at;
    else return 1;
    return 0;
}
CALL(cuPointerGetAttribute, void *answer, unsigned attribute, char *at) {
    LOCKED enter();
    int i = find(at);
    code = i < 0 ? 1 : attribute_of(i, attribute, answer);
    DONE
}
CALL(cuPointerGetAttributes, unsigned count, unsigned *attributes, void **answers, char *at) {
    LOCKED enter();
    int i = find(at);
    for (unsigned a = 0; a < count && !code; a++) {
        if (i >= 0) code = attribute_of(i, attributes[a], answers[a]);
        else memset(answers[a], 0, attributes[a] == 11 ? 8 : 4);
    }
    DONE
}
CALL(cuMemHostGetDevicePointer_v2, char **device, char *at, unsigned flags) { LOCKED enter(); *device = at; code = flags; DONE }
CALL(cuMemFreeHost, char *at) { LOCKED enter(); code = release(at); DONE }

static List *lists[4096], defaults[2];
static _Thread_local List own;

/* The stream itself, of a handle. */
static List *of(List *stream) { return stream == (List *)2 ? &own : (uintptr_t)stream < 2 ? &defaults[0] : stream; }

CALL(cuStreamCreate, List **stream, unsigned flags) {
    LOCKED enter();
    if (flags != 1) code = 1;
    *stream = calloc(1, sizeof **stream);
    (*stream)->context = stack[depth - 1];
    streams++;
    for (int i = 0; i < 4096; i++)
        if (!lists[i]) { lists[i] = *stream; break; }
    DONE
}
/* Lets other threads do their work, of whose locks this one has one. */
static void rest(void) { pthread_mutex_unlock(&lock); usleep(100); pthread_mutex_lock(&lock); }
static Code finish(List *stream) {
    if (stream->capturing) fault("waited for a stream that captures");
    while (stream->count) {
        Code code = step(stream);
        if (code == BLOCKED) rest();
        else if (code) return code;
    }
    return 0;
}
/* Work that `ready` begins and goes on with, until it answers that it is done: that of fake_nccl.c. */
Code fakeOthers(List *stream, int (*ready)(void *), void *what) {
    LOCKED
    code = push(of(stream), (Work){OTHERS, (char *)ready, what, 0, {0}, 0, 0, 0, 0});
    DONE
}
void fakeTouch(const void *at, size_t bytes) { touch(at, bytes); }
CALL(cuStreamCreateWithPriority, List **stream, unsigned flags, int priority) { return priority > 0 ? 1 : cuStreamCreate(stream, flags); }
CALL(cuStreamSynchronize, List *stream) { const char *set = getenv("WARPFOLD_FAKE_WAIT"); if (set) usleep(1000 * atoi(set)); LOCKED enter(); if (!(code = failure(__func__)) && (code = finish(of(stream)))) dead = 1; DONE }
CALL(cuStreamQuery, List *stream) {
    LOCKED enter();
    stream = of(stream);
    if (stream->capturing) fault("asked a stream that captures");
    if (stream->count && ++stream->asked % 3 == 0) code = step(stream);
    if (code == BLOCKED) code = 0;
    if (code) dead = 1;
    else if (stream->count) code = 600;
    DONE
}
CALL(cuCtxSynchronize, void) {
    LOCKED enter();
    if (!(code = failure(__func__)))
        for (int i = 0; i < 4096; i++) if (lists[i] && lists[i]->capturing) code = 900;
    if (code) { DONE }
    /* Not the default streams of other threads, which nobody here can reach: their threads run them when they end. */
    for (int i = 0; i < 4096 && !code; i++)
        if (lists[i]) code = finish(lists[i]);
    if (!code) code = finish(&defaults[0]);
    if (code) dead = 1;
    DONE
}
CALL(cuStreamGetCtx, List *stream, uintptr_t *context) { LOCKED enter(); *context = stream == (List *)0x77 ? OTHER : of(stream)->context ? of(stream)->context : CONTEXT; DONE }
CALL(cuStreamIsCapturing, List *stream, unsigned *status) { LOCKED enter(); *status = of(stream)->capturing; DONE }
CALL(cuStreamDestroy_v2, List *stream) {
    LOCKED enter();
    own_context(stream->context);
    finish(stream);
    for (int i = 0; i < 4096; i++) {
        if (lists[i] == stream) lists[i] = 0;
        for (int w = 0; lists[i] && w < lists[i]->count; w++)
            if (lists[i]->work[w].kind == AWAIT && lists[i]->work[w].to == (char *)stream) lists[i]->work[w].bytes = 0;
    }
    free(stream->work);
    memset(stream, 0, sizeof *stream);
    free(stream);
    streams--;
    DONE
}
CALL(cuMemcpyHtoDAsync_v2, char *to, char *from, size_t bytes, List *stream) {
    LOCKED enter();
    touch(to, bytes);
    static const char *const kinds[] = {"pageable", "device", "locked", "registered"};
    int i = find(from);
    if (getenv("WARPFOLD_FAKE_LOG")) fprintf(stderr, "fake driver: copies %zu bytes of %s memory\n", bytes, kinds[i < 0 ? 0 : live[i].kind + 1]);
    if (i >= 0) touch(from, bytes);
    if (!(code = failure(__func__))) code = push(of(stream), (Work){COPY, to, from, bytes, {1, digest((unsigned char *)from, bytes)}, 0, 0, 0, 0});
    DONE
}
CALL(cuMemcpyDtoHAsync_v2, char *to, char *from, size_t bytes, List *stream) { LOCKED enter(); touch(from, bytes); if (!(code = failure(__func__))) code = push(of(stream), (Work){COPY, to, from, bytes, {0}, 0, 0, 0, 0}); DONE }
CALL(cuMemcpyDtoDAsync_v2, char *to, char *from, size_t bytes, List *stream) { LOCKED enter(); touch(from, bytes), touch(to, bytes); if (!(code = failure(__func__))) code = push(of(stream), (Work){COPY, to, from, bytes, {0}, 0, 0, 0, 0}); DONE }
CALL(cuMemsetD8Async, char *to, unsigned char value, size_t bytes, List *stream) { LOCKED enter(); code = push(of(stream), (Work){FILL, to, 0, bytes, {value}, 0, 0, 0, 0}); DONE }

static Code launch(Function *function, const unsigned *blocks, const unsigned *threads, unsigned shared, List *stream,
                   void **arguments, void **extra) {
    static const char *const bytes[] = {[BLOCK] = "88884", [GRID] = "88848884", [PARTIALS] = "88484", [ROWS] = "88888", [PARTS] = "888848", [PACK] = "888", [FINISH] = "88888", [COLUMNS] = "888888448", [CANARY] = "888", [ROOTS] = "888",
        [DIGITS] = "84884488848", [SCATTER] = "8488448888848888", [GATHER] = "8884848", [PLACES] = "848", [TOTALS] = "8888", [SCAN] = "8888",
        [BY_FLAGS] = "8888888", [BY_RANK] = "888848888", [UNIQUE] = "88888", [SAMPLE] = "84888888888", [FILTER] = "8888888888888", [COUNTS] = "8888888448", [PICK] = "888844488", [COUNT_RUNS] = "8888", [WRITE_RUNS] = "8888888", [RUNNING] = "8848888",
        [LIST] = "8448888888888", [SEGMENTS] = "888888888", [SHORT] = "88888888888",
        [LONGER] = "8448848888888", [LONG_RUNNING] = "8848888888888", [SHORT_RUNNING] = "88488848488848",
        [RADIX_COUNT] = "88848", [RADIX_START] = "8888", [RADIX_MOVE] = "88888884888444488888",
        [PIVOTS] = "88488", [BUCKETS] = "884888888", [SPLIT] = "884888888884", [LISTS] = "84888888888", [LEAVES] = "8848848484", [FEW] = "8888888"};
    if (!blocks[0] || blocks[1] != 1 || blocks[2] != 1 || threads[0] % (function->kind == ROWS || function->kind == PARTS || function->kind == DIGITS || function->kind >= RUNNING ? 32 : 256) || threads[1] != 1 || threads[2] != 1 || (shared && function->kind != COLUMNS && function->kind != FEW) || extra)
        fault("an odd launch");
    if (!function->module->loaded) fault("launched a kernel that was unloaded");
    const char *parameters = bytes[function->kind];
    Work work = {function->kind, 0, 0, 0, {0}, blocks[0], threads[0], function, 0};
    for (int i = 0; parameters[i]; i++) memcpy(&work.a[i], arguments[i], parameters[i] - '0');
    /* Columns of few rows are columns, in one part by a thread each. */
    if (function->kind == FEW && work.a[2] <= 1024) work.kind = COLUMNS, work.a[8] = work.a[6], work.a[6] = work.a[7] = 0, work.blocks = (blocks[0] * threads[0] + 255) / 256, work.threads = 256;
    if (function->kind == PACK) memcpy(&work.boxes, arguments[3], sizeof work.boxes);
    launches++;
    own_context(function->module->context);
    if (of(stream)->context) own_context(of(stream)->context);
    stream = of(stream);
    if (getenv("WARPFOLD_FAKE_LOG") && function->kind == GRID && !work.a[5])
        fprintf(stderr, "fake driver: folds %llu elements from %llu on\n", (unsigned long long)work.a[1], (unsigned long long)work.a[2]);
    Code code = failure("cuLaunchKernel");
    if (code) return code;
    push(stream, work);
    /* All but that this kernel leaves the device. */
    while (eager && !stream->capturing && !(stream->count == 1 && stream->work->leaving) && !step(stream)) {}
    return code;
}
CALL(cuLaunchKernel, Function *function, unsigned x, unsigned y, unsigned z, unsigned tx, unsigned ty, unsigned tz,
     unsigned shared, List *stream, void **arguments, void **extra) {
    LOCKED enter();
    code = launch(function, (unsigned[]){x, y, z}, (unsigned[]){tx, ty, tz}, shared, stream, arguments, extra);
    DONE
}
/* With the one attribute that says that launches may overlap, of a module that waits by itself. */
typedef struct { unsigned kind, padding, value[16]; } Attribute;
typedef struct { unsigned blocks[3], threads[3], shared; List *stream; Attribute *attributes; unsigned count; } Config;
CALL(cuLaunchKernelEx, const Config *config, Function *function, void **arguments, void **extra) {
    LOCKED enter();
    if (config->count != 1 || config->attributes->kind != 6 || config->attributes->value[0] != 1) fault("odd attributes");
    if (function->module->loaded && !waits(function->module->text)) fault("overlapped a kernel that does not wait");
    if (getenv("WARPFOLD_FAKE_LOG")) fprintf(stderr, "fake driver: overlaps a launch\n");
    code = launch(function, config->blocks, config->threads, config->shared, config->stream, arguments, extra);
    DONE
}

CALL(cuStreamBeginCapture_v2, List *stream, unsigned mode) { LOCKED enter(); stream->capturing = 1, stream->recorded = calloc(1, sizeof *stream); code = mode != 2; DONE }
CALL(cuStreamEndCapture, List *stream, List **graph) {
    LOCKED enter();
    *graph = stream->recorded;
    stream->recorded = 0, stream->capturing = 0;
    for (int i = 0; i < 4096; i++)
        if (lists[i] && lists[i]->into == stream) lists[i]->into = 0, lists[i]->capturing = 0;
    graphs++;
    DONE
}
CALL(cuGraphInstantiateWithFlags, List **executable, List *graph, unsigned long long flags) {
    LOCKED enter();
    *executable = calloc(1, sizeof **executable);
    for (int i = 0; i < graph->count; i++) push(*executable, graph->work[i]);
    graphs++;
    code = flags != 0;
    DONE
}
static Code drop(List *graph) { free(graph->work); memset(graph, 0, sizeof *graph); free(graph); graphs--; return 0; }
CALL(cuGraphDestroy, List *graph) { LOCKED enter(); code = drop(graph); DONE }
CALL(cuGraphExecDestroy, List *graph) { LOCKED enter(); code = drop(graph); DONE }
CALL(cuGraphLaunch, List *graph, List *stream) { LOCKED enter(); code = push(of(stream), (Work){GRAPH, (char *)graph, 0, 0, {0}, 0, 0, 0, 0}); DONE }

CALL(cuEventCreate, Event **event, unsigned flags) { LOCKED enter(); if (!(code = failure(__func__))) *event = calloc(1, sizeof **event), events++, code = flags & ~2; DONE }
CALL(cuEventRecord, Event *event, List *stream) {
    LOCKED enter();
    stream = of(stream);
    if (!(code = failure(__func__))) {
        event->time = 1 + stream->time, event->stream = stream, event->pending++;
        code = push(stream, (Work){EVENT, (char *)event, 0, 0, {0}, 0, 0, 0, 0});
        event->pushed = stream->pushed;
    }
    DONE
}
/* A stream that waits for one that records is recorded with it, in the order of the calls. */
CALL(cuStreamWaitEvent, List *stream, Event *event, unsigned flags) {
    LOCKED enter();
    stream = of(stream), code = flags != 0;
    List *other = event->stream && event->stream->into ? event->stream->into : event->stream;
    if (!code && other && other != stream && other != stream->into) {
        if (stream->capturing) fault("a recording waits for what is not recorded");
        if (other->capturing) stream->into = other, stream->capturing = 1;
        else code = push(stream, (Work){AWAIT, (char *)other, 0, event->pushed, {0}, 0, 0, 0, 0});
    }
    DONE
}
/* Does the work before the event, and no more. */
CALL(cuEventSynchronize, Event *event) {
    LOCKED enter();
    if (!(code = failure(__func__))) code = event->time == 0;
    while (!code && event->pending && event->stream->count)
        if ((code = step(event->stream)) == BLOCKED) code = 0, rest();
    if (dead) dead = 1;
    DONE
}
CALL(cuEventElapsedTime, float *milliseconds, Event *start, Event *end) { LOCKED enter(); *milliseconds = end->time - start->time; DONE }
CALL(cuEventDestroy_v2, Event *event) { LOCKED enter(); events--; if (event->pending) event->destroyed = 1; else free(event); DONE }

__attribute__((destructor)) static void report(void) {
    fprintf(stderr, "fake driver: %d allocations, %d streams, %d events, %d graphs, %d modules, %d contexts left; "
            "current context %s; %d launches\n", allocations, streams, events, graphs, modules, retained,
            depth ? stack[depth - 1] == OTHER ? "another's" : "ours" : "none", launches);
}
