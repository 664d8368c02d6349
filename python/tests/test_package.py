import copy
import math
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import warpfold as wf
from arrays import bits, values
from warpfold.exact import Moments, Sum


def python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parent).stdout


@pytest.mark.parametrize("page", ["docs/python.md", "python/README.md"])
def test_examples_of_pages_run(page):
    text = (Path(__file__).parents[2] / page).read_text()
    programs = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    assert programs
    for program in programs:
        exec(program, {})


def test_import_is_fast_and_without_numpy():
    times = [
        float(python("import sys, time; t = time.process_time(); import warpfold; print(time.process_time() - t); assert 'numpy' not in sys.modules"))
        for _ in range(3)
    ]
    assert min(times) < 0.05, times


def test_threads_change_no_bit():
    x, ids = values(3_000_000, "float32"), np.random.default_rng(0).integers(0, 1000, 3_000_000)
    before, results = wf.threads(), []
    try:
        for threads in (1, 2, 3, 7):
            wf.set_threads(threads)
            assert wf.threads() == threads
            results.append([
                bits(wf.sum(x)), bits(wf.var(x.reshape(-1, 1000), axis=0)), bits(wf.cumsum(x)), bits(wf.sort(x)),
                bits(wf.group_reduce("sum", ids, x, 1000)), bits(wf.softmax(x.reshape(-1, 1000))), Sum(x).encode(), bits(wf.median(x)),
            ])
    finally:
        wf.set_threads(before)
    assert all(result == results[0] for result in results)


def test_the_gil_is_released():
    x = values(20_000_000, "float64")
    steps, ends = [], threading.Event()

    def count():
        while not ends.is_set():
            steps.append(1)
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = len(steps)
        wf.median(x)
        during = len(steps) - before
    finally:
        ends.set()
        thread.join()
    assert during > 2


def test_calls_from_threads():
    x, found = values(100_000, "float64"), []
    threads = [threading.Thread(target=lambda: found.append([wf.sum(x).tobytes() for _ in range(20)])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({result for results in found for result in results}) == 1 and len(found) == 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_the_same_bits():
    x = values(2_000_000, "float32")
    expected = wf.sum(x).tobytes()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, wf.sum(x).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 4) == expected


def test_results_outlive_their_arguments_and_are_writeable():
    result = wf.cumsum(values(1000, "int64"))
    copied = result.copy()
    result += 1
    assert np.array_equal(result, copied + 1) and result.flags.c_contiguous


def test_arguments_are_not_kept():
    x = values(1000, "float64")
    before = sys.getrefcount(x)
    for _ in range(10):
        wf.sum(x), wf.sort(x[::2]), wf.softmax(x.reshape(10, 100), axis=0)
        with pytest.raises(ValueError):
            wf.sum(x, axis=3)
    assert sys.getrefcount(x) == before


@pytest.mark.parametrize(
    "kind, call",
    [
        (ValueError, lambda: wf.sum([1.0], axis=1)),
        (IndexError, lambda: wf.sum([[1.0]], axis=-3)),
        (np.exceptions.AxisError, lambda: wf.softmax([1.0], axis=1)),
        (np.exceptions.AxisError, lambda: wf.sum(1.0, axis=0)),
        (np.exceptions.AxisError, lambda: wf.sort(np.float64(1.0))),
        (ValueError, lambda: wf.sum([[1.0]], axis=(0, -2))),
        (TypeError, lambda: wf.sum([1.0], axis=0.5)),
        (TypeError, lambda: wf.sum(["a"])),
        (TypeError, lambda: wf.sum([1j])),
        (TypeError, lambda: wf.sum(np.zeros(2, "float16"))),
        (TypeError, lambda: wf.sum(np.zeros(2, "uint64"))),
        (TypeError, lambda: wf.sum(None)),
        (TypeError, lambda: wf.sum(np.zeros(2, "datetime64[s]"))),
        (ValueError, lambda: wf.reduce("median", [1.0])),
        (ValueError, lambda: wf.reduce("norm2", [1])),
        (ValueError, lambda: wf.var([1.0], ddof=2)),
        (ValueError, lambda: wf.dot([[1.0]], [[1.0]])),
        (ValueError, lambda: wf.dot([1.0], [1.0, 2.0])),
        (TypeError, lambda: wf.dot([1.0], [1])),
        (ValueError, lambda: wf.sum(np.zeros((1,) * 9))),
        (OverflowError, lambda: wf.set_threads(-1)),
        (MemoryError, lambda: wf.sum(np.broadcast_to(np.float32(0), (2**56, 2)), axis=1)),
        (MemoryError, lambda: wf.group_reduce("sum", [0], [1.0], 2**60)),
    ],
)
def test_errors_are_of_the_expected_kinds(kind, call):
    with pytest.raises(kind):
        call()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int16"])
def test_exact_states_merge_and_are_pickled(dtype):
    x = values((30, 100), dtype)
    for State in (Sum, Moments):
        whole, parts = State(x), State(x[20:]) + State(x[:7]) + State(x[7:20, ::-1])
        assert whole == parts and whole.encode() == parts.encode() and hash(whole) == hash(parts)
        assert parts - State(x[:7]) == State(x[7:]) != whole
        assert pickle.loads(pickle.dumps(whole)) == whole == copy.deepcopy(whole) == State.decode(whole.encode())
        assert whole.count == 3000 and "3000" in repr(whole)
    if dtype.startswith("float"):
        assert wf.exact_sum(x) == np.dtype(dtype).type(math.fsum(x.ravel()))
        assert np.isclose(Moments(x).sample_std_dev, np.std(x.astype("float64"), ddof=1))
    else:
        assert Sum(x).value == sum(int(value) for value in x.ravel())
        assert Moments(x).variance == wf.var(x)


def test_errors_of_exact_states():
    assert Sum(np.zeros(0)).mean is None
    for call in [lambda: Sum([1.0]) + Sum([1]), lambda: Sum([1.0]) + Moments([1.0]), lambda: Sum(np.zeros(1, "uint64"))]:
        with pytest.raises(TypeError):
            call()
    for bytes in (b"", b"nothing", Moments([1.0]).encode(), Sum([1.0]).encode() + b"0"):
        with pytest.raises(ValueError):
            Sum.decode(bytes)
