"""Times calls on a GPU beside PyTorch's, by default and deterministic, and CuPy's: a table in Markdown."""

import time

import torch
import warpfold as wf
import warpfold.torch as wt

try:
    import cupy
except ImportError:
    cupy = None


def best(call):
    """Milliseconds of one call on the device, by events: the least of five rounds of some calls, or what is raised."""
    try:
        call()
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        number = max(1, min(50, int(0.03 / (time.perf_counter() - start))))
        times = []
        for _ in range(5):
            events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            events[0].record()
            for _ in range(number):
                call()
            events[1].record()
            events[1].synchronize()
            times.append(events[0].elapsed_time(events[1]) / number)
        return f"{min(times):.3g}"
    except Exception as error:
        torch.cuda.synchronize()
        return type(error).__name__


def deterministic(call):
    def run():
        torch.use_deterministic_algorithms(True)
        try:
            return call()
        finally:
            torch.use_deterministic_algorithms(False)

    return run


def rows():
    device = "cuda"
    yield from of("sum of 2^28", torch.randn(1 << 28, device=device), lambda x: (lambda: wf.sum(x), lambda: x.sum(), "sum"))
    matrix = torch.randn(1 << 14, 1 << 14, device=device)
    yield from of("sum of rows of 2^14", matrix, lambda x: (lambda: wf.sum(x, 1), lambda: x.sum(1), lambda m, y: m.sum(y, 1)))
    yield from of("sum of columns of 2^14", matrix, lambda x: (lambda: wf.sum(x, 0), lambda: x.sum(0), lambda m, y: m.sum(y, 0)))
    del matrix
    x = torch.randn(1 << 26, device=device)
    yield from of("cumsum of 2^26", x, lambda x: (lambda: wt.cumsum(x, 0), lambda: x.cumsum(0), "cumsum"))
    for groups in (1000, 1_000_000):
        ids, zeros = torch.randint(groups, (1 << 26,), device=device), torch.zeros(groups, device=device)
        ours, theirs = lambda: wt.index_add(zeros, 0, ids, x), lambda: zeros.index_add(0, ids, x)
        both = None if cupy is None else (cupy.from_dlpack(ids), cupy.from_dlpack(zeros), cupy.from_dlpack(x))
        of_cupy = None if both is None else lambda: cupy.add.at(both[1].copy(), both[0], both[2])
        yield f"index_add of 2^26 to {groups}", ours, theirs, of_cupy
    yield from of("sort of 2^26", x, lambda x: (lambda: wf.sort(x), lambda: x.sort(stable=True), "sort"))
    yield from of("argsort of 2^26", x, lambda x: (lambda: wf.argsort(x), lambda: x.argsort(stable=True), "argsort"))
    yield from of("median of 2^26", x, lambda x: (lambda: wf.median(x), lambda: x.median(), "median"))
    yield from of("histogram of 2^26, 100 bins", x, lambda x: (lambda: wf.histogram(x, 100, (-3, 3)), lambda: torch.histc(x, 100, -3, 3), lambda m, y: m.histogram(y, 100, (-3, 3))))
    x = torch.randn(65536, 4096, device=device)
    yield from of("softmax of 65536 x 4096", x, lambda x: (lambda: wt.softmax(x, 1), lambda: x.softmax(1), None))
    yield from of("logsumexp of 65536 x 4096", x, lambda x: (lambda: wt.logsumexp(x, 1), lambda: x.logsumexp(1), None))
    weight = torch.randn(4096, device=device)
    yield from of("layer_norm of 65536 x 4096", x, lambda x: (lambda: wt.layer_norm(x, weight, weight), lambda: torch.nn.functional.layer_norm(x, (4096,), weight, weight), None))
    yield from of("rms_norm of 65536 x 4096", x, lambda x: (lambda: wt.rms_norm(x, weight), lambda: torch.nn.functional.rms_norm(x, (4096,), weight), None))
    x = torch.randn(1024, 128256, device=device)
    yield from of("topk of 1024 x 128256, k 50", x, lambda x: (lambda: wt.topk(x, 50), lambda: x.topk(50), None))
    x = torch.randn(1024, device=device)
    yield from of("sum of 1024, a call", x, lambda x: (lambda: wf.sum(x), lambda: x.sum(), "sum"))
    yield from of("cumsum of 1024, a call", x, lambda x: (lambda: wf.cumsum(x), lambda: x.cumsum(0), "cumsum"))
    x = x.reshape(32, 32)
    yield from of("softmax of 32 x 32, a call", x, lambda x: (lambda: wf.softmax(x), lambda: x.softmax(1), None))


def of(name, x, calls):
    ours, theirs, cupys = calls(x)
    if cupy is not None and cupys is not None:
        y = cupy.from_dlpack(x)
        yield name, ours, theirs, (lambda: getattr(cupy, cupys)(y)) if isinstance(cupys, str) else (lambda: cupys(cupy, y))
    else:
        yield name, ours, theirs, None


def main():
    cupys = cupy and f", CuPy {cupy.__version__}"
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}{cupys}, float32, ms\n")
    print("| call | warpfold | PyTorch | PyTorch, deterministic | CuPy |\n|---|---|---|---|---|")
    for name, ours, theirs, of_cupy in rows():
        found = [best(ours), best(theirs), best(deterministic(theirs)), best(of_cupy) if of_cupy else ""]
        print(f"| {name} | {' | '.join(found)} |", flush=True)


if __name__ == "__main__":
    main()
