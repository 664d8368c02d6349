"""PyTorch's and CuPy's reductions for `bench gpu`; arguments: one or both of "torch" and "cupy".

Prints its description when it is ready. Then, for each input line with a contest, it measures every library that has
the reduction, with trials in turn, and replies in one line. outsider.rs documents the fields of both. Times are in
microseconds: by CUDA events for calls one after another and for graphs, by the host's clock end to end.
"""

import gc
import json
import struct
import sys
import time

# struct's format of a value, and how many of SplitMix64's upper bits make a float's mantissa.
TYPES = {"f32": ("f", 24), "f64": ("d", 53), "i32": ("i", 32), "u32": ("I", 32), "i64": ("q", 64), "u64": ("Q", 64)}
CHUNK = 1 << 24


def signed(constant):
    return constant - (1 << 64) if constant >> 63 else constant


def shifted(x, bits):
    """A logical shift: elements are signed, because PyTorch cannot compute with unsigned ones."""
    return (x >> bits) & ((1 << (64 - bits)) - 1)


def mix(i):
    """The output function of SplitMix64 at the i-th state, as in datum.rs, for any library's array of int64."""
    x = (i + 1) * signed(0x9E3779B97F4A7C15)
    x = (x ^ shifted(x, 30)) * signed(0xBF58476D1CE4E5B9)
    x = (x ^ shifted(x, 27)) * signed(0x94D049BB133111EB)
    return x ^ shifted(x, 31)


def elements(library, element, i):
    """The elements of datum.rs at the indices i."""
    bits = mix(i)
    if element in ("f32", "f64"):
        mantissa = TYPES[element][1]
        return library.cast(shifted(bits, 64 - mantissa), element) / library.scalar(2.0**mantissa, element)
    return library.cast(bits >> 32 if element in ("i32", "u32") else bits, element)


class Torch:
    name = "PyTorch"

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise RuntimeError("it sees no CUDA device")
        self.torch = torch
        self.version = torch.__version__
        self.stream = torch.cuda.Stream()
        # From here on everything runs on this stream.
        torch.cuda.set_stream(self.stream)
        self.types = {"f32": torch.float32, "f64": torch.float64, "i32": torch.int32, "i64": torch.int64}
        self.event = lambda: torch.cuda.Event(enable_timing=True)

    def indices(self, start, stop):
        return self.torch.arange(start, stop, dtype=self.torch.int64, device="cuda")

    def empty(self, n, element):
        return self.torch.empty(n, dtype=self.types[element], device="cuda")

    def cast(self, x, element):
        return x.to(self.types[element])

    def scalar(self, value, element):
        return value

    def reduction(self, op):
        t = self.torch
        return {"sum": t.sum, "min": t.min, "max": t.max, "argmin": t.argmin, "argmax": t.argmax}[op]

    def to_host(self, result):
        return result.item()

    def wait(self):
        self.stream.synchronize()

    def record(self, event):
        event.record(self.stream)

    def elapsed(self, start, stop):
        stop.synchronize()
        return start.elapsed_time(stop) * 1e3

    def capture(self, calls):
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph, stream=self.stream):
            result = calls()
        return graph.replay, result

    def forget(self):
        self.torch.cuda.empty_cache()


class CuPy:
    name = "CuPy"

    def __init__(self):
        import cupy

        cupy.cuda.runtime.getDeviceCount()  # raises where there is none
        self.cupy = cupy
        self.version = cupy.__version__
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.stream.use()
        types = {"f32": "float32", "f64": "float64", "i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64"}
        self.types = {element: cupy.dtype(name) for element, name in types.items()}
        self.event = cupy.cuda.Event

    def indices(self, start, stop):
        return self.cupy.arange(start, stop, dtype=self.cupy.int64)

    def empty(self, n, element):
        return self.cupy.empty(n, dtype=self.types[element])

    def cast(self, x, element):
        return x.astype(self.types[element])

    def scalar(self, value, element):
        return self.types[element].type(value)

    def reduction(self, op):
        c = self.cupy
        return {"sum": c.sum, "min": c.min, "max": c.max, "argmin": c.argmin, "argmax": c.argmax}[op]

    def to_host(self, result):
        return result.item()

    def wait(self):
        self.stream.synchronize()

    def record(self, event):
        event.record(self.stream)

    def elapsed(self, start, stop):
        stop.synchronize()
        return self.cupy.cuda.get_elapsed_time(start, stop) * 1e3

    def capture(self, calls):
        self.stream.begin_capture()
        try:
            result = calls()
        finally:
            graph = self.stream.end_capture()
        return (lambda: graph.launch(self.stream)), result

    def forget(self):
        self.cupy.get_default_memory_pool().free_all_blocks()


class Data:
    """A library's elements 0 to n - 1 on the device, generated again if another type or number is requested."""

    def __init__(self, library):
        self.library, self.made, self.x = library, None, None

    def of(self, element, n):
        if self.made != (element, n):
            self.x = None
            self.library.forget()
            self.x = self.library.empty(n, element)
            for start in range(0, n, CHUNK):
                stop = min(n, start + CHUNK)
                self.x[start:stop] = elements(self.library, element, self.library.indices(start, stop))
            self.library.wait()
            self.library.forget()
            self.made = (element, n)
        return self.x


class Contender:
    """One library in one contest."""

    def __init__(self, library, data, request):
        self.library, self.request = library, request
        x, n = data.of(request["element"], request["buffer"]), request["n"]
        self.x = x
        self.slices = [x[slot * n : (slot + 1) * n] for slot in range(request["slots"])]
        self.reduce = library.reduction(request["op"])
        self.answers, self.stream, self.graph, self.end_to_end, self.no_graph = [], [], [], [], None
        self.start, self.stop = library.event(), library.event()
        for slot in (0, request["slots"] - 1):
            self.answer(slot, self.reduce(self.slices[slot]))
        try:
            order = [call % request["slots"] for call in range(request["graph"])]
            self.replay, result = library.capture(lambda: [self.reduce(self.slices[slot]) for slot in order][-1])
            self.replay()
            library.wait()
            self.answer(order[-1], result)
        except Exception as reason:
            self.replay, self.no_graph = None, str(reason).split("\n")[0][:200]

    def answer(self, slot, result):
        """Records a result as the 16 bytes of peers/cub.cu: a value, and an index at byte 8."""
        element, index, value = self.request["element"], 0, self.library.to_host(result)
        if self.request["op"].startswith("arg"):
            index, value = value, self.library.to_host(self.slices[slot][value])
        form, _ = TYPES[element]
        if form in "iIqQ":
            # The lower bits of a wider sum are those of a narrow one.
            value &= (1 << (8 * struct.calcsize(form))) - 1
            form = form.upper()
        form = "<" + form
        value = struct.pack(form, value)
        self.answers.append({"slot": slot, "bytes": (value.ljust(8, b"\0") + struct.pack("<Q", index)).hex()})

    def round(self, number):
        """Runs one trial by each clock. Slices continue where the last round stopped."""
        library, request, reduce = self.library, self.request, self.reduce
        slots = request["slots"]

        def slices(calls):
            return [self.slices[(number * calls + call) % slots] for call in range(calls)]

        library.wait()
        inputs = slices(request["stream"])
        library.record(self.start)
        for x in inputs:
            reduce(x)
        library.record(self.stop)
        self.stream.append(library.elapsed(self.start, self.stop) / len(inputs))
        if self.replay:
            library.record(self.start)
            self.replay()
            library.record(self.stop)
            self.graph.append(library.elapsed(self.start, self.stop) / request["graph"])
        to_host, clock = library.to_host, time.perf_counter_ns
        for x in slices(request["end_to_end"]):
            start = clock()
            to_host(reduce(x))
            self.end_to_end.append((clock() - start) / 1e3)

    def result(self):
        return {
            "peer": self.library.name,
            "answers": self.answers,
            "stream": self.stream,
            "graph": self.graph,
            "no_graph": self.no_graph,
            "end_to_end": self.end_to_end,
        }


def contest(libraries, request):
    contenders, missing = [], []
    for library, data in libraries:
        if request["element"] not in library.types:
            missing.append({"peer": library.name, "reason": f"has no {request['element']}"})
            continue
        try:
            contenders.append(Contender(library, data, request))
        except Exception as reason:
            missing.append({"peer": library.name, "reason": str(reason).split("\n")[0][:200]})
    begun = time.monotonic()
    for number in range(-3, request["trials"]):
        if number == 0:
            for contender in contenders:  # clocks have risen and caches are full
                contender.stream, contender.graph, contender.end_to_end = [], [], []
        if number >= 5 and time.monotonic() - begun > request["seconds"]:
            break
        for contender in contenders:
            contender.round(number)
    return {"results": [contender.result() for contender in contenders], "missing": missing}


def say(answer):
    print(json.dumps(answer), flush=True)


def main():
    libraries, missing = [], []
    for which, library in (("torch", Torch), ("cupy", CuPy)):
        if which in sys.argv[1:]:
            try:
                libraries.append(library())
            except Exception as reason:
                missing.append({"peer": library.name, "reason": str(reason).split("\n")[0][:200]})
    say({"peers": [f"{library.name} {library.version}" for library in libraries], "missing": missing})
    libraries = [(library, Data(library)) for library in libraries]
    for line in sys.stdin:
        gc.collect()
        gc.disable()
        say(contest(libraries, json.loads(line)))
        gc.enable()


if __name__ == "__main__":
    main()
