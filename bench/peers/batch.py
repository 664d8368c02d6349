"""PyTorch's and CuPy's sums of float32 for `bench rows`, `columns` and `groups`, and PyTorch's selection for `bench select`.

Arguments: the table, the number of trials, then its cases: matrices as 1024x256, groups as elements/groups, selection as
elements/k or elements/median. For each library and case prints a line: the library, the case, and the microseconds of each
trial; for rows and columns by CUDA events, for groups and selection by the host's clock with a wait. For a library that is
missing or cannot do it, prints a line on standard error.
"""

import sys
import time

WARM_UP = 3


class Torch:
    def __init__(self):
        import torch

        torch.zeros(1, device="cuda")
        self.lib, self.name = torch, f"PyTorch {torch.__version__}"

    def half(self, shape):
        return self.lib.full(shape, 0.5, dtype=self.lib.float32, device="cuda")

    def empty(self, n):
        return self.lib.empty(n, dtype=self.lib.float32, device="cuda")

    def sum(self, x, axis, out):
        self.lib.sum(x, dim=axis, out=out)

    def on_device(self, call):
        start, stop = (self.lib.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e3

    def settle(self):
        self.lib.cuda.synchronize()

    def free(self):
        self.lib.cuda.empty_cache()


class Cupy:
    def __init__(self):
        import cupy

        cupy.zeros(1)
        self.lib, self.name = cupy, f"CuPy {cupy.__version__}"

    def half(self, shape):
        return self.lib.full(shape, 0.5, dtype=self.lib.float32)

    def empty(self, n):
        return self.lib.empty(n, dtype=self.lib.float32)

    def sum(self, x, axis, out):
        self.lib.sum(x, axis=axis, out=out)

    def on_device(self, call):
        start, stop = self.lib.cuda.Event(), self.lib.cuda.Event()
        start.record()
        call()
        stop.record()
        stop.synchronize()
        return self.lib.cuda.get_elapsed_time(start, stop) * 1e3

    def free(self):
        self.lib.get_default_memory_pool().free_all_blocks()


def matrix(library, axis, case, trials):
    """Sums along one axis of a matrix of halves, which are exact in float32 in any order."""
    rows, columns = map(int, case.split("x"))
    x = library.half((rows, columns))
    out = library.empty(rows if axis == 1 else columns)

    def call():
        library.sum(x, axis, out)

    for _ in range(WARM_UP):
        call()
    assert bool((out == (columns if axis == 1 else rows) / 2).all()), f"{library.name}: wrong sums of {case}"
    times = [library.on_device(call) for _ in range(trials)]
    yield library.name, times
    del x, out
    library.free()


def groups(library, case, trials):
    """index_add_ of numbers to groups by random ids, in both modes; of their maxima scatter_reduce_."""
    torch = library.lib
    n, count, *kind = case.split("/")
    n, count, kind = int(n), int(count), kind[0] if kind else "sum"
    torch.manual_seed(1)
    ids = torch.randint(count, (n,), dtype=torch.int64, device="cuda")
    if kind == "i32":
        x = torch.randint(-(2**31), 2**31 - 1, (n,), dtype=torch.int32, device="cuda")
    else:
        x = torch.rand(n, dtype=torch.float32, device="cuda")
    right = None
    if kind == "sum":
        right = torch.zeros(count, dtype=torch.float64, device="cuda")
        step = 1 << 26
        for first in range(0, n, step):
            right.index_add_(0, ids[first : first + step], x[first : first + step].double())
    name = "scatter_reduce_" if kind == "max" else "index_add_"
    for mode in ("default", "deterministic") if kind == "sum" else ("default",):
        torch.use_deterministic_algorithms(mode == "deterministic")

        def call():
            out = torch.zeros(count, dtype=x.dtype, device="cuda")
            if kind == "max":
                out.scatter_reduce_(0, ids, x, "amax")
            else:
                out.index_add_(0, ids, x)
            library.settle()
            return out

        try:
            for _ in range(WARM_UP):
                out = call()
            if right is not None:
                # One float32 per group gets up to n / count additions: the error is a loop's, not a tree's.
                worst = float(((out.double() - right).abs() / right.clamp(min=1)).max())
                assert worst < 1e-2, f"{name}, {mode}: off by {worst} of {case}"
            times = []
            for _ in range(trials):
                start = time.perf_counter()
                call()
                times.append((time.perf_counter() - start) * 1e6)
            yield f"{library.name}, {name}, {mode}", times
        except Exception as error:
            print(f"{library.name}, {name}, {mode}, {case}: {error}", file=sys.stderr)
        finally:
            torch.use_deterministic_algorithms(False)
    del x, ids, right
    library.free()


def select(library, case, trials):
    """topk, or median and kthvalue, of numbers in [0, 1)."""
    torch = library.lib
    n, what = case.split("/")
    n = int(n)
    torch.manual_seed(1)
    x = torch.rand(n, dtype=torch.float32, device="cuda")
    if what == "median":
        middle = (n + 1) // 2
        right = torch.sort(x).values[middle - 1]
        calls = {"median": lambda: torch.median(x), "kthvalue": lambda: torch.kthvalue(x, middle).values}
    else:
        k = int(what)
        right = torch.sort(x).values[n - k :].flip(0)
        calls = {"topk": lambda: torch.topk(x, k).values}
    library.free()
    for name, find in calls.items():
        try:
            for _ in range(WARM_UP):
                found = find()
            assert bool((found == right).all()), "other elements than a sort's"
            times = []
            for _ in range(trials):
                library.settle()
                start = time.perf_counter()
                find()
                library.settle()
                times.append((time.perf_counter() - start) * 1e6)
            yield f"{library.name}, {name}", times
        except Exception as error:
            print(f"{library.name}, {name}, {case}: {error}", file=sys.stderr)
    del x, right
    library.free()


# The libraries and the function for each table.
TABLES = {
    "rows": ((Torch, Cupy), lambda library, case, trials: matrix(library, 1, case, trials)),
    "columns": ((Torch, Cupy), lambda library, case, trials: matrix(library, 0, case, trials)),
    "groups": ((Torch,), groups),
    "select": ((Torch,), select),
}

if len(sys.argv) < 4 or sys.argv[1] not in TABLES:
    sys.exit(f"usage: batch.py {'|'.join(TABLES)} TRIALS CASES...")
libraries, measure = TABLES[sys.argv[1]]
for open_library in libraries:
    try:
        library = open_library()
    except Exception as error:
        print(f"{open_library.__name__}: {error}", file=sys.stderr)
        continue
    for case in sys.argv[3:]:
        try:
            for name, times in measure(library, case, int(sys.argv[2])):
                print(name, case, *(f"{time:.2f}" for time in times), sep="\t", flush=True)
        except Exception as error:
            print(f"{library.name}, {case}: {error}", file=sys.stderr)
