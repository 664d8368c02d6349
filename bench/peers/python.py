"""NumPy and polars for `bench operations --peers`. Prints its versions, as {"NumPy": "2.4.6", "polars": null}. Then replies with
one line of JSON to each input line:

{"type": "f32", "n": 1000}                         generates the data: {}
{"who": "NumPy", "op": "sum", "reps": 10}          10 calls: {"answer": "499.2", "microseconds": 1.5} per call

A failure is {"failed": "why"}."""

import json
import os
import sys
import time

# Comparisons are of one thread with one thread.
os.environ["POLARS_MAX_THREADS"] = "1"

try:
    import numpy as np
except ImportError:
    sys.exit(3)  # `bench` says what is missing
try:
    import polars as pl
except ImportError:
    pl = None

MAKERS = {
    "f32": (np.float32, lambda bits: (bits >> np.uint64(40)).astype(np.float32) / np.float32(1 << 24)),
    "f64": (np.float64, lambda bits: (bits >> np.uint64(11)).astype(np.float64) / np.float64(1 << 53)),
    "i32": (np.int32, lambda bits: (bits >> np.uint64(32)).astype(np.uint32).view(np.int32)),
    "u32": (np.uint32, lambda bits: (bits >> np.uint64(32)).astype(np.uint32)),
    "i64": (np.int64, lambda bits: bits.view(np.int64)),
    "u64": (np.uint64, lambda bits: bits),
}


def data(kind, n):
    """The same elements as in datum.rs, from SplitMix64's output."""
    dtype, make = MAKERS[kind]
    x = np.empty(n, dtype)
    for start in range(0, n, 1 << 16):
        i = np.arange(start + 1, min(n, start + (1 << 16)) + 1, dtype=np.uint64)
        i *= np.uint64(0x9E3779B97F4A7C15)
        i = (i ^ (i >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        i = (i ^ (i >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        i ^= i >> np.uint64(31)
        x[start : start + len(i)] = make(i)
    return x


def calls(x):
    """Each library's function for each operator, on its own array of `x`."""
    table = {("NumPy", "sum"): x.sum, ("NumPy", "max"): x.max, ("NumPy", "argmax"): x.argmax}
    if pl is not None:
        series = pl.Series(x)
        table |= {
            ("polars", "sum"): series.sum,
            ("polars", "max"): series.max,
            ("polars", "argmax"): series.arg_max,
        }
    return table


def timed(call, reps):
    """Microseconds per call of `reps` calls one after another, after an untimed one."""
    if reps > 1:
        call()
    start = time.perf_counter()
    for _ in range(reps):
        answer = call()
    microseconds = (time.perf_counter() - start) * 1e6 / reps
    exact = repr(float(answer)) if isinstance(answer, (float, np.floating)) else str(int(answer))
    return {"answer": exact, "microseconds": microseconds}


def say(answer):
    print(json.dumps(answer), flush=True)


table = {}
say({"NumPy": np.__version__, "polars": pl and pl.__version__})
for line in sys.stdin:
    asked = json.loads(line)
    try:
        if "type" in asked:
            table = {}  # frees the data before
            table = calls(data(asked["type"], asked["n"]))
            say({})
        else:
            say(timed(table[asked["who"], asked["op"]], asked["reps"]))
    except Exception as failure:
        say({"failed": repr(failure)})
