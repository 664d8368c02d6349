"""PyTorch's and CuPy's sums of the rows of a float32 matrix, for `bench rows`; arguments: trials, then shapes as 1024x256.

For each library and shape prints a line: name, rows, columns, and the microseconds of each trial by CUDA events. A library
that is missing has one line on the standard error.
"""

import sys


def torch_sums():
    import torch

    def measure(rows, columns, trials):
        x = torch.full((rows, columns), 0.5, dtype=torch.float32, device="cuda")
        out = torch.empty(rows, dtype=torch.float32, device="cuda")
        for _ in range(3):
            torch.sum(x, dim=1, out=out)
        assert bool((out == columns / 2).all())
        times = []
        for _ in range(trials):
            start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            torch.sum(x, dim=1, out=out)
            stop.record()
            stop.synchronize()
            times.append(start.elapsed_time(stop) * 1e3)
        return times

    return f"PyTorch {torch.__version__}", measure


def cupy_sums():
    import cupy

    def measure(rows, columns, trials):
        x = cupy.full((rows, columns), 0.5, dtype=cupy.float32)
        out = cupy.empty(rows, dtype=cupy.float32)
        for _ in range(3):
            cupy.sum(x, axis=1, out=out)
        assert bool((out == columns / 2).all())
        times = []
        for _ in range(trials):
            start, stop = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            cupy.sum(x, axis=1, out=out)
            stop.record()
            stop.synchronize()
            times.append(cupy.cuda.get_elapsed_time(start, stop) * 1e3)
        del x, out
        cupy.get_default_memory_pool().free_all_blocks()
        return times

    return f"CuPy {cupy.__version__}", measure


trials = int(sys.argv[1])
shapes = [tuple(map(int, shape.split("x"))) for shape in sys.argv[2:]]
for library in (torch_sums, cupy_sums):
    try:
        name, measure = library()
    except Exception as error:
        print(f"{library.__name__}: {error}", file=sys.stderr)
        continue
    for rows, columns in shapes:
        times = measure(rows, columns, trials)
        print(name, rows, columns, *(f"{time:.2f}" for time in times), sep="\t", flush=True)
