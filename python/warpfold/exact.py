"""Exact states: what is added to them is not rounded until the end, so they merge in any order and to the same bytes.

>>> import pickle
>>> import numpy as np
>>> from warpfold.exact import Moments, Sum
>>> x = np.linspace(0.0, 1.0, 1000)
>>> whole = Sum(x[600:]) + Sum(x[:600])
>>> whole == Sum(x) == pickle.loads(pickle.dumps(whole))
True
>>> whole - Sum(x[:10]) == Sum(x[10:])
True
>>> Moments(np.array([3.0, 5.0])).std_dev
1.0

Both are made of an array of float32, float64 or integers of any shape (uint64 is refused), in row-major order, copied if it is not
contiguous. ``a + b`` has the elements of both, and ``a - b`` takes those of ``b`` back; both raise ``TypeError`` for different types of
elements. Equal states have equal bytes: ``encode()`` returns them, ``decode(bytes)`` the state, or raises ``ValueError``.

``Sum`` has ``count``, ``value`` and ``mean``; ``Moments`` has ``count``, ``sum``, ``mean``, ``variance``, ``sample_variance``,
``std_dev`` and ``sample_std_dev``. Without enough elements they are ``None``.
"""

from ._warpfold import Moments, Sum

__all__ = ["Moments", "Sum"]
