"""One worker process (`worker.py`) as its user has it: started isolated and, where the machine has one, in a cage.

Messages go in as bytes; answers come out one after the other, in a thread that hands each on, and None at the end of
them. The process ends with this one, however this one ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from opwright_build.import_path import clean_path, package_folders
from opwright_build.sandbox.child_processes import forget_child, register_child
from opwright_build.verify.run import worker_sandbox

# What native libraries may need: where the system's loader looks, how many threads there are.
_KEPT = (
    "DYLD_LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "SYSTEMROOT",
)
_TEMPORARY = ("TEMP", "TMP", "TMPDIR")  # names of the scratch folder, the only one that may be written to


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a process is told when it starts: its flags, its environment, and where it imports from."""

    flags: tuple[str, ...]
    environment: Mapping[str, str]
    path: Sequence[str]
    packages: Mapping[str, str]
    cage: str  # its name; empty for none
    readable: Sequence[str]  # in that cage

    @staticmethod
    def here() -> Surroundings:
        # Without `site` (-S), since .pth files may put a library's folder on the path, with a sitecustomize.py in it.
        flags = ("-I", "-S", *(("-B",) if sys.dont_write_bytecode else ()))
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        claimed = worker_sandbox.claim().cage
        cage, readable = (claimed.name, worker_sandbox.readable()) if claimed.level else ("", ())
        return Surroundings(flags, environment, clean_path(), package_folders(), cage, readable)


@dataclass(frozen=True, slots=True)
class Answer:
    """A JSON object, and the bytes that came with it."""

    header: Mapping[str, Any]
    payload: bytes = b""


class WorkerProcess:
    """`serve` names, as `module:function`, what answers the messages; without it they are tasks of `isolation`."""

    def __init__(self, surroundings: Surroundings, deliver: Callable[[Answer | None], None], serve: str = "") -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="opwright-worker-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [sys.executable, *surroundings.flags, str(worker_sandbox.WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._scratch.name,
            env={**surroundings.environment, **dict.fromkeys(_TEMPORARY, self._scratch.name)},
        )
        register_child(self._process.pid, self._scratch.name)
        assert self._process.stdout is not None
        self._reader = threading.Thread(target=_read_answers, args=(self._process.stdout, deliver), daemon=True)
        self._reader.start()
        told = {
            "path": surroundings.path,
            "packages": surroundings.packages,
            "cage": surroundings.cage,
            "readable": surroundings.readable,
            "serve": serve,
        }
        with contextlib.suppress(OSError):  # it is gone, which the end of its answers tells
            self.send(json.dumps(told).encode())

    def send(self, message: bytes) -> None:
        """OSError when the process is gone."""
        assert self._process.stdin is not None
        self._process.stdin.write(struct.pack("<Q", len(message)) + message)
        self._process.stdin.flush()

    def stop(self) -> str:
        """Ends the process, whatever it is doing. The text says how it had ended and continues "it ..."."""
        self._process.kill()  # which changes nothing where it has ended
        code = self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what could not be written is of no use to the dead
                    stream.close()
        forget_child(self._process.pid)
        self._scratch.cleanup()
        return f"crashed (signal {-code})" if code < 0 else f"ended the process (exit code {code})"


def _read_answers(stream: IO[bytes], deliver: Callable[[Answer | None], None]) -> None:
    """Hands on each answer, and None at the end of the stream, or where it is none."""
    while True:
        line = stream.readline()
        if not line.endswith(b"\n"):
            return deliver(None)
        try:
            header = json.loads(line)
            size = int(header.get("size", 0))
        except (ValueError, AttributeError):
            return deliver(None)
        payload = stream.read(size) if size else b""
        if len(payload) < size:
            return deliver(None)
        deliver(Answer(header, payload))
