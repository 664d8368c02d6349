/* The kernels that sort, block by block in order, each by the obvious loop. */

typedef unsigned __int128 Wide;

static Wide key_at(uint64_t at, uint64_t bytes, uint64_t i) {
    Wide key = 0;
    touch((char *)at + i * bytes, bytes);
    memcpy(&key, (char *)at + i * bytes, bytes);
    return key;
}

static void put_key(uint64_t at, uint64_t bytes, uint64_t i, Wide key) {
    touch((char *)at + i * bytes, bytes);
    memcpy((char *)at + i * bytes, &key, bytes);
}

/* Between elements and keys: 1 for signed integers, 2 for floats, and 4 if the greatest comes first. From the eighth bit on: how many
   bits the mantissa of floats has whose NaNs are all greater than the numbers, so that the keys of those with a sign wrap round. */
static Wide coded(Wide key, uint64_t coding, uint64_t bytes, int back) {
    Wide all = ~(Wide)0 >> (128 - 8 * bytes), sign = (Wide)1 << (8 * bytes - 1), turned = ((Wide)1 << (coding >> 8)) - 1;
    if (back && coding & 4) key ^= all;
    if (back) key = (key + turned) & all;
    if (coding & 3) key ^= coding & 2 && !(key & sign) == back ? all : sign;
    if (!back) key = (key - turned) & all;
    return !back && coding & 4 ? key ^ all : key;
}

typedef struct { uint64_t start, len, tile, even; Wide least, greatest; } Segment;

static Segment segment_at(uint64_t records, uint64_t number, uint64_t len, uint64_t bytes) {
    if (!records) return (Segment){0, len, 0, 0, 0, ~(Wide)0 >> (128 - 8 * bytes)};
    Segment segment;
    touch((char *)records + number * sizeof segment, sizeof segment);
    memcpy(&segment, (char *)records + number * sizeof segment, sizeof segment);
    return segment;
}

static uint64_t tile_of(uint64_t bytes) { return 256 * (bytes <= 4 ? 16 : bytes == 8 ? 8 : 4); }

static int by_key(const void *a, const void *b) {
    Wide left = *(const Wide *)a, right = *(const Wide *)b;
    return (left > right) - (left < right);
}

static void find_bounds(uint64_t *a, uint64_t bytes, uint64_t blocks) {
    for (uint64_t s = 0; s < blocks; s++) {
        Segment segment = segment_at(a[3], s, a[1], bytes);
        Wide bounds[256], range = segment.greatest - segment.least;
        for (uint64_t i = 0; i < 256; i++) bounds[i] = coded(key_at(a[0], bytes, segment.start + i * segment.len / 256), a[2], bytes, 0);
        qsort(bounds, 256, sizeof *bounds, by_key);
        for (uint64_t i = 255; i > 0; i--) bounds[i] += bounds[i] == bounds[i - 1] && bounds[i] < segment.greatest;
        for (uint64_t i = 0; segment.even && i < 256; i++) bounds[i] = segment.least + ((range / 256 + 1) * (i + 1) < range ? (range / 256 + 1) * (i + 1) : range);
        for (uint64_t i = 0; i < 255; i++) put_key(a[4], bytes, s * 255 + i, bounds[i]);
    }
}

/* Counts, or moves if `out` is not 0. */
static void split(uint64_t *a, uint64_t bytes, uint64_t blocks, uint64_t out) {
    uint64_t size = tile_of(bytes);
    for (uint64_t t = 0; t < blocks; t++) {
        uint64_t number = a[5] ? integer(a[5], 4, t) : 0, counts[256] = {0};
        Segment segment = segment_at(a[3], number, a[1], bytes);
        uint64_t own = t - segment.tile, tiles = (segment.len + size - 1) / size, first = segment.tile * 256;
        if (number >= a[4] || own >= tiles) fault("a tile of no segment");
        for (uint64_t i = own * size; i < segment.len && i < (own + 1) * size; i++) {
            uint64_t bucket = 0, place = segment.start + i;
            Wide key = coded(key_at(a[0], bytes, place), a[2], bytes, 0);
            if (!out) {
                while (bucket < 255 && key_at(a[6], bytes, number * 255 + bucket) <= key) bucket++;
                put_integer(a[7], 1, place, bucket), counts[bucket]++;
                continue;
            }
            bucket = integer(a[6], 1, place);
            uint64_t to = segment.start + integer(a[7], 8, first + bucket * tiles + own) - integer(a[7], 8, first) + counts[bucket]++;
            put_key(out, bytes, to, key);
            if (a[11]) put_integer(a[10], a[11], to, a[9] ? integer(a[9], a[11], place) : place);
        }
        for (uint64_t b = 0; !out && b < 256; b++) put_integer(a[8], 8, first + b * tiles + own, counts[b]);
    }
}

static void add_leaf(uint64_t *a, uint64_t start, uint64_t len, uint64_t bits, Wide least) {
    uint64_t at = integer(a[10], 8, 2), record[5] = {start, len, bits, (uint64_t)least, (uint64_t)(least >> 64)};
    for (int i = 0; i < 5; i++) put_integer(a[9], 8, 5 * at + i, record[i]);
    put_integer(a[10], 8, 2, at + 1);
}

static void list(uint64_t *a, uint64_t blocks) {
    for (uint64_t i = 0; i < 3; i++)
        if (integer(a[10], 8, i)) fault("counted something before the launch");
    for (uint64_t s = 0; s < blocks; s++) {
        Segment segment = segment_at(a[3], s, a[0], a[1]);
        uint64_t tiles = (segment.len + a[2] - 1) / a[2], first = segment.tile * 256;
        if (integer(a[6], 8, a[4] * 256) < segment.len) fault("the counts are not summed up");
        uint64_t joined = 0, begin = 0;
        for (uint64_t b = 0; b < 257; b++) {
            if (b == 256) {
                if (joined) add_leaf(a, begin, joined, 128, segment.least);
                continue;
            }
            uint64_t from = integer(a[6], 8, first + b * tiles), len = integer(a[6], 8, first + (b + 1) * tiles) - from;
            uint64_t start = segment.start + from - integer(a[6], 8, first);
            Wide least = b ? key_at(a[5], a[1], s * 255 + b - 1) : segment.least, greatest = b < 255 ? key_at(a[5], a[1], s * 255 + b) - 1 : segment.greatest;
            int alone = len > a[2] || (greatest == least && len > a[2] / 2);
            if (joined && (alone || joined + len > a[2])) add_leaf(a, begin, joined, 128, segment.least), joined = 0;
            if (!joined) begin = start;
            if (!alone) { joined += len; continue; }
            if (greatest == least) add_leaf(a, start, len, 0, least);
            else {
                uint64_t number = integer(a[10], 8, 0), tile = integer(a[10], 8, 1), more = (len + a[2] - 1) / a[2];
                Segment next = {start, len, tile, len > segment.len / 4, least, greatest};
                touch((char *)a[7] + number * sizeof next, sizeof next);
                memcpy((char *)a[7] + number * sizeof next, &next, sizeof next);
                for (uint64_t i = 0; i < more; i++) put_integer(a[8], 4, tile + i, number);
                put_integer(a[10], 8, 0, number + 1), put_integer(a[10], 8, 1, tile + more);
            }
        }
    }
}

static void finish_leaves(uint64_t *a, uint64_t bytes, uint64_t blocks) {
    for (uint64_t l = 0; l < blocks; l++) {
        uint64_t start = a[3] ? integer(a[3], 8, 5 * l) : 0, len = a[3] ? integer(a[3], 8, 5 * l + 1) : a[1];
        if (len > tile_of(bytes) && (!a[3] || integer(a[3], 8, 5 * l + 2))) fault("a leaf of more than a tile");
        Wide *keys = malloc(len * sizeof *keys);
        uint64_t *places = malloc(len * sizeof *places), at;
        for (uint64_t i = 0; i < len; i++) {
            Wide key = coded(key_at(a[0], bytes, start + i), a[2], bytes, 0);
            for (at = i; at && keys[at - 1] > key; at--) keys[at] = keys[at - 1], places[at] = places[at - 1];
            keys[at] = key, places[at] = start + i;
        }
        for (uint64_t i = 0; i < len; i++) {
            if (a[4]) put_key(a[4], bytes, start + i, coded(keys[i], a[5], bytes, 1));
            if (a[9]) put_integer(a[8], a[9], start + i, a[6] ? integer(a[6], a[7], places[i]) : places[i]);
        }
        free(keys), free(places);
    }
}

static void sort(Work w) {
    uint64_t bytes = (uint64_t)w.function->word;
    if (w.threads != 256) fault("a sort's block has 256 threads");
    if (w.kind == PIVOTS) find_bounds(w.a, bytes, w.blocks);
    if (w.kind == BUCKETS) split(w.a, bytes, w.blocks, 0);
    if (w.kind == SPLIT) split(w.a, bytes, w.blocks, w.a[8]);
    if (w.kind == LISTS) list(w.a, w.blocks);
    if (w.kind == LEAVES) finish_leaves(w.a, bytes, w.blocks);
}
