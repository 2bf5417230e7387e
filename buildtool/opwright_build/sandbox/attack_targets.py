"""The targets of a self-test: what lies outside of the cage, and whether it came to harm."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import socket
from collections.abc import Sequence

from opwright_build.sandbox import kernel
from opwright_build.sandbox.attacks import Targets

_SECRET = b"what is in the memory of another process"
_FEW = 32  # the ids of processes in a new namespace start again at 1
_PATIENCE_MS = 2000


class Outside:
    """A folder with a file, a process, sockets, and a pipe that tells whether anything from the cage still lives.

    `folder` exists; `relatives` are further processes that nobody in the cage may look into. Linux alone.
    """

    def __init__(self, folder: str, home: str, relatives: Sequence[int]) -> None:
        self._folder = folder
        self._file = os.path.join(folder, "file")
        with open(self._file, "wb") as stream:
            stream.write(_SECRET)
        self._before = self._state()
        secret = ctypes.create_string_buffer(_SECRET, len(_SECRET))
        self._victim = _sleeper()
        self._ended = False
        self._servers = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET)]
        path = self._socket = f"{folder}-socket"
        self._servers[0].bind(path)
        self._servers[1].bind("")  # an abstract name that is free
        with contextlib.suppress(OSError):  # there may be no network to be kept from
            self._servers[2].bind(("127.0.0.1", 0))
        for server in self._servers:
            with contextlib.suppress(OSError):
                server.listen()
        self._reading, self.writing = os.pipe()
        self.targets = Targets(
            folder=folder,
            file=self._file,
            home=home,
            victim=self._victim,
            relatives=(os.getpid(), *relatives),
            address=ctypes.addressof(secret),
            secret=_SECRET,
            port=int(self._servers[2].getsockname()[1]),
            path=path,
            abstract=self._servers[1].getsockname(),
            kept=(self.writing,),
        )

    def harm(self) -> list[str]:
        """What became of the targets. What was attacked from, and all who hold `writing`, must have ended."""
        found: list[str] = []
        os.close(self.writing)
        waiting = select.poll()
        waiting.register(self._reading)
        if not waiting.poll(_PATIENCE_MS):
            found.append("a process outlived the cage")
        if self._state() != self._before:
            found.append("a file outside was changed")
        if self._has_ended():
            found.append("a process outside was ended")
        return found

    def close(self) -> None:
        for server in self._servers:
            server.close()
        os.close(self._reading)
        with contextlib.suppress(OSError):
            os.unlink(self._socket)
        with contextlib.suppress(OSError):
            os.close(self.writing)
        if not self._has_ended():
            os.kill(self._victim, signal.SIGKILL)
            os.waitpid(self._victim, 0)

    def _has_ended(self) -> bool:
        if not self._ended:
            self._ended = os.waitpid(self._victim, os.WNOHANG)[0] != 0
        return self._ended

    def _state(self) -> object:
        with contextlib.suppress(OSError):
            about = os.stat(self._file)
            with open(self._file, "rb") as stream:
                return stream.read(), about.st_mode, about.st_mtime_ns, sorted(os.listdir(self._folder))
        return None


def _sleeper() -> int:
    """A process that does nothing, whose id no process in a cage has."""
    while True:
        process = os.fork()
        if process == 0:
            kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
            while True:
                signal.pause()
        if process > _FEW:
            return process
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
