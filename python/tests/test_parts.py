import numpy as np
import pytest
import warpfold as wf
from arrays import DTYPES, FLOATS, INTEGERS, bits, values

OPS = ["sum", "mean", "minimum", "maximum"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_segments_and_groups_have_the_bits_of_their_elements_alone(dtype):
    x = values(5000, dtype)[::-1]
    offsets = np.array([0, 1, 40, 1000, 1001, 4800])
    ids = np.random.default_rng(7).integers(0, 40, 5000)
    for op in OPS:
        segments = [wf.reduce(op, x[a:b]) for a, b in zip(offsets, offsets[1:])]
        assert bits(wf.segment_reduce(op, x, offsets)) == bits(np.array(segments)), op
        groups = [wf.reduce(op, x[ids == group]) for group in range(40)]
        for kind in ("int64", "int32", "uint8", "uint64"):
            assert bits(wf.group_reduce(op, ids.astype(kind), x, 40)) == bits(np.array(groups)), op


def test_parts_without_elements():
    assert wf.segment_reduce("sum", [1.0, 2.0], [0, 0, 2]).tolist() == [0.0, 3.0]
    assert np.isnan(wf.segment_reduce("mean", [1.0, 2.0], [0, 0, 2])[0])
    assert wf.segment_reduce("sum", [1.0], []).shape == (0,)
    assert wf.group_reduce("sum", [], [], 2).tolist() == [0.0, 0.0]
    for call in [lambda: wf.segment_reduce("minimum", [1, 2], [0, 2, 2]), lambda: wf.group_reduce("maximum", [0, 2], [1, 2], 3)]:
        with pytest.raises(ValueError, match="result 1 is of no elements"):
            call()


def test_errors_of_parts():
    for offsets in ([0, 3], [2, 1], [-1, 1]):
        with pytest.raises(ValueError, match="offset"):
            wf.segment_reduce("sum", [1, 2], offsets)
    for ids in ([0, 2], [-1, 0]):
        with pytest.raises(IndexError, match="group"):
            wf.group_reduce("sum", ids, [1, 2], 2)
    with pytest.raises(ValueError, match="paired"):
        wf.group_reduce("sum", [0], [1, 2], 2)
    with pytest.raises(TypeError, match="must be integers"):
        wf.group_reduce("sum", [0.0, 1.0], [1, 2], 2)
    with pytest.raises(ValueError, match="must have one"):
        wf.segment_reduce("sum", [[1, 2]], [0, 1])
    with pytest.raises(ValueError, match="minimum, maximum"):
        wf.segment_reduce("argmin", [1, 2], [0, 1])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bincount_equals_numpys(dtype):
    ids = values(3000, "uint8").astype(dtype) & 63
    assert bits(wf.bincount(ids)) == bits(np.bincount(ids))
    assert bits(wf.bincount(ids[:0], 3)) == bits(np.bincount(ids[:0], minlength=3))
    assert bits(wf.bincount(ids, 100)) == bits(np.bincount(ids, minlength=100))
    weights = values(3000, "float64")
    assert np.allclose(wf.group_reduce("sum", ids, weights, 64), np.bincount(ids, weights, 64), rtol=1e-9, atol=1e-9)


def test_bincount_refuses_negative_integers():
    with pytest.raises(IndexError, match="group -3"):
        wf.bincount([1, -3])
    with pytest.raises(IndexError):
        wf.bincount([-1])


@pytest.mark.parametrize("dtype", DTYPES[:-1])
def test_histograms_equal_numpys(dtype):
    x = values((60, 50), "float64" if dtype in FLOATS else "uint8") % 100
    x = x.astype(dtype)[:, ::-1]
    edges = np.array([0, 1, 10, 11, 50, 90]).astype(dtype)
    found = wf.histogram(x, edges)
    assert np.array_equal(found.counts, np.histogram(x, edges)[0]) and bits(found.edges) == bits(edges.astype(found.edges.dtype))
    assert found.below == (x < 0).sum() and found.above == (x > 90).sum() and found.nan == 0
    assert found.counts.dtype == np.int64
    even = wf.histogram(x, 7, range=(10, 80))
    assert np.array_equal(even.counts, np.histogram(x, 7, range=(10, 80))[0])
    assert wf.histogram(x).counts.sum() == x.size


def test_errors_of_histograms():
    assert wf.histogram([np.nan, 1.0], [0, 2])[:1][0].tolist() == [1] and wf.histogram([np.nan], [0.0, 1.0]).nan == 1
    for arguments in [([1.0], [2.0, 1.0]), ([1.0], [1.0]), ([1.0], 0, (0, 1)), ([1.0], 3, (1, 0)), ([1.0, 1.0], 3), ([1.0], [0.0, 1.0], (0, 1))]:
        with pytest.raises(ValueError):
            wf.histogram(*arguments)
    with pytest.raises(TypeError):
        wf.histogram([1, 2], [0.5, 1.5])
