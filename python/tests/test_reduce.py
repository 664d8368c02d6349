import itertools

import numpy as np
import pytest
import warpfold as wf
from arrays import DTYPES, FLOATS, INTEGERS, bits, layouts, values


def every_axis(dimensions):
    """None, each axis from both ends, and each set of axes."""
    sets = [axes for count in range(dimensions + 1) for axes in itertools.combinations(range(dimensions), count)]
    return [None, *range(-dimensions, dimensions), *sets, *(axes[::-1] for axes in sets if len(axes) > 1)]


EXACT = [
    ("sum", wf.sum, np.sum),
    ("min", wf.min, np.min),
    ("max", wf.max, np.max),
    ("any", wf.any, np.any),
    ("all", wf.all, np.all),
    ("count", wf.count, np.count_nonzero),
]


@pytest.mark.parametrize("dtype", INTEGERS + ["bool"])
@pytest.mark.parametrize("name, ours, theirs", EXACT)
def test_integers_equal_numpys_along_every_axis(dtype, name, ours, theirs):
    for layout, x in layouts(dtype).items():
        for axis in every_axis(np.ndim(x)):
            for keepdims in (False, True):
                got, expected = ours(x, axis=axis, keepdims=keepdims), theirs(np.asarray(x), axis=axis, keepdims=keepdims)
                assert np.array_equal(got, expected), (layout, axis, keepdims)
                assert np.shape(got) == np.shape(expected), (layout, axis, keepdims)
                kind = "int64" if name in ("count", "sum") else np.asarray(expected).dtype.newbyteorder("=")
                assert got.dtype == kind, (layout, axis)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["sum", "mean", "variance", "sample_std_dev", "minimum", "maximum", "argmin", "norm2", "count"])
def test_strides_change_no_bit(dtype, op):
    for layout, x in layouts(dtype).items():
        copy = np.array(x, dtype=np.asarray(x).dtype.newbyteorder("="), order="C")
        for axis in every_axis(np.ndim(x)):
            assert bits(wf.reduce(op, x, axis)) == bits(wf.reduce(op, copy, axis)), (layout, axis)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_result_along_axes_is_that_of_its_elements_alone(dtype):
    x = values((5, 6, 300), dtype)[:, ::-1, ::3]
    for op in ["sum", "variance", "argmax", "norm2"]:
        rows = [[wf.reduce(op, row) for row in matrix] for matrix in x]
        assert bits(wf.reduce(op, x, -1)) == bits(np.array(rows))
        assert bits(wf.reduce(op, x, (0, 2))) == bits(np.array([wf.reduce(op, x[:, i]) for i in range(6)]))


@pytest.mark.filterwarnings("ignore:Degrees of freedom", "ignore:invalid value")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "ours, theirs, arguments",
    [
        (wf.sum, np.sum, {}),
        (wf.mean, np.mean, {}),
        (wf.var, np.var, {}),
        (wf.var, np.var, {"ddof": 1}),
        (wf.std, np.std, {}),
        (wf.std, np.std, {"ddof": 1}),
        (wf.min, np.min, {}),
        (wf.max, np.max, {}),
    ],
)
def test_floats_are_near_numpys(dtype, ours, theirs, arguments):
    for layout, x in layouts(dtype).items():
        for axis in every_axis(np.ndim(x)):
            got = ours(x, axis=axis, keepdims=True, **arguments)
            wide = theirs(np.asarray(x, "float64"), axis=axis, keepdims=True, **arguments)
            scale = 1e-4 if dtype == "float32" and layout != "scalar list" else 1e-9
            assert np.allclose(got, wide, rtol=scale, atol=scale * np.abs(x).max(), equal_nan=True), (layout, axis)
            assert np.shape(got) == np.shape(wide)
            assert layout == "scalar list" or got.dtype == dtype


@pytest.mark.parametrize("dtype", INTEGERS + ["bool"])
def test_means_and_variances_of_integers_are_exact(dtype):
    x = values((3, 50), dtype)
    for row in range(3):
        exact = [int(value) for value in x[row]]
        assert float(wf.mean(x, axis=1)[row]) == sum(exact) / 50
    assert wf.mean(x).dtype == np.float64
    assert np.allclose(wf.var(x, axis=0), np.var(x.astype("float64"), axis=0), rtol=1e-12)
    assert np.allclose(wf.std(x, ddof=1), np.std(x.astype("float64"), ddof=1), rtol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
def test_indices_are_numpys(dtype):
    for layout, x in layouts(dtype).items():
        for axis in [None, *range(-np.ndim(x), np.ndim(x))]:
            for ours, theirs in [(wf.argmin, np.argmin), (wf.argmax, np.argmax)]:
                got, expected = ours(x, axis=axis), theirs(x, axis=axis)
                assert np.array_equal(got, expected) and got.dtype == np.int64, (layout, axis)


def test_norms():
    x = values((4, 5, 60), "float64")
    assert np.allclose(wf.norm(x, axis=2), np.linalg.norm(x, axis=2), rtol=1e-12)
    assert np.allclose(wf.norm(x), np.linalg.norm(x), rtol=1e-12)
    with pytest.raises(ValueError, match="norm2"):
        wf.norm([1, 2])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "uint8"])
def test_dot(dtype):
    x, y = values(1000, dtype), values(1000, dtype, 1)
    expected = np.dot(x.astype("float64"), y.astype("float64"))
    got = wf.dot(x, y)
    if np.dtype(dtype).kind == "f":
        assert np.isclose(got, expected, rtol=1e-3 if dtype == "float32" else 1e-10)
    else:
        assert int(got) % 2**64 == sum(int(a) * int(b) for a, b in zip(x, y)) % 2**64
    assert bits(wf.dot(x[::-2], y[::-2])) == bits(wf.dot(x[::-2].copy(), y[::-2].copy()))


def test_nan():
    x = np.array([3.0, np.nan, 1.0, 2.0], "float32")
    assert np.isnan([wf.sum(x), wf.mean(x), wf.min(x), wf.max(x), wf.var(x), wf.norm(x)]).all()
    # As in numpy.nanargmin; numpy.argmin returns the index of the first NaN.
    assert (wf.argmin(x), wf.argmax(x)) == (2, 0)
    assert wf.any(x[1:2]) and wf.count(x) == 4


def test_empty():
    x = np.zeros((3, 0), "float32")
    assert wf.sum(x) == 0 and np.signbit(wf.sum(x))
    assert bits(wf.sum(x, axis=1)) == bits(np.full(3, -0.0, "float32"))
    assert wf.sum(x, axis=0).shape == (0,)
    assert bits(wf.sum(np.zeros(0, "int32"))) == bits(np.int64(0))
    assert np.isnan(wf.mean(x)) and np.isnan(wf.var(x, axis=1)).all() and np.isnan(wf.std(x[:, :0]))
    assert wf.all(x) and not wf.any(x) and wf.count(x, axis=1).tolist() == [0, 0, 0]
    for function in (wf.min, wf.max, wf.argmin, wf.argmax):
        with pytest.raises(ValueError, match="no result for empty input"):
            function(x)
        assert function(x, axis=0).shape == (0,)
    assert wf.argmin(np.zeros((0, 3)), axis=1).shape == (0,)


def test_wrapping_sums():
    assert wf.sum(np.array([2**63 - 1, 1])) == -(2**63)


def test_subclasses_and_others():
    class Named(np.ndarray):
        pass

    x = values(12, "float64")
    assert wf.sum(x.view(Named)) == wf.sum(x)
    assert wf.sum(memoryview(x)) == wf.sum(x) == wf.sum(tuple(x))
    with pytest.raises(TypeError, match="masked"):
        wf.sum(np.ma.masked_greater(x, 0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_where(dtype):
    x = values((5, 6, 8), dtype)
    x[x == x.max()] = 0
    for mask in (values(x.shape, "bool", 1), values((6, 1), "bool", 2), np.array(True), np.arange(8) < 3):
        for axis in [None, 0, -1, (2, 0), (0, 1, 2), ()]:
            for keepdims in (False, True):
                for ours, theirs in [(wf.any, np.any), (wf.all, np.all)]:
                    got, expected = ours(x, axis, keepdims, where=mask), theirs(x, axis, keepdims=keepdims, where=mask)
                    assert bits(got) == bits(expected), (axis, keepdims)
                expected = np.sum((x != 0) & mask, axis, keepdims=keepdims)
                assert np.array_equal(wf.count(x, axis, keepdims, where=mask), expected)
    mask = values(x.shape, "bool", 1)
    for name in ("sum", "mean", "minimum", "maximum"):
        rows = [[wf.reduce(name, x[i, :, k][mask[i, :, k]]) for k in range(8)] for i in range(5)]
        assert bits(wf.reduce(name, x, 1, where=mask)) == bits(np.array(rows).astype(np.asarray(rows[0][0]).dtype)), name
        assert bits(wf.reduce(name, x, where=mask)) == bits(wf.reduce(name, x[mask]))
    assert wf.sum(x, 1, where=np.zeros(8, bool)).shape == (5, 8) and not wf.sum(x, 1, where=np.zeros(8, bool)).any()
    assert wf.sum(x[:, :0], 0, where=True).shape == (0, 8) and wf.sum(x[:0], 0, where=True).shape == (6, 8)
    for kind, call in [
        (TypeError, lambda: wf.sum(x, where=mask.astype(int))),
        (ValueError, lambda: wf.sum(x, where=mask[:, :3])),
        (ValueError, lambda: wf.max(x, where=False)),
        (ValueError, lambda: wf.reduce("variance", x, where=mask)),
        (np.exceptions.AxisError, lambda: wf.sum(x, axis=3, where=mask)),
        (ValueError, lambda: wf.sum(x, axis=(0, 0), where=mask)),
    ]:
        with pytest.raises(kind):
            call()
