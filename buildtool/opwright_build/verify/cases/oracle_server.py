"""The oracle's process: the only place where Python of a spec is run. Started by `oracle.py` through `oracle_child.py`.

It runs isolated (`-I -S`), in an empty environment, and imports nothing but the standard library, numpy, the sandbox
and `oracle_messages`. On Linux it is a fork server: numpy is imported once, and each reference gets a child of its
own, in the best cage that holds. Elsewhere it serves itself, on what were its standard input and output, which are
moved away before any reference is loaded: one that prints or reads finds an empty device.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from opwright_build.verify.cases import oracle_messages

Header = dict[str, Any]  # the JSON of a request or reply


def _take_over(descriptor: int, device: int) -> int:
    """A private copy of a standard descriptor, which itself leads to the null device from now on."""
    private = os.dup(descriptor)
    os.dup2(device, descriptor)
    return private


def _limit(memory: int, cpu_seconds: int) -> Callable[[], None]:
    """Bounds this process where the system can; the parent's own clock bounds it everywhere. Call what it returns
    before each request."""
    try:
        import resource
    except ImportError:
        return lambda: None
    for kind, amount in (("RLIMIT_AS", memory), ("RLIMIT_FSIZE", 1 << 26), ("RLIMIT_CORE", 0)):
        with contextlib.suppress(ValueError, OSError, AttributeError):
            resource.setrlimit(getattr(resource, kind), (amount, amount))
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)

    def grant() -> None:
        """Gives the next request its seconds: the limit counts from the start of the process."""
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1 + cpu_seconds, hard))

    return grant


def _import_numpy(folder: str) -> Any:
    """numpy as the parent has it; it may lie where an isolated interpreter does not look."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # each thread would reserve memory, within our limit
    try:
        import numpy
    except ImportError:
        sys.path.append(folder)
        import numpy
    return numpy


class _Server:
    def __init__(
        self,
        numpy: Any,
        requests: io.BufferedReader,
        replies: io.BufferedWriter,
        grant: Callable[[], None],
    ) -> None:
        self.numpy = numpy
        self.requests = requests
        self.replies = replies
        self.grant = grant
        self.references: dict[str, dict[str, Any]] = {}

    def serve(self) -> None:
        while True:
            prefix = self.requests.read(oracle_messages.PREFIX)
            if not prefix:
                return
            header, parts = oracle_messages.unpack(prefix + self.requests.read(oracle_messages.body_length(prefix)))
            self.grant()
            try:
                answer, arrays = self.answer(header, parts)
            except BaseException as error:  # a reference may raise anything, SystemExit too: all of it is a reply
                answer, arrays = _failure(error), []
            self.replies.write(oracle_messages.pack(answer, arrays))
            self.replies.flush()

    def answer(self, header: Header, parts: list[bytes]) -> tuple[Header, list[bytes]]:
        if header["do"] == "load":
            namespace: dict[str, Any] = {"__name__": "reference", "__builtins__": __builtins__}
            exec(compile(parts[0], "reference.py", "exec", dont_inherit=True), namespace)
            self.references[header["reference"]] = namespace
            return {"outputs": []}, []
        function = self.references[header["reference"]][header["function"]]
        rest = iter(parts)
        inputs = [self.array(described, rest) for described in header["inputs"]]
        with self.numpy.errstate(all="ignore"):
            result = function(*inputs, **header["attributes"])
        arrays: list[bytes] = []
        outputs = result if isinstance(result, (tuple, list)) else (result,)
        return {"outputs": [self.describe(output, arrays) for output in outputs]}, arrays

    def array(self, described: Header | None, parts: Iterator[bytes]) -> Any:
        if described is None:
            return None
        if "text" in described:
            return self.numpy.array(described["text"], dtype=object).reshape(described["shape"])
        return self.numpy.frombuffer(next(parts), dtype=described["dtype"]).reshape(described["shape"]).copy()

    def describe(self, output: object, arrays: list[bytes]) -> Header:
        masked = sys.modules.get("numpy.ma")
        if masked is not None and masked.is_masked(output):
            raise TypeError("an output has masked elements, which no tensor has")
        array = self.numpy.asarray(output)
        shape = list(array.shape)
        if array.dtype.kind == "f":
            array = array.astype(self.numpy.float64)
        if array.dtype.kind in "biufc":
            arrays.append(self.numpy.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes())
            return {"dtype": array.dtype.newbyteorder("<").str, "shape": shape}
        if array.dtype.kind in "UO" and all(isinstance(item, str) for item in array.ravel().tolist()):
            "".join(array.ravel().tolist()).encode()  # raises for what is no Unicode
            return {"text": array.ravel().tolist(), "shape": shape}
        raise TypeError(f"an output of type {type(output).__name__} ({array.dtype}) is no tensor of numbers or text")


def _failure(error: BaseException) -> Header:
    """What went wrong, and the last line of the reference that took part in it."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "reference.py"]
    if isinstance(error, SyntaxError):
        lines.append(error.lineno)
    text = str(error)[:2000].encode("utf-8", "replace").decode()
    return {"error": type(error).__name__, "text": text, "line": lines[-1] or 0 if lines else 0}


class _Oracle:
    """What the sandbox is for: numpy outside, references inside."""

    def __init__(self, memory: int, cpu_seconds: int, numpy_folder: str) -> None:
        self.memory = memory
        self.cpu_seconds = cpu_seconds
        self.numpy_folder = numpy_folder
        self.numpy: Any = None

    def prepare(self) -> Sequence[str]:
        """Imports numpy. A reference may read the standard library and numpy, of which parts are imported when used;
        not the libraries of the system that some of these load, so they are loaded now."""
        standard = list(sys.path)
        self.numpy = _import_numpy(self.numpy_folder)
        for name in _OF_THE_SYSTEM:
            with contextlib.suppress(ImportError):  # a Python may be built without
                importlib.import_module(name)
        folder = os.path.dirname(self.numpy.__file__)
        return [*standard, folder, f"{folder}.libs"]

    def check(self) -> None:
        """What references do, in small; raises where it does not work."""
        with open("written", "w+") as stream:
            stream.write("text")
        numpy = self.numpy
        matrix = numpy.eye(8) * 2.0
        numpy.linalg.inv(matrix @ matrix)
        for name in ("numpy.fft", "numpy.random", "numpy.polynomial", "decimal", "fractions", "unicodedata"):
            importlib.import_module(name)
        numpy.random.default_rng().random()

    def serve(self, requests: int, replies: int) -> None:
        grant = _limit(self.memory, self.cpu_seconds)
        _Server(self.numpy, os.fdopen(requests, "rb"), os.fdopen(replies, "wb"), grant).serve()


_OF_THE_SYSTEM = ("bz2", "decimal", "hashlib", "lzma", "zlib")


def main(settings: str) -> None:
    """`settings` is JSON: the limits, where numpy is, and on Linux what the sandbox needs."""
    told = json.loads(settings)
    oracle = _Oracle(told["memory"], told["cpu"], told["numpy"])
    if "control" in told:
        _fork_children(oracle, told)
        return
    device = os.open(os.devnull, os.O_RDWR)
    requests, replies = _take_over(0, device), _take_over(1, device)
    oracle.prepare()
    oracle.serve(requests, replies)
    os._exit(0)  # without the exit handlers that a reference may have left


def _fork_children(oracle: _Oracle, told: Header) -> None:
    import socket

    from opwright_build.sandbox import fork_server  # it needs what Linux alone has

    work = fork_server.Work(oracle.prepare, oracle.check, oracle.serve)
    rooms = fork_server.Rooms(**told["rooms"])
    fork_server.run(socket.socket(fileno=told["control"]), told["cages"], rooms, work, told)
