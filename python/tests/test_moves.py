import numpy as np
import pytest
import scipy.special
import warpfold as wf
from arrays import DTYPES, FLOATS, INTEGERS, bits, layouts, values


def axes_of(x):
    return [None, *range(-np.ndim(x), np.ndim(x))]


@pytest.mark.parametrize("dtype", INTEGERS + ["bool"])
def test_integer_scans_equal_numpys(dtype):
    for layout, x in layouts(dtype).items():
        if np.ndim(x) == 0:
            continue
        for axis in axes_of(x):
            assert bits(wf.cumsum(x, axis)) == bits(np.cumsum(x, axis, dtype="int64")), (layout, axis)
            expected = np.maximum.accumulate(np.ravel(x) if axis is None else np.asarray(x), axis or 0)
            got = wf.scan("maximum", x, axis)
            assert np.array_equal(got, expected) and got.dtype == expected.dtype.newbyteorder("="), (layout, axis)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_scans(dtype):
    for layout, x in layouts(dtype).items():
        if np.ndim(x) == 0:
            continue
        x = np.asarray(x)
        for axis in axes_of(x):
            got = wf.cumsum(x, axis)
            wide = np.cumsum(x, axis, dtype="float64")
            assert got.shape == wide.shape and got.dtype == x.dtype.newbyteorder("=")
            assert np.allclose(got, wide, rtol=1e-3 if dtype == "float32" else 1e-9, atol=1), (layout, axis)
            assert bits(got) == bits(wf.cumsum(np.ascontiguousarray(x), axis)), (layout, axis)
            assert np.array_equal(wf.scan("minimum", x, axis), np.minimum.accumulate(x.ravel() if axis is None else x, axis or 0))


def test_directions_of_scans():
    x = values((3, 50), "int64") % 1000
    for axis in (0, 1):
        inclusive = np.cumsum(x, axis)
        assert np.array_equal(wf.scan("sum", x, axis, exclusive=True), inclusive - x)
        flipped = np.flip(np.cumsum(np.flip(x, axis), axis), axis)
        assert np.array_equal(wf.scan("sum", x, axis, reverse=True), flipped)
        assert np.array_equal(wf.scan("sum", x, axis, exclusive=True, reverse=True), flipped - x)
    assert np.array_equal(wf.scan("sum", x, reverse=True), np.cumsum(x.ravel()[::-1])[::-1])
    with pytest.raises(ValueError, match="exclusive"):
        wf.scan("maximum", x, 0, exclusive=True)
    assert np.array_equal(wf.cumprod([[1.0, 2.0], [3.0, 4.0]], 0), [[1, 2], [3, 8]])


@pytest.mark.parametrize("dtype", DTYPES)
def test_sorts_equal_numpys(dtype):
    for layout, x in layouts(dtype).items():
        if np.ndim(x) == 0:
            continue
        x = np.asarray(x)
        before = x.copy()
        for axis in axes_of(x):
            got, expected = wf.sort(x, axis), np.sort(x, axis, kind="stable")
            assert np.array_equal(got, expected) and got.dtype == x.dtype.newbyteorder("="), (layout, axis)
            assert np.array_equal(wf.argsort(x, axis), np.argsort(x, axis, kind="stable")), (layout, axis)
            flipped = expected[::-1] if axis is None else np.flip(expected, axis)
            assert np.array_equal(wf.sort(x, axis, descending=True), flipped), (layout, axis)
        assert np.array_equal(x, before)


@pytest.mark.parametrize("dtype", FLOATS)
def test_nan_is_sorted_last_and_zeros_by_their_sign(dtype):
    x = np.array([0.0, np.nan, -0.0, -np.inf, -np.nan, np.inf], dtype)
    assert wf.argsort(x).tolist() == [3, 2, 0, 5, 1, 4]
    assert bits(wf.sort(x)[:4]) == bits(np.array([-np.inf, -0.0, 0.0, np.inf], dtype))
    assert np.isnan(wf.sort(x, descending=True)[:2]).all()
    assert wf.topk(x, 3)[1].tolist()[2] == 5


@pytest.mark.parametrize("dtype", DTYPES)
def test_topk(dtype):
    x = values((4, 30, 5), dtype)
    for axis in (-1, 1, 0):
        for largest in (True, False):
            found, indices = wf.topk(x, 3, axis, largest=largest)
            order = np.flip(np.sort(x, axis), axis) if largest else np.sort(x, axis)
            assert np.array_equal(found, np.take(order, range(3), axis)) and found.dtype == x.dtype
            assert np.array_equal(np.take_along_axis(x, indices, axis), found) and indices.dtype == np.int64
    assert np.array_equal(wf.topk(x, 2, None)[0], np.sort(x, None)[::-1][:2])
    with pytest.raises(ValueError, match="6"):
        wf.topk(x, 6)


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_quantiles_equal_numpys(dtype):
    x = values((4, 31, 6), dtype)[:, ::-1] // (1 if dtype in FLOATS else 16)
    for axis in (None, 0, 1, -1):
        for method in ("linear", "lower", "higher", "nearest", "midpoint"):
            for q in (0.25, [0.0, 0.3, 1.0], [[0.1, 0.9]]):
                for keepdims in (False, True):
                    got = wf.quantile(x, q, axis, keepdims, method)
                    expected = np.quantile(x.astype("float64"), q, axis, keepdims=keepdims, method=method)
                    assert got.shape == expected.shape
                    assert np.allclose(got, expected, rtol=1e-6), (axis, method, q)
        assert np.allclose(wf.median(x, axis), np.median(x.astype("float64"), axis), rtol=1e-6)
    assert wf.median(x).dtype == (dtype if dtype in FLOATS else "float64")
    assert isinstance(wf.median(x), np.floating)


def test_quantiles_of_nothing_and_of_nan():
    assert np.isnan(wf.median([1.0, np.nan])) and wf.median(np.zeros((0, 3)), axis=1).shape == (0,)
    for arguments in [([], 0.5), ([1.0], 2.0), ([1.0], -0.1), ([1.0], np.nan)]:
        with pytest.raises(ValueError):
            wf.quantile(*arguments)
    with pytest.raises(ValueError, match="midpoint"):
        wf.quantile([1.0], 0.5, method="hazen")


@pytest.mark.parametrize("dtype", FLOATS)
def test_exponentials_are_near_scipys(dtype):
    rtol = 1e-5 if dtype == "float32" else 1e-12
    for layout, x in layouts(dtype).items():
        x = np.clip(np.asarray(x), -200, 200)
        for axis in [None, *range(-np.ndim(x), np.ndim(x))]:
            got, expected = wf.logsumexp(x, axis), scipy.special.logsumexp(x.astype("float64"), axis)
            assert np.allclose(got, expected, rtol=rtol) and np.shape(got) == np.shape(expected), (layout, axis)
            if axis is None:
                continue
            for ours, theirs in [(wf.softmax, scipy.special.softmax), (wf.log_softmax, scipy.special.log_softmax)]:
                got, expected = ours(x, axis), theirs(x.astype("float64"), axis)
                assert np.allclose(got, expected, rtol=10 * rtol, atol=rtol) and got.shape == x.shape, (layout, axis)
                assert bits(got) == bits(ours(np.ascontiguousarray(x), axis)), (layout, axis)
    x = values((2, 3, 4), dtype) / 1000
    assert np.allclose(wf.logsumexp(x, (0, 2), keepdims=True), scipy.special.logsumexp(x, (0, 2), keepdims=True), rtol=rtol)


def test_exponentials_of_extremes():
    infinity = np.inf
    assert wf.logsumexp([-infinity, -infinity]) == -infinity and wf.logsumexp([infinity, 1.0]) == infinity
    assert np.isnan(wf.softmax([infinity, 1.0])).all() and wf.logsumexp(np.zeros((2, 0)), 1).tolist() == [-infinity] * 2
    with pytest.raises(TypeError, match="astype"):
        wf.softmax([1, 2])


@pytest.mark.parametrize("dtype", FLOATS)
def test_norms_of_rows(dtype):
    weight, bias = values(7, dtype, 1), values(7, dtype, 2)
    for layout, x in layouts(dtype).items():
        for axis in range(-np.ndim(x), np.ndim(x)):
            x, wide = np.asarray(x), np.asarray(x, "float64")
            near = lambda got, expected: np.testing.assert_allclose(got, expected, 2e-5 if dtype == "float32" else 1e-9, 2e-4 if dtype == "float32" else 1e-9)
            near(wf.rms_norm(x, eps=0.5, axis=axis), wide / np.sqrt(np.mean(wide**2, axis, keepdims=True) + 0.5))
            spread = (wide - wide.mean(axis, keepdims=True)) / np.sqrt(wide.var(axis, keepdims=True) + 0.5)
            near(wf.layer_norm(x, eps=0.5, axis=axis), spread)
            if x.shape[axis] == 7 and x.dtype.newbyteorder("=") == dtype:
                assert bits(wf.layer_norm(x, weight, bias, axis=axis)) == bits(np.moveaxis(wf.layer_norm(np.moveaxis(x, axis, -1).copy(), weight, bias), -1, axis))
                assert bits(wf.rms_norm(x, weight[::-1], axis=axis)) == bits(wf.rms_norm(x, weight[::-1].copy(), axis=axis))
    for kind, call in [
        (ValueError, lambda: wf.layer_norm(np.zeros((2, 3), dtype), weight)),
        (ValueError, lambda: wf.rms_norm(np.zeros((2, 7), dtype), weight[None])),
        (TypeError, lambda: wf.rms_norm(np.zeros((2, 7), dtype), np.zeros(7, "int64"))),
        (TypeError, lambda: wf.layer_norm([[1, 2]])),
        (np.exceptions.AxisError, lambda: wf.rms_norm(weight, axis=1)),
    ]:
        with pytest.raises(kind):
            call()
