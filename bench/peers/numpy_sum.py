"""NumPy's f32 sum for `bench cpu`: argument: the number of elements. Says {"numpy", "sum"} when the data is
there, then for each line with a number of calls on its input {"microseconds"} per call."""

import json
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.exit(3)  # `bench` says what is missing


def data(n):
    """The same elements as datum.rs: the upper 24 bits of SplitMix64's output, scaled to [0, 1)."""
    x = np.empty(n, np.float32)
    for start in range(0, n, 1 << 20):
        i = np.arange(start + 1, min(n, start + (1 << 20)) + 1, dtype=np.uint64)
        i *= np.uint64(0x9E3779B97F4A7C15)
        i = (i ^ (i >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        i = (i ^ (i >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        i ^= i >> np.uint64(31)
        x[start : start + len(i)] = (i >> np.uint64(40)).astype(np.float32) / np.float32(1 << 24)
    return x


def say(answer):
    print(json.dumps(answer), flush=True)


x = data(int(sys.argv[1]))
say({"numpy": np.__version__, "sum": float(x.sum())})
for line in sys.stdin:
    reps = int(line)
    start = time.perf_counter()
    for _ in range(reps):
        x.sum()
    say({"microseconds": (time.perf_counter() - start) * 1e6 / reps})
