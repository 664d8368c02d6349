#!/usr/bin/env python3
"""Reduces arrays of other libraries in place, through warpfold's C library, and compares the bits with those of the
same library on the CPU.

    cupy_reduce.py [--library PATH] [--need NAME ...] [--host-only]

The arrays and streams are those of CuPy and PyTorch, if installed, and of the bare driver by ctypes, which is always
possible. Missing libraries are named; with `--need` a missing one is a failure. `--host-only` checks only functions
that need no GPU.
"""

import argparse
import ctypes
import os
import random
import struct
import sys
import time

OPERATORS = ["sum", "product", "min", "max", "minimum", "maximum", "argmin", "argmax"]
# name, bytes, the code in struct and array
TYPES = [("i32", 4, "i"), ("u32", 4, "I"), ("i64", 8, "q"), ("u64", 8, "Q"), ("f32", 4, "f"), ("f64", 8, "d")]
# Around a warp, a vector's lanes, a tile and several; several blocks; more than one wave of them.
SIZES = [0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 4095, 4096, 4097, 16384, 16385, 65537, 999_983]
OFFSETS = [0, 1, 2, 3, 5, 7]
MOST = max(SIZES) + max(OFFSETS)
INVALID, NO_GPU = 1, 2


class Result(ctypes.Structure):
    """warpfold_result."""

    _fields_ = [
        ("bits", ctypes.c_uint64),
        ("index", ctypes.c_uint64),
        ("type", ctypes.c_int32),
        ("present", ctypes.c_int32),
    ]

    def key(self):
        return (self.bits, self.index, self.type, self.present)


class Library:
    """The functions of warpfold.h, by ctypes."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        result, error = ctypes.POINTER(Result), [ctypes.c_char_p, ctypes.c_size_t]
        array = [ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64]
        self.c.warpfold_reduce_host.argtypes = array + [result] + error
        self.c.warpfold_reduce.argtypes = [ctypes.c_void_p] + array + [result] + error
        self.c.warpfold_stream_open.argtypes = [
            ctypes.c_int32,
            ctypes.c_void_p,
            ctypes.POINTER(ctypes.c_void_p),
        ] + error
        self.c.warpfold_stream_close.argtypes = [ctypes.c_void_p]
        self.c.warpfold_stream_close.restype = None
        pointer, i32, u64 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint64
        for name, arguments in {
            "rows": [i32, i32, pointer, u64, u64],
            "groups": [i32, i32, pointer, pointer, u64, u64],
            "scan": [i32, i32, i32, pointer, u64],
            "sort": [i32, i32, pointer, u64],
            "argsort": [i32, i32, pointer, u64],
        }.items():
            getattr(self.c, f"warpfold_{name}_host").argtypes = arguments + [pointer] + error
            getattr(self.c, f"warpfold_{name}").argtypes = [pointer] + arguments + [ctypes.POINTER(pointer)] + error
        self.c.warpfold_array_data.argtypes = self.c.warpfold_array_len.argtypes = [pointer]
        self.c.warpfold_array_data.restype, self.c.warpfold_array_len.restype = pointer, u64
        self.c.warpfold_array_free.argtypes, self.c.warpfold_array_free.restype = [pointer], None
        assert self.c.warpfold_abi() == 1, "this script is for another version of the library"

    def call(self, function, *arguments):
        """The code and the message of a function whose last arguments are the buffer."""
        error = ctypes.create_string_buffer(1000)
        code = getattr(self.c, function)(*arguments, error, len(error))
        return code, error.value.decode()

    def host(self, op, kind, address, n):
        out = Result()
        code, message = self.call("warpfold_reduce_host", op, kind, address, n, ctypes.byref(out))
        assert code == 0, message
        return out.key()

    def device(self, stream, op, kind, address, n):
        out = Result()
        code, message = self.call("warpfold_reduce", stream, op, kind, address, n, ctypes.byref(out))
        assert code == 0, message
        return out.key()

    def many_on_host(self, name, size, count, *arguments):
        """The bytes of `count` results of `size` bytes."""
        out = ctypes.create_string_buffer(max(size * count, 1))
        code, message = self.call(f"warpfold_{name}_host", *arguments, ctypes.addressof(out))
        assert code == 0, f"{name}: {message}"
        return out.raw[: size * count]

    def many_on_device(self, name, size, count, stream, *arguments):
        """The bytes of that many results, computed on a device."""
        array = ctypes.c_void_p()
        code, message = self.call(f"warpfold_{name}", stream, *arguments, ctypes.byref(array))
        assert code == 0, f"{name}: {message}"
        assert self.c.warpfold_array_len(array) == count
        out = ctypes.create_string_buffer(max(size * count, 1))
        source = ctypes.c_uint64(self.c.warpfold_array_data(array) or 0)
        if count > 0:
            copied = ctypes.CDLL("libcuda.so.1").cuMemcpyDtoH_v2(out, source, ctypes.c_size_t(size * count))
            assert copied == 0, f"driver code {copied}"
        self.c.warpfold_array_free(array)
        return out.raw[: size * count]

    def open(self, device, stream):
        opened = ctypes.c_void_p()
        code, message = self.call("warpfold_stream_open", device, stream, ctypes.byref(opened))
        assert code == 0, message
        return opened


def elements(kind, seed):
    """The bytes of `MOST` elements whose order affects sums: random mantissas over 20 binades, some special values."""
    _, size, code = TYPES[kind]
    words = random.Random(seed)
    if code not in "fd":
        return words.randbytes(MOST * size)
    special = [0.0, -0.0, float("inf"), -float("inf"), float("nan"), 1e-40, -1e-40]
    finite = 2 * MOST // 3  # so that the bits of long sums tell something
    values = [
        special[words.randrange(len(special))]
        if i > finite and words.random() < 0.01
        else (words.random() + 1.0) * 2.0 ** words.randrange(-10, 10) * (1 - 2 * words.getrandbits(1))
        for i in range(MOST)
    ]
    return struct.pack(f"{MOST}{code}", *values)


class ByDriver:
    """Memory and streams of the driver itself, by ctypes."""

    name = "the driver"

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.do("cuInit", 0)
        device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.do("cuDeviceGet", ctypes.byref(device), 0)
        self.do("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.do("cuCtxSetCurrent", self.context)
        self.kept = []

    def do(self, function, *arguments):
        code = getattr(self.cuda, function)(*arguments)
        assert code == 0, f"{function}: driver code {code}"

    def streams(self):
        stream = ctypes.c_void_p()
        self.do("cuStreamCreate", ctypes.byref(stream), 1)
        return [("its own", stream.value), ("legacy", None), ("per thread", 2)]

    def array(self, kind, data):
        address = ctypes.c_uint64()
        self.do("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(data)))
        self.do("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        self.kept.append(data)
        return address.value

    def fill_late(self, stream, address, data):
        """Enqueues work that ends with `data` at `address`, and does not wait for it."""
        stream, bytes = ctypes.c_void_p(stream), ctypes.c_size_t(len(data))
        source = ctypes.c_uint64(self.array(0, data))
        for _ in range(200):
            self.do("cuMemsetD8Async", ctypes.c_uint64(address), 0x41, bytes, stream)
        self.do("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(address), source, bytes, stream)


class ByCuPy:
    """CuPy's arrays and streams."""

    name = "cupy"

    def __init__(self):
        import cupy

        self.cupy = cupy
        cupy.cuda.Device(0).use()
        self.kept = []

    def dtype(self, kind):
        name, _, _ = TYPES[kind]
        return {"i": "int", "u": "uint", "f": "float"}[name[0]] + name[1:]

    def streams(self):
        own = self.cupy.cuda.Stream(non_blocking=True)
        self.kept.append(own)
        return [("its own", own.ptr), ("default", self.cupy.cuda.Stream.null.ptr)]

    def of(self, kind, data):
        import numpy

        array = self.cupy.asarray(numpy.frombuffer(data, self.dtype(kind)))
        self.cupy.cuda.Device(0).synchronize()
        self.kept.append(array)
        return array

    def array(self, kind, data):
        return self.of(kind, data).data.ptr

    def fill_late(self, stream, address, data):
        source = self.of(1, data)
        memory = self.cupy.cuda.UnownedMemory(address, len(data), None)
        there = self.cupy.ndarray(source.shape, source.dtype, self.cupy.cuda.MemoryPointer(memory, 0))
        with self.cupy.cuda.ExternalStream(stream or 0):
            for _ in range(200):
                there.fill(0x41414141)
            self.cupy.copyto(there, source)
        self.kept.append(there)


class ByTorch:
    """PyTorch's tensors and streams."""

    name = "torch"

    def __init__(self):
        import torch

        assert torch.cuda.is_available(), "PyTorch sees no GPU"
        torch.cuda.set_device(0)
        self.torch = torch
        self.kept = []

    def streams(self):
        own = self.torch.cuda.Stream()
        self.kept.append(own)
        return [("its own", own.cuda_stream), ("current", self.torch.cuda.current_stream().cuda_stream)]

    def tensor(self, data):
        host = self.torch.frombuffer(bytearray(data), dtype=self.torch.uint8)
        tensor = host.to("cuda:0")
        self.torch.cuda.synchronize()
        self.kept.append(tensor)
        return tensor

    def array(self, kind, data):
        return self.tensor(data).data_ptr()

    def fill_late(self, stream, address, data):
        source = self.tensor(data)
        there = next(tensor for tensor in self.kept if getattr(tensor, "data_ptr", int)() == address)
        with self.torch.cuda.stream(self.torch.cuda.ExternalStream(stream or 0)):
            for _ in range(200):
                there[: len(data)].fill_(0x41)
            there[: len(data)].copy_(source)


def compare(library, provider, data):
    """Every operator, type, size and offset, on each of the provider's streams; and their order."""
    streams = [(name, stream, library.open(0, stream)) for name, stream in provider.streams()]
    compared = 0
    for kind, (type_name, size, _) in enumerate(TYPES):
        host = ctypes.create_string_buffer(data[kind], len(data[kind]))
        base, address = ctypes.addressof(host), provider.array(kind, data[kind])
        for op, op_name in enumerate(OPERATORS):
            for n in SIZES:
                for offset in OFFSETS:
                    expected = library.host(op, kind, base + offset * size, n)
                    for name, _, opened in streams:
                        found = library.device(opened, op, kind, address + offset * size, n)
                        assert found == expected, (
                            f"{provider.name}, stream {name}: {op_name} of {n} {type_name} from {offset}: "
                            f"{found} and not {expected}"
                        )
                        compared += 1
    # The owner's work on the stream comes first, although nobody waits for it.
    for name, stream, opened in streams:
        host = ctypes.create_string_buffer(data[1], len(data[1]))
        expected = library.host(0, 1, ctypes.addressof(host), MOST)
        address = provider.array(1, bytes(len(data[1])))
        for _ in range(5):
            provider.fill_late(stream, address, data[1])
            found = library.device(opened, 0, 1, address, MOST)
            assert found == expected, f"{provider.name}, stream {name}: reduced before it was filled"
            compared += 1
    print(f"{provider.name}: {compared} results on {len(streams)} streams have the bits of the CPU")
    address, times = provider.array(4, data[4]), []
    for _ in range(2000):
        start = time.perf_counter_ns()
        library.device(streams[0][2], 0, 4, address, 1024)
        times.append(time.perf_counter_ns() - start)
    times.sort()
    print(f"  sum of 1024 f32, by ctypes: median {times[1000] / 1e3:.1f} us, p99 {times[1980] / 1e3:.1f} us")
    for _, _, opened in streams:
        library.c.warpfold_stream_close(opened)


def compare_many(library, provider, data):
    """Rows, groups, scans and sorts: every operator and type on the provider's first stream."""
    (name, stream), *_ = provider.streams()
    opened, compared = library.open(0, stream), 0
    count, groups = 100_003, 1000
    ids = struct.pack(f"{count}I", *(random.Random(7).randrange(groups - 1) for _ in range(count)))
    ids_host, ids_device = ctypes.create_string_buffer(ids, len(ids)), provider.array(1, ids)
    for kind, (type_name, size, _) in enumerate(TYPES):
        host = ctypes.create_string_buffer(data[kind], len(data[kind]))
        base, address = ctypes.addressof(host), provider.array(kind, data[kind])
        calls = [(call, 8 if call == "argsort" else size, count, [kind, order], [count], [])
                 for call in ["sort", "argsort"] for order in [0, 1]]
        for op in range(len(OPERATORS)):
            bytes = 16 if op >= 6 else 8 if op < 2 and size == 4 and type_name != "f32" else size
            calls += [("rows", bytes, rows, [op, kind], [rows, length], [])
                      for rows, length in [(1, count), (1000, 100), (100, 1000), (3, 1), (count, 1), (4, 0)]]
            calls += [("groups", bytes, groups, [op, kind], [count, groups], [True])]
            calls += [("scan", bytes, count, [op, kind, scan], [count], []) for scan in [0, 1] if scan == 0 or op < 2]
        for call, bytes, results, before, after, with_ids in calls:
            expected = library.many_on_host(
                call, bytes, results, *before, base, *([ctypes.addressof(ids_host)] if with_ids else []), *after)
            found = library.many_on_device(
                call, bytes, results, opened, *before, address, *([ids_device] if with_ids else []), *after)
            assert found == expected, f"{provider.name}, stream {name}: {call} {before} {after} of {type_name}"
            compared += results
    code, message = library.call(
        "warpfold_groups", opened, 0, 4, address, ids_device, count, 5, ctypes.byref(ctypes.c_void_p()))
    assert code == INVALID and "group" in message, f"{code}: {message}"
    library.c.warpfold_stream_close(opened)
    print(f"{provider.name}: {compared} results of rows, groups, scans and sorts have the bits of the CPU")


def refusals(library, provider):
    """Invalid calls are refused, with a message."""
    (_, stream), *_ = provider.streams()
    opened, out = library.open(0, stream), Result()
    address = provider.array(4, bytes(4096))
    host = ctypes.create_string_buffer(4096)
    for x, n, part in [
        (None, 1, "null"),
        (address + 1, 1, "aligned"),
        (address, 1 << 62, "address"),
        (address, 1 << 45, "no such memory"),
        (ctypes.addressof(host) + 3 & ~3, 1, ""),
        (1 << 20, 1, "no such memory"),
    ]:
        code, message = library.call("warpfold_reduce", opened, 0, 4, x, n, ctypes.byref(out))
        assert code == INVALID and part in message, f"{x}, {n}: {code}, {message}"
    assert library.device(opened, 0, 4, address, 1024) == (0, 0, 4, 1), "it works as before"
    library.c.warpfold_stream_close(opened)
    code, message = library.call("warpfold_stream_open", 10_000, stream, ctypes.byref(ctypes.c_void_p()))
    assert code == NO_GPU and "10000" in message, message
    print(f"{provider.name}: what would fault is refused")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=os.path.join(here, "..", "libwarpfold_c.so"))
    parser.add_argument("--need", action="append", default=[], choices=["cupy", "torch"])
    parser.add_argument("--host-only", action="store_true")
    arguments = parser.parse_args()
    library = Library(os.path.abspath(arguments.library))
    if arguments.host_only:
        host = ctypes.create_string_buffer(struct.pack("5f", 3, -1, 4, -1, float("nan")))
        address = ctypes.addressof(host)
        assert library.host(6, 4, address, 5) == (struct.unpack("I", struct.pack("f", -1))[0], 1, 4, 1)
        code, message = library.call("warpfold_reduce_host", 9, 4, address, 5, ctypes.byref(Result()))
        assert code == INVALID and "operator" in message, message
        sums = library.many_on_host("scan", 4, 3, 0, 4, 0, address, 3)
        assert struct.unpack("3f", sums) == (3, 2, 6), sums
        print("the library answers on the host")
        return 0

    data = [elements(kind, kind) for kind in range(len(TYPES))]
    failed = 0
    for make in [ByDriver, ByCuPy, ByTorch]:
        try:
            provider = make()
        except Exception as missing:  # whatever an import or a start may raise
            print(f"missing: {make.name} ({type(missing).__name__}: {missing})")
            failed += make.name in arguments.need or make is ByDriver
            continue
        compare(library, provider, data)
        compare_many(library, provider, data)
        refusals(library, provider)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
