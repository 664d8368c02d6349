"""Times calls beside NumPy's and SciPy's, which have one thread, on one thread and on all: a table in Markdown. `python tests/bench.py [ELEMENTS]`"""

import math
import platform
import sys
import timeit

import numpy as np
import scipy
import scipy.special
import warpfold as wf


def best(call):
    """Microseconds of one call: the least of twenty rounds of five milliseconds, or of five of one call."""
    timer = timeit.Timer(call)
    number = max(1, int(0.005 / min(timer.repeat(3, 1))))
    return min(timer.repeat(20 if number > 1 else 5, number)) / number * 1e6


def rows(n):
    random = np.random.default_rng(0)
    x = random.standard_normal(n).astype("float32")
    columns = 1 << (n.bit_length() // 2)
    matrix, ids = x[: n // columns * columns].reshape(-1, columns), random.integers(0, 1000, n)
    integers = random.integers(0, 256, n).astype("uint8")
    offsets = np.linspace(0, n, 1001).astype("int64")
    few = x[:16].copy()
    return [
        ("sum of 16", lambda: np.sum(few), lambda: wf.sum(few)),
        ("max of 16", lambda: np.max(few), lambda: wf.max(few)),
        ("cumsum of 16", lambda: np.cumsum(few), lambda: wf.cumsum(few)),
        ("sort of 16", lambda: np.sort(few), lambda: wf.sort(few)),
        ("topk of 16, 3", lambda: np.sort(few)[-3:], lambda: wf.topk(few, 3)),
        ("count of 16", lambda: np.count_nonzero(few), lambda: wf.count(few)),
        ("sum", lambda: np.sum(x), lambda: wf.sum(x)),
        ("sum, every second element", lambda: np.sum(x[::2]), lambda: wf.sum(x[::2])),
        ("sum of uint8", lambda: np.sum(integers), lambda: wf.sum(integers)),
        ("sum of rows", lambda: np.sum(matrix, 1), lambda: wf.sum(matrix, 1)),
        ("sum of columns", lambda: np.sum(matrix, 0), lambda: wf.sum(matrix, 0)),
        ("var", lambda: np.var(x), lambda: wf.var(x)),
        ("max", lambda: np.max(x), lambda: wf.max(x)),
        ("argmax", lambda: np.argmax(x), lambda: wf.argmax(x)),
        ("cumsum", lambda: np.cumsum(x), lambda: wf.cumsum(x)),
        ("cumsum of columns", lambda: np.cumsum(matrix, 0), lambda: wf.cumsum(matrix, 0)),
        ("sort", lambda: np.sort(x), lambda: wf.sort(x)),
        ("argsort, stable", lambda: np.argsort(x, kind="stable"), lambda: wf.argsort(x)),
        ("median", lambda: np.median(x), lambda: wf.median(x)),
        ("segments, 1000: np.add.reduceat", lambda: np.add.reduceat(x, offsets[:-1]), lambda: wf.segment_reduce("sum", x, offsets)),
        ("groups, 1000: np.bincount with weights", lambda: np.bincount(ids, x, 1000), lambda: wf.group_reduce("sum", ids, x, 1000)),
        ("histogram, 100 bins", lambda: np.histogram(x, 100, (-3, 3)), lambda: wf.histogram(x, 100, (-3, 3))),
        ("softmax of rows: scipy", lambda: scipy.special.softmax(matrix, 1), lambda: wf.softmax(matrix)),
        ("logsumexp: scipy", lambda: scipy.special.logsumexp(x), lambda: wf.logsumexp(x)),
        ("exact_sum: math.fsum", lambda: math.fsum(x[:100_000]), lambda: wf.exact_sum(x[:100_000])),
    ]


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 22
    print(f"{n} float32, {platform.machine()}, Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}\n")
    wf.set_threads(0)
    print(f"Microseconds; all are {wf.threads()} threads.\n")
    print("| call | NumPy or SciPy | warpfold, one thread | warpfold, all |\n|---|---|---|---|")
    for name, theirs, ours in rows(n):
        times = [best(theirs)]
        for threads in (1, 0):
            wf.set_threads(threads)
            times.append(best(ours))
        print(f"| {name} | {' | '.join(f'{time:.3g}' if time < 1000 else f'{time:.0f}' for time in times)} |", flush=True)


if __name__ == "__main__":
    main()
