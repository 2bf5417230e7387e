"""Asks a spec's reference.py what a function's outputs are, in a child process that it cannot leave or outlive.

The child (`oracle_child.py`) gets an empty environment, a scratch folder as its current one, limits on memory,
processor time and wall time, and serves any number of requests; one that crashes or hangs it costs only its own answer.
Data pass as plain bytes over pipes, never as pickle.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any

import numpy as np

from opwright_build.verify import oracle_messages
from opwright_build.verify.case_model import Array

_CHILD = Path(__file__).with_name("oracle_child.py")


@dataclass(frozen=True, slots=True)
class Limits:
    """Per request: `wall` and `cpu` in seconds. `memory` in bytes of address space, for the whole child."""

    wall: float = 30.0
    cpu: int = 20
    memory: int = 2 << 30


@dataclass(frozen=True, slots=True)
class Reference:
    """The text of a reference.py; two of the same text are the same."""

    source: bytes

    @property
    def key(self) -> str:
        return sha256(self.source).hexdigest()


class Failure(Enum):
    RAISED = "raised"  # the reference raised an exception, or its answer is no tensor
    STOPPED = "stopped"  # it hit a limit or took the process down


class OracleFailure(Exception):
    """The reference did not answer. `line` is the line of the reference, 0 where that is unknown."""

    def __init__(self, kind: Failure, text: str, line: int = 0) -> None:
        super().__init__(kind, text, line)
        self.kind = kind
        self.text = text
        self.line = line


class Oracle:
    """The child process, started by the first request. Use it as a context manager; not thread-safe."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._talker: Thread | None = None
        self._loaded: set[str] = set()
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Oracle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def ask(
        self, reference: Reference, function: str, inputs: Sequence[Array | None], attributes: Mapping[str, Any]
    ) -> tuple[Array, ...]:
        """The outputs that `function` of the reference computes: float64, integer, bool or text arrays.

        `inputs` are given as they are where numpy itself knows their type: make float64 of other floats before.
        Raises OracleFailure.
        """
        if reference.key not in self._loaded:
            self._exchange({"do": "load", "reference": reference.key}, [reference.source])
            self._loaded.add(reference.key)
        parts: list[bytes] = []
        described = [_describe(array, parts) for array in inputs]
        header = {"do": "call", "reference": reference.key, "function": function, "inputs": described}
        outputs, arrays = self._exchange({**header, "attributes": dict(attributes)}, parts)
        rest = iter(arrays)
        try:
            return tuple(_array(output, rest) for output in outputs)
        except (KeyError, TypeError, ValueError, StopIteration):
            self.close()
            raise OracleFailure(Failure.STOPPED, "it wrote into the pipe that carries its answers") from None

    def close(self) -> None:
        """Ends the child, whatever it is doing, and removes its folder."""
        process, self._process = self._process, None
        self._loaded.clear()
        if process is not None:
            _kill(process)
            if self._talker is not None:
                self._talker.join(1.0)
            if self._talker is None or not self._talker.is_alive():
                _close_pipes(process)
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def _exchange(self, header: Mapping[str, Any], parts: Sequence[bytes]) -> tuple[Sequence[Any], list[bytes]]:
        process = self._process if self._process is not None else self._start()
        replies: SimpleQueue[bytes | None] = SimpleQueue()
        self._talker = Thread(target=_talk, args=(process, oracle_messages.pack(header, parts), replies), daemon=True)
        self._talker.start()
        try:
            message = replies.get(timeout=self._limits.wall)
        except Empty:
            self.close()
            raise OracleFailure(Failure.STOPPED, f"it took longer than {self._limits.wall:g} s") from None
        if message is None:
            how = self._describe_end(process)
            self.close()
            raise OracleFailure(Failure.STOPPED, how)
        try:
            answer, arrays = oracle_messages.unpack(message)
            if "error" in answer:
                raise OracleFailure(Failure.RAISED, f"{answer['error']}: {answer['text']}", int(answer["line"]))
            return list(answer["outputs"]), arrays
        except (oracle_messages.BadMessage, KeyError, TypeError, ValueError):
            self.close()
            raise OracleFailure(Failure.STOPPED, "it wrote into the pipe that carries its answers") from None

    def _start(self) -> subprocess.Popen[bytes]:
        self._scratch = tempfile.TemporaryDirectory(prefix="opwright-oracle-", ignore_cleanup_errors=True)
        numpy_folder = str(Path(np.__file__).parent.parent)
        limits = [str(self._limits.memory), str(self._limits.cpu)]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(_CHILD), *limits, numpy_folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._scratch.name,
            env=_environment(),
            start_new_session=True,  # so that what the reference starts ends with it
        )
        return self._process

    def _describe_end(self, process: subprocess.Popen[bytes]) -> str:
        try:
            code = process.wait(timeout=5.0)
        except subprocess.TimeoutExpired:
            return "it closed the pipe that carries its answers"
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = str(-code)
            if name == "SIGXCPU":
                return f"it used more than {self._limits.cpu} s of processor time"
            return f"its process died of {name}"
        return f"its process ended with exit code {code}"


def as_float64(array: Array) -> Array:
    """Floats of any width as float64, exactly; anything else as it is."""
    if array.dtype.kind in "fV":
        return array.astype(np.float64)
    return array


def _environment() -> dict[str, str]:
    """Empty, but for what Windows needs to start any process."""
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}


def _talk(process: subprocess.Popen[bytes], message: bytes, replies: SimpleQueue[bytes | None]) -> None:
    """Sends a request and puts the reply, or None when the child is gone; runs in a thread, so that the caller can
    wait for it with a limit."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(message)
        process.stdin.flush()
        prefix = process.stdout.read(oracle_messages.PREFIX)
        if len(prefix) < oracle_messages.PREFIX:
            replies.put(None)
            return
        try:
            length = oracle_messages.body_length(prefix)
        except oracle_messages.BadMessage:
            length = 0  # unpacking the reply fails on it
        replies.put(prefix + process.stdout.read(length))
    except (OSError, ValueError):
        replies.put(None)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    """Not while another thread reads from them, which it may for as long as something that the child started lives."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()


def _describe(array: Array | None, parts: list[bytes]) -> Any:
    if array is None:
        return None
    shape = list(array.shape)
    if array.dtype.kind in "OU":
        return {"text": array.ravel().tolist(), "shape": shape}
    little = array.dtype.newbyteorder("<")
    parts.append(np.ascontiguousarray(array).astype(little).tobytes())
    return {"dtype": little.str, "shape": shape}


def _array(described: Any, parts: Any) -> Array:
    shape = tuple(described["shape"])
    if "text" in described:
        return np.array(described["text"], dtype=object).reshape(shape)
    dtype = np.dtype(described["dtype"])
    if dtype.kind not in "biufc":
        raise ValueError("no type of ours")
    return np.frombuffer(next(parts), dtype=dtype).astype(dtype.newbyteorder("=")).reshape(shape)
