"""What the compiled half asks of the libraries that have arrays on a GPU: by the names that NumPy has for it.

An object is of one array: of its device, and of the stream that is current there.
"""

import sys


def given(x):
    """Returns an array on a GPU as one of CuPy or PyTorch, without a copy, and what calls that library."""
    for name, library in _LIBRARIES.items():
        module = sys.modules.get(name)
        if module is not None and isinstance(x, library.array(module)):
            return x, library(module, x)
    for name, library in _LIBRARIES.items():
        module = sys.modules.get(name)
        if module is not None:
            x = library.taken(module, x)
            return x, library(module, x)
    raise TypeError(
        f"{type(x).__name__} is an array on a GPU, and results are arrays of CuPy or PyTorch: import one of them first, or pass "
        "cupy.from_dlpack(x) or torch.from_dlpack(x)"
    )


def _refuse_recording(is_recording):
    """Says so before the driver does, whose refusal would spoil the graph."""
    if is_recording:
        raise RuntimeError("the stream records a graph, and nothing would keep the memory that calls use: call outside of graphs")


class _CuPy:
    def __init__(self, cupy, x):
        self._cupy, self.device = cupy, x.device.id
        self.owner = cupy.cuda.get_current_stream(self.device)
        self.stream = self.owner.ptr
        _refuse_recording(self.stream and self.owner.is_capturing())

    @staticmethod
    def array(cupy):
        return cupy.ndarray

    @staticmethod
    def taken(cupy, x):
        return cupy.from_dlpack(x) if hasattr(x, "__dlpack__") else cupy.asarray(x)

    @staticmethod
    def describe(x):
        """The letter of the type, the bytes of an element, the shape, the strides in bytes, the address."""
        return x.dtype.kind, x.dtype.itemsize, x.shape, x.strides, x.data.ptr

    @staticmethod
    def address(x):
        return x.data.ptr

    @staticmethod
    def astype(x, dtype):
        return x.astype(dtype)

    def empty(self, shape, dtype):
        with self._cupy.cuda.Device(self.device):
            return self._cupy.empty(shape, dtype)

    def asarray(self, x):
        with self._cupy.cuda.Device(self.device):
            return self._cupy.asarray(x)

    def __getattr__(self, name):  # ascontiguousarray, flip, moveaxis, reshape, transpose
        return getattr(self._cupy, name)


class _Torch:
    _letters = {}  # of NumPy, by types of PyTorch

    def __init__(self, torch, x):
        if x.requires_grad and torch.is_grad_enabled():
            raise TypeError("the tensor needs a gradient: pass x.detach(), or call warpfold.torch, whose operators have gradients")
        self._torch, self._device, self.device = torch, x.device, x.device.index
        self.owner = torch.cuda.current_stream(x.device)
        self.stream = self.owner.cuda_stream
        _refuse_recording(torch.cuda.is_current_stream_capturing())

    @staticmethod
    def array(torch):
        return torch.Tensor

    @staticmethod
    def taken(torch, x):
        return torch.from_dlpack(x) if hasattr(x, "__dlpack__") else torch.as_tensor(x, device="cuda")

    def describe(self, x):
        """The letter of the type, the bytes of an element, the shape, the strides in bytes, the address."""
        if not self._letters:
            for letter, names in {"f": "float32 float64", "i": "int8 int16 int32 int64", "u": "uint8 uint16 uint32", "b": "bool"}.items():
                self._letters.update({getattr(self._torch, name): letter for name in names.split()})
        item = x.element_size()
        return self._letters.get(x.dtype, "V"), item, x.shape, [item * stride for stride in x.stride()], x.data_ptr()

    @staticmethod
    def address(x):
        return x.data_ptr()

    def astype(self, x, dtype):
        return x.to(getattr(self._torch, dtype) if isinstance(dtype, str) else dtype)

    def empty(self, shape, dtype):
        return self._torch.empty(shape, dtype=getattr(self._torch, dtype), device=self._device)

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


_LIBRARIES = {"torch": _Torch, "cupy": _CuPy}
