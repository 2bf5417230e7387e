"""The oracle's child process: the only place where Python of a spec is run. Started by `oracle.py`, never imported.

It runs isolated (`-I -S`), in a scratch folder, and imports nothing but the standard library, numpy and
`oracle_messages.py` next to it. Requests come on what was standard input and replies leave on what was standard output:
both descriptors are moved away before any reference is loaded, so that a reference that prints or reads finds an empty
device.
"""

import contextlib
import importlib.util
import io
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

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


def _load_messages() -> Any:
    location = os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle_messages.py")
    specification = importlib.util.spec_from_file_location("oracle_messages", location)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class _Server:
    def __init__(
        self,
        numpy: Any,
        messages: Any,
        requests: io.BufferedReader,
        replies: io.BufferedWriter,
        grant: Callable[[], None],
    ) -> None:
        self.numpy = numpy
        self.messages = messages
        self.requests = requests
        self.replies = replies
        self.grant = grant
        self.references: dict[str, dict[str, Any]] = {}

    def serve(self) -> None:
        while True:
            prefix = self.requests.read(self.messages.PREFIX)
            if not prefix:
                return
            header, parts = self.messages.unpack(prefix + self.requests.read(self.messages.body_length(prefix)))
            self.grant()
            try:
                answer, arrays = self.answer(header, parts)
            except BaseException as error:  # a reference may raise anything, SystemExit too: all of it is a reply
                answer, arrays = _failure(error), []
            self.replies.write(self.messages.pack(answer, arrays))
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


def main() -> None:
    memory, cpu_seconds, numpy_folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    device = os.open(os.devnull, os.O_RDWR)
    requests = io.FileIO(_take_over(0, device), "rb")
    replies = io.FileIO(_take_over(1, device), "wb")
    numpy = _import_numpy(numpy_folder)
    grant = _limit(memory, cpu_seconds)
    server = _Server(numpy, _load_messages(), io.BufferedReader(requests), io.BufferedWriter(replies), grant)
    server.serve()
    os._exit(0)  # without the exit handlers that a reference may have left


if __name__ == "__main__":
    main()
