"""Asks a spec's reference.py what a function's outputs are, in a child process that it cannot leave or outlive.

The child (`oracle_server.py`) gets an empty environment, a scratch folder as its current one, limits on memory,
processor time and wall time, and the best cage that this machine offers (`opwright_build.sandbox`). Each reference has
a child of its own, so that it cannot change what another one computes; one that crashes or hangs its child costs its
own answer alone. Data pass as plain bytes over pipes, never as pickle.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import IO, Any, Protocol

import numpy as np

from opwright_build.sandbox.child_processes import forget_child, register_child
from opwright_build.sandbox.client import NoSandbox, Sandbox
from opwright_build.sandbox.levels import CAGES, Cage, Claim, without
from opwright_build.verify.case_model import Array
from opwright_build.verify.cases import oracle_messages
from opwright_build.verify.cases.kept_answers import KeptAnswers

_SCRIPT = Path(__file__).with_name("oracle_child.py")
_GRACE = 5.0  # seconds for a child that closed its pipes to end

_kept: dict[tuple[object, ...], _Forks] | None = None  # fork servers that wait, within `kept_fork_servers()`


@contextlib.contextmanager
def kept_fork_servers() -> Iterator[None]:
    """Within it the fork server of one oracle serves the next ones of the same limits and cages, as it serves one
    reference after the other; they end with the outermost of several."""
    global _kept
    if _kept is not None:
        yield
        return
    kept = _kept = {}
    try:
        yield
    finally:
        _kept = None
        for forks in kept.values():
            forks.end()


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
    """A child process for each reference, started by its first request; one lives at a time.

    Use it as a context manager; not thread-safe. `cages` are those that may be used, by default all. A question that
    `kept` has the answer of is not asked; it is given those of the others.
    """

    def __init__(self, limits: Limits, cages: Sequence[Cage] | None = None, kept: KeptAnswers | None = None) -> None:
        self._limits = limits
        self._cages = CAGES if cages is None else cages
        self._source: _Source | None = None
        self._child: _Child | None = None
        self._talker: Thread | None = None
        self._loaded: set[str] = set()
        self._kept = kept
        self.asked = False  # whether any Python of a spec was run

    def __enter__(self) -> Oracle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def claim(self) -> Claim:
        """The cage that holds here; asking for it starts it, and its self-test."""
        return self._started().claim

    def ask(
        self, reference: Reference, function: str, inputs: Sequence[Array | None], attributes: Mapping[str, Any]
    ) -> tuple[Array, ...]:
        """The outputs that `function` of the reference computes: float64, integer, bool or text arrays.

        `inputs` are given as they are where numpy itself knows their type: make float64 of other floats before.
        Raises OracleFailure.
        """
        parts: list[bytes] = []
        described = [_describe(array, parts) for array in inputs]
        header = {"do": "call", "reference": reference.key, "function": function, "inputs": described}
        message = oracle_messages.pack({**header, "attributes": dict(attributes)}, parts)
        question = sha256(message).digest()
        reply = None if self._kept is None else self._kept.find(reference.key, question)
        if reply is not None:
            return _outputs(reply)
        self.asked = True
        if reference.key not in self._loaded:
            if self._loaded and self._started().one_each:
                self._end_child()
            self._checked(
                self._exchange(oracle_messages.pack({"do": "load", "reference": reference.key}, [reference.source]))
            )
            self._loaded.add(reference.key)
        reply = self._exchange(message)
        outputs = self._checked(reply)
        if self._kept is not None:
            self._kept.add(reference.key, question, reply)
        return outputs

    def _checked(self, reply: bytes) -> tuple[Array, ...]:
        """The outputs that a reply holds. Raises OracleFailure, after which a child that writes no replies is gone."""
        try:
            return _outputs(reply)
        except (oracle_messages.BadMessage, KeyError, TypeError, ValueError, StopIteration):
            self._end_child()
            raise OracleFailure(Failure.STOPPED, "it wrote into the pipe that carries its answers") from None

    def close(self) -> None:
        """Ends everything, whatever it is doing, and removes its folder. It may be asked again: all starts anew."""
        self._end_child()
        source, self._source = self._source, None
        if source is not None:
            source.close()

    def _end_child(self, grace: float = 0.0) -> int | None:
        """The exit status of the child, as Popen has it; None where it is not known."""
        child, self._child = self._child, None
        self._loaded.clear()
        if child is None:
            return None
        code = child.end(grace)
        if self._talker is not None:
            self._talker.join(1.0)
        if self._talker is None or not self._talker.is_alive():
            child.close_pipes()
        return code

    def _started(self) -> _Source:
        if self._source is None:
            self._source = _source(self._limits, self._cages)
        return self._source

    def _exchange(self, message: bytes) -> bytes:
        if self._child is None:
            self._child = self._started().child()
        replies: SimpleQueue[bytes | None] = SimpleQueue()
        self._talker = Thread(target=_talk, args=(self._child, message, replies), daemon=True)
        self._talker.start()
        try:
            reply = replies.get(timeout=self._limits.wall)
        except Empty:
            self._end_child()
            raise OracleFailure(Failure.STOPPED, f"it took longer than {self._limits.wall:g} s") from None
        if reply is None:
            raise OracleFailure(Failure.STOPPED, self._describe_end(self._end_child(_GRACE)))
        return reply

    def _describe_end(self, code: int | None) -> str:
        if code is None:
            self.close()
            return "the sandbox has ended"
        if code < 0:
            try:
                name = signal.Signals(-code).name
            except ValueError:
                name = str(-code)
            if name == "SIGKILL":
                return "its process was killed, or closed the pipe that carries its answers"
            if name == "SIGXCPU":
                return f"it used more than {self._limits.cpu} s of processor time"
            return f"its process died of {name}"
        return f"its process ended with exit code {code}"


class _Child(Protocol):
    """A process that answers, by its pipes."""

    requests: IO[bytes]
    replies: IO[bytes]

    def end(self, grace: float) -> int | None:
        """Its exit status: of itself within the seconds of `grace`, or killed."""

    def close_pipes(self) -> None:
        """Not while another thread reads from them, which it may for as long as something that it started lives."""


class _Source(Protocol):
    """Where children come from. `one_each`: a new one for each reference costs little."""

    claim: Claim
    one_each: bool

    def child(self) -> _Child: ...

    def close(self) -> None: ...


def _source(limits: Limits, cages: Sequence[Cage]) -> _Source:
    settings = {"memory": limits.memory, "cpu": limits.cpu, "numpy": str(Path(np.__file__).parent.parent)}
    if sys.platform != "linux":
        return _Processes(settings, without(cages, f"{sys.platform} has none"))
    key = (str(_SCRIPT), tuple(cages), *settings.values(), os.path.expanduser("~"))
    waiting = None if _kept is None else _kept.pop(key, None)
    if waiting is not None:
        if waiting.serves():
            return waiting
        waiting.end()
    try:
        return _Forks(Sandbox(str(_SCRIPT), cages, settings), key)
    except NoSandbox as error:
        return _Processes(settings, without(cages, str(error)))


class _Forks:
    """Children of a fork server, in its cage."""

    one_each = True

    def __init__(self, sandbox: Sandbox, key: tuple[object, ...]) -> None:
        self._sandbox = sandbox
        self._key = key
        self.claim = sandbox.claim

    def child(self) -> _Child:
        return _Forked(self._sandbox)

    def serves(self) -> bool:
        """Whether it can be asked for children."""
        return self._sandbox.is_alive

    def close(self) -> None:
        if _kept is not None and self._key not in _kept and self.serves():
            _kept[self._key] = self
        else:
            self.end()

    def end(self) -> None:
        self._sandbox.close()


class _Forked:
    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        requests, replies = sandbox.start()
        self.requests: IO[bytes] = os.fdopen(requests, "wb")
        self.replies: IO[bytes] = os.fdopen(replies, "rb")

    def end(self, grace: float) -> int | None:
        return self._sandbox.end(grace)

    def close_pipes(self) -> None:
        _close(self.requests, self.replies)


class _Processes:
    """Processes that serve any number of references, with limits alone: for systems that have no cages."""

    one_each = False

    def __init__(self, settings: Mapping[str, Any], claim: Claim) -> None:
        self._settings = json.dumps(settings)
        self.claim = claim

    def child(self) -> _Child:
        return _Process(self._settings)

    def close(self) -> None:
        """Each process has ended before."""


class _Process:
    def __init__(self, settings: str) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="opwright-oracle-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(_SCRIPT), settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._scratch.name,
            env=_environment(),
            start_new_session=True,  # so that what the reference starts ends with it
        )
        register_child(self._process.pid, self._scratch.name, group=True)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.requests: IO[bytes] = self._process.stdin
        self.replies: IO[bytes] = self._process.stdout

    def end(self, grace: float) -> int | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=grace)
        with contextlib.suppress(OSError):
            if sys.platform != "win32":
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        code = self._process.wait()
        forget_child(self._process.pid)
        self._scratch.cleanup()
        return code

    def close_pipes(self) -> None:
        _close(self.requests, self.replies)


def as_float64(array: Array) -> Array:
    """Floats of any width as float64, exactly; anything else as it is."""
    if array.dtype.kind in "fV":
        return array.astype(np.float64)
    return array


def _environment() -> dict[str, str]:
    """Empty, but for what Windows needs to start any process."""
    return {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}


def _talk(child: _Child, message: bytes, replies: SimpleQueue[bytes | None]) -> None:
    """Sends a request and puts the reply, or None when the child is gone; runs in a thread, so that the caller can
    wait for it with a limit."""
    try:
        child.requests.write(message)
        child.requests.flush()
        prefix = child.replies.read(oracle_messages.PREFIX)
        if len(prefix) < oracle_messages.PREFIX:
            replies.put(None)
            return
        try:
            length = oracle_messages.body_length(prefix)
        except oracle_messages.BadMessage:
            length = 0  # unpacking the reply fails on it
        replies.put(prefix + child.replies.read(length))
    except (OSError, ValueError):
        replies.put(None)


def _close(*pipes: IO[bytes]) -> None:
    for pipe in pipes:
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


def _outputs(reply: bytes) -> tuple[Array, ...]:
    """The outputs that a reply holds. Raises OracleFailure for one that tells of an error, and what reading raises."""
    answer, arrays = oracle_messages.unpack(reply)
    if "error" in answer:
        raise OracleFailure(Failure.RAISED, f"{answer['error']}: {answer['text']}", int(answer["line"]))
    rest = iter(arrays)
    return tuple(_array(output, rest) for output in list(answer["outputs"]))


def _array(described: Any, parts: Any) -> Array:
    shape = tuple(described["shape"])
    if "text" in described:
        return np.array(described["text"], dtype=object).reshape(shape)
    dtype = np.dtype(described["dtype"])
    if dtype.kind not in "biufc":
        raise ValueError("no type of ours")
    return np.frombuffer(next(parts), dtype=dtype).astype(dtype.newbyteorder("=")).reshape(shape)
