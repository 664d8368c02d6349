"""What the compiled half asks of the libraries that have arrays on a GPU: by the names that NumPy has for it.

An object is of one device, and of a stream there. Each is made once, because a call on few elements takes little longer than to make one.
"""

import sys

_DLPACK_CUDA = (2, 13)  # the codes of memory of a device, and of managed memory


def given(x):
    """Returns an array on a GPU as one of CuPy or PyTorch, without a copy; what calls that library; the device; the stream that is current
    there; and whether it is recorded to a graph that keeps the memory which the library allocates meanwhile. Returns None for anything else."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(x, torch.Tensor):
        return _Torch.given(torch, x) if x.is_cuda else None
    if cupy is not None and isinstance(x, cupy.ndarray):
        return _CuPy.given(cupy, x)
    device = getattr(x, "__dlpack_device__", None)
    if not (hasattr(x, "__cuda_array_interface__") if device is None else device()[0] in _DLPACK_CUDA):
        return None
    if torch is not None:
        return _Torch.given(torch, torch.from_dlpack(x) if device else torch.as_tensor(x, device="cuda"))
    if cupy is not None:
        return _CuPy.given(cupy, cupy.from_dlpack(x) if device else cupy.asarray(x))
    raise TypeError(
        f"{type(x).__name__} is an array on a GPU, and results are arrays of CuPy or PyTorch: import one of them first, or pass "
        "cupy.from_dlpack(x) or torch.from_dlpack(x)"
    )


class _Library:
    _of = {}  # those that were made, by the library, the device and the stream

    @classmethod
    def of(cls, module, device, stream):
        known = _Library._of.get((cls, device, stream))
        if known is None:
            if len(_Library._of) > 100:
                _Library._of.clear()
            known = _Library._of[cls, device, stream] = cls(module, device)
        return known


class _CuPy(_Library):
    def __init__(self, cupy, device):
        self._cupy, self._device = cupy, cupy.cuda.Device(device)
        self.owner = cupy.cuda.get_current_stream(device)

    @classmethod
    def given(cls, cupy, x):
        device = x.device.id
        stream = cupy.cuda.get_current_stream(device)
        # Said here, before the driver does, whose refusal would spoil the graph.
        if stream.ptr and stream.is_capturing():
            raise RuntimeError("the stream records a graph, and CuPy would not keep the memory that calls use: call outside of graphs")
        return x, cls.of(cupy, device, stream.ptr), device, stream.ptr, False

    @staticmethod
    def describe(x):
        """The letter of the type, the bytes of an element, the shape, the strides, the bytes that these count, the address."""
        return x.dtype.kind, x.dtype.itemsize, x.shape, x.strides, 1, x.data.ptr

    @staticmethod
    def astype(x, dtype):
        return x.astype(dtype)

    def empty(self, shape, dtype):
        """An array, and its address."""
        with self._device:
            x = self._cupy.empty(shape, dtype)
        return x, x.data.ptr

    def asarray(self, x):
        with self._device:
            return self._cupy.asarray(x)

    def ascontiguousarray(self, x):
        return self._cupy.ascontiguousarray(x).reshape(x.shape)  # which have no dimension stay so

    def __getattr__(self, name):  # flip, moveaxis, reshape, transpose
        return getattr(self._cupy, name)


class _Torch(_Library):
    _letters = {}  # of NumPy, and the bytes of an element, by types of PyTorch
    _dtypes = {}  # those, by names

    def __init__(self, torch, device):
        self._torch, self._device = torch, torch.device("cuda", device)
        self.owner = torch.cuda.current_stream(device)

    @classmethod
    def given(cls, torch, x):
        if x.requires_grad and torch.is_grad_enabled():
            raise TypeError("the tensor needs a gradient: pass x.detach(), or call warpfold.torch, whose operators have gradients")
        device = x.get_device()
        if not cls._dtypes:
            for letter, names in {"f": "float32 float64", "i": "int8 int16 int32 int64", "u": "uint8 uint16 uint32", "b": "bool"}.items():
                cls._dtypes.update({name: getattr(torch, name) for name in names.split()})
                cls._letters.update({getattr(torch, name): (letter, getattr(torch, name).itemsize) for name in names.split()})
        # What `torch.cuda.current_stream` asks, without an object for the answer, as compiled graphs of PyTorch do.
        stream = torch._C._cuda_getCurrentRawStream(device)
        return x, cls.of(torch, device, stream), device, stream, torch._C._cuda_isCurrentStreamCapturing()

    def describe(self, x):
        """The letter of the type, the bytes of an element, the shape, the strides, the bytes that these count, the address."""
        letter, item = self._letters.get(x.dtype) or ("V", 1)
        return letter, item, x.shape, x.stride(), item, x.data_ptr()

    def astype(self, x, dtype):
        return x.to(self._dtypes[dtype] if isinstance(dtype, str) else dtype)

    def empty(self, shape, dtype):
        """A tensor, and its address."""
        x = self._torch.empty(shape, dtype=self._dtypes[dtype], device=self._device)
        return x, x.data_ptr()

    def asarray(self, x):
        return self._torch.from_numpy(x).to(self._device)

    @staticmethod
    def ascontiguousarray(x):
        return x.contiguous()

    @staticmethod
    def moveaxis(x, source, destination):
        return x.movedim(source, destination)

    @staticmethod
    def reshape(x, shape):
        return x.reshape(shape)

    @staticmethod
    def transpose(x, axes):
        return x.permute(axes)

    @staticmethod
    def flip(x, axis):
        return x.flip(axis)
