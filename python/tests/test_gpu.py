"""On a GPU: the bits of the CPU. Without one: errors that say so."""

import ctypes

import numpy as np
import pytest
import warpfold as wf
from arrays import FLOATS, bits, values

DTYPES = ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]


class Torch:
    def __init__(self):
        self.module = pytest.importorskip("torch")
        if not self.module.cuda.is_available():
            pytest.skip("no GPU")

    def put(self, x):
        return self.module.from_numpy(x.copy()).cuda()

    def get(self, x):
        assert isinstance(x, self.module.Tensor) and x.is_cuda
        return x.cpu().numpy()

    def permuted(self, x, axes):
        return x.permute(axes)

    def broadcast(self, x, shape):
        return x.expand(shape)

    def stream(self):
        return self.module.cuda.stream(self.module.cuda.Stream())


class CuPy:
    def __init__(self):
        self.module = pytest.importorskip("cupy")
        try:
            self.module.cuda.runtime.getDeviceCount()
        except self.module.cuda.runtime.CUDARuntimeError:
            pytest.skip("no GPU")

    def put(self, x):
        return self.module.asarray(x)

    def get(self, x):
        assert isinstance(x, self.module.ndarray)
        return x.get()

    def permuted(self, x, axes):
        return x.transpose(axes)

    def broadcast(self, x, shape):
        return self.module.broadcast_to(x, shape)

    def stream(self):
        return self.module.cuda.Stream(non_blocking=True)


class NumPy:
    def put(self, x):
        return x

    def get(self, x):
        return x

    def permuted(self, x, axes):
        return x.transpose(axes)

    def broadcast(self, x, shape):
        return np.broadcast_to(x, shape)


@pytest.fixture(scope="module", params=[Torch, CuPy])
def library(request):
    return request.param()


LAYOUTS = {
    "contiguous": lambda of, x: x,
    "permuted": lambda of, x: of.permuted(x, (2, 0, 1)),
    "strided": lambda of, x: x[::2, 1:6:3, ::5],
    "one of length 1": lambda of, x: x[:, 3:4, 2:],
    "broadcast": lambda of, x: of.broadcast(x[0], (5, 7, 40)),
    "no dimensions": lambda of, x: x[1, 2, 3],
    "no elements": lambda of, x: x[:, :0, :],
}


def agree(library, call, *arguments):
    """The results of a call on the CPU, after those on the GPU were found equal to them."""
    expected = call(NumPy(), *arguments)
    found = call(library, *[library.put(x) for x in arguments])
    parts = zip(found, expected) if isinstance(expected, tuple) else [(found, expected)]
    for found, expected in parts:
        assert bits(library.get(found)) == bits(expected)
    return expected


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_reductions(library, dtype, layout):
    x, lay = values((6, 7, 40), dtype), LAYOUTS[layout]
    ops = ["sum", "mean", "variance", "sample_variance", "std_dev", "count", "any", "all"]
    ops += ["minimum", "maximum", "argmin", "argmax"] if layout != "no elements" else []
    ops += ["norm2"] if dtype in FLOATS else []
    for op in ops:
        for axis in [None] if layout == "no dimensions" else [None, 0, -1, (0, 2), ()]:
            if op in ("argmin", "argmax") and axis == ():
                continue
            for keepdims in (False, True):
                agree(library, lambda of, x: wf.reduce(op, lay(of, x), axis, keepdims), x)


@pytest.mark.parametrize("n", [1, 1000, 4097, 300_001, 5_000_000])
def test_long_arrays(library, n):
    for dtype in ("float32", "float64", "int64"):
        x = values(n, dtype)
        for op in ("sum", "mean", "variance", "maximum", "argmax"):
            agree(library, lambda of, x: wf.reduce(op, x), x)
        agree(library, lambda of, x: wf.cumsum(x), x)
        agree(library, lambda of, x: wf.dot(x, x[:]), x)
        agree(library, lambda of, x: wf.sort(x), x)
        agree(library, lambda of, x: wf.argsort(x, descending=True), x)
        agree(library, lambda of, x: wf.median(x), x)
        agree(library, lambda of, x: wf.topk(x, min(n, 50)), x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_moves(library, dtype, layout):
    x, lay = values((6, 7, 40), dtype), LAYOUTS[layout]
    if layout == "no dimensions":
        return
    for axis in (None, 0, 1, -1):
        for op in ("sum", "minimum", "maximum") + (("product",) if dtype in FLOATS else ()):
            for reverse in (False, True):
                agree(library, lambda of, x: wf.scan(op, lay(of, x), axis, reverse=reverse), x)
        agree(library, lambda of, x: wf.scan("sum", lay(of, x), axis, exclusive=True), x)
        for descending in (False, True):
            agree(library, lambda of, x: wf.sort(lay(of, x), axis, descending), x)
            agree(library, lambda of, x: wf.argsort(lay(of, x), axis, descending), x)
        if layout == "no elements":
            continue
        for largest in (False, True):
            agree(library, lambda of, x: wf.topk(lay(of, x), 1, axis, largest), x)
        for q in (0.5, [0.0, 0.3, 1.0]):
            for keepdims in (False, True):
                agree(library, lambda of, x: wf.quantile(lay(of, x), q, axis, keepdims), x)
        if dtype in FLOATS:
            small = (x / 100).astype(dtype)
            agree(library, lambda of, x: wf.logsumexp(lay(of, x), axis), small)
            if axis is not None:
                agree(library, lambda of, x: wf.rms_norm(lay(of, x), axis=axis), small)
                agree(library, lambda of, x: wf.layer_norm(lay(of, x), axis=axis), small)
                agree(library, lambda of, x: wf.softmax(lay(of, x), axis), small)
                agree(library, lambda of, x: wf.log_softmax(lay(of, x), axis), small)
    if dtype in FLOATS:
        agree(library, lambda of, x: wf.logsumexp(lay(of, x), (0, 2), keepdims=True), x)


@pytest.mark.parametrize("dtype", FLOATS)
def test_norms_with_parameters(library, dtype):
    x, weight, bias = values((3, 20, 50), dtype), values(50, dtype, 1), values(50, dtype, 2)
    agree(library, lambda of, *given: wf.layer_norm(*given), x, weight, bias)
    agree(library, lambda of, *given: wf.layer_norm(*given, eps=0.5, axis=1), x.swapaxes(1, 2), weight, bias)
    agree(library, lambda of, x, weight: wf.rms_norm(x, weight[::-1] if isinstance(of, NumPy) else of_reversed(of, weight)), x, weight)
    with pytest.raises(TypeError):
        wf.rms_norm(library.put(x), weight)
    with pytest.raises(ValueError):
        wf.rms_norm(library.put(x), library.put(weight[1:]))


def of_reversed(library, x):
    return library.put(library.get(x)[::-1])


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_floats(library, dtype):
    x = np.array([0.0, np.nan, -0.0, -np.inf, -np.nan, np.inf, 1e-40, -1.0], dtype)
    for call in (wf.sort, wf.argsort, wf.median, wf.max, wf.argmin, wf.sum, wf.cumsum, wf.softmax, wf.logsumexp):
        for part in (x, x[2:4], x[5:7]):
            agree(library, lambda of, x: call(x), part)
    agree(library, lambda of, x: wf.topk(x, 3), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts(library, dtype):
    x, ids = values(10_000, dtype), np.random.default_rng(1).permutation(np.arange(10_000) % 97)
    offsets = np.sort(np.append(np.random.default_rng(2).choice(10_000, 50, replace=False), [0, 10_000]))
    for op in ("sum", "mean", "minimum", "maximum"):
        agree(library, lambda of, x, ids: wf.group_reduce(op, ids, x, 97), x, ids)
        agree(library, lambda of, x, ids: wf.group_reduce(op, ids, x, 97), x, ids.astype("int32"))
        agree(library, lambda of, x, offsets: wf.segment_reduce(op, x, offsets), x, offsets)
    agree(library, lambda of, x, ids: wf.group_reduce("sum", ids, x, 1000), x, ids)
    agree(library, lambda of, ids: wf.bincount(ids), ids)
    agree(library, lambda of, ids: wf.bincount(ids, 1000), ids.astype("int32"))
    x = x if dtype in FLOATS else x.astype("int64") % 100
    edges = np.array([0, 1, 10, 50]).astype(x.dtype)
    for bins, range in ((edges, None), (7, (10, 80))):
        expected = wf.histogram(x, bins, range)
        found = wf.histogram(library.put(x), bins, range)
        assert bits(library.get(found.counts)) == bits(expected.counts) and bits(library.get(found.edges)) == bits(expected.edges)
        assert [int(count) for count in found[2:]] == list(expected[2:])


def test_work_is_in_the_order_of_the_current_stream(library):
    x, y = values(20_000_000, "float32"), values(20_000_000, "float32", 1)
    expected = bits(wf.sum(y)), bits(wf.cumsum(y[:1000]))
    old, new = library.put(x), library.put(y)
    library.module.cuda.synchronize() if hasattr(library.module.cuda, "synchronize") else library.module.cuda.Device().synchronize()
    for _ in range(5):
        with library.stream() as stream:
            buffer = old * 1
            for _ in range(20):
                buffer[:] = old
            buffer[:] = new
            total, sums = wf.sum(buffer), wf.cumsum(buffer[:1000])
            buffer[:] = old
            total, sums = total * 1, sums * 1
            assert (bits(library.get(total)), bits(library.get(sums))) == (expected[0], expected[1])
            del stream


def test_many_calls(library):
    x = values(100_000, "float32")
    expected, on_gpu = bits(wf.cumsum(x.reshape(100, 1000), 0)), library.put(x).reshape(100, 1000)
    results = [wf.cumsum(on_gpu, 0) for _ in range(300)]
    assert all(bits(library.get(result)) == expected for result in results)


def test_errors_on_a_gpu(library):
    x, host = library.put(values(10, "float64")), np.arange(10)
    ids = library.put(host)
    for kind, call in [
        (IndexError, lambda: wf.group_reduce("sum", ids, x, 9)),
        (IndexError, lambda: wf.bincount(ids - 1)),
        (ValueError, lambda: wf.segment_reduce("sum", x, library.put(np.array([0, 11])))),
        (ValueError, lambda: wf.segment_reduce("sum", x, library.put(np.array([5, 3])))),
        (TypeError, lambda: wf.group_reduce("sum", host, x, 10)),
        (TypeError, lambda: wf.dot(x, np.ones(10))),
        (TypeError, lambda: wf.dot(x, ids)),
        (TypeError, lambda: wf.sum(library.put(np.zeros(3, "float16")))),
        (TypeError, lambda: wf.softmax(ids)),
        (TypeError, lambda: wf.exact_sum(x)),
        (ValueError, lambda: wf.max(x[:0])),
        (ValueError, lambda: wf.median(x[:0])),
        (ValueError, lambda: wf.topk(x, 11)),
        (ValueError, lambda: wf.scan("maximum", x, exclusive=True)),
        (ValueError, lambda: wf.norm(ids)),
        (np.exceptions.AxisError, lambda: wf.sum(x, axis=1)),
        (ValueError, lambda: wf.reduce("median", x)),
    ]:
        with pytest.raises(kind):
            call()
    assert bits(library.get(wf.sum(x))) == bits(wf.sum(library.get(x)))


def test_arrays_of_other_libraries_are_taken(library):
    class Interface:
        def __init__(self, x):
            self.__cuda_array_interface__ = x.__cuda_array_interface__

    class DLPack:
        def __init__(self, x):
            self.__dlpack__, self.__dlpack_device__ = x.__dlpack__, x.__dlpack_device__

    x = library.put(values(100, "float32"))
    for other in (Interface(x), DLPack(x)):
        assert float(wf.sum(other)) == float(wf.sum(x))


class Elsewhere:
    """An array on a GPU, as far as one can see without it."""

    __cuda_array_interface__ = {"shape": (3,), "typestr": "<f4", "data": (4096, False), "version": 3}


class ByDLPack:
    def __dlpack_device__(self):
        return 2, 0


@pytest.mark.parametrize("x", [Elsewhere(), ByDLPack()])
def test_without_a_driver(x):
    try:
        ctypes.CDLL("libcuda.so.1")
        pytest.skip("there is a driver")
    except OSError:
        pass
    for call in (wf.sum, wf.cumsum, wf.sort, wf.median, wf.softmax, wf.logsumexp, wf.exact_sum, wf.bincount, lambda x: wf.topk(x, 1),
                 lambda x: wf.group_reduce("sum", [0], x, 1), lambda x: wf.histogram(x, [0.0, 1.0]), lambda x: wf.dot([1.0], x)):
        with pytest.raises(RuntimeError, match="no GPU"):
            call(x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_where(library, dtype):
    x, mask = values((6, 7, 40), dtype), np.random.default_rng(1).random((6, 7, 40)) > 0.1
    for op in ("sum", "mean", "minimum", "maximum", "count", "any", "all"):
        for axis in (None, 0, (0, 2)):
            agree(library, lambda of, x, mask: wf.reduce(op, x, axis, where=mask), x, mask)
    agree(library, lambda of, x: wf.sum(x, 1, True, where=np.arange(40) % 3 == 0 if isinstance(of, NumPy) else of.put(np.arange(40) % 3 == 0)), x)
