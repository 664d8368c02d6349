/* NCCL without a GPU, for tests: ranks are threads of this process, with memory of the driver of fake_driver.c. A rank's
   stream goes on when what the others send it was sent by their streams, and no earlier. Communicators start, and are
   split, after some questions how they go on. Split ones block, in their first exchange until all ranks are there. The
   environment has it do more:
   - WARPFOLD_FAKE_NCCL_VERSION, a number: be of that version instead of 22203, which is 2.22.3;
   - WARPFOLD_FAKE_NCCL_FAILURE, a function, a count and a code: that call from now on answers the code. */

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int Code;
enum { MOST = 64, IN_PROGRESS = 7 };
typedef struct { char bytes[128]; } Id;
typedef struct { size_t size; unsigned magic, version; int blocking; } Config;

/* Bytes on their way, the oldest first. */
typedef struct Message { struct Message *next; size_t bytes; char at[]; } Message;
/* The ranks that have the same id. */
typedef struct { uint64_t id; int size, joined, left; volatile int connected; Message *sent[MOST][MOST]; } Ranks;
typedef struct { int is_send, peer, got; char *at; size_t bytes; } Move;
/* What one group of calls enqueues. */
typedef struct Comm Comm;
typedef struct Group { Comm *comm; void *stream; Move *moves; int count, posted; struct Group *next; } Group;
struct Comm { Ranks *ranks; int rank, asked, blocks, has_moved, finalized; volatile int aborted; Comm *split, **slot, *next; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Ranks *all[256];
static Group *groups;
/* All that there ever were, as streams may still name them. */
static Comm *comms;
static int live, aborts, started;
static _Thread_local int depth;
static _Thread_local Group *open;

static void fault(const char *what) {
    fprintf(stderr, "fake nccl: %s\n", what);
    _exit(98);
}

static Code failure(const char *function) {
    static char seen[100], which[50];
    static int left, code;
    const char *set = getenv("WARPFOLD_FAKE_NCCL_FAILURE");
    if (!set) return 0;
    if (strcmp(set, seen)) {
        snprintf(seen, sizeof seen, "%s", set);
        if (sscanf(set, "%49s %d %d", which, &left, &code) != 3) fault("an odd failure");
    }
    return !strcmp(function, which) && left && !--left ? code : 0;
}

static void *driver(const char *name) {
    static void *library;
    if (!library) library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *found = library ? dlsym(library, name) : 0;
    if (!found) fault("no fake driver");
    return found;
}

static void touch(const void *at, size_t bytes) { ((void (*)(const void *, size_t))driver("fakeTouch"))(at, bytes); }

/* Sends once, then receives what has arrived; answers whether all has. */
static int ready(void *what) {
    Group *group = what;
    Comm *comm = group->comm;
    if (comm->aborted) return 1;
    pthread_mutex_lock(&lock);
    Ranks *ranks = comm->ranks;
    for (int i = 0; i < group->count && !group->posted; i++) {
        Move *move = group->moves + i;
        move->got = move->is_send;
        if (!move->is_send) continue;
        touch(move->at, move->bytes);
        Message *message = malloc(sizeof *message + move->bytes), **last = &ranks->sent[comm->rank][move->peer];
        message->next = 0, message->bytes = move->bytes;
        memcpy(message->at, move->at, move->bytes);
        while (*last) last = &(*last)->next;
        *last = message;
    }
    group->posted = 1;
    int done = 1;
    for (int i = 0; i < group->count; i++) {
        Move *move = group->moves + i;
        Message **first = &ranks->sent[move->peer][comm->rank], *message = *first;
        /* Of one peer in order. */
        for (int before = 0; before < i; before++)
            if (!group->moves[before].got && group->moves[before].peer == move->peer) message = 0;
        if (move->got) continue;
        if (message) {
            if (message->bytes != move->bytes) fault("another number of bytes was sent than is received");
            touch(move->at, move->bytes);
            memcpy(move->at, message->at, move->bytes);
            *first = message->next, move->got = 1;
            free(message);
        } else done = 0;
    }
    if (done) group->posted = 0;
    pthread_mutex_unlock(&lock);
    return done;
}

static Code enqueue(Group *group) {
    return ((Code (*)(void *, int (*)(void *), void *))driver("fakeOthers"))(group->stream, ready, group);
}

Code ncclGetVersion(int *version) {
    const char *set = getenv("WARPFOLD_FAKE_NCCL_VERSION");
    *version = set ? atoi(set) : 22203;
    return 0;
}
const char *ncclGetErrorString(Code code) { return code == 2 ? "unhandled system error" : code == 6 ? "remote process exited" : "some error"; }
Code ncclGetUniqueId(Id *id) {
    Code code = failure(__func__);
    memset(id, 0, sizeof *id);
    uint64_t number = __sync_add_and_fetch(&started, 1);
    memcpy(id, &number, sizeof number);
    return code;
}
static int is_odd(const Config *config, int blocking) {
    return config->size != sizeof *config || config->magic != 0xcafebeef || config->version != 21400 || config->blocking != blocking;
}
/* One more of the ranks that have an id. */
static Comm *join(uint64_t number, int size, int rank, int blocks) {
    Comm *comm = calloc(1, sizeof *comm);
    pthread_mutex_lock(&lock);
    int i = 0;
    while (all[i] && all[i]->id != number) i++;
    if (!all[i]) all[i] = calloc(1, sizeof **all), all[i]->id = number, all[i]->size = size;
    all[i]->joined++, live++;
    comm->ranks = all[i], comm->rank = rank, comm->blocks = blocks;
    comm->next = comms, comms = comm;
    pthread_mutex_unlock(&lock);
    return comm;
}
Code ncclCommInitRankConfig(Comm **comm, int size, Id id, int rank, Config *config) {
    Code code = failure(__func__);
    if (is_odd(config, 0)) fault("an odd configuration");
    if (size < 1 || size > MOST || rank < 0 || rank >= size) code = 4;
    if (code) return code;
    uint64_t number;
    memcpy(&number, &id, sizeof number);
    *comm = join(number, size, rank, 0);
    return IN_PROGRESS;
}
/* All ranks have one color, and keep their order. Answers before it has ended, and writes the communicator then. */
Code ncclCommSplit(Comm *comm, int color, int key, Comm **split, Config *config) {
    Code code = failure(__func__);
    if (is_odd(config, 1) || color || key != comm->rank || comm->blocks || comm->split || comm->aborted) fault("an odd split");
    if (code) return code;
    comm->split = join(comm->ranks->id | 1ull << 63, comm->ranks->size, comm->rank, 1), comm->slot = split;
    return 0;
}
Code ncclCommGetAsyncError(Comm *comm, Code *state) {
    *state = failure("async");
    if (*state || comm->blocks) return 0;
    Ranks *ranks = comm->split ? comm->split->ranks : comm->ranks;
    pthread_mutex_lock(&lock);
    int joined = ranks->joined == ranks->size;
    pthread_mutex_unlock(&lock);
    if (!comm->finalized && (!joined || ++comm->asked % 3)) *state = IN_PROGRESS;
    else if (comm->slot) *comm->slot = comm->split, comm->slot = 0;
    return 0;
}
Code ncclGroupStart(void) { depth++; return 0; }
Code ncclGroupEnd(void) {
    if (--depth < 0) fault("a group that was not started");
    Group *group = open;
    open = 0;
    Code code = failure(__func__);
    if (code || !group) return code;
    /* The first exchange connects the ranks. */
    Comm *comm = group->comm;
    if (!comm->has_moved) {
        comm->has_moved = 1;
        __sync_add_and_fetch(&comm->ranks->connected, 1);
        while (comm->ranks->connected < comm->ranks->size) usleep(100);
    }
    return enqueue(group);
}
static Code move(int is_send, char *at, size_t bytes, int type, int peer, Comm *comm, void *stream) {
    if (type != 1 || !comm->blocks || comm->aborted || comm->finalized) fault("an odd call");
    if (peer < 0 || peer >= comm->ranks->size) return 4;
    touch(at, bytes);
    if (!open) {
        open = calloc(1, sizeof *open);
        open->comm = comm, open->stream = stream;
        pthread_mutex_lock(&lock);
        open->next = groups, groups = open;
        pthread_mutex_unlock(&lock);
    }
    if (open->comm != comm || open->stream != stream) fault("a group of two communicators or streams");
    open->moves = realloc(open->moves, (open->count + 1) * sizeof *open->moves);
    open->moves[open->count++] = (Move){is_send, peer, 0, at, bytes};
    return 0;
}
Code ncclSend(char *at, size_t bytes, int type, int peer, Comm *comm, void *stream) {
    Code code = failure(__func__);
    return code ? code : move(1, at, bytes, type, peer, comm, stream);
}
Code ncclRecv(char *at, size_t bytes, int type, int peer, Comm *comm, void *stream) {
    Code code = failure(__func__);
    return code ? code : move(0, at, bytes, type, peer, comm, stream);
}
Code ncclAllGather(char *from, char *to, size_t bytes, int type, Comm *comm, void *stream) {
    Code code = failure(__func__);
    if (code) return code;
    ncclGroupStart();
    for (int rank = 0; rank < comm->ranks->size; rank++) {
        move(1, from, bytes, type, rank, comm, stream);
        move(0, to + rank * bytes, bytes, type, rank, comm, stream);
    }
    return ncclGroupEnd();
}
Code ncclCommFinalize(Comm *comm) {
    Code code = failure(__func__);
    if (comm->slot) fault("finalized while it is split");
    comm->finalized = 1;
    return code;
}
static Code end(Comm *comm) {
    pthread_mutex_lock(&lock);
    live--, comm->ranks->left++;
    pthread_mutex_unlock(&lock);
    return 0;
}
Code ncclCommDestroy(Comm *comm) {
    if (!comm->finalized) fault("destroyed before it was finalized");
    return end(comm);
}
/* Its groups still name it. */
Code ncclCommAbort(Comm *comm) {
    if (comm->aborted) fault("aborted twice");
    comm->aborted = 1;
    __sync_add_and_fetch(&aborts, 1);
    /* What is being split off ends with it. */
    if (comm->split && comm->split->ranks->joined < comm->ranks->size) end(comm->split);
    return end(comm);
}

__attribute__((destructor)) static void report(void) { fprintf(stderr, "fake nccl: %d communicators left, %d aborted\n", live, aborts); }
