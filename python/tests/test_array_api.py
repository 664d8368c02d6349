"""What the array API standard says of these functions, in its special cases, and what NumPy's own tests ask of them."""

import numpy as np
import pytest
import warpfold as wf
from arrays import DTYPES, FLOATS, bits

INFINITY, NAN = np.inf, np.nan
REDUCTIONS = [wf.sum, wf.mean, wf.var, wf.std, wf.min, wf.max, wf.argmin, wf.argmax, wf.norm, wf.any, wf.all, wf.count, wf.logsumexp]


@pytest.mark.parametrize("function", REDUCTIONS)
def test_shapes(function):
    x = np.ones((2, 3, 4), "float32")
    shapes = {None: (), 0: (3, 4), 1: (2, 4), 2: (2, 3), -1: (2, 3), -3: (3, 4), (0, 2): (3,), (-1, 0): (3,), (0, 1, 2): (), (): (2, 3, 4)}
    for axis, shape in shapes.items():
        assert np.shape(function(x, axis=axis)) == shape
        named = range(3) if axis is None else [a % 3 for a in np.atleast_1d(np.array(axis, int))]
        assert np.shape(function(x, axis=axis, keepdims=True)) == tuple(1 if a in named else length for a, length in enumerate(x.shape))
    for axis in (3, -4, (0, 3)):
        with pytest.raises(np.exceptions.AxisError):
            function(x, axis=axis)
    with pytest.raises(ValueError):
        function(x, axis=(1, 1))


@pytest.mark.parametrize("function", REDUCTIONS)
def test_one_element_without_axes(function):
    for x in (np.float64(2.5), np.array(2.5), 2.5):
        result = function(x)
        assert np.shape(result) == () and isinstance(result, np.generic)
        assert result == function([2.5])


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values_of_sums_and_means(dtype):
    for x, result in [([INFINITY, 1], INFINITY), ([INFINITY, -INFINITY], NAN), ([NAN, 1], NAN), ([-0.0, -0.0], -0.0), ([-0.0, 0.0], 0.0), ([1, -1], 0.0)]:
        x = np.array(x, dtype)
        assert bits(wf.sum(x)) == bits(np.dtype(dtype).type(result)) or np.isnan(result) and np.isnan(wf.sum(x))
        assert np.array_equal(wf.mean(x), np.dtype(dtype).type(result / len(x)), equal_nan=True)
    assert np.isnan(wf.var(np.array([INFINITY, 1], dtype))) and np.isnan(wf.var(np.array([1], dtype), ddof=1))


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values_of_extremes(dtype):
    x = np.array([[NAN, 1, 2], [INFINITY, -INFINITY, 0], [0.0, -0.0, 0.0]], dtype)
    assert np.array_equal(wf.min(x, 1), [NAN, -INFINITY, 0], equal_nan=True) and np.array_equal(wf.max(x, 1), [NAN, INFINITY, 0], equal_nan=True)
    assert np.signbit(wf.min(x[2])) and not np.signbit(wf.max(x[2]))
    assert wf.argmax(x[1:], 1).tolist() == [0, 0] and wf.argmin(x[1:], 1).tolist() == [1, 1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_first_of_equal_elements(dtype):
    x = np.array([1, 0, 1, 0], dtype)
    assert (wf.argmax(x), wf.argmin(x)) == (0, 1)
    assert wf.argsort(x).tolist() == [1, 3, 0, 2] and wf.argsort(x, descending=True).tolist() == [0, 2, 1, 3]
    assert wf.topk(x, 3)[1].tolist() == [0, 2, 1] and wf.topk(x, 3, largest=False)[1].tolist() == [1, 3, 0]


@pytest.mark.parametrize("dtype", FLOATS)
def test_truth(dtype):
    x = np.array([[NAN, -0.0], [0.0, INFINITY], [1e-30, -1e-30]], dtype)
    assert wf.any(x, 1).tolist() == [True, True, True] and wf.all(x, 1).tolist() == [False, False, True]
    assert wf.count(x, 0).tolist() == [2, 2] and wf.any(x, 1).dtype == bool
    assert wf.all(np.zeros((0, 2), dtype), 0).tolist() == [True, True] and wf.any(np.zeros((2, 0), dtype), 1).tolist() == [False, False]


@pytest.mark.parametrize("dtype", DTYPES)
def test_types_of_results(dtype):
    x = np.ones((3, 4), dtype)
    is_float = dtype in FLOATS
    assert wf.mean(x).dtype == wf.var(x).dtype == wf.std(x).dtype == wf.median(x).dtype == (dtype if is_float else "float64")
    assert wf.min(x).dtype == wf.max(x, 0).dtype == wf.sort(x).dtype == wf.topk(x, 1)[0].dtype == wf.scan("maximum", x, 0).dtype == dtype
    assert wf.sum(x).dtype == (dtype if is_float else "int64")
    assert wf.cumsum(x, 1).dtype == (dtype if is_float else "int64")


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 3)])
def test_arrays_without_elements(shape):
    x = np.zeros(shape, "float32")
    for axis in range(len(shape)):
        for function in (wf.sort, wf.softmax, wf.log_softmax):
            assert function(x, axis=axis).shape == shape
        assert wf.cumsum(x, axis).shape == wf.argsort(x, axis).shape == shape
        assert wf.sum(x, axis).shape == np.sum(x, axis).shape
    assert wf.cumsum(x).shape == wf.sort(x, None).shape == (0,) and wf.topk(x, 0, None)[0].shape == (0,)
    assert wf.histogram(x, [0.0, 1.0]).counts.tolist() == [0] and wf.bincount(np.zeros(0, "int64")).shape == (0,)
