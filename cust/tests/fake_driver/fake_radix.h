/* The kernels that sort by digits, by the obvious loops. Nobody needs what tiles tell each other; that it is 0 in front of a launch
   that moves keys is checked, as is that nothing is counted twice. */

static void count_radix(uint64_t *a, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes * 256 + 2; i++)
        if (integer(a[4], 8, i)) fault("counted something before the launch");
    Wide before = 0;
    for (uint64_t i = 0; i < a[1]; i++) {
        Wide key = coded(key_at(a[0], bytes, i), a[3], bytes, 0);
        for (uint64_t p = 0; p < bytes; p++) {
            uint64_t at = p * 256 + (uint64_t)(key >> 8 * p & 255);
            put_integer(a[4], 8, at, integer(a[4], 8, at) + 1);
        }
        if (i && key < before) put_integer(a[4], 8, bytes * 256, 1);
        if (i && key >= before) put_integer(a[4], 8, bytes * 256 + 1, 1);
        before = key;
    }
}

/* A bit for each digit in which keys differ, one if they ascend, and one if they strictly descend. */
static void start_radix(uint64_t *a, uint64_t bytes) {
    uint64_t route = integer(a[3], 8, 0);
    if (route) fault("a route before the launch");
    for (uint64_t p = 0; p < bytes; p++) {
        uint64_t sum = 0, differs = 1;
        for (uint64_t d = 0; d < 256; d++) {
            uint64_t count = integer(a[0], 8, p * 256 + d);
            if (count == a[1]) differs = 0;
            put_integer(a[2], 8, p * 256 + d, sum), sum += count;
        }
        if (sum != a[1]) fault("not all keys are counted");
        route |= differs << p;
    }
    for (int order = 0; order < 2; order++)
        if (!integer(a[0], 8, bytes * 256 + order)) route |= 256 << order;
    put_integer(a[3], 8, 0, route);
}

static void clear(uint64_t at, uint64_t words, int value) { touch((char *)at, words * 4), memset((char *)at, value, words * 4); }

static void move_radix(uint64_t *a, uint64_t bytes, uint64_t beside, uint64_t threads, uint64_t blocks) {
    uint64_t len = a[8], first = a[9], count = a[10], pass = a[12], words = a[19], route = integer(a[15], 8, 0);
    uint64_t items = bytes > 4 && !beside ? 11 : bytes > 4 || beside > 4 ? 14 : 24;
    if (threads != (bytes > 4 && !beside ? 512 : 384) || blocks != (count + items * threads - 1) / (items * threads)) fault("an odd pass");
    if (words < 32 + 256 * blocks || first + count > len || (a[13] + 1 < a[14]) != (a[17] != 0)) fault("an odd part of a pass");
    int copies = route >> 8 != 0, backwards = copies && !(route & 256);
    if (copies ? pass : !(route >> pass & 1)) return;
    uint64_t before = copies ? 0 : __builtin_popcount(route & ((1 << pass) - 1)), after = copies ? 0 : __builtin_popcount((route & 255) >> pass >> 1);
    uint64_t half = copies ? 0 : (before * a[14] + a[13]) % 2, told = a[18] + half * words * 4;
    for (uint64_t i = 0; !copies && i < 32 + 256 * blocks; i++)
        if (integer(told, 4, i)) fault("tiles were told something before the launch");
    if (!copies) clear(told, words, 1), clear(a[18] + !half * words * 4, words, 0);
    uint64_t odd = after % 2, keys = before ? a[odd ? 1 : 2] : a[0], to = a[odd ? 2 : 1];
    uint64_t values = before ? a[odd ? 4 : 5] : a[3], values_to = a[odd ? 5 : 4], starts[256];
    if (keys == to || (beside && values == values_to)) fault("a pass in place");
    for (uint64_t d = 0; d < 256; d++) starts[d] = integer(a[16], 8, d);
    for (uint64_t i = first; i < first + count; i++) {
        Wide key = key_at(keys, bytes, i);
        if (!before) key = coded(key, a[11], bytes, 0);
        uint64_t place = copies ? backwards ? len - 1 - i : i : starts[key >> 8 * pass & 255]++;
        if (after || a[7]) put_key(to, bytes, place, after ? key : coded(key, a[11], bytes, 1));
        if (!beside) continue;
        uint64_t value = values ? integer(values, beside, i) : i;
        if (!after && a[6]) put_integer(a[6], 8, place, value);
        else put_integer(values_to, beside, place, value);
    }
    for (uint64_t d = 0; a[17] && !copies && d < 256; d++) put_integer(a[17], 8, d, starts[d]);
}

static void radix(Work w) {
    uint64_t bytes = (uint64_t)w.function->word & 255;
    if (w.kind == RADIX_COUNT) count_radix(w.a, bytes);
    if (w.kind == RADIX_START) start_radix(w.a, w.blocks);
    if (w.kind == RADIX_MOVE) move_radix(w.a, bytes, (uint64_t)w.function->word >> 8, w.threads, w.blocks);
}
